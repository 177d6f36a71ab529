import type { EntityManager } from '@mikro-orm/postgresql';
import type { EventRecord } from '../../platform/commands/records.ts';
import { alike, alikeOr } from '../../platform/database/tabulate.ts';
import { type Language, translate } from '../../platform/i18n/messages.ts';
import type { ImportKind, Outcome, Problem } from '../importer.ts';
import { boundWarnings } from './bound-warnings.ts';
import { type RetryRules, retryDelay } from './retries.ts';
import { queryIn } from './sql.ts';
import './ledger.messages.ts';

/** A row at the moment of its outcome. */
export interface Settled {
  id: string;
  companyId: string;
  kind: ImportKind;
}
export interface Result extends Settled {
  importedFor: string | undefined;
  attempt: number;
  /** Attempts of the present series: all of them, unless somebody had the record tried again. */
  tries: number;
  outcome: Outcome;
}

/**
 * One statement for all rows of a batch: report, open work, key. `apply` rows become what duplicates are compared with, but for
 * those that were applied in part: these leave nothing to be equal to. Rows come as arrays, a column each. Imported records are compared with the ids as well, because the planner prunes partitions by `= any`; the open
 * work that is done, and what is tried later, have their ids to themselves: joined with the rows, each probe would compare the whole array, or
 * a plan from before the table filled up read all of it for each row.
 * Keys, locked by now, are found one by one and by nothing else: with an array beside, each probe would compare the whole of it;
 * left to the planner, all keys of a company are read when its statistics are young.
 */
const SETTLE = `
with o as (
  select id, ${alikeOr('state', '$2::text[]')} as state, ${alikeOr('attempts', '$3::integer[]')} as attempts, last_error, warnings, result_id, delay,
    ${alikeOr('apply', '$8::boolean[]')} as apply
  from unnest($1::uuid[], $2::text[], $3::integer[], $4::text[], $5::json[], $6::uuid[], $7::float8[], $8::boolean[])
    as o(id, state, attempts, last_error, warnings, result_id, delay, apply)
),
done as (delete from import_task where id = any ($11::uuid[])),
later as (
  update import_task t set lease_until = null,
    next_attempt_at = clock_timestamp() + ($7::float8[])[array_position($1::uuid[], t.id)] * interval '1 second'
  where t.id = any ($12::uuid[])
  returning t.id, t.next_attempt_at
),
report as (
  update imported_record r
  set state = o.state, attempts = o.attempts, last_error = o.last_error, warnings = coalesce(o.warnings, r.warnings),
    result_id = coalesce(o.result_id, r.result_id), next_attempt_at = later.next_attempt_at,
    processed_at = case when o.delay is null then clock_timestamp() end
  from o left join later using (id)
  where r.id = any ($1::uuid[]) and r.id = o.id
  returning r.id, r.company_id, r.kind, r.imported_for, r.payload_hash, r.sequence, r.result_id, o.apply
)
update import_key k set applied_hash = case when r.id <> all ($13::uuid[]) then r.payload_hash end, applied_sequence = r.sequence, applied_at = now(), result_id = coalesce(r.result_id, k.result_id)
from (
  select report.*, key.at from report,
  lateral (select ctid as at from import_key where company_id = $9 and kind = $10 and imported_for = report.imported_for offset 0) key
  where report.apply) r
where k.ctid = r.at`;

/**
 * Writes the outcomes of a batch, which is of one company and kind, in its effect transaction.
 * @returns the events of the failures among them, for the outbox
 */
export async function settle(em: EntityManager, results: Result[], rules: RetryRules, language: Language): Promise<EventRecord[]> {
  const events: EventRecord[] = [];
  const rows = results.map((result): Row => {
    const { outcome } = result;
    if (outcome.state !== 'failed') {
      const { state, lastError: error, resultId, warnings } = outcome;
      return { state, error, resultId, warnings: JSON.stringify(boundWarnings(warnings ?? [])), apply: state !== 'skipped' };
    }
    const delay = retryDelay(rules, result.tries, outcome.transient ?? false);
    const state = delay === undefined ? 'exhausted' : 'failed';
    const message = lastError(language, outcome);
    events.push(failureEvent(result, state, message));
    const warnings = outcome.warnings && JSON.stringify(boundWarnings(outcome.warnings));
    return { state, error: message, warnings, delay, apply: false };
  });
  const first = results[0];
  if (!first) return events;
  await queryIn(em, SETTLE, [
    results.map(({ id }) => id),
    alike(rows.map(({ state }) => state)),
    alike(results.map(({ attempt }) => attempt)),
    rows.map(({ error }) => error),
    rows.map(({ warnings }) => warnings),
    rows.map(({ resultId }) => resultId),
    rows.map(({ delay }) => delay),
    alike(rows.map(({ apply }) => apply)),
    first.companyId,
    first.kind,
    results.flatMap(({ id }, at) => (rows[at]!.delay === undefined ? [id] : [])),
    results.flatMap(({ id }, at) => (rows[at]!.delay === undefined ? [] : [id])),
    results.flatMap(({ id, outcome }) => (outcome.state !== 'failed' && outcome.partly ? [id] : [])),
  ]);
  return events;
}

/** What is written of a row. */
interface Row {
  state: string;
  error: string | undefined;
  /** As JSON; undefined leaves those of an earlier attempt. */
  warnings?: string;
  resultId?: string;
  /** Seconds until it is tried again. */
  delay?: number;
  apply: boolean;
}

/** Problems told of one record; a payload of a thousand wrong phases is mended by looking at fifty. */
const MOST_TOLD = 50;

/** A line `code: pointer: message` for each problem, as published in `last_error`. */
export function lastError(language: Language, failure: Problem & { more?: readonly Problem[] }): string {
  const all = [failure, ...(failure.more ?? [])];
  const untold = all.length - MOST_TOLD;
  const told: Problem[] = all.slice(0, MOST_TOLD);
  if (untold > 0) told.push({ code: 'more_problems', pointer: '', key: 'import_more_problems', params: { count: untold } });
  return told.map(({ code, pointer, key, params }) => `${code}: ${pointer}: ${translate(language, key, params)}`).join('\n');
}

/** SPEC "Events": a payload that fails to process makes an error webhook. */
export function failureEvent(row: Settled, state: 'failed' | 'exhausted', message: string): EventRecord {
  return {
    name: `imported_${row.kind}.${state}`,
    type: 'ImportedRecord',
    id: row.id,
    companyId: row.companyId,
    payload: { last_error: message },
  };
}
