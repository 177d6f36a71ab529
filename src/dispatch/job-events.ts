import { ref } from '@mikro-orm/core';
import { Account } from '../directory/account.entity.ts';
import { User } from '../directory/user.entity.ts';
import { find, refer, viewerOf } from '../platform/authz/fences.ts';
import { type TxContext, transact } from '../platform/commands/transact.ts';
import type { Context } from '../platform/context.ts';
import { queryIn } from '../platform/database/sql.ts';
import { type ErrorItem, Invalid } from '../platform/errors.ts';
import { dayBounds, localDate } from '../platform/time.ts';
import { zoneOf } from './company-day.ts';
import type { JobPath } from './drive-job.ts';
import { Job } from './job.entity.ts';
import type { AssignVendorInput, RejectJobInput } from './job.inputs.ts';
import { jobMachine } from './job.machine.ts';
import { isOwnersSide, mayDriveJob, mayHaulJob, mayWithJob } from './job.policy.ts';
import { JobAssignment } from './job-assignment.entity.ts';
import { cancelJobsWithin, factsOfJob, moveJob, noteJobEvent } from './job-effects.ts';
import { completeOrderIfDone, lockOrder } from './order-progress.ts';
import type { JobEventName, JobStateEvent } from './states.ts';

/** Locks the order, then the job, and checks the caller. */
export function withJob(
  ctx: Context,
  path: JobPath,
  may: (tx: TxContext, job: Job) => void,
  act: (tx: TxContext, job: Job) => Promise<void>,
): Promise<Job> {
  return transact(ctx, async (tx) => {
    const seen = await find(tx, Job, path.id, { companyId: path.companyId });
    may(tx, seen);
    await lockOrder(tx, seen.order.id);
    const job = await find(tx, Job, path.id, { companyId: path.companyId, lock: true });
    await act(tx, job);
    return job;
  });
}

const editing = (tx: TxContext, job: Job) => void mayWithJob(tx, job, 'edit_job');
const sending = (tx: TxContext, job: Job) => void mayHaulJob(tx, job, 'edit_job');
const assigning = (tx: TxContext, job: Job) => void mayHaulJob(tx, job, 'assign_job');
const driving = (tx: TxContext, job: Job) => void mayDriveJob(tx, job);

/** Assigns a driver inside another act; the job is locked. A driver must belong to the caller's side of the job. */
export async function assignDriverWithin(
  tx: TxContext,
  job: Job,
  input: { driverId?: string | null; complianceOverride?: boolean | null },
): Promise<void> {
  const items: ErrorItem[] = [];
  const driver = await refer(tx, User, input as { driverId: string }, 'driverId', { model: 'Job', items });
  if (driver?.discardedAt) items.push({ model: 'Job', field: 'driverId', key: 'is_discarded' });
  else if (driver && !driver.roles.includes('driver')) items.push({ model: 'Job', field: 'driverId', key: 'not_a_driver' });
  if (items.length > 0) throw new Invalid(items);
  const before = job.driver?.id;
  moveJob(tx, job, 'assign', {});
  // A driver of one's own does it instead of the vendor that was hired before: nobody else is to be paid for it.
  await takeBack(tx, job, driver!);
  job.driver = ref(driver!);
  job.equipment = driver!.equipment ?? driver!.defaultEquipment ?? job.equipment ?? null;
  noteJobEvent(tx, job, before && before !== driver!.id ? 'JobDriverChanged' : 'JobAssigned', { payload: { driver_id: driver!.id } });
  if (input.complianceOverride) noteOverride(tx, job);
}

/**
 * Passes the job on to a vendor: one assignment row per link of the chain (DOMAIN 1.2 "Vendor chains"). The vendor's own people find
 * it when its account is connected to their company.
 */
export const assignVendor = (ctx: Context, path: JobPath, input: AssignVendorInput) =>
  withJob(ctx, path, assigning, async (tx, job) => {
    const items: ErrorItem[] = [];
    const vendor = await refer(tx, Account, input, 'vendorId', { model: 'Job', items });
    if (vendor?.discardedAt) items.push({ model: 'Job', field: 'vendorId', key: 'is_discarded' });
    else if (vendor && !vendor.accountTypes.includes('vendor')) items.push({ model: 'Job', field: 'vendorId', key: 'not_a_vendor' });
    else if (vendor && vendor.truckCount > 0 && (await trucksOf(tx, vendor, job)) >= vendor.truckCount) {
      items.push({ model: 'Job', field: 'vendorId', key: 'vendor_full', params: { count: vendor.truckCount } });
    }
    if (items.length > 0) throw new Invalid(items);
    await passOn(tx, job, vendor!);
    moveJob(tx, job, 'assign', {});
    job.driver = null;
    noteJobEvent(tx, job, 'JobAssigned', { payload: { vendor_id: vendor!.id } });
    if (input.complianceOverride) noteOverride(tx, job);
    const connected = vendor!.connectedCompany;
    // The link is not in the database yet, so the facts do not show the vendor.
    const facts = { ...(await factsOfJob(tx, job)), hasAssignee: true };
    if (connected && vendor!.autoAcceptOrders && jobMachine.can(job, 'request', facts)) {
      moveJob(tx, job, 'request', facts);
      noteJobEvent(tx, job, 'JobSent');
      moveJob(tx, job, 'accept', {});
      noteJobEvent(tx, job, 'JobAccepted');
    }
  });

