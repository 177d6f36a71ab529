import { useRef } from 'react';
import { useKeys } from '../frame/keys.tsx';
import { Panel } from '../frame/panel.tsx';
import { Facts } from './facts.tsx';
import type { OneInvoice } from './invoices-api.ts';
import { SIDES } from './lists.tsx';
import { partyOf } from './lists-api.ts';
import { ACTS, KEYS, money, rateTypeOf, reasonOf, sentenceOf, warningOf, wordsOf } from './sentences.ts';
import { Tree } from './tree.tsx';

interface Props {
  invoice: OneInvoice;
  keysOn: boolean;
  problem: string;
  onEvent: (event: string) => void;
  onStep: (by: 1 | -1) => void;
  onClose: () => void;
}

/** The events of one invoice for a biller; all others are those of its settlement. */
const EVENTS = ['approve', 'unapprove'];

/** One invoice: what it comes to and why, and what keeps it from being approved or should be looked at before. */
export function InvoicePanel({ invoice: one, keysOn, problem, onEvent, onStep, onClose }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { id, explain, totalAmount, currency, rateValue, rateType } = one;
  const events = EVENTS.filter((event) => one.stateEvents.includes(event));
  useKeys(keysOn, Object.fromEntries(events.flatMap((event) => (KEYS[event] ? [[KEYS[event], () => onEvent(event)]] : []))));
  const edited = one.invoiceLineItems.filter((line) => line.edited);
  return (
    <Panel id="settlement-title" title={`invoice ${one.invoiceId}`} heading={heading} shown={id} onStep={onStep} onClose={onClose}>
      <p role="alert">{problem}</p>
      <p className="acts">
        {events.map((event) => (
          <button key={event} type="button" aria-keyshortcuts={KEYS[event]} onClick={() => onEvent(event)}>
            {ACTS[event]}
          </button>
        ))}
      </p>
      {one.blockers.length > 0 && <Reasons title="Why it cannot be approved" sentences={one.blockers.map(sentenceOf)} />}
      {one.warnings.length > 0 && <Reasons title="Look at this before" sentences={one.warnings.map(warningOf)} />}
      <Facts
        rows={[
          ['State', wordsOf(one.state)],
          ['For', reasonOf(one)],
          ['Party', partyOf(one)],
          ['Owed', SIDES[one.side]],
          ['Work', one.serviceDate],
          ['Jobs', one.jobJobIds.join(', ')],
          ['Rate', rateValue && rateType && `${rateValue} ${rateTypeOf(rateType)}${one.byHand ? ', set by hand on this invoice' : ''}`],
          ['Set by hand', edited.map((line) => `${line.name ?? 'a line'}, otherwise ${money(line.workTotalAmount)}`).join('; ')],
          ['Total', money(totalAmount, currency)],
        ]}
      />
      {explain ? (
        <>
          <h3>How it came about</h3>
          <Tree key={`${id} ${totalAmount}`} figure={explain} title="How the total came about" />
        </>
      ) : (
        <p className="meaning">
          {totalAmount === null ? 'Its amounts are not shown to you.' : 'It has a price once its work is finished.'}
        </p>
      )}
    </Panel>
  );
}

function Reasons({ title, sentences }: { title: string; sentences: readonly string[] }) {
  return (
    <>
      <h3>{title}</h3>
      <ul className="reasons">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </>
  );
}
