import { booksOfJob } from '../../dispatch/access/books.ts';
import { mayHaulJob } from '../../dispatch/access/job.policy.ts';
import { DriverDay } from '../../dispatch/model/driver-day.entity.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { denial, find, viewerOf } from '../../platform/authz/authorization.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { actOnBehalfOf } from '../../platform/database/scope.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { Denied } from '../../platform/errors.ts';
import type { Where } from '../../platform/read/run.ts';
import type { AddOnCharge, AddOnRequestableType } from './add-on-charge.entity.ts';

/** The permission to request charges: the office has it for all work, foremen and drivers for their own. */
export const REQUEST = 'request_add_ons';

/** The record of a path. */
export interface Work {
  type: AddOnRequestableType;
  id: string;
}

/** Work for which charges are requested, and the company in whose books. */
export interface ChargedWork extends Work {
  companyId: string;
}

/** The work if the viewer sees it, for lists; without a company if none of the viewer's takes part in it. @throws Missing */
export async function seenWork(ctx: Context, { type, id }: Work): Promise<Omit<ChargedWork, 'companyId'> & { companyId?: string }> {
  if (type === 'DriverDay') {
    const day = await find(ctx, DriverDay, id);
    return { type, id: day.id, companyId: day.company.id };
  }
  const job = await find(ctx, Job, id);
  return { type, id: job.id, companyId: await booksOf(ctx, job) };
}

/** The work for which the viewer requests charges. @throws Missing, Denied */
export async function chargedWork(tx: TxContext, { type, id }: Work): Promise<ChargedWork> {
  if (type === 'DriverDay') {
    const day = await find(tx, DriverDay, id);
    await mayRequestForDay(tx, day);
    return { type, id: day.id, companyId: day.company.id };
  }
  const job = await find(tx, Job, id);
  mayHaulJob(tx, job, REQUEST);
  const companyId = await booksOf(tx, job);
  if (!companyId) throw new Denied(REQUEST, 'permission_of_owning_company');
  // The task to invoice the job is noted with the job, which may be another company's.
  actOnBehalfOf(job.company.id);
  return { type, id: job.id, companyId };
}

/** Finds the charges that were requested for the work, in the books of the company. */
export function requestedFor({ type, id }: Work): Where {
  const column = type === 'Job' ? 'job_id' : 'driver_day_id';
  const sql = (t: string, p: string) => `${t}.${column} = ${p} and ${t}.add_on_applicable_id is null`;
  return { key: `requestedFor${type}`, sql, cast: 'uuid', value: id };
}

/** The same, and some charges of its invoices. */
export function withBilled(work: Work, billed: readonly string[]): Where {
  const { key, sql } = requestedFor(work);
  const both = (t: string, p: string) => `((${sql(t, `(${p})[1]`)}) or ${t}.id = any(${p}))`;
  return { key: `${key} and billed`, sql: both, cast: 'uuid[]', value: [work.id, ...billed] };
}

/** People who are limited to their own work change only what they requested: not what the office deducts. @throws Denied */
export function mayChange(ctx: Context, charge: AddOnCharge): void {
  const viewer = viewerOf(ctx);
  if (!viewer.can(REQUEST) && charge.requestedById !== viewer.id) throw denial(viewer, REQUEST);
}

const booksOf = (ctx: Context, job: Job): Promise<string | undefined> =>
  booksOfJob((sql, values) => queryOf(ctx, sql, values), viewerOf(ctx), job);

/** A driver's own day is theirs, and a foreman's those with a job of theirs. @throws Denied */
async function mayRequestForDay(tx: TxContext, day: DriverDay): Promise<void> {
  const viewer = viewerOf(tx);
  if (viewer.can(REQUEST)) return;
  const isOwn = async () =>
    day.driver.id === viewer.id || (await tx.em.count(Job, { driverDayId: day.id, foremanIds: { $contains: [viewer.id] } })) > 0;
  if (!viewer.can(`${REQUEST}:own`) || !(await isOwn())) throw denial(viewer, REQUEST);
}
