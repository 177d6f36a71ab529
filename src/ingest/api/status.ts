import { Field, ID, Int, ObjectType } from 'type-graphql';
import { allow, companyOf } from '../../platform/authz/authorization.ts';
import { PrincipalType } from '../../platform/commands/audit.entity.ts';
import type { Context } from '../../platform/context.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { limitsFor } from '../../platform/model/limits.ts';
import { ImportKind } from '../importer.ts';
import { ImportedRecord } from '../ledger/imported-record.entity.ts';
import { ImportWarningCode } from '../warning-codes.ts';

/** Open records by the number of their attempts. */
@ObjectType({ simpleResolvers: true })
export class ImportAttempts {
  @Field(() => Int) attempts!: number;
  @Field(() => Int) count!: number;
}

/** The state of the imports of one kind. */
@ObjectType({ simpleResolvers: true })
export class ImportKindStatus {
  @Field(() => ImportKind) kind!: ImportKind;
  @Field(() => Int, { description: 'Open records: waiting, being processed, or due for a retry.' }) backlog!: number;
  @Field(() => Int, { description: 'Seconds for which the oldest due record has waited; 0 if none is due.' }) oldestDueSeconds!: number;
  @Field(() => [ImportAttempts]) attempts!: ImportAttempts[];
  @Field(() => Int, { description: 'Milliseconds from receipt to outcome, median of the last hour; 0 without any.' }) lagMedianMs!: number;
  @Field(() => Int, { description: 'Milliseconds from receipt to outcome, 95th percentile of the last hour; 0 without any.' })
  lagP95Ms!: number;
  @Field(() => Int, { description: 'Received in the last 24 hours.' }) received!: number;
  @Field(() => Int) processed!: number;
  @Field(() => Int) skipped!: number;
  @Field(() => Int, { description: 'Failed in the last 24 hours; they will be retried.' }) failed!: number;
  @Field(() => Int, { description: 'Failed for good in the last 24 hours.' }) exhausted!: number;
  @Field(() => Int, { description: 'Received in the last 24 hours and reported with warnings, in whatever state.' }) warned!: number;
}

/** The number of records of the last 24 hours that warn of something. */
@ObjectType({ simpleResolvers: true })
export class ImportWarningFrequency {
  @Field(() => ImportKind) kind!: ImportKind;
  @Field(() => ImportWarningCode) code!: ImportWarningCode;
  @Field(() => Int) count!: number;
}

/** Why records of one sender failed in the last 24 hours. */
@ObjectType({ simpleResolvers: true })
export class ImportFailureCause {
  @Field(() => String, { description: 'Name of the machine client or person who sent them.' }) sender!: string;
  @Field(() => PrincipalType, { description: 'The kind of who sent them.' }) senderType!: PrincipalType;
  @Field(() => ID, { description: 'Distinguishes senders of the same name.' }) senderId!: string;
  @Field(() => ImportKind) kind!: ImportKind;
  @Field(() => String, { description: 'The code with which `last_error` begins.' }) code!: string;
  @Field(() => Int) count!: number;
}

@ObjectType({ simpleResolvers: true })
export class ImportStatus {
  @Field(() => [ImportKindStatus]) kinds!: ImportKindStatus[];
  @Field(() => Int, { description: 'Files that wait for their order.' }) parkedFiles!: number;
  @Field(() => Int, { description: 'Seconds for which the oldest of them has waited; 0 if none waits.' }) oldestParkedSeconds!: number;
  @Field(() => [ImportFailureCause], { description: 'Most frequent first, fifty at most.' }) failureCauses!: ImportFailureCause[];
  @Field(() => [ImportWarningFrequency], { description: 'The warnings of the last 24 hours, most frequent first, fifty at most.' })
  warnings!: ImportWarningFrequency[];
}

/** A statement about the company's records, restricted by `limit`. */
type Question = (limit: string) => string;

