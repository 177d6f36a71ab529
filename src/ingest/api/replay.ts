import type { Happened } from '../../events/webhooks/happened.ts';
import { noteHappened } from '../../events/webhooks/note-changes.ts';
import { unmaskMoney, unseenSides } from '../../identity/access/money.ts';
import { allow, companyOf, denial, viewerOf } from '../../platform/authz/authorization.ts';
import { setTxOf } from '../../platform/commands/set-tx.ts';
import { afterCommit, beforeCommit, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Conflict, Invalid, Missing } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { isObject } from '../../platform/json/objects.ts';
import { limitsFor } from '../../platform/model/limits.ts';
import { unseenBy } from '../apply/visible-to-sender.ts';
import type { ImportKind } from '../importer.ts';
import { importerOf } from '../importers.ts';
import { type Admitted, admitIn, PERMISSION } from '../ledger/admit.ts';
import { ImportedRecord, type ImportedRecordState } from '../ledger/imported-record.entity.ts';
import { leased } from '../ledger/ledger-purpose.ts';
import { type Ended, outcomesOf, retriesOf } from '../ledger/note-imports.ts';
import { languageOf, TOO_DEEP_CODE } from '../ledger/rows.ts';
import { lastError } from '../payload/last-error.ts';
import { repeatedFields } from '../payload/repeated-fields.ts';
import { wakeIngest } from '../wake.ts';

/** The most records of one call. The caller repeats it while as many are returned. */
const REPLAY_LIMIT = 10_000;

/** Selects failed and exhausted records; all parts that are set must fit. */
export interface ReplayFilter {
  kinds?: ImportKind[] | null;
  states?: ImportedRecordState[] | null;
  importedFor?: string[] | null;
  /** Start of `last_error`, such as a code. */
  errorCode?: string | null;
  batchId?: string | null;
  receivedAfter?: Date | null;
  receivedBefore?: Date | null;
}

interface Found {
  id: string;
  company_id: string;
  kind: ImportKind;
  state: ImportedRecordState;
  last_error: string | null;
  imported_for: string | null;
  /** A worker is processing it right now. */
  held: boolean;
  /** The payload could be read as a record. */
  readable: boolean;
  /** For a single record only. */
  payload?: unknown;
  /** Sides whose rates its sender could not see. */
  unseen_rates?: string[] | null;
  /** Its sender wants no guesses. */
  strict?: boolean;
}

type Act = 'retry' | 'skip' | 'resubmit';

/**
 * Tries a failed or exhausted record again at once, with a new series of attempts.
 * @throws Missing, Denied without the permission to send its kind, Conflict in any other state
 */
export function retryRecord(ctx: Context, id: string, companyId?: string | null): Promise<void> {
  return transact(ctx, async (tx) => retry(tx, [await one(tx, id, companyId, 'retry')]));
}

/**
 * Skips a failed or exhausted record for good (`skipped`, `skipped_by_user`).
 * @throws as `retryRecord`
 */
export function skipRecord(ctx: Context, id: string, companyId?: string | null): Promise<void> {
  return transact(ctx, async (tx) => close(tx, [await one(tx, id, companyId, 'skip')], 'skipped_by_user'));
}

/** Tries all failed and exhausted records of the filter again. @returns how many, at most REPLAY_LIMIT */
export function retryRecords(ctx: Context, filter: ReplayFilter, companyId?: string | null): Promise<number> {
  return transact(ctx, async (tx) => {
    const found = (await many(tx, filter, companyId)).filter((record) => record.readable);
    await retry(tx, found);
    return found.length;
  });
}

/** Skips all failed and exhausted records of the filter for good. @returns how many, at most REPLAY_LIMIT */
export function skipRecords(ctx: Context, filter: ReplayFilter, companyId?: string | null): Promise<number> {
  return transact(ctx, async (tx) => {
    const found = (await many(tx, filter, companyId)).filter((record) => !record.held);
    await close(tx, found, 'skipped_by_user');
    return found.length;
  });
}

/**
 * Sends a corrected payload in place of a failed or exhausted record. The old record becomes `skipped`, `resubmitted`, and the new one
 * names it. Rates that the caller cannot see stay as they were sent first, and a sender who wants no guesses gets none.
 * @throws as `retryRecord`, and as an admission
 */
