import { Field, InputType, Int } from 'type-graphql';
import { allow, find, viewerOf } from '../../platform/authz/authorization.ts';
import { beforeCommit, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { actOnBehalfOf } from '../../platform/database/scope.ts';
import { poolOf, queryIn } from '../../platform/database/sql.ts';
import { type ErrorItem, Invalid, Missing } from '../../platform/errors.ts';
import { Range } from '../../platform/graphql/rules.ts';
import { partForPartner } from '../../platform/read/partner-fields.ts';
import { DateTime } from '../../platform/scalars.ts';
import { mayCorrectTimes, mayHaulJob } from '../access/job.policy.ts';
import { linksOf } from '../assignment/take-back.ts';
import { lockBeforeOrders } from '../checks/lock-around.ts';
import { supplementOrRefuseTimes } from '../checks/refuse-held.ts';
import { refuseReviewed } from '../checks/reviewed-weeks.ts';
import { makeSupplements, SUPPLEMENT } from '../checks/supplements.ts';
import { changesOf } from '../fields/changes-of.ts';
import { LOAD_STAMPS, type LoadStamp } from '../loads/stamp-load.ts';
import { Job } from '../model/job.entity.ts';
import { type JobSummary, jobSummarySql } from '../model/job-summary.ts';
import { Load } from '../model/load.entity.ts';
import { JOB_FINISHED } from '../model/states.ts';
import { lockOrder } from '../orders/order-progress.ts';
import { addBreaksOfDay } from '../shifts/breaks-of-jobs.ts';
import { isAhead, isLongBefore } from './drive.ts';
import { noteJobEvent } from './job-effects.ts';
import { withBillsOfJob, withJob } from './lock-job.ts';

const optional = { nullable: true };
/** A year: no job lasts longer. */
const MOST_MINUTES = 366 * 24 * 60;

/** The times of a finished job that a person corrects; null restores the logged value. */
@InputType()
export class UpdateJobSummaryInput {
  @Field(() => DateTime, optional) adjustedLoggingStartedAt?: Date | null;
  @Field(() => DateTime, optional) adjustedLoggingEndedAt?: Date | null;
  @Field(() => Int, optional) @Range(0, MOST_MINUTES) approvedWorkTimeMinutes?: number | null;
  @Field(() => Boolean, { nullable: true, description: SUPPLEMENT }) supplement?: boolean | null;
}

/** The four times of a load's cycle; null removes one. */
@InputType()
export class UpdateLoadSummaryInput {
  @Field(() => DateTime, optional) arrivedPickupAt?: Date | null;
  @Field(() => DateTime, optional) loadedAt?: Date | null;
  @Field(() => DateTime, optional) arrivedDropoffAt?: Date | null;
  @Field(() => DateTime, optional) unloadedAt?: Date | null;
  @Field(() => Boolean, { nullable: true, description: SUPPLEMENT }) supplement?: boolean | null;
}

const STAMPS = ['arrivedPickupAt', 'loadedAt', 'arrivedDropoffAt', 'unloadedAt'] as const;

/**
 * Adjusts the times of a finished job (DOMAIN section 4 "JobSummary"). What is billed by them, and cannot be taken back any more, gets a supplement if the
 * office wants one (BILLING B5); the approval of the job stays then. It is that of the job's owner, so that a vendor who is paid already does not go past it.
 * What is sent and changes nothing is refused nothing.
 * @throws Missing before the job is finished: it has no summary yet; Denied without `edit_job_summary`; Invalid if it or an invoice of it by time is approved, if the
 * end, adjusted or logged, is before the start, or if either is in the future or long before the job
 */
export function updateJobSummary(ctx: Context, path: RecordPath, { supplement, ...input }: UpdateJobSummaryInput): Promise<Job> {
  const adjust = (of: Context): Promise<Job> =>
    withJob(
      of,
      path,
      (tx, job) => void mayHaulJob(tx, job, 'edit_job_summary'),
      (tx, job) => adjustTimes(tx, job, { path, input, supplement }),
    );
  if (!supplement) return adjust(ctx);
  return withBillsOfJob(ctx, path, 'edit_job_summary', adjust);
}

interface Adjusting {
  path: RecordPath;
  input: Omit<UpdateJobSummaryInput, 'supplement'>;
  supplement: boolean | null | undefined;
}

async function adjustTimes(tx: TxContext, job: Job, { path, input: sent, supplement }: Adjusting): Promise<void> {
  if (!JOB_FINISHED.includes(job.state)) throw new Missing();
  const input = changesOf(job, sent);
  if (Object.keys(input).length === 0) return;
  const work = await supplementOrRefuseTimes(tx, 'JobSummary', { job }, { companyId: path.companyId, supplement });
  if (job.approvedAt && work?.companyId !== job.company.id)
    throw new Invalid([{ model: 'JobSummary', field: '', key: 'summary_not_editable' }]);
  await refuseReviewed(tx, { model: 'JobSummary' }, { companyId: job.company.id, at: job.jobStartAt });
  for (const field of ['adjustedLoggingStartedAt', 'adjustedLoggingEndedAt', 'approvedWorkTimeMinutes'] as const)
    if (input[field] !== undefined) Object.assign(job, { [field]: input[field] });
  const items = impossible(tx, job, input, 'JobSummary', ['adjustedLoggingStartedAt', 'adjustedLoggingEndedAt']);
  items.push(...(await endsFirst(tx, job, input)));
  if (items.length > 0) throw new Invalid(items);
  noteJobEvent(tx, job, 'JobUpdated');
  // Breaks before the departure are no part of the job, unless it began earlier than was logged.
  const isEarlier = input.adjustedLoggingStartedAt && job.driverDayId;
  if (isEarlier && !work) beforeCommit(tx, () => addEarlierBreaks(tx, job));
  if (!work) return;
  await tx.em.flush();
  if (isEarlier) await addEarlierBreaks(tx, job);
  await makeSupplements(tx, work);
}

/** The states of a driver are their company's: the one to which the job was passed on last. */
async function addEarlierBreaks(tx: TxContext, job: Job): Promise<void> {
  for (const { vendorCompanyId } of await linksOf(tx, job)) if (vendorCompanyId) actOnBehalfOf(vendorCompanyId);
  await addBreaksOfDay(tx, job.id, job.driverDayId!);
}

/**
 * Corrects the times of a load (DOMAIN section 4 "LoadSummary"); none may be earlier than the one before it, or later than its completion. What is billed by them,
 * such as waiting, and cannot be taken back any more, gets a supplement if the office wants one (BILLING B5); the approval of the load stays then, as that of a job does.
 * @throws Missing; Denied without both `edit_load_summaries` and `edit_job`, of which own records require the first; Invalid if the load
 * or an invoice that rests on its times is approved, or if times are out of order, in the future or long before the job
 */
export function updateLoadSummary(ctx: Context, path: RecordPath, { supplement, ...sent }: UpdateLoadSummaryInput): Promise<Load> {
  return transact(ctx, async (tx) => {
    const seen = await find(tx, Load, path.id, { companyId: path.companyId });
    const seenJob = await find(tx, Job, seen.job.id);
    if (supplement) {
      allow(tx, 'edit_load_summaries');
      await lockBeforeOrders(tx, [seenJob.id]);
    }
    await lockOrder(tx, seenJob.order.id);
    const job = await find(tx, Job, seen.job.id, { lock: true });
    mayCorrectTimes(tx, job);
    const load = await find(tx, Load, path.id, { companyId: path.companyId, lock: true });
    const input = changesOf(load.loadSummary, sent);
    if (Object.keys(input).length === 0) return load;
    const work = await supplementOrRefuseTimes(tx, 'LoadSummary', { job, loadId: load.id }, { companyId: path.companyId, supplement });
    if (load.approvedAt && work?.companyId !== job.company.id)
      throw new Invalid([{ model: 'LoadSummary', field: '', key: 'load_not_editable' }]);
    await refuseReviewed(tx, { model: 'LoadSummary' }, { companyId: job.company.id, at: job.jobStartAt });
    for (const stamp of STAMPS) if (input[stamp] !== undefined) load.loadSummary[stamp] = input[stamp];
    const items = impossible(tx, job, input, 'LoadSummary', STAMPS);
    // Impossible times are out of order, too.
    items.push(...outOfOrder(load).filter(({ field }) => !items.some((one) => one.field === field)));
    if (items.length > 0) throw new Invalid(items);
    noteJobEvent(tx, job, 'LoadUpdated', { loadId: load.id });
    if (work) await makeSupplements(tx, work);
    return load;
  });
}

/**
 * Returns an error if the job would end before it starts, by its adjusted or logged times, on the field that causes it. Values that the
 * input does not touch are not checked.
 */
async function endsFirst(tx: TxContext, job: Job, input: Adjusting['input']): Promise<ErrorItem[]> {
  const { adjustedLoggingStartedAt: start, adjustedLoggingEndedAt: end } = input;
  if (start === undefined && end === undefined) return [];
  const [row] = await queryIn<{ summary: JobSummary }>(tx.em, `select ${jobSummarySql('j')} as summary from job j where j.id = $1`, [
    job.id,
  ]);
  const { loggingStartedAt, loggingEndedAt } = row!.summary;
  const from = job.adjustedLoggingStartedAt ?? (loggingStartedAt && new Date(loggingStartedAt));
  const to = job.adjustedLoggingEndedAt ?? (loggingEndedAt && new Date(loggingEndedAt));
  if (!from || !to || from <= to) return [];
  return [
    end === undefined
      ? { model: 'JobSummary', field: 'adjustedLoggingStartedAt', key: 'after_end' }
      : { model: 'JobSummary', field: 'adjustedLoggingEndedAt', key: 'before_start' },
  ];
}

/** Reports times in the future or long before the job. They would make minutes that nobody worked, or that no number can hold. */
function impossible<T extends object>(
  tx: TxContext,
  job: Job,
  input: T,
  model: string,
  fields: readonly (keyof T & string)[],
): ErrorItem[] {
  return fields.flatMap((field) => {
    const at = input[field] as Date | null | undefined;
    const key = isAhead(tx, at) ? 'in_the_future' : isLongBefore(job, at) ? 'long_before_job' : undefined;
    return key ? [{ model, field, key }] : [];
  });
}

/** Reports times that are before those of the step before, or after the completion, which nobody corrects. */
function outOfOrder({ loadSummary }: Load): ErrorItem[] {
  const items: ErrorItem[] = [];
  let latest: { at: Date; stamp: LoadStamp } | undefined;
  for (const stamp of LOAD_STAMPS) {
    const at = loadSummary[stamp];
    if (!at) continue;
    if (latest && at < latest.at)
      items.push(
        stamp === 'loadCompletedAt'
          ? { model: 'LoadSummary', field: latest.stamp, key: 'after_completion' }
          : { model: 'LoadSummary', field: stamp, key: 'before_previous_stamp' },
      );
    latest = { at, stamp };
  }
  return items;
}

/** Returns the summary of one job. @throws Missing if it is not visible, or not finished yet */
export async function jobSummaryOf(ctx: Context, jobId: string, companyId?: string | null): Promise<JobSummary> {
  const job = await find(ctx, Job, jobId, { companyId });
  const pool = await poolOf(ctx.em);
  const { rows } = await pool.query<{ summary: JobSummary | null }>({
    name: 'job_summary',
    text: `select ${jobSummarySql('j')} as summary from job j where j.id = $1`,
    values: [job.id],
  });
  const summary = rows[0]?.summary;
  if (!summary) throw new Missing();
  return partForPartner(Job, 'jobSummary', summary, viewerOf(ctx), job.company.id);
}
