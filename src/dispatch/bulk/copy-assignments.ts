import { companyOf, find } from '../../platform/authz/authorization.ts';
import { resolveReference } from '../../platform/authz/references.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Conflict, type ErrorItem, Invalid } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { mayHaulJob, mayWithJob } from '../access/job.policy.ts';
import { assignDriverWithin, assignVendorWithin } from '../assignment/assign-job.ts';
import { collectUnitMismatches, unitsOfJob } from '../checks/unit-mismatches.ts';
import { withJob } from '../jobs/lock-job.ts';
import { Job } from '../model/job.entity.ts';
import { JobAssignment } from '../model/job-assignment.entity.ts';
import { Order } from '../model/order.entity.ts';
import type { BulkCopyAssignmentsInput } from './bulk.inputs.ts';
import type { BulkAction } from './bulk-action.entity.ts';
import { defineBulk, pathOf } from './bulk-kinds.ts';
import { enqueueBulk } from './enqueue.ts';
import { mayAsk } from './job-bulk.ts';

interface Copy {
  /** The job of the order that is assigned; null if none was left. */
  targetId: string | null;
  deep: boolean;
}

/** The fields that a deep copy takes over in addition to the driver or vendor. */
const DEEP = [
  'equipment',
  'additionalEquipmentIds',
  'driverRate',
  'driverRateValue',
  'driverRateType',
  'vendorRate',
  'vendorRateValue',
  'vendorRateType',
  'notes',
] as const;

/**
 * Assigns the unassigned jobs of an order, by their numbers, to the drivers and vendors of other jobs in the order sent: yesterday's crew
 * for today's order. A deep copy takes over trucks, rates and notes as well. The contract lists only the fields (D-DISPATCH-38).
 * @throws Denied, Invalid, also for an order the caller may not see
 */
export async function bulkCopyAssignments(ctx: Context, input: BulkCopyAssignmentsInput, companyId?: string | null): Promise<BulkAction> {
  mayAsk(ctx, 'edit_job');
  const order = (await resolveReference(ctx, Order, input, 'orderId', {
    model: 'Job',
    ...(companyId ? { companyId: companyOf(ctx, companyId) } : {}),
  }))!;
  const open = await transact(ctx, (tx) =>
    queryIn<{ id: string }>(
      tx.em,
      `select id from job where order_id = $1 and state = 'created' and driver_id is null and id <> all($2) order by number, id limit $3`,
      [order.id, input.jobIds.filter(isUuid), input.jobIds.length],
    ),
  );
  const wishes = input.jobIds.map((jobId, index) => ({
    jobId,
    input: { targetId: open[index]?.id ?? null, deep: input.deepCopy ?? false },
  }));
  return enqueueBulk(ctx, COPY, wishes, companyId);
}

export const COPY = defineBulk<Copy>('copy_assignments', async (tx, item) => {
  const { input, companyId } = item;
  const source = await find(tx, Job, pathOf(item).id);
  const [link] = await tx.em.find(JobAssignment, { job: source.id }, { orderBy: { link: 'asc' }, limit: 1 });
  if (!source.driver && !link?.vendorAccount) throw new Invalid([{ model: 'Job', field: '', key: 'nobody_assigned' }]);
  if (!input.targetId) throw new Conflict([{ model: 'Job', field: '', key: 'no_job_left_to_assign' }]);
  await withJob(
    tx,
    { id: input.targetId, companyId },
    (within, job) => {
      mayHaulJob(within, job, 'edit_job', 'assign_job');
      if (input.deep) mayWithJob(within, job, 'edit_job');
    },
    async (within, job) => {
      // Trucks and rates belong to one company.
      if (input.deep && source.company.id !== job.company.id) throw new Invalid([{ model: 'Job', field: 'jobIds', key: 'must_exist' }]);
      if (input.deep) await copyDeep(within, source, job);
      if (source.driver)
        await assignDriverWithin(
          within,
          job,
          { driverId: source.driver.id, equipmentId: input.deep ? source.equipment?.id : null },
          companyId,
        );
      else await assignVendor(within, job, link!, { companyId, deep: input.deep });
      if (input.deep) job.equipment = source.equipment ?? job.equipment ?? null;
    },
  );
});

/** @throws Invalid if trucks and rates of one job do not fit the unit of the other job's loads */
async function copyDeep(tx: TxContext, source: Job, job: Job): Promise<void> {
  const order = (await job.order.load())!;
  const before = unitsOfJob(job, order);
  const taken = Object.fromEntries(DEEP.map((field) => [field, source[field]]));
  Object.assign(job, taken);
  const items: ErrorItem[] = [];
  await collectUnitMismatches(tx, unitsOfJob(job, order), { model: 'Job', input: taken, before }, items);
  if (items.length > 0) throw new Invalid(items);
}

async function assignVendor(
  tx: TxContext,
  job: Job,
  link: JobAssignment,
  { companyId, deep }: { companyId: string | null; deep: boolean },
): Promise<void> {
  const terms = deep
    ? { rate: await link.rate?.load(), rateValue: link.rateValue, rateType: link.rateType, ownRate: link.ownRate }
    : undefined;
  await assignVendorWithin(tx, job, { vendorId: link.vendorAccount!.id }, { companyId, terms });
}
