import type { EntityManager } from '@mikro-orm/postgresql';
import type { Viewer } from '../context.ts';
import { planOnce } from '../database/plan-once.ts';
import { queryIn } from '../database/sql.ts';
import { newId } from '../ids.ts';

/** An outbox row to be: something that happened to a record. */
export interface EventRecord {
  name: string;
  type: string;
  id: string;
  companyId: string;
  payload?: Record<string, unknown>;
}
/** Besides what happens to records: how people come in and go out. */
export type SignInEvent =
  | 'impersonation_started'
  | 'impersonation_ended'
  | 'sign_in'
  | 'sign_in_failed'
  | 'sign_out'
  | 'session_revoked'
  | 'password_reset';

/** What somebody reads, or asks for, as another person. */
export type WatchedEvent = 'read' | 'request' | 'query';

/** An audit row to be; `changes` is `{ field: [old, new] }` in snake_case names. */
export interface AuditRecord {
  event: 'create' | 'update' | 'destroy' | SignInEvent | WatchedEvent;
  type: string;
  id: string;
  companyId: string;
  changes: Record<string, [unknown, unknown]>;
  /** The imported record whose payload asked for it. */
  importedRecordId?: string;
}
/** A transition row to be. */
export interface TransitionRecord {
  type: string;
  id: string;
  companyId: string;
  event: string;
  from: string;
  to: string;
}
export interface Records {
  events: EventRecord[];
  audits: AuditRecord[];
  transitions: TransitionRecord[];
}
/** Who the rows name as their author. */
export type Actor = Pick<Viewer, 'type' | 'id' | 'name' | 'realActor'>;

/** The author of what nobody in particular does: workers, demo data, migrations. */
export const SYSTEM: Actor = { type: 'System', id: '00000000-0000-0000-0000-000000000000', name: 'System' };

// Columns as arrays: read out of JSON, each row would be made into a hash table first (platform/database/tabulate.ts).
const INSERT = planOnce(`with
  author as (select $1::text as created_by_type, $2::uuid as created_by_id, $3::text as created_by_name, $4::text as request_id, $5::timestamptz as created_at),
  really as (select $6::uuid as real_actor_id, $7::text as real_actor_name, $8::text as real_actor_type),
  events as (
    insert into outbox_event (id, company_id, subject_type, subject_id, name, payload, created_by_type, created_by_id, created_by_name, request_id, created_at)
    select r.*, author.*
    from author, unnest($9::uuid[], $10::uuid[], $11::text[], $12::uuid[], $13::text[], $14::jsonb[]) as r(id, company_id, subject_type, subject_id, name, payload)
    order by r.id
    returning 1),
  audits as (
    insert into audit_entry (id, company_id, subject_type, subject_id, event, object_changes, imported_record_id, created_by_type, created_by_id, created_by_name,
      request_id, created_at, real_actor_id, real_actor_name, real_actor_type)
    select r.*, author.*, really.*
    from author, really, unnest($15::uuid[], $16::uuid[], $17::text[], $18::uuid[], $19::text[], $20::jsonb[], $21::uuid[]) as r
    returning 1)
  insert into transition (id, company_id, subject_type, subject_id, event, from_state, to_state, created_by_type, created_by_id, created_by_name, request_id, created_at)
  select r.*, author.*
  from author, unnest($22::uuid[], $23::uuid[], $24::text[], $25::uuid[], $26::text[], $27::text[], $28::text[]) as r`);

/**
 * Inserts collected rows with one statement in the transaction of `em`, then empties the lists. For `transact`, and for set-based
 * code that runs its own transaction.
 */
export async function writeRecords(em: EntityManager, records: Records, by: { actor: Actor; requestId: string; now: Date }): Promise<void> {
  if (records.events.length + records.audits.length + records.transitions.length === 0) return;
  const { events, audits, transitions } = records;
  await queryIn(em, INSERT, [
    by.actor.type,
    by.actor.id,
    by.actor.name,
    by.requestId,
    by.now.toISOString(),
    by.actor.realActor?.id ?? null,
    by.actor.realActor?.name ?? null,
    by.actor.realActor?.type ?? null,
    ...subjects(events),
    events.map((e) => e.name),
    events.map((e) => JSON.stringify(e.payload ?? {})),
    ...subjects(audits),
    audits.map((a) => a.event),
    audits.map((a) => JSON.stringify(a.changes)),
    audits.map((a) => a.importedRecordId),
    ...subjects(transitions),
    transitions.map((t) => t.event),
    transitions.map((t) => t.from),
    transitions.map((t) => t.to),
  ]);
  records.events.length = records.audits.length = records.transitions.length = 0;
}

/** The columns that all three tables begin with: id, company, type and id of the subject. */
const subjects = (rows: readonly Pick<EventRecord, 'type' | 'id' | 'companyId'>[]): unknown[][] => [
  rows.map(newId),
  rows.map((r) => r.companyId),
  rows.map((r) => r.type),
  rows.map((r) => r.id),
];
