import { useEffect, useRef, useState } from 'react';
import { escapeTo } from '../frame/ask.tsx';
import { useKeys } from '../frame/keys.tsx';
import { Panel } from '../frame/panel.tsx';
import { AmendDay } from './amend-day.tsx';
import { AmendTicket } from './amend-ticket.tsx';
import { crossedOf, siteOf } from './crossings.ts';
import { type Item, nameOf } from './items.ts';
import { TicketPicture } from './picture.tsx';
import { changeDay, changeTicket, isStuck } from './review-api.ts';

interface Props {
  item: Item;
  company: string;
  zone: string | undefined;
  keysOn: boolean;
  /** The reason why something about this item was refused. */
  problem: string;
  when: (instant: string | null) => string;
  /** Approves it; a crossing is confirmed. */
  onApprove: () => void;
  /** Refuses a crossing that waits. */
  onDismiss: () => void;
  /** Undoes what came of a crossing. */
  onUndo: () => void;
  /** Takes a day's approval back. */
  onReopen: () => void;
  /** Has the driver asked for the ticket, or for another one. */
  onAskAgain: () => void;
  /** Runs a change, and shows the item as it is afterwards. */
  onChange: (work: () => Promise<void>, done: string) => Promise<boolean>;
  onStep: (by: 1 | -1) => void;
  onClose: () => void;
}

/** One of what needs a person: why, what is known of it, and what can be done. */
export function ReviewPanel(props: Props) {
  const { item, company, zone, keysOn, problem, when, onApprove, onDismiss, onUndo, onReopen, onAskAgain, onChange, onStep, onClose } =
    props;
  const [doing, setDoing] = useState<'' | 'amend' | 'again'>('');
  const heading = useRef<HTMLHeadingElement>(null);
  const rest = () => {
    setDoing('');
    heading.current?.focus();
  };
  const acts = actsOf(item);
  const amend = acts.amend ? () => setDoing('amend') : undefined;
  // A ticket that is there is voided first, which is asked for; a missing one is only asked for.
  const again = acts.again && (item.kind === 'loads' && item.load.ticket ? () => setDoing('again') : onAskAgain);
  useKeys(keysOn && doing === '', {
    a: acts.approve ? onApprove : undefined,
    d: acts.dismiss ? onDismiss : undefined,
    u: acts.undo ? onUndo : undefined,
    e: amend,
    r: again || undefined,
    o: () => document.getElementById('picture')?.click(),
  });
  return (
    <Panel id="review-title" title={item.name} heading={heading} shown={item.id} onStep={onStep} onClose={onClose}>
      <p role="alert">{problem}</p>
      <ul className="reasons">
        {item.reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      {item.kind === 'loads' && item.load.ticket && (
        <TicketPicture of={item.load.ticket} name={item.load.ticket.ticketNumber ?? 'without a number'} />
      )}
      {doing === '' && (
        <p className="acts">
          {acts.approve && (
            <button type="button" aria-keyshortcuts="a" onClick={onApprove}>
              {item.kind === 'crossings' ? 'Confirm' : 'Approve'}
            </button>
          )}
          {acts.dismiss && (
            <button type="button" aria-keyshortcuts="d" onClick={onDismiss}>
              Dismiss
            </button>
          )}
          {acts.undo && (
            <button type="button" aria-keyshortcuts="u" onClick={onUndo}>
              Undo
            </button>
          )}
          {acts.loadOnly && (
            <button type="button" onClick={onApprove}>
              Approve the load without its ticket
            </button>
          )}
          {acts.reopen && (
            <button type="button" onClick={onReopen}>
              Take the approval back
            </button>
          )}
          {amend && (
            <button type="button" aria-keyshortcuts="e" onClick={amend}>
              Amend
            </button>
          )}
          {again && (
            <button type="button" aria-keyshortcuts="r" onClick={again}>
              Ask again
            </button>
          )}
        </p>
      )}
      {doing === '' && acts.why && <p className="meaning">{acts.why}</p>}
      {doing === 'amend' && item.kind === 'loads' && item.load.ticket && (
        <AmendTicket
          ticket={item.load.ticket}
          onSave={async (change) => void ((await onChange(() => changeTicket(item.load.ticket!, change, company), 'amended')) && rest())}
          onCancel={rest}
        />
      )}
      {doing === 'amend' && item.kind === 'days' && zone && (
        <AmendDay
          day={item.day}
          zone={zone}
          onSave={async (change) => void ((await onChange(() => changeDay(item.id, change, company), 'amended')) && rest())}
          onCancel={rest}
        />
      )}
      {doing === 'again' && (
        <VoidFirst
          onGo={() => {
            rest();
            onAskAgain();
          }}
          onCancel={rest}
        />
      )}
      <Facts item={item} when={when} />
    </Panel>
  );
}

/** A ticket cannot be unvoided, so whoever asks for another one says so twice. */
function VoidFirst({ onGo, onCancel }: { onGo: () => void; onCancel: () => void }) {
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <fieldset className="acts" onKeyDown={escapeTo(onCancel)}>
      <legend>The ticket is voided, and the driver is asked for another one.</legend>
      <button type="button" ref={first} onClick={onGo}>
        Void it and ask again
      </button>
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
    </fieldset>
  );
}

