import { type ReactNode, useRef, useState } from 'react';
import { useKeys } from '../frame/keys.tsx';
import { Panel } from '../frame/panel.tsx';
import { Correct } from './correct.tsx';
import { EmailIt } from './email-it.tsx';
import { Facts } from './facts.tsx';
import { FileIt } from './file-it.tsx';
import type { Draft } from './invoices-api.ts';
import { partyOf } from './lists-api.ts';
import { Paper } from './paper.tsx';
import { emailSettlement } from './send-api.ts';
import { Mails, Supplements } from './sent.tsx';
import { ACTS, KEYS, money, wordsOf } from './sentences.ts';
import type { Correction, OneSettlement } from './settlements-api.ts';
import { Tree } from './tree.tsx';
import { VoidIt } from './void-it.tsx';

interface Props {
  settlement: OneSettlement;
  /** It was sent by another company, which alone changes it. */
  received: boolean;
  keysOn: boolean;
  problem: string;
  onEvent: (event: string) => void;
  onVoid: (reason: string) => void;
  onRebill: () => void;
  /** Returns whether it was done. */
  onCorrect: (reason: string, changes: readonly Correction[]) => Promise<boolean>;
  /** Does something, says what was done, and reads the settlement anew. Returns whether it was done. */
  onDo: (said: string, work: () => Promise<void>) => Promise<boolean>;
  onOpen: (id: string) => void;
  onOpenInvoice: (one: Draft) => void;
  onStep: (by: 1 | -1) => void;
  onClose: () => void;
  onFailed: (error: unknown) => void;
  onForget: () => void;
  /** Writes an instant as the company does. */
  timeOf: (instant: string) => string;
}

/** States in which accounting takes a settlement. */
const FILED = ['approved', 'paid', 'customer_pending', 'customer_approved', 'customer_paid'];

/** One settlement: what it comes to and why, what can be done with it, and how it is printed. */
export function SettlementPanel(props: Props) {
  const { settlement: one, received, keysOn, problem, onEvent, onVoid, onRebill, onCorrect, onDo, onOpen, onOpenInvoice } = props;
  const { onStep, onClose, onFailed, onForget, timeOf } = props;
  const [doing, setDoing] = useState<'' | 'correct' | 'void' | 'email' | 'file'>('');
  const heading = useRef<HTMLHeadingElement>(null);
  const { id, stateEvents, state } = one;
  const rest = () => {
    setDoing('');
    heading.current?.focus();
  };
  const events = eventsOf(one, received).filter((event) => ACTS[event]);
  const invoices = one.explain?.parts?.[0]?.parts ?? [];
  const correctable = !received && invoices.length > 0 && stateEvents.includes('void') && (state === 'pending' || state === 'approved');
  // Amounts that are not known are not sent: a paper without its amounts says nothing.
  const sendable = !received && state !== 'voided' && one.totalAmount !== null;
  const filed = !received && FILED.includes(state) && one.totalAmount !== null;
  const begin = (what: typeof doing) => {
    onForget();
    setDoing(what);
  };
  useKeys(keysOn && doing === '', {
    ...Object.fromEntries(events.flatMap((event) => (KEYS[event] ? [[KEYS[event], () => onEvent(event)]] : []))),
    c: correctable ? () => begin('correct') : undefined,
    v: !received && stateEvents.includes('void') ? () => begin('void') : undefined,
    b: one.rebillable ? onRebill : undefined,
    e: sendable ? () => begin('email') : undefined,
    f: filed ? () => begin('file') : undefined,
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
          {sendable && (
            <button type="button" aria-keyshortcuts="e" onClick={() => begin('email')}>
              Send by e-mail
            </button>
          )}
          {filed && (
            <button type="button" aria-keyshortcuts="f" onClick={() => begin('file')}>
              File for accounting
            </button>
          )}
          {correctable && (
            <button type="button" aria-keyshortcuts="c" onClick={() => begin('correct')}>
              Correct
            </button>
          )}
          {!received && stateEvents.includes('void') && (
            <button type="button" aria-keyshortcuts="v" onClick={() => begin('void')}>
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
          settlement={one}
          invoices={invoices}
          onFailed={onFailed}
          onForget={onForget}
          onCancel={rest}
          onCorrect={async (reason, changes) => {
            if (await onCorrect(reason, changes)) rest();
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
      {doing === 'email' && (
        <EmailIt
          settlement={one}
          onFailed={onFailed}
          onCancel={rest}
          onSend={async (emails) => {
            if (await onDo(`${one.settlementId}: on its way to ${emails.join(', ')}.`, () => emailSettlement(id, emails))) rest();
          }}
        />
      )}
      {doing === 'file' && (
        <FileIt
          settlement={one}
          onFailed={onFailed}
          onCancel={rest}
          onDone={(name) => {
            void onDo(`${name} is downloaded.`, () => Promise.resolve());
            rest();
          }}
        />
      )}
      <Facts rows={factsOf(one, onOpen)} />
      <Supplements of={one.supplements} onOpen={onOpenInvoice} />
      <Mails mails={one.mails} timeOf={timeOf} />
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

/**
 * Returns the events that are possible now; of a settlement that another company sent, the answers of its customer; of one that the payee owes, that
 * the next one charges it.
 */
function eventsOf({ state, stateEvents, side, totalAmount, rebillTotalAmount }: OneSettlement, received: boolean): string[] {
  if (received) return [...(state === 'customer_pending' ? ['customer_approve'] : []), ...stateEvents];
  const owes = side === 'payable' && stateEvents.includes('pay') && (rebillTotalAmount ?? totalAmount)?.startsWith('-');
  return [...stateEvents, ...(owes ? ['carry_forward'] : [])];
}

function factsOf(one: OneSettlement, onOpen: (id: string) => void): [string, ReactNode][] {
  const { originalSettlement: before, balanceCarriedTo: next, differenceTotalAmount: difference, currency } = one;
  const link = ({ id, settlementId }: { id: string; settlementId: string }) => (
    <button type="button" className="link" onClick={() => onOpen(id)}>
      {settlementId}
    </button>
  );
  return [
    ['State', wordsOf(one.state)],
    ['Party', partyOf(one)],
    ['Work', one.endsOn === one.startsOn ? one.startsOn : `${one.startsOn} to ${one.endsOn}`],
    ['Jobs', String(one.jobsCount)],
    ['Total', money(one.totalAmount, currency)],
    ['Billed anew', one.rebillTotalAmount === null ? null : money(one.rebillTotalAmount, currency)],
    ['Difference', difference === null ? null : `${difference.startsWith('-') ? '' : '+'}${money(difference, currency)}`],
    ['Voided because', one.voidReason],
    ['Charged with', one.carriedForwardAt && one.state === 'paid' && (next ? link(next) : 'the next settlement of the payee')],
    ['Instead of', before && link(before)],
  ];
}
