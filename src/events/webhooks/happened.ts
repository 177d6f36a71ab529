import type { AuditRecord, EventRecord, Records, TransitionRecord } from '../../platform/commands/records.ts';
import { type Happening, isTopic, type Topic } from './triggers.ts';

/** The state before a change of it, and the one after; parts of `meta`. */
export interface StateChange {
  previous_state: unknown;
  state: unknown;
  state_event: string | null;
}

/** Something that happened to a record in a transaction. */
export interface Happened {
  topic: Topic;
  happening: Happening;
  /** The record. */
  id: string;
  /** The company to which it belongs. */
  companyId: string;
  change?: StateChange | Failure;
}

/** Something that was to be done to a record by itself, and failed; parts of `meta`. */
export interface Failure {
  automation: Automation;
  /** In words for people, or a code. */
  reason: string;
}

/** The automations that act on records: jobs follow who crosses a geofence, tickets are read, loads are reviewed. */
export const AUTOMATIONS = ['geofence', 'ticket_reading', 'load_review'] as const;
export type Automation = (typeof AUTOMATIONS)[number];

/** Outbox events of what was not done to a record. */
const FAILED = /\.automation_failed$/;
/** Outbox events that change nothing of a record, or that an audit row says, too. */
const NO_CHANGE = /\.(created|deleted|driver_texted|automation_failed)$/;

/** The outbox event of a failure. */
export const automationFailed = (type: Topic, record: { id: string; companyId: string }, failure: Failure): EventRecord => ({
  ...{ name: `${type.toLowerCase()}.automation_failed`, type, id: record.id, companyId: record.companyId },
  payload: { ...failure },
});

interface OfRecord {
  /** Outbox events: of what is no column of it, or was written by a statement, there is nothing else. */
  said: EventRecord[];
  failures: EventRecord[];
  audits: AuditRecord[];
  transitions: TransitionRecord[];
}

/**
 * Returns the happenings of records of topics, in their order: that a record was made comes first, and a change of its state is not an
 * update as well (DOMAIN section 6). What was deleted in the same transaction is left out.
 */
export function happenedIn(changes: readonly Records[]): Happened[] {
  const records = new Map<string, OfRecord>();
  const of = ({ type, id }: { type: string; id: string }): OfRecord | undefined => {
    if (!isTopic(type)) return undefined;
    const known = records.get(id) ?? { said: [], failures: [], audits: [], transitions: [] };
    records.set(id, known);
    return known;
  };
  for (const { events, audits, transitions } of changes) {
    for (const event of events) {
      if (FAILED.test(event.name)) of(event)?.failures.push(event);
      else if (!NO_CHANGE.test(event.name)) of(event)?.said.push(event);
    }
    for (const audit of audits) of(audit)?.audits.push(audit);
    for (const transition of transitions) of(transition)?.transitions.push(transition);
  }
  return [...records.values()].flatMap(ofRecord);
}

function ofRecord({ said, failures, audits, transitions }: OfRecord): Happened[] {
  if (audits.some(({ event }) => event === 'destroy')) return [];
  const [first] = [...audits, ...transitions, ...said, ...failures];
  const { id, companyId, type } = first!;
  const record = { topic: type as Topic, id, companyId };
  const made = audits.some(({ event }) => event === 'create');
  const moves = transitions.map(({ from, to, event }) => ({ previous_state: from, state: to, state_event: event }));
  const updates = audits.filter(({ event }) => event === 'update');
  // A state that a command sets without an event of the machine, such as that of a ticket that is matched.
  const set = moves.length === 0 && !made ? updates.flatMap(({ changes }) => (changes.state ? [changes.state] : [])) : [];
  const changes: StateChange[] = [...moves, ...set.map(([before, after]) => ({ previous_state: before, state: after, state_event: null }))];
  const updated = !made && changes.length === 0 && updates.length + said.length > 0;
  return [
    ...(made ? [{ ...record, happening: 'create' as const }] : []),
    ...changes.map((change) => ({ ...record, happening: 'state_change' as const, change })),
    ...(updated ? [{ ...record, happening: 'update' as const }] : []),
    ...failures.map(({ payload }) => ({ ...record, happening: 'error' as const, change: payload as unknown as Failure })),
  ];
}

/** A job or load that its order made or changed, of which there are no audit rows. */
export interface Carried {
  id: string;
  companyId: string;
  topic: 'Job' | 'Load';
  made: boolean;
}

/** Returns the happenings, with those of the jobs and loads that orders carried along. A record is made before anything else happens to it. */
export function withCarried(happened: readonly Happened[], carried: readonly Carried[]): Happened[] {
  const made = new Set(carried.flatMap((one) => (one.made ? [one.id] : [])));
  const known = new Set(happened.map(({ id }) => id));
  const added = carried.filter((one) => one.made || !known.has(one.id));
  const orders = happened.filter(({ topic }) => topic === 'Order');
  const others = happened.filter(
    ({ topic, id, happening }) => topic !== 'Order' && !(made.has(id) && (happening === 'create' || happening === 'update')),
  );
  const ofCarried = added.map(({ made: isNew, ...record }): Happened => ({ ...record, happening: isNew ? 'create' : 'update' }));
  return [...orders, ...ofCarried, ...others];
}