/** A link is replaced by the company that made it; a vendor that passes on adds the next one. */
async function passOn(tx: TxContext, job: Job, vendor: Account): Promise<void> {
  const passer = vendor.company.id;
  const links = await tx.em.find(JobAssignment, { job: job.id }, { orderBy: { link: 'asc' } });
  const own = links.find((link) => link.customerCompanyId === passer);
  const payer = vendor.connectedCompany
    ? await tx.em.findOne(
        Account,
        { company: vendor.connectedCompany.id, connectedCompany: passer, discardedAt: null },
        { filters: { tenant: false } },
      )
    : null;
  const values = {
    customerCompanyId: passer,
    vendorCompanyId: vendor.connectedCompany?.id ?? null,
    vendorAccount: ref(vendor),
    customerAccount: payer ? ref(payer) : null,
    rateValue: job.vendorRateValue ?? null,
    rateType: job.vendorRateType ?? null,
    rate: job.vendorRate ?? null,
  };
  for (const later of links.filter((link) => own && link.link > own.link)) tx.em.remove(later);
  if (own) Object.assign(own, values);
  else tx.em.persist(Object.assign(new JobAssignment(), values, { job: ref(job), link: (links.at(-1)?.link ?? -1) + 1 }));
}

/** Trucks a vendor already has that day. */
async function trucksOf(tx: TxContext, vendor: Account, job: Job): Promise<number> {
  const zone = await zoneOf(tx, job.company.id);
  const { start, end } = dayBounds(localDate(job.jobStartAt, zone), zone);
  const [row] = await queryIn<{ count: number }>(
    tx.em,
    `select count(*)::int as count from job_assignment a join job j on j.id = a.job_id
     where a.vendor_account_id = $1 and j.id <> $2 and j.job_start_at >= $3 and j.job_start_at < $4 and j.state not in ('created', 'rejected', 'canceled')`,
    [vendor.id, job.id, start, end],
  );
  return row!.count;
}

/** Takes driver and vendors away again (DOMAIN 1.2). */
export const unassignJob = (ctx: Context, path: JobPath) => withJob(ctx, path, assigning, unassignWithin);

export async function unassignWithin(tx: TxContext, job: Job): Promise<void> {
  moveJob(tx, job, 'unassign', await factsOfJob(tx, job));
  job.driver = null;
  await takeBack(tx, job);
  noteJobEvent(tx, job, 'JobUnassigned');
}

/** Somebody assigned on their own responsibility (DOMAIN 1.2 `assign`). */
function noteOverride(tx: TxContext, job: Job): void {
  noteJobEvent(tx, job, 'ComplianceOverride', {
    payload: { overridden_by: tx.viewer?.id ?? null, overridden_at: tx.tx.now.toISOString() },
  });
}

/**
 * Takes back what the caller passed on: the owner the whole chain, a vendor what it added; the link it got the job by stays. A driver
 * of a company in the chain keeps the links up to that company.
 */
async function takeBack(tx: TxContext, job: Job, driver?: User): Promise<void> {
  const viewer = viewerOf(tx);
  const links = await tx.em.find(JobAssignment, { job: job.id }, { orderBy: { link: 'asc' } });
  const passed = isOwnersSide(viewer, job) ? 0 : links.findIndex((link) => viewer.companyIds.includes(link.customerCompanyId));
  if (passed < 0) return;
  const kept = driver ? links.findLastIndex((link) => link.vendorCompanyId === driver.company.id) + 1 : 0;
  for (const link of links.slice(Math.max(passed, kept))) tx.em.remove(link);
}

/** Sends the job to its driver or vendor; again when it was sent already. */
export const sendJob = (ctx: Context, path: JobPath) =>
  withJob(ctx, path, sending, async (tx, job) => {
    moveJob(tx, job, 'request', await factsOfJob(tx, job));
    noteJobEvent(tx, job, 'JobSent');
  });

export const acceptJob = (ctx: Context, path: JobPath) =>
  withJob(ctx, path, driving, async (tx, job) => {
    moveJob(tx, job, 'accept', {});
    job.rejectReason = null;
    noteJobEvent(tx, job, 'JobAccepted');
  });

export const rejectJob = (ctx: Context, path: JobPath, input: RejectJobInput) =>
  withJob(ctx, path, driving, async (tx, job) => {
    moveJob(tx, job, 'reject', await factsOfJob(tx, job));
    job.rejectReason = input.rejectReason ?? null;
    noteJobEvent(tx, job, 'JobDeclined', { payload: { reject_reason: input.rejectReason ?? null } });
  });

export const cancelJob = (ctx: Context, path: JobPath) =>
  withJob(
    ctx,
    path,
    (tx, job) => void mayWithJob(tx, job, 'cancel_job'),
    async (tx, job) => {
      // Asked first, because the loads are canceled before the job.
      if (!jobMachine.can(job, 'cancel', await factsOfJob(tx, job))) moveJob(tx, job, 'cancel', await factsOfJob(tx, job));
      await cancelJobsWithin(tx, [job], 'JobCanceled');
      await tx.em.flush();
      await completeOrderIfDone(tx, await lockOrder(tx, job.order.id));
    },
  );

const office = (event: JobStateEvent, name: JobEventName) => (ctx: Context, path: JobPath) =>
  withJob(ctx, path, editing, async (tx, job) => {
    moveJob(tx, job, event, await factsOfJob(tx, job));
    noteJobEvent(tx, job, name);
  });

export const reviewJob = office('review', 'JobInReview');
export const flagJob = office('flag', 'JobFlagged');
export const removeJobFlag = office('remove_flag', 'JobRemovedFlagged');
export const signOffJob = office('sign_off', 'JobSignedOff');
export const removeJobSignoff = office('remove_signoff', 'JobRemovedSignedOff');
export const payJob = office('pay', 'JobPaid');

/** The system ends what a driver left open when the shift is over (DOMAIN 1.2 `end`); no route leads here. */
export async function endJobWithin(tx: TxContext, job: Job): Promise<void> {
  moveJob(tx, job, 'end', {});
  job.pausedAt = null;
  noteJobEvent(tx, job, 'JobEnded');
}
