import type { BulkAction } from '../../dispatch/bulk/bulk-action.entity.ts';
import { defineBulk } from '../../dispatch/bulk/bulk-kinds.ts';
import { enqueueForDays } from '../../dispatch/bulk/enqueue.ts';
import { allow, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { ApprovalInput } from '../approvals/approvals.resolver.ts';
import { approveDriverDay, noteLocked } from '../approvals/approve-day.ts';
import { type ApprovalWish, asWhat, refuseName } from '../approvals/flags.ts';

type DayItem = ApprovalWish & { driverDayId: string };

// Drivers, days, orders, jobs and loads, each by their ids: as `approveDriverDay` does for one, so that no two transactions wait for each other.
const LOCKS = [
  'select from app_user where id in (select d.driver_id from driver_day d where d.id = any($1::uuid[])) order by id for update',
  'select from driver_day where id = any($1::uuid[]) order by id for update',
  'select from orders where id in (select j.order_id from job j where j.driver_day_id = any($1::uuid[])) order by id for update',
  'select from job where driver_day_id = any($1::uuid[]) order by id for update',
  'select from load where job_id in (select j.id from job j where j.driver_day_id = any($1::uuid[])) order by id for update',
];

/** Days share transactions, so that beginning and committing is not paid for two hundred times. */
export const APPROVE_DAYS = defineBulk<DayItem>(
  'approve_days',
  (tx, { companyId, input: { driverDayId, ...wish } }) => approveDriverDay(tx, { id: driverDayId, companyId }, wish),
  {
    model: 'DriverDay',
    // A job hangs on one day, and a day is named once.
    apart: true,
    prepare: async (tx, items) => {
      const ids = items.map(({ input }) => input.driverDayId);
      for (const statement of LOCKS) await queryIn(tx.em, statement, [ids]);
      noteLocked(tx, ids);
    },
  },
);

/**
 * Approves many days of drivers in the background, each as if it were the only one: what cannot be approved fails by itself, with its reason.
 * @throws Denied for a type that the caller is not; Invalid for wrong ids or a name that the type does not take; Missing for a foreign company
 */
export async function bulkApproveDriverDays(
  ctx: Context,
  { driverDayIds, ...wish }: ApprovalInput & { driverDayIds: readonly string[] },
  companyId?: string | null,
): Promise<BulkAction> {
  const viewer = viewerOf(ctx);
  if (!viewer.can('approve_driver_day:own')) allow(ctx, 'approve_driver_day');
  // A fault of all of them is reported at once.
  refuseName('DriverDay', wish, asWhat(viewer, wish));
  return enqueueForDays(ctx, APPROVE_DAYS, driverDayIds, wish, companyId);
}
