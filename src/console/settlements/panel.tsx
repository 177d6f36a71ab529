import { useRef, useState } from 'react';
import { useKeys } from '../frame/keys.tsx';
import { Panel } from '../frame/panel.tsx';
import { Correct, VoidIt } from './correct.tsx';
import { Paper } from './paper.tsx';
import { ACTS, KEYS, money, wordsOf } from './sentences.ts';
import { type Correction, type OneSettlement, partyOf } from './settlements-api.ts';
import { Tree } from './tree.tsx';

interface Props {
  settlement: OneSettlement;
  /** It was sent by another company, which alone changes it. */
  received: boolean;
  keysOn: boolean;
  problem: string;
  onEvent: (event: string) => void;
  onVoid: (reason: string) => void;
  onRebill: () => void;
  onCorrect: (reason: string, changes: readonly Correction[]) => Promise<void>;
  onOpen: (id: string) => void;
  onStep: (by: 1 | -1) => void;
  onClose: () => void;
  onFailed: (error: unknown) => void;
}

/** One settlement: what it comes to and why, what can be done with it, and how it is printed. */
export function SettlementPanel(props: Props) {
  const { settlement: one, received, keysOn, problem, onEvent, onVoid, onRebill, onCorrect, onOpen, onStep, onClose, onFailed } = props;
  const [doing, setDoing] = useState<'' | 'correct' | 'void'>('');
  const heading = useRef<HTMLHeadingElement>(null);
  const { id, stateEvents, state } = one;
  const rest = () => {
    setDoing('');
    heading.current?.focus();
  };
  const events = eventsOf(one, received).filter((event) => ACTS[event]);
  const invoices = one.explain?.parts?.[0]?.parts ?? [];
  const correctable = !received && invoices.length > 0 && stateEvents.includes('void') && (state === 'pending' || state === 'approved');
  useKeys(keysOn && doing === '', {
    ...Object.fromEntries(events.flatMap((event) => (KEYS[event] ? [[KEYS[event], () => onEvent(event)]] : []))),
    c: correctable ? () => setDoing('correct') : undefined,
    v: !received && stateEvents.includes('void') ? () => setDoing('void') : undefined,
    b: one.rebillable ? onRebill : undefined,
    o: () => document.getElementById('paper')?.click(),
  });
  return (
    <Panel id="settlement-title" title={`settlement ${one.settlementId}`} heading={heading} shown={id} onStep={onStep} onClose={onClose}>
      <p role="alert">{problem}</p>
      {doing === '' && (
        <p className="acts">
          {events.map((event) => (
            <button key={event} type="button" aria-keyshortcuts={KEYS[event]} onClick={() => onEvent(event)}>
              {ACTS[event]}
            </button>
          ))}
          {correctable && (
            <button type="button" aria-keyshortcuts="c" onClick={() => setDoing('correct')}>
              Correct
            </button>
          )}
          {!received && stateEvents.includes('void') && (
            <button type="button" aria-keyshortcuts="v" onClick={() => setDoing('void')}>
              Void
            </button>
          )}
          {one.rebillable && (
            <button type="button" aria-keyshortcuts="b" onClick={onRebill}>
              Bill it anew
            </button>
          )}
        </p>
      )}
      {doing === 'correct' && (
        <Correct
          invoices={invoices}
          onFailed={onFailed}
          onCancel={rest}
          onCorrect={async (reason, changes) => {
            await onCorrect(reason, changes);
            rest();
          }}
        />
      )}
      {doing === 'void' && (
        <VoidIt
          onCancel={rest}
          onVoid={(reason) => {
            rest();
            onVoid(reason);
          }}
        />
      )}
      <Facts settlement={one} onOpen={onOpen} />
      {one.explain ? (
        <>
          <h3>How it came about</h3>
          <Tree key={`${id} ${one.totalAmount}`} figure={one.explain} title="How the total came about" />
          {one.explain.rebilled && (
            <>
              <h3>As it is billed anew</h3>
              <Tree key={`${id} ${one.rebillTotalAmount}`} figure={one.explain.rebilled} title="How it came about when billed anew" />
            </>
          )}
        </>
      ) : (
        <p className="meaning">
          {one.totalAmount === null
            ? 'Its amounts are not shown to you.'
            : `It was voided, and its invoices were changed since: how it came about${one.postingDate ? '' : ', and what it looked like on paper,'} is not known any more.`}
        </p>
      )}
      {one.pdfUrl && one.totalAmount !== null && (one.explain || one.postingDate) && (
        <Paper key={`${id} ${state} ${one.totalAmount}`} url={one.pdfUrl} name={one.settlementId} onFailed={onFailed} />
      )}
    </Panel>
  );
}

/** What can be done now; of what another company sent, what its customer answers. */
const eventsOf = ({ state, stateEvents }: OneSettlement, received: boolean): string[] =>
  received ? [...(state === 'customer_pending' ? ['customer_approve'] : []), ...stateEvents] : stateEvents;

function Facts({ settlement: one, onOpen }: { settlement: OneSettlement; onOpen: (id: string) => void }) {
  const { originalSettlement: before, differenceTotalAmount: difference, currency } = one;
  const rows: [string, string | null][] = [
    ['State', wordsOf(one.state)],
    ['Party', partyOf(one)],
    ['Work', one.endsOn === one.startsOn ? one.startsOn : `${one.startsOn} to ${one.endsOn}`],
    ['Jobs', String(one.jobsCount)],
    ['Total', money(one.totalAmount, currency)],
    ['Billed anew', one.rebillTotalAmount === null ? null : money(one.rebillTotalAmount, currency)],
    ['Difference', difference === null ? null : `${difference.startsWith('-') ? '' : '+'}${money(difference, currency)}`],
    ['Voided because', one.voidReason],
  ];
  return (
    <dl>
      {rows
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      {before && (
        <div>
          <dt>Instead of</dt>
          <dd>
            <button type="button" className="link" onClick={() => onOpen(before.id)}>
              {before.settlementId}
            </button>
          </dd>
        </div>
      )}
    </dl>
  );
}
