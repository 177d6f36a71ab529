import { expect } from '@jest/globals';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { at } from '../../dispatch/drivers/shifts.ts';
import { drive, ONE_LOAD, readyJob, type StaffedTenant } from '../../helpers/staffed-tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

export const ZONE = 'America/Toronto';
/** An instant of a day of the past. */
export const on = (time: string, date = '2026-11-18') => at(`${date}T${time}`, ZONE);

/** Changes settings of a company. */
export async function choose(own: StaffedTenant, input: object): Promise<void> {
  const change = 'mutation($input: UpdateCompanySettingsInput!) { updateCompanySettings(input: $input) { driverPayBy } }';
  expect((await own.gql(change, { input }, await own.administrator())).errors).toBeUndefined();
}

/** A finished job of so many worked minutes, of a day of its driver unless there is none. */
export async function worked(own: StaffedTenant, dayId: string | null, order: object, minutes: number): Promise<Json> {
  const job = await readyJob(own, { loads_per_truck: 1, ...order });
  await drive(own.driver, job.id, ...ONE_LOAD, 'complete');
  const times = { adjustedLoggingStartedAt: on('06:00'), adjustedLoggingEndedAt: new Date(on('06:00').getTime() + minutes * 60_000) };
  const fields = { driverDayId: dayId, breaks: '{}', ...times };
  await own.app.orm.em.fork().nativeUpdate(Job, { id: job.id }, fields as never, { filters: { tenant: false } });
  return job;
}

/** Has everything of a job compared anew: the tax of its order changes. */
export const touch = (own: StaffedTenant, job: Json) => own.must('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: 1, tax_freight: true });
