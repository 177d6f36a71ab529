import { companyIdOf } from '../commands/audit.ts';
import type { RecordsOf } from '../commands/records.ts';
import { requireTransaction } from '../commands/transact.ts';
import type { Context } from '../context.ts';
import { Conflict, type ErrorItem } from '../errors.ts';
import { verifyMachine } from './verify-machine.ts';

/** One arrow: the event leads from any of `from` to `to` when `guard` agrees. */
export interface Arrow<S extends string, T, F> {
  from: readonly S[];
  /** A state, or a function for targets that depend on the record (release to the state before the hold): then `among` lists them all. */
  to: S | ((subject: T, facts: Partial<F>) => S);
  among?: readonly S[];
  /**
   * Pure. `facts` are what the caller knows of related records; any of them may be absent, and an absent fact must not forbid
   * (lists offer the event, the command that knows the facts decides).
   */
  guard?: (subject: T, facts: Partial<F>) => boolean;
  /** Key of the message when the state fits and the guard refuses, or each field that keeps the guard from it with its own. */
  refusal?: string | ((subject: T, facts: Partial<F>) => readonly Refusal[]);
}

/** Why a guard refuses: a field of the record, and the key of what is wrong with it. */
export interface Refusal {
  field: string;
  key: string;
}

export interface MachineTable<S extends string, E extends string, T extends Subject, F> {
  /** Type name, as in error items: `Order`. */
  model: string;
  states: readonly S[];
  initial: readonly NoInfer<S>[];
  terminal: readonly NoInfer<S>[];
  /** Tried in order: the first arrow whose `from` and guard fit is taken. */
  events: { readonly [K in E]: readonly Arrow<NoInfer<S>, T, F>[] };
  /** The past tense of each event: `accept` becomes the outbox event `order.accepted`, which webhooks will be named by. */
  happened: { readonly [K in NoInfer<E>]: string };
  /** Events only the system fires: left out of `open`. */
  internal?: readonly NoInfer<E>[];
  /** Events of the system that take back what happened: also left out of `open`, and only they leave a terminal state. */
  reversals?: readonly NoInfer<E>[];
}

/** The part of a record that a machine uses. */
export interface Subject {
  state: string;
}
/** Firing also needs an id and a company (`company`, `companyId`) under which to record. */
export type Recorded = Subject & { id: string };

export interface Machine<S extends string, E extends string, T extends Subject, F> {
  readonly model: string;
  readonly states: readonly S[];
  readonly initial: readonly S[];
  readonly terminal: readonly S[];
  readonly events: readonly E[];
  /** The events legal now, in table order: `state_events`. Takes plain rows too. */
  open(subject: T, facts?: Partial<F>): E[];
  can(subject: T, event: E, facts?: Partial<F>): boolean;
  /**
   * Moves the record, adds its Transition row and the outbox event that `eventName` names. The record must be locked by the caller.
   * @returns the state before
   * @throws Conflict naming the state and the event
   */
  fire(tx: Context, subject: T & Recorded, event: E, facts?: Partial<F>): S;
  /**
   * Moves many records, each by its arrow; all of them or none. The records must be locked by the caller.
   * @param recordsOf where the Transition row and the outbox event of a record are collected
   * @param factsOf what the guards are to know of a record
   * @returns the states before, in the order of the records
   * @throws Conflict with an item for every record whose state or guard forbids the event
   */
  fireMany<R extends T & Recorded>(recordsOf: RecordsOf<R>, subjects: readonly R[], event: E, factsOf?: (subject: R) => Partial<F>): S[];
  /** The name of the outbox event of an event of the machine: `order.accepted`. */
  eventName(event: E): string;
  isTerminal(subject: Subject): boolean;
}

/**
 * Makes a machine of a table. Annotate the guards' parameters, or give the type arguments, to type subject and facts.
 * @throws Error at load when the table cannot be right: see `prove`
 */
