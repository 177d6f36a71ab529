import type { EntityManager } from '@mikro-orm/postgresql';
import type { Viewer } from '../context.ts';
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
export type WatchedEvent = 'read' | 'request';

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

const INSERT = `with
  author as (select $1::text as created_by_type, $2::uuid as created_by_id, $3::text as created_by_name, $4::text as request_id, $5::timestamptz as created_at),
  really as (select $9::uuid as real_actor_id, $10::text as real_actor_name, $11::text as real_actor_type),
  events as (
    insert into outbox_event (id, company_id, name, subject_type, subject_id, payload, created_by_type, created_by_id, created_by_name, request_id, created_at)
    select r.id, r.company_id, r.name, r.subject_type, r.subject_id, r.payload, author.*
    from author, json_to_recordset($6::json)
      as r(id uuid, company_id uuid, name text, subject_type text, subject_id uuid, payload jsonb)
    order by r.id
    returning 1),
  audits as (
    insert into audit_entry (id, company_id, subject_type, subject_id, event, object_changes, created_by_type, created_by_id, created_by_name, request_id, created_at,
      real_actor_id, real_actor_name, real_actor_type, imported_record_id)
    select r.id, r.company_id, r.subject_type, r.subject_id, r.event, r.object_changes, author.*, really.*, r.imported_record_id
    from author, really, json_to_recordset($7::json)
      as r(id uuid, company_id uuid, subject_type text, subject_id uuid, event text, object_changes jsonb, imported_record_id uuid)
    returning 1)
  insert into transition (id, company_id, subject_type, subject_id, event, from_state, to_state, created_by_type, created_by_id, created_by_name, request_id, created_at)
  select r.id, r.company_id, r.subject_type, r.subject_id, r.event, r.from_state, r.to_state, author.*
  from author, json_to_recordset($8::json) as r(id uuid, company_id uuid, subject_type text, subject_id uuid, event text, from_state text, to_state text)`;

/**
 * Inserts collected rows with one statement in the transaction of `em`, then empties the lists. For `transact`, and for set-based
 * code that runs its own transaction.
 */
export async function writeRecords(em: EntityManager, records: Records, by: { actor: Actor; requestId: string; now: Date }): Promise<void> {
  if (records.events.length + records.audits.length + records.transitions.length === 0) return;
  const subject = (r: { type: string; id: string; companyId: string }) => ({
    id: newId(),
    company_id: r.companyId,
    subject_type: r.type,
    subject_id: r.id,
  });
  await queryIn(em, INSERT, [
    by.actor.type,
    by.actor.id,
    by.actor.name,
    by.requestId,
    by.now.toISOString(),
    JSON.stringify(records.events.map((e) => ({ ...subject(e), name: e.name, payload: e.payload ?? {} }))),
    JSON.stringify(
      records.audits.map((a) => ({ ...subject(a), event: a.event, object_changes: a.changes, imported_record_id: a.importedRecordId })),
    ),
    JSON.stringify(records.transitions.map((t) => ({ ...subject(t), event: t.event, from_state: t.from, to_state: t.to }))),
    by.actor.realActor?.id ?? null,
    by.actor.realActor?.name ?? null,
    by.actor.realActor?.type ?? null,
  ]);
  records.events.length = records.audits.length = records.transitions.length = 0;
}