/** Returns the acts that are possible with an item now, and why something is not. */
function actsOf(item: Item) {
  const none = { approve: false, loadOnly: false, reopen: false, amend: false, again: false, dismiss: false, undo: false, why: '' };
  if (item.kind === 'days') {
    const { approvable, editable } = item.day;
    return { ...none, approve: approvable, reopen: !approvable, amend: editable };
  }
  if (item.kind === 'crossings') {
    const { state, undoable } = item.crossing;
    const waits = state === 'proposed';
    return {
      ...none,
      approve: waits,
      dismiss: waits,
      undo: undoable,
      why: waits || undoable ? '' : 'Nothing can be decided about it any more.',
    };
  }
  const { ticket, approvable, state, job } = item.load;
  const stuck = isStuck(ticket);
  const chased = job.order.chaseMissingTickets === true;
  const why = [
    !approvable && state !== 'completed' ? `It can be approved once it is completed; it is ${state.replaceAll('_', ' ')}.` : '',
    stuck ? 'Its ticket can be approved once it has a number, a quantity and a picture of its own.' : '',
    chased ? '' : 'Its order does not ask drivers for missing tickets.',
  ];
  return {
    ...none,
    approve: approvable && !stuck,
    loadOnly: approvable && stuck,
    amend: ticket !== null && ticket.state !== 'voided',
    again: chased && state === 'completed',
    why: why.filter(Boolean).join(' '),
  };
}

function Facts({ item, when }: Pick<Props, 'item' | 'when'>) {
  const rows = factsOf(item, when);
  return (
    <dl>
      {rows
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{String(value)}</dd>
          </div>
        ))}
    </dl>
  );
}

function factsOf(item: Item, when: Props['when']): [string, unknown][] {
  if (item.kind === 'days') return factsOfDay(item, when);
  return item.kind === 'crossings' ? factsOfCrossing(item, when) : factsOfLoad(item, when);
}

function factsOfCrossing({ crossing }: Item & { kind: 'crossings' }, when: Props['when']): [string, unknown][] {
  const { job, occurredAt, confirmedAt, confidence } = crossing;
  return [
    ['Crossing', crossedOf(crossing)],
    ['Site', siteOf(crossing)],
    ['When', when(occurredAt)],
    ['Known at', when(confirmedAt)],
    ['Confidence', confidence],
    ['Job', `${job.jobId}, ${job.state.replaceAll('_', ' ')}`],
    ['Order', `${job.order.orderId}${job.order.account ? `, ${job.order.account.name}` : ''}`],
    ['Driver, truck', [nameOf(job.driver), job.equipment?.name].filter(Boolean).join(', ')],
  ];
}

function factsOfLoad({ load }: Item & { kind: 'loads' }, when: Props['when']): [string, unknown][] {
  const { ticket, job, loadSummary: times } = load;
  const amount = (quantity: string | null | undefined, unit: string | null | undefined) => quantity && `${quantity} ${unit ?? ''}`;
  return [
    ['Ticket', ticket && `${ticket.ticketNumber ?? '(no number)'}, ${ticket.state}`],
    ['Says', amount(ticket?.quantity, ticket?.unitOfMeasure)],
    ['Gross, tare', ticket?.grossQuantity && `${ticket.grossQuantity}, ${ticket.tareQuantity ?? ''}`],
    ['Served', ticket && when(ticket.serviceDate)],
    ['Reported', amount(load.quantity, load.unitOfMeasure)],
    ['Material', load.material?.name],
    ['Order', `${job.order.orderId}${job.order.account ? `, ${job.order.account.name}` : ''}`],
    ['Job', `${job.jobId}, ${when(job.jobStartAt)}`],
    ['Driver, truck', [nameOf(job.driver), job.equipment?.name].filter(Boolean).join(', ')],
    ['At the pickup', when(times.arrivedPickupAt)],
    ['Loaded', when(times.loadedAt)],
    ['At the drop-off', when(times.arrivedDropoffAt)],
    ['Completed', when(times.loadCompletedAt)],
    ['Reviewed', load.aiReview && `${load.aiReview.status}, confidence ${load.aiReview.confidence ?? ''}`],
  ];
}

function factsOfDay({ day }: Item & { kind: 'days' }, when: Props['when']): [string, unknown][] {
  const adjusted =
    day.shiftAdjustmentMinutes !== 0 && `${day.shiftAdjustmentMinutes} for ${day.shiftAdjustmentType?.replace('_', ' ') ?? ''}`;
  return [
    ['Driver', nameOf(day.driver)],
    ['Date', day.driverDayDate],
    ['On duty from', when(day.startedShiftAt)],
    ['Off duty at', when(day.endedShiftAt)],
    ['Corrected start', when(day.adjustedStartedShiftAt)],
    ['Corrected end', when(day.adjustedEndedShiftAt)],
    ['Minutes added', adjusted || null],
    ['Minutes on duty', day.totalOnDutyMinutes],
    ['Minutes of breaks', day.totalBreakMinutes],
    ['Minutes of the shift', day.totalShiftMinutes],
    ['Minutes paid', day.payableMinutes],
    ['Jobs, loads, tickets', `${day.jobsCount}, ${day.loadsCount}, ${day.ticketsCount}`],
  ];
}