export function defineMachine<const S extends string, const E extends string, T extends Subject = Subject, F = Record<never, never>>(
  table: MachineTable<S, E, T, F>,
): Machine<S, E, T, F> {
  verifyMachine(table as unknown as Parameters<typeof verifyMachine>[0]);
  const names = Object.keys(table.events) as E[];
  const offered = names.filter((event) => !table.internal?.includes(event) && !table.reversals?.includes(event));
  const prefix = table.model.replace(/(?<=[a-z0-9])[A-Z]/g, '_$&').toLowerCase();
  const terminal = new Set<string>(table.terminal);
  const eventName = (event: E) => `${prefix}.${table.happened[event]}`;

  const arrow = (subject: T, event: E, facts: Partial<F>) =>
    table.events[event].find((a) => a.from.includes(subject.state as S) && (a.guard?.(subject, facts) ?? true));
  const can = (subject: T, event: E, facts: Partial<F> = {}) => arrow(subject, event, facts) !== undefined;

  /** The state that an event leads to. */
  const target = ({ to, among }: Arrow<S, T, F>, subject: T, event: E, facts: Partial<F>): S => {
    if (typeof to !== 'function') return to;
    const state = to(subject, facts);
    if (!among?.includes(state)) throw new Error(`${table.model}.${event} leads to ${state}, which its table does not list`);
    return state;
  };
  const fireMany: Machine<S, E, T, F>['fireMany'] = (recordsOf, subjects, event, factsOf = () => ({})) => {
    const refused: ErrorItem[] = [];
    // All are asked before any is moved, so that a refusal leaves every record as it was.
    const moves = subjects.flatMap((subject) => {
      const facts = factsOf(subject);
      const taken = arrow(subject, event, facts);
      if (taken) return [{ subject, from: subject.state as S, to: target(taken, subject, event, facts) }];
      refused.push(...refusal(table, subject, event, facts).items);
      return [];
    });
    if (refused.length > 0) throw new Conflict(refused);
    for (const { subject, from, to } of moves) {
      subject.state = to;
      const records = recordsOf(subject);
      const at = { type: table.model, id: subject.id, companyId: companyIdOf(subject) };
      records.transitions.push({ ...at, event, from, to });
      records.events.push({ ...at, name: eventName(event), payload: { previous_state: from, state: to, state_event: event } });
    }
    return moves.map(({ from }) => from);
  };

  return {
    model: table.model,
    states: table.states,
    initial: table.initial,
    terminal: table.terminal,
    events: names,
    can,
    eventName,
    open: (subject, facts = {}) => offered.filter((event) => can(subject, event, facts)),
    isTerminal: (subject) => terminal.has(subject.state),
    fire(tx, subject, event, facts = {}) {
      const records = requireTransaction(tx);
      return fireMany(
        () => records,
        [subject],
        event,
        () => facts,
      )[0]!;
    },
    fireMany,
  };
}

/** The 409 of an event that the state or a guard forbids; also for commands that refuse for other reasons. */
export function conflict(model: string, subject: Subject, event: string, key = 'illegal_event'): Conflict {
  return new Conflict([{ model, field: 'state', key, params: { state: subject.state, event }, state: subject.state, event }]);
}

function refusal<S extends string, E extends string, T extends Subject, F>(
  table: MachineTable<S, E, T, F>,
  subject: T,
  event: E,
  facts: Partial<F>,
): Conflict {
  const why = table.events[event].find((a) => a.from.includes(subject.state as S) && a.refusal)?.refusal;
  if (typeof why !== 'function') return conflict(table.model, subject, event, why);
  const fields = why(subject as T, facts);
  // A refusal must say something: without an item the record would pass for moved.
  if (fields.length === 0) return conflict(table.model, subject, event);
  const { state } = subject;
  return new Conflict(fields.map((one) => ({ ...one, model: table.model, params: { state, event }, state, event })));
}