const KINDS: Question = (limit) => `
with open as (
  select kind, attempts, count(*)::int as count, min(next_attempt_at) filter (where lease_until is null and next_attempt_at <= now()) as due
  from import_task t where company_id = $1${limit && ` and exists (select 1 from imported_record r where r.id = t.id${limit})`} group by kind, attempts
),
backlog as (
  select kind, sum(count)::int as count, min(due) as due, json_agg(json_build_object('attempts', attempts, 'count', count) order by attempts) as attempts
  from open group by kind
),
day as (
  select kind, count(*)::int as received, count(*) filter (where state = 'processed')::int as processed,
    count(*) filter (where state in ('skipped', 'skipped_update'))::int as skipped, count(*) filter (where state = 'failed')::int as failed,
    count(*) filter (where state = 'exhausted')::int as exhausted, count(*) filter (where r.warnings::text <> '[]')::int as warned
  from imported_record r where company_id = $1 and import_received_at >= now() - interval '24 hours'${limit} group by kind
),
lag as (
  select kind, percentile_cont(array[0.5, 0.95]) within group (order by extract(epoch from processed_at - import_received_at) * 1000) as ms
  from imported_record r where company_id = $1 and import_received_at >= now() - interval '1 hour' and processed_at is not null and state <> 'skipped'${limit}
  group by kind
)
select k.kind, coalesce(b.count, 0) as backlog, coalesce(floor(extract(epoch from now() - b.due)), 0)::int as "oldestDueSeconds", coalesce(b.attempts, '[]') as attempts,
  coalesce(round(l.ms[1]), 0)::int as "lagMedianMs", coalesce(round(l.ms[2]), 0)::int as "lagP95Ms", coalesce(d.received, 0) as received, coalesce(d.processed, 0) as processed,
  coalesce(d.skipped, 0) as skipped, coalesce(d.failed, 0) as failed, coalesce(d.exhausted, 0) as exhausted, coalesce(d.warned, 0) as warned
from unnest($2::text[]) with ordinality k(kind, n) left join backlog b using (kind) left join day d using (kind) left join lag l using (kind)
order by k.n`;

const CAUSES: Question = (limit) => `
select b.created_by_name as sender, b.created_by_type as "senderType", b.created_by_id as "senderId", r.kind, split_part(r.last_error, ':', 1) as code, count(*)::int as count
from imported_record r join import_batch b on b.id = r.batch_id
where r.company_id = $1 and r.import_received_at >= now() - interval '24 hours' and r.state in ('failed', 'exhausted')${limit}
group by 1, 2, 3, 4, 5 order by 6 desc, 1, 3, 4, 5 limit 50`;

const WARNINGS: Question = (limit) => `
select r.kind, w ->> 'code' as code, count(distinct r.id)::int as count
from imported_record r, json_array_elements(r.warnings) w
where r.company_id = $1 and r.import_received_at >= now() - interval '24 hours' and r.warnings::text <> '[]'${limit}
group by 1, 2 order by 3 desc, 1, 2 limit 50`;

/** A waiting file belongs to no site yet. People who are limited to sites see the counts of the files that they sent. */
const PARKED = `
select count(*)::int as "parkedFiles", coalesce(floor(extract(epoch from now() - min(created_at))), 0)::int as "oldestParkedSeconds"
from parked_file where company_id = $1 and ($2::uuid is null or uploaded_by_id = $2)`;

/**
 * Returns the state of a company's imports: backlog, waiting times, files without an order, causes of failure and warnings, in four statements.
 * People who are limited to sites see the figures of the records that lists show them.
 * @throws Denied, Missing
 */
export async function importStatus(ctx: Context, companyId?: string | null): Promise<ImportStatus> {
  const viewer = allow(ctx, 'view_imports');
  const company = companyOf(ctx, companyId);
  const pool = await poolOf(ctx.em);
  const ask = async <T extends object>(name: string, question: Question, ...values: unknown[]): Promise<T[]> => {
    const limit = limitsFor(viewer, ImportedRecord, 'r', values);
    return (await pool.query<T>({ name: `${name}${limit && '_limited'}`, text: question(limit), values })).rows;
  };
  const kinds = await ask<ImportKindStatus>('import_status', KINDS, company, Object.keys(ImportKind));
  const failureCauses = await ask<ImportFailureCause>('import_causes', CAUSES, company);
  const warnings = await ask<ImportWarningFrequency>('import_warnings', WARNINGS, company);
  const parked = await pool.query<Pick<ImportStatus, 'parkedFiles' | 'oldestParkedSeconds'>>({
    name: 'import_parked',
    text: PARKED,
    values: [company, viewer.siteIds ? viewer.id : null],
  });
  return { kinds, ...parked.rows[0]!, failureCauses, warnings };
}
