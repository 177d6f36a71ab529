import { companyOf, denial, viewerOf } from '../../platform/authz/authorization.ts';
import { transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { limitsFor } from '../../platform/model/limits.ts';
import { dayBounds } from '../../platform/time.ts';
import { assignVendor, unassignJob } from '../assignment/assign-job.ts';
import { foreseeAssignments } from '../assignment/foresee-assignments.ts';
import { deleteJob } from '../jobs/delete-job.ts';
import type { UpdateJobInput } from '../jobs/job.inputs.ts';
import { acceptJob, cancelJob, sendJob } from '../jobs/job-events.ts';
import { updateJob } from '../jobs/update-job.ts';
import { updateLoad } from '../loads/load-commands.ts';
import { zoneOf } from '../model/company-day.ts';
import { Job } from '../model/job.entity.ts';
import { Load } from '../model/load.entity.ts';
import type { BulkAssignVendorInput, BulkUpdateJobInput, DriverAssignmentInput } from './bulk.inputs.ts';
import type { BulkAction, BulkActionKind } from './bulk-action.entity.ts';
import { type BulkKind, defineBulk, pathOf } from './bulk-kinds.ts';
import { enqueueBulk } from './enqueue.ts';

type Accepted = Promise<BulkAction>;
type Nothing = Record<string, never>;

const simple = (kind: BulkActionKind, act: (ctx: Context, path: RecordPath) => Promise<unknown>): BulkKind<Nothing> =>
  defineBulk(kind, (tx, item) => act(tx, pathOf(item)));

export const ACCEPT = simple('accept', acceptJob);
export const UNASSIGN = simple('unassign', unassignJob);
export const SEND = simple('send', sendJob);
export const SEND_DAY = simple('send_day', sendJob);
export const CANCEL = simple('cancel', cancelJob);
export const DELETE = simple('delete', deleteJob);
export const ASSIGN_DRIVERS = defineBulk<{ driverId: string }>('assign_drivers', (tx, item) => updateJob(tx, pathOf(item), item.input), {
  apart: true,
  prepare: (tx, items) =>
    foreseeAssignments(
      tx,
      items.map(({ jobId, input }) => ({ jobId: jobId!, driverId: input.driverId.toLowerCase() })),
      items[0]!.companyId,
    ),
});
export const ASSIGN_VENDORS = defineBulk<{ vendorId: string }>('assign_vendors', (tx, item) => assignVendor(tx, pathOf(item), item.input));
export const UPDATE = defineBulk<WireUpdate>('update', async (tx, item) => {
  const { load, contractWords, ...fields } = item.input;
  const job = await updateJob(contractWords ? { ...tx, contractWords } : tx, pathOf(item), revived(fields));
  if (load?.quantity === undefined) return;
  const open = await tx.em.find(Load, { job: job.id, state: { $nin: ['completed', 'canceled'] } }, { filters: { tenant: false } });
  for (const { id } of open) await updateLoad(tx, { id }, { quantity: load.quantity });
});

/** The input as the queue stores it, with instants as texts, and whether its stops are in the words of the contract. */
type WireUpdate = Omit<BulkUpdateJobInput, 'jobStartAt'> & { jobStartAt?: string | null; contractWords?: true };
const revived = (fields: Omit<WireUpdate, 'load' | 'contractWords'>): UpdateJobInput =>
  ({ ...fields, ...(fields.jobStartAt ? { jobStartAt: new Date(fields.jobStartAt) } : {}) }) as UpdateJobInput;

/** Drivers may ask as well, because they may accept their own jobs. Each job then checks the permission (DOMAIN 1.2). @throws Denied */
export function bulkAccept(ctx: Context, jobIds: string[], companyId?: string | null): Accepted {
  if (!viewerOf(ctx).roles.includes('driver')) mayAsk(ctx, 'edit_job');
  return enqueueBulk(ctx, ACCEPT, each(jobIds), companyId);
}

/** Takes the driver or vendor off each of many jobs, in the background. @throws Denied, Invalid */
export const bulkUnassign = (ctx: Context, jobIds: string[], companyId?: string | null): Accepted =>
  asking(ctx, 'assign_job', UNASSIGN, jobIds, companyId);

/** Cancels many jobs, in the background. @throws Denied, Invalid */
export const bulkCancel = (ctx: Context, jobIds: string[], companyId?: string | null): Accepted =>
  asking(ctx, 'cancel_job', CANCEL, jobIds, companyId);

/** Deletes many jobs, in the background. @throws Denied, Invalid */
export const bulkDelete = (ctx: Context, jobIds: string[], companyId?: string | null): Accepted =>
  asking(ctx, 'delete_job', DELETE, jobIds, companyId);

/** Sends jobs, and the assigned jobs of orders (DOMAIN 1.2 names both). */
export async function bulkSend(
  ctx: Context,
  input: { jobIds?: string[] | null; orderIds?: string[] | null },
  companyId?: string | null,
): Accepted {
  mayAsk(ctx, 'edit_job');
  const named = [...new Set(input.jobIds ?? [])];
  const ofOrders = await sendableOf(ctx, input.orderIds ?? [], companyId);
  if (named.length === 0 && input.orderIds?.length && ofOrders.length === 0)
    throw new Invalid([{ model: 'Job', field: 'orderIds', key: 'nothing_to_send' }]);
  const jobs = [...new Set([...named, ...ofOrders])];
  // Named jobs come first and are checked with those of orders. If they are too many, the error names the field from which most of them
  // come.
  return enqueueBulk(
    ctx,
    SEND,
    each(jobs),
    companyId,
    (index) => `jobIds.${index}`,
    ofOrders.length > named.length ? 'orderIds' : 'jobIds',
  );
}

/** Sends every assigned job of a company's day, its own and those passed on to it. @returns undefined if there is none */
export async function bulkSendDay(ctx: Context, date: string, companyId: string): Promise<BulkAction | undefined> {
  mayAsk(ctx, 'edit_job');
  const company = companyOf(ctx, companyId);
  const { start, end } = dayBounds(date, await zoneOf(ctx, company));
  const values: unknown[] = [company, start, end];
  const limits = limitsFor(viewerOf(ctx), Job, 'j', values);
  const jobs = await idsOf(
    ctx,
    `select j.id from job j
     where (j.company_id = $1 or j.company_id in (select a.company_id from job_assignment a where a.vendor_company_id = $1) and ${handedOn('j', 'array[$1::uuid]')})
       and j.job_start_at >= $2 and j.job_start_at < $3 and j.state = 'assigned'${limits} order by j.job_start_at, j.id`,
    values,
  );
  return jobs.length === 0 ? undefined : enqueueBulk(ctx, SEND_DAY, each(jobs), companyId);
}

/** Assigns each of many jobs to a driver, in the background. @throws Denied, Invalid */
export function bulkAssignDrivers(ctx: Context, assignments: DriverAssignmentInput[], companyId?: string | null): Accepted {
  mayAsk(ctx, 'assign_job');
  checkIds(assignments.map(({ driverId }, index) => [`driverAssignments.${index}.driverId`, driverId]));
  const wishes = assignments.map(({ jobId, driverId }) => ({ jobId, input: { driverId } }));
  return enqueueBulk(ctx, ASSIGN_DRIVERS, wishes, companyId, (index) => `driverAssignments.${index}.jobId`);
}

/** Passes many jobs on to vendors, in the background. @param root the field of the list, for errors @throws Denied, Invalid */
export function bulkAssignVendors(
  ctx: Context,
  assignments: BulkAssignVendorInput[],
  companyId?: string | null,
  root = 'vendorAssignments',
): Accepted {
  mayAsk(ctx, 'assign_job');
  checkIds(assignments.map(({ vendorAccountId }, index) => [`${root}.${index}.vendorAccountId`, vendorAccountId]));
  const wishes = assignments.flatMap(({ vendorAccountId, jobIds }, vendor) =>
    jobIds.map((jobId, job) => ({ jobId, input: { vendorId: vendorAccountId }, field: `${root}.${vendor}.jobIds.${job}` })),
  );
  return enqueueBulk(ctx, ASSIGN_VENDORS, wishes, companyId, (index) => wishes[index]?.field ?? `${root}.0`);
}

/** Changes many jobs alike, in the background. @throws Denied, Invalid */
export function bulkUpdate(ctx: Context, jobIds: string[], data: BulkUpdateJobInput, companyId?: string | null): Accepted {
  mayAsk(ctx, 'edit_job');
  const { jobStartAt, ...rest } = data;
  const input: WireUpdate = {
    ...rest,
    ...(jobStartAt === undefined ? {} : { jobStartAt: jobStartAt?.toISOString() ?? null }),
    ...(ctx.contractWords && rest.waypoints ? { contractWords: true } : {}),
  };
  return enqueueBulk(
    ctx,
    UPDATE,
    jobIds.map((jobId) => ({ jobId, input })),
    companyId,
  );
}

const each = (jobIds: readonly string[]) => jobIds.map((jobId) => ({ jobId, input: {} }));

function asking(ctx: Context, permission: string, kind: BulkKind<Nothing>, jobIds: string[], companyId?: string | null): Accepted {
  mayAsk(ctx, permission);
  return enqueueBulk(ctx, kind, each(jobIds), companyId);
}

/**
 * A caller who has the permission for own records only may ask, too; jobs of others then come back as failed. @throws Denied if the caller
 * has it for none
 */
export function mayAsk(ctx: Context, permission: string): void {
  const viewer = viewerOf(ctx);
  if (!viewer.can(permission) && !viewer.can(`${permission}:own`)) throw denial(viewer, permission);
}

/** Checks ids, each with its field. @throws Invalid */
function checkIds(ids: [string, string][]): void {
  const items: ErrorItem[] = ids.flatMap(([field, id]) => (isUuid(id) ? [] : [{ model: 'Job', field, key: 'not_a_uuid' }]));
  if (items.length > 0) throw new Invalid(items);
}

/**
 * The condition that a job was passed on to one of the companies, which assigned a driver or passed it on again. A job that nobody there
 * has taken up yet is the customer's to send.
 */
const handedOn = (j: string, companies: string): string => `exists (select from job_assignment a
  where a.job_id = ${j}.id and a.vendor_company_id = any(${companies})
    and (${j}.driver_id is not null or exists (select from job_assignment b where b.job_id = a.job_id and b.link > a.link)))`;

/** Returns the assigned jobs of orders, as far as the caller may see them. @throws Invalid for an id that is no uuid */
async function sendableOf(ctx: Context, orderIds: string[], companyId?: string | null): Promise<string[]> {
  if (orderIds.length === 0) return [];
  checkIds(orderIds.map((id, index) => [`orderIds.${index}`, id]));
  const companies = companyId ? [companyOf(ctx, companyId)] : viewerOf(ctx).companyIds;
  const values: unknown[] = [orderIds, companies];
  const limits = limitsFor(viewerOf(ctx), Job, 'j', values);
  return idsOf(
    ctx,
    `select j.id from job j where j.order_id = any($1) and (j.company_id = any($2::uuid[]) or ${handedOn('j', '$2::uuid[]')})
       and j.state in ('assigned', 'sent')${limits} order by j.job_start_at, j.id`,
    values,
  );
}

const idsOf = (ctx: Context, sql: string, parameters: unknown[]): Promise<string[]> =>
  transact(ctx, async (tx) => (await queryIn<{ id: string }>(tx.em, sql, parameters)).map(({ id }) => id));