export function resubmitRecord(ctx: Context, id: string, payload: unknown, companyId?: string | null): Promise<Admitted> {
  if (!isObject(payload)) throw new Invalid([{ model: 'ImportedRecord', field: 'payload', key: 'not_an_object' }]);
  return transact(ctx, async (tx) => {
    const record = await one(tx, id, companyId, 'resubmit');
    await close(tx, [record], 'resubmitted');
    const viewer = viewerOf(tx);
    const whole = unmaskMoney(viewer, payload, record.payload);
    // Rates that the caller could not see still come from the first sender.
    const unseen = unseenBy(unseenSides(viewer));
    const isOwnWord = Object.entries(payload).some(([field, value]) => value !== null && unseen?.(field));
    const admitted = await admitIn(tx, importerOf(record.kind), [whole], {
      companyId: record.company_id,
      noted: repeatedFields(ctx, 'payload', 'one'),
      resubmittedFrom: record.id,
      unseenRates: isOwnWord || !unseen ? unseenSides(viewer) : record.unseen_rates,
      strict: record.strict,
    });
    afterCommit(tx, () => wakeIngest(tx.em));
    return admitted;
  });
}

const COLUMNS = `r.id, r.company_id, r.kind, r.state, r.last_error, r.imported_for,
  exists (select from import_task t where t.id = r.id and ${leased('t')}) as held, json_typeof(r.payload) = 'object' and coalesce(r.last_error, '') not like '${TOO_DEEP_CODE}:%' as readable`;

async function one(tx: TxContext, id: string, companyId: string | null | undefined, act: Act): Promise<Found> {
  const viewer = viewerOf(tx);
  const companyIds = companyId ? [companyOf(tx, companyId)] : viewer.companyIds;
  if (!isUuid(id)) throw new Missing();
  // The task is locked first, as by a worker, so that there is no deadlock.
  await queryIn(tx.em, 'select id from import_task where id = $1 for update', [id]);
  const values: unknown[] = [id, companyIds];
  const limits = limitsFor(viewer, ImportedRecord, 'r', values);
  const [found] = await queryIn<Found>(
    tx.em,
    `select ${COLUMNS}, r.payload, (select b.unseen_rates from import_batch b where b.id = r.batch_id) as unseen_rates,
       (select b.strict from import_batch b where b.id = r.batch_id) as strict from imported_record r where r.id = $1 and r.company_id = any ($2::uuid[])${limits} for update of r`,
    values,
  );
  if (!found) throw new Missing();
  if (!viewer.can(PERMISSION[found.kind])) throw denial(viewer, PERMISSION[found.kind]);
  allow(tx, 'view_imports');
  const open = found.state === 'failed' || found.state === 'exhausted';
  // An unreadable element will be unreadable again: it can be skipped or replaced, but not retried.
  if (!open || (found.held && act !== 'retry') || (!found.readable && act === 'retry')) {
    const key = !open ? 'import_state_event' : found.held ? 'import_being_processed' : 'import_unreadable';
    throw new Conflict([
      { model: 'ImportedRecord', field: 'state', key, params: { state: found.state, event: act }, state: found.state, event: act },
    ]);
  }
  return found;
}

async function many(tx: TxContext, filter: ReplayFilter, companyId: string | null | undefined): Promise<Found[]> {
  const viewer = viewerOf(tx);
  const company = companyOf(tx, companyId);
  const kinds = (Object.keys(PERMISSION) as ImportKind[]).filter((kind) => viewer.can(PERMISSION[kind]));
  const asked = filter.kinds ?? kinds;
  const denied = asked.find((kind) => !kinds.includes(kind));
  if (kinds.length === 0 || denied) throw denial(viewer, PERMISSION[denied ?? 'order']);
  allow(tx, 'view_imports');
  const wrong = (filter.states ?? []).filter((state) => state !== 'failed' && state !== 'exhausted');
  if (wrong.length > 0)
    throw new Invalid([{ model: 'ImportedRecord', field: 'filter.states', key: 'not_one_of', params: { values: 'failed, exhausted' } }]);
  const conditions = [`r.company_id = $1`, `r.kind = any ($2::text[])`, `r.state = any ($3::text[])`];
  const values: unknown[] = [company, asked, filter.states ?? ['failed', 'exhausted']];
  const add = (value: unknown, sql: (p: string) => string) => {
    if (value !== undefined && value !== null) conditions.push(sql(`$${values.push(value)}`));
  };
  add(filter.importedFor, (p) => `r.imported_for = any (${p}::text[])`);
  add(filter.errorCode, (p) => `split_part(r.last_error, ':', 1) = ${p}::text`);
  // A text that is no id names no batch.
  add(filter.batchId, (p) => (isUuid(filter.batchId!) ? `r.batch_id = ${p}::uuid` : `${p}::text is null`));
  add(filter.receivedAfter, (p) => `r.import_received_at >= ${p}::timestamptz`);
  add(filter.receivedBefore, (p) => `r.import_received_at < ${p}::timestamptz`);
  const limits = limitsFor(viewer, ImportedRecord, 'r', values);
  // Records that are due for a retry come last, and before them those with more attempts. So if there are more than the limit, the next
  // call selects others.
  const order = 'coalesce(r.next_attempt_at <= now(), false), r.attempts, r.import_received_at, r.id';
  const named = await queryIn<{ id: string }>(
    tx.em,
    `select r.id from imported_record r where ${conditions.join(' and ')}${limits} order by ${order} limit ${REPLAY_LIMIT}`,
    values,
  );
  const ids = named.map((row) => row.id);
  await queryIn(tx.em, 'select id from import_task where id = any ($1::uuid[]) order by id for update', [ids]);
  return queryIn<Found>(
    tx.em,
    `select ${COLUMNS} from imported_record r where r.id = any ($1::uuid[]) and r.state in ('failed', 'exhausted') order by r.id for update of r`,
    [ids],
  );
}

