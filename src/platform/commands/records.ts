import type { EntityManager } from '@mikro-orm/postgresql';
import type { Viewer } from '../context.ts';
import type { Along } from '../database/connection/together.ts';
import { lastStatement, namedStatement } from '../database/named-statements.ts';
import { queryIn } from '../database/sql.ts';
import { collapseConstant, constantOrElement } from '../database/unnest.ts';
import { newId } from '../ids.ts';
import type { AuditEvent } from './audit-event.ts';

/** An outbox row to be: something that happened to a record. */
export interface EventRecord {
  name: string;
  type: string;
  id: string;
  companyId: string;
  payload?: Record<string, unknown>;
}

/** An audit row to be; `changes` is `{ field: [old, new] }` in snake_case names. */
export interface AuditRecord {
  event: AuditEvent;
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
/**
 * Where a command for many records collects the rows of each: in `transact` the lists of the transaction, in an import those of the
 * sender whose payload it was.
 */
export type RecordsOf<T> = (subject: T) => Records;

declare module '../context.ts' {
  interface Transaction extends Records {}
}

/** The author that the rows name. */
export type Actor = Pick<Viewer, 'type' | 'id' | 'name' | 'realActor'>;

/** The author of what nobody in particular does: workers, demo data, migrations. */
export const SYSTEM: Actor = { type: 'System', id: '00000000-0000-0000-0000-000000000000', name: 'System' };

/** The author, and the request. */
export interface Author {
  actor: Actor;
  requestId: string;
}

// Columns travel as arrays: if they were read from JSON, PostgreSQL would make a hash table of each row first
// (platform/database/unnest.ts). The authors are arrays too, and each row has the index of its author. In most batches company and kind of
// change are the same in all rows and travel once.
const AUTHOR = '($1::text[])[by], ($2::uuid[])[by], ($3::text[])[by], ($4::text[])[by], $5::timestamptz';
const text = (column: string, at: number) => constantOrElement(column, `$${at}::text[]`);
const uuid = (column: string, at: number) => constantOrElement(column, `$${at}::uuid[]`);
const TEXT = `with
  events as (
    insert into outbox_event (id, company_id, subject_type, subject_id, name, payload, created_by_type, created_by_id, created_by_name, request_id, created_at)
    select id, ${uuid('company_id', 11)}, ${text('subject_type', 12)}, subject_id, ${text('name', 14)}, payload, ${AUTHOR}
    from unnest($9::int[], $10::uuid[], $11::uuid[], $12::text[], $13::uuid[], $14::text[], $15::jsonb[])
      as r(by, id, company_id, subject_type, subject_id, name, payload)
    order by id
    returning 1),
  audits as (
    insert into audit_entry (id, company_id, subject_type, subject_id, event, object_changes, imported_record_id, created_by_type, created_by_id, created_by_name,
      request_id, created_at, real_actor_id, real_actor_name, real_actor_type)
    select id, ${uuid('company_id', 18)}, ${text('subject_type', 19)}, subject_id, ${text('event', 21)}, changes, record, ${AUTHOR}, ($6::uuid[])[by], ($7::text[])[by], ($8::text[])[by]
    from unnest($16::int[], $17::uuid[], $18::uuid[], $19::text[], $20::uuid[], $21::text[], $22::jsonb[], $23::uuid[])
      as r(by, id, company_id, subject_type, subject_id, event, changes, record)
    returning 1)
  insert into transition (id, company_id, subject_type, subject_id, event, from_state, to_state, created_by_type, created_by_id, created_by_name, request_id, created_at)
  select id, ${uuid('company_id', 26)}, ${text('subject_type', 27)}, subject_id, ${text('event', 29)}, ${text('before', 30)}, ${text('after', 31)}, ${AUTHOR}
  from unnest($24::int[], $25::uuid[], $26::uuid[], $27::text[], $28::uuid[], $29::text[], $30::text[], $31::text[])
    as r(by, id, company_id, subject_type, subject_id, event, before, after)`;
const INSERT = namedStatement(TEXT);
const INSERT_AND_COMMIT = lastStatement(TEXT);

/**
 * Inserts collected rows with one statement in the transaction of `em`, then empties the lists. For `transact`, and for set-based
 * code that runs its own transaction.
 */
export const writeRecords = (em: EntityManager, records: Records, by: Author & { now: Date }): Promise<void> =>
  insertRecords(em, INSERT, [{ records, by }], by.now);

/**
 * The same as the last statement of a transaction, which it may already commit: commit it afterwards.
 * @param behind what is read once that is committed; nothing of it if there is nothing to insert
 */
export const writeLastRecords = (
  em: EntityManager,
  records: Records,
  by: Author & { now: Date },
  behind: readonly Along[],
): Promise<void> => insertRecords(em, INSERT_AND_COMMIT, [{ records, by }], by.now, behind);

/** The same for what several authors did in one transaction. */
export const writeRecordsOf = (em: EntityManager, groups: readonly Group[], now: Date): Promise<void> =>
  insertRecords(em, INSERT, groups, now);

interface Group {
  records: Records;
  by: Author;
}

async function insertRecords(
  em: EntityManager,
  statement: string,
  groups: readonly Group[],
  now: Date,
  behind: readonly Along[] = [],
): Promise<void> {
  const events = placed(groups, 'events');
  const audits = placed(groups, 'audits');
  const transitions = placed(groups, 'transitions');
  if (events.rows.length + audits.rows.length + transitions.rows.length === 0) return;
  const authors = groups.map(({ by }) => by);
  const values = [
    authors.map(({ actor }) => actor.type),
    authors.map(({ actor }) => actor.id),
    authors.map(({ actor }) => actor.name),
    authors.map(({ requestId }) => requestId),
    now.toISOString(),
    authors.map(({ actor }) => actor.realActor?.id),
    authors.map(({ actor }) => actor.realActor?.name),
    authors.map(({ actor }) => actor.realActor?.type),
    ...subjects(events),
    collapseConstant(events.rows.map((e) => e.name)),
    events.rows.map((e) => JSON.stringify(e.payload ?? {})),
    ...subjects(audits),
    collapseConstant(audits.rows.map((a) => a.event)),
    audits.rows.map((a) => JSON.stringify(a.changes)),
    audits.rows.map((a) => a.importedRecordId),
    ...subjects(transitions),
    collapseConstant(transitions.rows.map((t) => t.event)),
    collapseConstant(transitions.rows.map((t) => t.from)),
    collapseConstant(transitions.rows.map((t) => t.to)),
  ];
  await queryIn(em, statement, values, behind);
  for (const { records } of groups) records.events.length = records.audits.length = records.transitions.length = 0;
}

/** Rows of one table, and for each the place of its author among the groups, from 1 on. */
interface Placed<T> {
  rows: T[];
  by: number[];
}
function placed<L extends keyof Records>(groups: readonly { records: Records }[], list: L): Placed<Records[L][number]> {
  return {
    rows: groups.flatMap(({ records }) => records[list] as Records[L][number][]),
    by: groups.flatMap(({ records }, at) => (records[list] as unknown[]).map(() => at + 1)),
  };
}

/** The columns that all three begin with: author, id, company, type and id of the subject. */
const subjects = ({ rows, by }: Placed<Pick<EventRecord, 'type' | 'id' | 'companyId'>>): (readonly unknown[])[] => [
  by,
  rows.map(newId),
  collapseConstant(rows.map((r) => r.companyId)),
  collapseConstant(rows.map((r) => r.type)),
  rows.map((r) => r.id),
];
