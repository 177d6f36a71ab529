import { createHash } from 'node:crypto';
import { noteHappened } from '../../events/webhooks/note-changes.ts';
import { unseenSides } from '../../identity/access/money.ts';
import { allow, companyOf, viewerOf } from '../../platform/authz/authorization.ts';
import { setTxOf } from '../../platform/commands/set-tx.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import { lastStatement } from '../../platform/database/named-statements.ts';
import { poolOf, queryIn } from '../../platform/database/sql.ts';
import { collapseConstant, constantOrElement } from '../../platform/database/unnest.ts';
import { Unavailable } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { traceParent } from '../../platform/tracing/spans.ts';
import { lackingOf } from '../apply/create-permissions.ts';
import { limitsOf } from '../apply/visible-to-sender.ts';
import type { Importer, ImportKind, Warning } from '../importer.ts';
import { wakeIngest } from '../wake.ts';
import { admitOneWithin, admitWithin } from './backlog.ts';
import { boundWarnings } from './bound-warnings.ts';
import { admissionsOf, insertNoted } from './note-imports.ts';
import { faultOf } from './retries.ts';
import { describeRefusals, type Row, refuseUnstorable, toRows, type Unreadable } from './rows.ts';

/** The receipt of one element. */
export interface Receipt {
  id: string;
  importedFor: string | null;
  state: Row['state'];
}
export interface Admitted {
  batchId: string;
  /** In the order of the elements. */
  records: Receipt[];
}
export interface AdmitOptions {
  /** The company to import into; the viewer's own by default. */
  companyId?: string | null;
  /** Unreadable elements, by their index: they are recorded as sent, with the reason. */
  unreadable?: ReadonlyMap<number, Unreadable>;
  /** Stored with the batch. */
  metadata?: unknown;
  /** Warnings of elements, by their index, from before they came here; reported together with those of their importer. */
  noted?: ReadonlyMap<number, readonly Warning[]>;
  /** The most open records of the company; BACKLOG_LIMIT by default. */
  backlogLimit?: number;
  /** The record that the elements replace. */
  resubmittedFrom?: string;
  /** A payload for which something has to be guessed fails. */
  strict?: boolean | null;
  /** Sides whose rates are kept; by default those that the viewer may not see. */
  unseenRates?: readonly string[] | null;
}

/** The permission to send each kind. */
export const PERMISSION: Record<ImportKind, string> = { order: 'create_order', project: 'create_project', ticket: 'create_ticket' };
/** The permission to change an existing record of each kind; tickets are only created. */
const EDITS: Partial<Record<ImportKind, string>> = { order: 'edit_order', project: 'edit_project' };
/** The most locks of an admission. Keys share them by hash, so that few are enough for any number of keys. */
const STRIPES = 64;

/**
 * Stores elements as imported records and answers before anything is processed. One statement inserts them all; their content is not
 * validated. It locks the keys before it draws the sequence, and until the commit, so that of two records of a key the one with the higher
 * number also becomes visible later. It is sent with the commit, so the locks last for no round trip, unless somebody subscribed to what is
 * admitted. The workers are woken after the commit, which is not waited for.
 * @throws Denied without the permission to create the kind, TooMany over the backlog limit, Invalid for text that PostgreSQL cannot store,
 * Unavailable if the database cannot be reached (the sender repeats: duplicates are detected)
 */
export async function admit(
  ctx: Context,
  importer: Pick<Importer, 'kind' | 'keyField' | 'supersedes'>,
  elements: unknown[],
  options: AdmitOptions = {},
): Promise<Admitted> {
  try {
    const { companyId, values, admitted } = await prepare(ctx, importer, elements, options);
    const pool = await poolOf(ctx.em);
    await admitWithin(pool, companyId, elements.length, options.backlogLimit);
    await insertNoted(ctx.em, { sql: INSERT, last: INSERT_AND_COMMIT, values }, [companyId, importer.kind], admitted.records);
    wakeIngest(ctx.em);
    return admitted;
  } catch (error) {
    if (faultOf(error) === 'lost-connection') throw new Unavailable();
    throw error;
  }
}

/** The same inside the caller's transaction; the caller wakes the workers after the commit. */
export async function admitIn(
  tx: TxContext,
  importer: Pick<Importer, 'kind' | 'keyField' | 'supersedes'>,
  elements: unknown[],
  options: AdmitOptions = {},
): Promise<Admitted> {
  const admission = await prepare(tx, importer, elements, options);
  await admitOneWithin(tx, admission.companyId, elements.length, options.backlogLimit);
  await queryIn(tx.em, INSERT, admission.values);
  await noteHappened(setTxOf(tx), admissionsOf(admission.companyId, importer.kind, admission.admitted.records));
  return admission.admitted;
}

/** An admission, ready to be inserted. */
interface Admission {
  companyId: string;
  values: unknown[];
  admitted: Admitted;
}

