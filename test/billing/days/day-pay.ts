import type { User } from '../../../src/directory/people/user.entity.ts';
import { pastShift } from '../../dispatch/drivers/shifts.ts';
import { makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { type Biller, billerOf, makeBooks } from '../books.ts';
import { choose, on, ZONE } from './worked-days.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

export const books = makeBooks();

/** A company that pays its drivers by the day. */
export async function byDay(settings: object = {}): Promise<{ own: StaffedTenant; by: Biller }> {
  const own = await makeStaffedTenant(books.app, { timeZone: ZONE });
  await choose(own, { driverPayBy: 'driver_day', ...settings });
  return { own, by: await billerOf(own) };
}
/** The shift of M1, of which 555 minutes are paid. */
export const m1 = (own: StaffedTenant, driver: User = own.driver.user) =>
  pastShift(
    own,
    driver,
    [
      ['on_duty', on('05:40'), on('10:00')],
      ['break', on('10:00'), on('10:30')],
      ['on_duty', on('10:30'), on('15:55')],
    ],
    { shiftAdjustmentMinutes: -30, shiftAdjustmentType: 'lunch' },
  );

export const payableOf = async (by: Biller, dayId: string): Promise<Json> => {
  await books.app.settled();
  return by.http('GET', `/v1/driver_days/${dayId}/payable`);
};
export const approveDay = async (own: StaffedTenant, dayId: string) =>
  own.must('PUT', `/v1/driver_days/${dayId}/approve`, {}, await own.administrator());
