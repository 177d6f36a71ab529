import type { EntityManager } from '@mikro-orm/postgresql';
import type { EventRecord } from '../../platform/commands/records.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { collapseConstant, constantOrElement } from '../../platform/database/unnest.ts';
import type { Language } from '../../platform/i18n/messages.ts';
import type { ImportKind, Outcome } from '../importer.ts';
import { lastError } from '../payload/last-error.ts';
import { boundWarnings } from './bound-warnings.ts';
import { repeatWarnings } from './repeat-warnings.ts';
import { type RetryRules, retryDelay } from './retries.ts';

/** A row when it gets its outcome. */
export interface Settled {
  id: string;
  companyId: string;
  kind: ImportKind;
}
export interface Result extends Settled {
  importedFor: string | undefined;
  attempt: number;
  /** Attempts of the present series: all of them, unless somebody asked for a retry. */
  tries: number;
  outcome: Outcome;
}

/**
 * One statement for all rows of a batch: report, open work, key. Later duplicates are compared with the rows that have `apply`, except those
 * that were applied in part (`partly`). Rows come as arrays, one for each column.
 *
 * Open work that is done or retried is looked up in arrays of its own ids: in a join with the rows, each lookup would compare the whole
 * array, or an old plan would read it for each row. Imported records are looked up one by one, by their id alone, and written by their
 * ctid, which nobody changes while their work is leased: `id = any` reads a young partition from end to end, because row-level security adds
 * the company, which leads an index. Keys, which are locked by now, are also looked up one by one: with an array, each lookup would compare
 * the whole of it, and left to the planner, all keys of a company are read if the statistics are young.
 */
const SETTLE = `
with o as (
  select id, ${constantOrElement('state', '$2::text[]')} as state, ${constantOrElement('attempts', '$3::integer[]')} as attempts, last_error, warnings, result_id, delay,
    ${constantOrElement('apply', '$8::boolean[]')} as apply, ${constantOrElement('partly', '$13::boolean[]')} as partly
  from unnest($1::uuid[], $2::text[], $3::integer[], $4::text[], $5::json[], $6::uuid[], $7::float8[], $8::boolean[], $13::boolean[])
    as o(id, state, attempts, last_error, warnings, result_id, delay, apply, partly)
),
done as (delete from import_task where id = any ($11::uuid[])),
later as (
  update import_task t set lease_until = null,
    next_attempt_at = clock_timestamp() + ($7::float8[])[array_position($1::uuid[], t.id)] * interval '1 second'
  where t.id = any ($12::uuid[])
  returning t.id, t.next_attempt_at
),
found as materialized (
  select o.*, place.at, place.part
  from o, lateral (select ctid as at, tableoid as part from imported_record where id = o.id offset 0) place
),
report as (
  update imported_record r
  set state = found.state, attempts = found.attempts, last_error = found.last_error, warnings = coalesce(found.warnings, r.warnings),
    result_id = coalesce(found.result_id, r.result_id), next_attempt_at = later.next_attempt_at,
    processed_at = case when found.delay is null then clock_timestamp() end, updated_at = clock_timestamp()
  from found left join later using (id)
  where r.ctid = any (array(select at from found)) and r.tableoid = found.part and r.id = found.id
  returning r.company_id, r.kind, r.imported_for, r.payload_hash, r.sequence, r.result_id, found.apply, found.partly
),
keyed as (
  update import_key k set applied_hash = case when not r.partly then r.payload_hash end, applied_sequence = r.sequence, applied_at = now(),
    result_id = coalesce(r.result_id, k.result_id)
  from (
    select report.*, key.at from report,
    lateral (select ctid as at from import_key where company_id = $9 and kind = $10 and imported_for = report.imported_for offset 0) key
    where report.apply) r
  where k.ctid = r.at)
select count(*)::integer as reported from report`;

/**
 * Writes the outcomes of a batch, which is of one company and kind, in its effect transaction.
 * @returns the events of the failures among them, for the outbox
 * @throws a lost race if somebody changed one of the records meanwhile
 */
export async function settle(em: EntityManager, results: Result[], rules: RetryRules, language: Language): Promise<EventRecord[]> {
  const events: EventRecord[] = [];
  const rows = results.map((result): Row => {
    const { outcome } = result;
    if (outcome.state !== 'failed') {
      const { state, lastError: error, resultId, warnings } = outcome;
      const { partly = false } = outcome;
      return { state, error, resultId, warnings: JSON.stringify(boundWarnings(warnings ?? [])), apply: state !== 'skipped', partly };
    }
    const delay = retryDelay(rules, result.tries, outcome.transient ?? false);
    const state = delay === undefined ? 'exhausted' : 'failed';
    const message = lastError(language, outcome);
    events.push(failureEvent(result, state, message));
    const warnings = outcome.warnings && JSON.stringify(boundWarnings(outcome.warnings));
    return { state, error: message, warnings, delay, apply: false, partly: false };
  });
  const first = results[0];
  if (!first) return events;
  const [counts] = await queryIn<{ reported: number }>(em, SETTLE, [
    results.map(({ id }) => id),
    collapseConstant(rows.map(({ state }) => state)),
    collapseConstant(results.map(({ attempt }) => attempt)),
    rows.map(({ error }) => error),
    rows.map(({ warnings }) => warnings),
    rows.map(({ resultId }) => resultId),
    rows.map(({ delay }) => delay),
    collapseConstant(rows.map(({ apply }) => apply)),
    first.companyId,
    first.kind,
    results.flatMap(({ id }, at) => (rows[at]!.delay === undefined ? [id] : [])),
    results.flatMap(({ id }, at) => (rows[at]!.delay === undefined ? [] : [id])),
    collapseConstant(rows.map(({ partly }) => partly)),
  ]);
  // Another version of a record is in its place. The error is the one of a lost race, so that the batch is run again.
  if (counts!.reported < results.length)
    throw Object.assign(new Error('imported records were changed while their batch was worked'), { code: '40001' });
  const warned = results.flatMap(({ id, importedFor, outcome }, at) => {
    const { warnings } = rows[at]!;
    return importedFor === undefined || outcome.state === 'failed' || warnings === undefined || warnings === '[]' ? [] : [{ id, warnings }];
  });
  await repeatWarnings((sql, values) => queryIn(em, sql, values), first, warned);
  return events;
}

/** The columns that are written of a row. */
interface Row {
  state: string;
  error: string | undefined;
  /** As JSON; undefined keeps those of an earlier attempt. */
  warnings?: string;
  resultId?: string;
  /** Seconds until the retry. */
  delay?: number;
  apply: boolean;
  partly: boolean;
}

/** SPEC "Events": a payload that fails to process emits an error webhook. */
export function failureEvent(row: Settled, state: 'failed' | 'exhausted', message: string): EventRecord {
  return {
    name: `imported_${row.kind}.${state}`,
    type: 'ImportedRecord',
    id: row.id,
    companyId: row.companyId,
    payload: { last_error: message },
  };
}