async function prepare(
  ctx: Context,
  importer: Pick<Importer, 'kind' | 'keyField' | 'supersedes'>,
  elements: unknown[],
  { companyId, unreadable, noted, resubmittedFrom, metadata: ofBatch, strict, unseenRates = unseenSides(viewerOf(ctx)) }: AdmitOptions,
): Promise<Admission> {
  const viewer = allow(ctx, PERMISSION[importer.kind]);
  const company = companyOf(ctx, companyId);
  const rows = toRows(importer, elements, unreadable);
  await describeRefusals(ctx, company, rows);
  const payloads = rows.map(({ payload }) => JSON.stringify(payload));
  const metadata = rows.map((row) => (row.metadata === undefined || row.metadata === null ? null : JSON.stringify(row.metadata)));
  const errors = rows.map((row) => (row.last_error === undefined ? null : JSON.stringify(row.last_error)));
  const warnings = rows.map(({ index, replaced }) =>
    JSON.stringify(boundWarnings([...(noted?.get(index) ?? []), ...(replaced ? [replaced] : [])])),
  );
  refuseUnstorable([...payloads, ...metadata, ...errors], importer.kind, elements);
  const batchId = newId();
  const limits = limitsOf(viewer);
  return {
    companyId: company,
    values: [
      batchId,
      company,
      importer.kind,
      viewer.type,
      viewer.id,
      viewer.name,
      ctx.requestId,
      mayEdit(viewer, importer.kind),
      locksOf(company, importer.kind, rows),
      resubmittedFrom ?? null,
      rows.map((row) => row.id),
      rows.map((row) => row.imported_for),
      payloads,
      rows.map((row) => row.hash),
      metadata,
      collapseConstant(rows.map((row) => row.state)),
      rows.map((row) => row.last_error),
      limits?.siteIds ?? null,
      limits?.personId !== undefined,
      unseenRates ?? null,
      lackingOf(viewer) ?? null,
      ofBatch === undefined || ofBatch === null ? null : JSON.stringify(ofBatch),
      collapseConstant(warnings),
      strict === true,
      traceParent() ?? null,
    ],
    admitted: { batchId, records: rows.map((row) => ({ id: row.id, importedFor: row.imported_for, state: row.state })) },
  };
}

/**
 * Returns whether the sender may change existing records. It is decided when the payload arrives, because the sender is not there when it
 * is processed.
 */
export const mayEdit = (viewer: Viewer, kind: ImportKind): boolean => !EDITS[kind] || viewer.can(EDITS[kind]);

function locksOf(companyId: string, kind: ImportKind, rows: Row[]): string[] {
  const base = createHash('sha256').update(`import ${companyId} ${kind}`).digest().readBigInt64BE() & ~BigInt(STRIPES - 1);
  const stripes = new Set<number>();
  for (const row of rows) if (row.imported_for !== null) stripes.add(stripeOf(row.imported_for));
  return [...stripes].sort((a, b) => a - b).map((stripe) => String(base | BigInt(stripe)));
}

/** FNV-1a over UTF-16 units. Any hash will do, as long as equal keys have equal ones. */
function stripeOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % STRIPES;
}

// The elements wait for the locks in a condition that is evaluated once, before the first of them is read. The array of locks is sorted, so
// that two admissions never deadlock. The time of receipt is taken after the locks, so that of two records of a key the one with the higher
// number is also the later one.
const INSERT = `
with held as materialized (select pg_advisory_xact_lock(k) from unnest($9::bigint[]) k),
element as (
  select nextval('import_sequence') as sequence, (select clock_timestamp() where (select count(*) from held) >= 0) as received, id, (place - 1)::integer as index, imported_for, payload, hash, metadata,
    ${constantOrElement('state', '$16::text[]')} as state, last_error, ${constantOrElement('warnings', '$23::json[]')} as warnings
  from unnest($11::uuid[], $12::text[], $13::json[], $14::text[], $15::json[], $16::text[], $17::text[], $23::json[])
    with ordinality as e(id, imported_for, payload, hash, metadata, state, last_error, warnings, place)
  where (select count(*) from held) >= 0
),
batch as (
  insert into import_batch (id, company_id, kind, record_count, created_by_type, created_by_id, created_by_name, request_id, may_edit, site_ids, own_only, unseen_rates, lacking, metadata, strict, trace_parent)
  select $1, $2, $3, count(*), $4, $5, $6, $7, $8, $18::uuid[], $19, $20::text[], $21::text[], $22::json, $24, $25::text from element
),
audit as (
  insert into audit_entry
    (id, company_id, subject_type, subject_id, event, object_changes, created_by_type, created_by_id, created_by_name, request_id)
  select $1, $2, 'ImportBatch', $1, 'create',
    jsonb_build_object('kind', jsonb_build_array(null, $3::text), 'record_count', jsonb_build_array(null, count(*))), $4, $5, $6, $7
  from element
),
record as (
  insert into imported_record
    (id, company_id, kind, imported_for, batch_id, batch_index, sequence, state, payload, payload_hash, metadata, last_error, warnings, resubmitted_from, import_received_at, processed_at)
  select id, $2, $3, imported_for, $1, index, sequence, state, coalesce(payload, 'null'), decode(hash, 'hex'), metadata, last_error, warnings, $10::uuid, received,
    case when state <> 'created' then received end
  from element
)
insert into import_task (id, company_id, kind, imported_for, sequence)
select id, $2, $3, imported_for, sequence from element where state = 'created'`;
const INSERT_AND_COMMIT = lastStatement(INSERT);