/**
 * Schedules records for a retry. A record that a worker holds is being tried already. An exhausted record no longer has a task: it gets
 * one, at its old place in the order.
 */
async function retry(tx: TxContext, records: Found[]): Promise<void> {
  const ids = records.filter((record) => !record.held).map((record) => record.id);
  await queryIn(
    tx.em,
    'update import_task set next_attempt_at = now(), tries_from = attempts, lost_claims = 0 where id = any ($1::uuid[])',
    [ids],
  );
  await queryIn(
    tx.em,
    `insert into import_task (id, company_id, kind, imported_for, sequence, attempts, tries_from)
     select id, company_id, kind, imported_for, sequence, attempts, attempts from imported_record where id = any ($1::uuid[]) and state = 'exhausted'`,
    [ids],
  );
  await queryIn(
    tx.em,
    `update imported_record set state = 'failed', next_attempt_at = now(), processed_at = null, updated_at = clock_timestamp() where id = any ($1::uuid[])`,
    [ids],
  );
  note(tx, records, (record) => ({ state: [record.state, 'failed'], next_attempt_at: [null, tx.tx.now.toISOString()] }));
  noteLast(tx, retriesOf(endedOf(records, 'retry')));
  afterCommit(tx, () => wakeIngest(tx.em));
}

/** Closes records for good. They keep their errors, below the line that says who closed them and how. */
async function close(tx: TxContext, records: Found[], code: 'skipped_by_user' | 'resubmitted'): Promise<void> {
  const [first] = records;
  if (!first) return;
  const ids = records.map((record) => record.id);
  const params = { name: viewerOf(tx).name };
  const line = lastError(await languageOf(tx, first.company_id), { code, pointer: '', key: `import_${code}`, params });
  await queryIn(tx.em, 'delete from import_task where id = any ($1::uuid[])', [ids]);
  await queryIn(
    tx.em,
    `update imported_record set state = 'skipped', last_error = concat_ws(E'\\n', $2::text, last_error), next_attempt_at = null, processed_at = now(),
       updated_at = clock_timestamp() where id = any ($1::uuid[])`,
    [ids, line],
  );
  note(tx, records, ({ state, last_error: why }) => ({
    state: [state, 'skipped'],
    last_error: [why, [line, ...(why === null ? [] : [why])].join('\n')],
  }));
  const event = code === 'resubmitted' ? 'resubmit' : 'skip';
  noteLast(tx, outcomesOf(endedOf(records, event).map((record) => ({ ...record, state: 'skipped' }))));
}

const endedOf = (records: readonly Found[], event: Act): Omit<Ended, 'state'>[] =>
  records.map(({ id, company_id: companyId, kind, state: before }) => ({ id, companyId, kind, before, event }));

/** Counters of subscribers are locked by the last statements of a transaction. */
const noteLast = (tx: TxContext, happened: readonly Happened[]): void => beforeCommit(tx, () => noteHappened(setTxOf(tx), happened));

function note(tx: TxContext, records: Found[], changes: (record: Found) => Record<string, [unknown, unknown]>): void {
  for (const record of records)
    tx.tx.audits.push({ event: 'update', type: 'ImportedRecord', id: record.id, companyId: record.company_id, changes: changes(record) });
}
