import { User } from '../../directory/people/user.entity.ts';
import { find } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Invalid } from '../../platform/errors.ts';
import { translate } from '../../platform/i18n/messages.ts';
import { composeWith, sendLater } from '../../platform/outgoing/outgoing.ts';
import { localDate } from '../../platform/time.ts';
import { mayHaulJob, mayWithJob } from '../access/job.policy.ts';
import { zoneOf } from '../model/company-day.ts';
import { Job } from '../model/job.entity.ts';
import { Order } from '../model/order.entity.ts';
import { OVER } from '../model/states.ts';
import type { BulkAction } from './bulk-action.entity.ts';
import { defineBulk, pathOf } from './bulk-kinds.ts';
import { BULK } from './bulk-purpose.ts';
import { enqueueBulk } from './enqueue.ts';
import { mayAsk } from './job-bulk.ts';

/** Seconds after which a text about a day's work is useless. */
const WORTH = 4 * 3_600;

interface Words {
  message: string | null;
}

export const SMS = defineBulk<Words>('driver_sms', async (tx, item) => {
  const { id, companyId } = pathOf(item);
  await textDriver(tx, await find(tx, Job, id, { companyId, lock: true }), item.input.message);
});

/** Sends a text to the driver of each job. @throws Denied, Invalid */
export function bulkDriverSms(ctx: Context, input: { jobIds: string[]; message?: string | null }): Promise<BulkAction> {
  mayAsk(ctx, 'edit_job');
  const message = input.message?.trim() || null;
  return enqueueBulk(
    ctx,
    SMS,
    input.jobIds.map((jobId) => ({ jobId, input: { message } })),
    null,
  );
}

/**
 * Sends a text to the driver of one job; without a message, the text names the job and its start. The job is locked because the owner's
 * history notes the text, even if a vendor sends it.
 * @throws Missing, Denied, Invalid
 */
export const textJobDriver = (ctx: Context, path: RecordPath, message?: string | null): Promise<void> =>
  transact(ctx, async (tx) =>
    textDriver(tx, await find(tx, Job, path.id, { companyId: path.companyId, lock: true }), message?.trim() || null),
  );

/** Sends a text to every driver who still has a job of an order, once to each. @throws Missing, Denied, Invalid if no driver has a number */
export const textOrderDrivers = (ctx: Context, path: RecordPath, message?: string | null): Promise<void> =>
  transact(ctx, async (tx) => {
    const order = await find(tx, Order, path.id, { companyId: path.companyId });
    mayWithJob(tx, order, 'edit_job');
    const jobs = await queryIn<{ id: string; phone: string | null }>(
      tx.em,
      `select distinct on (u.id) j.id, u.phone from job j join app_user u on u.id = j.driver_id
       where j.order_id = $1 and j.state not in ${OVER} order by u.id, j.job_start_at`,
      [order.id],
    );
    if (jobs.length === 0) throw new Invalid([{ model: 'Order', field: '', key: 'no_driver_to_text' }]);
    const reachable = jobs.filter(({ phone }) => phone);
    if (reachable.length === 0) throw new Invalid([{ model: 'Order', field: '', key: 'driver_without_phone' }]);
    for (const { id } of reachable) await textDriver(tx, await find(tx, Job, id, { lock: true }), message?.trim() || null);
  });

async function textDriver(tx: TxContext, job: Job, message: string | null): Promise<void> {
  mayHaulJob(tx, job, 'edit_job');
  const driver = job.driver && (await tx.em.findOne(User, { id: job.driver.id }, { filters: { tenant: false } }));
  if (!driver) throw new Invalid([{ model: 'Job', field: 'driverId', key: 'no_driver_to_text' }]);
  if (!driver.phone) throw new Invalid([{ model: 'Job', field: 'driverId', key: 'driver_without_phone' }]);
  const date = localDate(job.jobStartAt, await zoneOf(tx, job.company.id));
  const text = message ?? translate(tx.language, 'text_of_job', { job: job.jobId, date });
  await sendLater(tx, {
    channel: 'sms',
    kind: 'driver_sms',
    recipient: driver.phone,
    language: tx.language,
    params: { text },
    worthSeconds: WORTH,
  });
  emitEvent(tx, 'job.driver_texted', job, { driver_id: driver.id });
}

export const driverTexts = composeWith('driver_sms', BULK, async (_em, { params }) => ({ text: String(params.text) }));
