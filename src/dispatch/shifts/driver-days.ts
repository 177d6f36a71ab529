import { type FilterQuery, LockMode, ref } from '@mikro-orm/core';
import { v5 } from 'uuid';
import { Company } from '../../directory/companies/company.entity.ts';
import type { User } from '../../directory/people/user.entity.ts';
import { emitEvent, type TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Invalid } from '../../platform/errors.ts';
import { dayBounds, localDate } from '../../platform/time.ts';
import { nextNumbersOf } from '../fields/numbers.ts';
import { DriverDay } from '../model/driver-day.entity.ts';
import type { DriverStateEvent } from '../model/driver-state.entity.ts';

/** The namespace of the ids of days; drawn once. */
const DAYS = '6b0d7a52-9f0e-4c55-8d4e-0a2f7f1d3c11';
/** Milliseconds off duty after which a shift that was called back after midnight is a new one; a departure that was earlier than that is of no shift after it. */
export const RESUMED_WITHIN = 180 * 60_000;
/** The permission toggle of companies whose drivers may correct their times. */
const EDITS_TIMES = 'driver_edits_times';

/** The id of a driver's day is made of driver and date, so that it is known before the shift begins (D-PROOF-10). */
export const idOfDay = (driverId: string, date: string): string => v5(`${driverId} ${date}`, DAYS);

/** Returns a driver's day, locked. The caller has locked the driver, so the day is locked after them. */
export const lockDay = (tx: TxContext, id: string): Promise<DriverDay | null> => locked(tx, { id });

/** The same for days of several locked drivers, in the order of their ids. */
export async function lockDays(tx: TxContext, ids: readonly string[]): Promise<DriverDay[]> {
  if (ids.length === 0) return [];
  await tx.em.flush();
  return tx.em.find(
    DriverDay,
    { id: { $in: [...ids] } },
    { orderBy: { id: 'asc' }, filters: { tenant: false }, lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  );
}

/** Returns a day as it is when it is locked: what was read of it before may have changed while the lock was waited for. */
async function locked(tx: TxContext, where: FilterQuery<DriverDay>): Promise<DriverDay | null> {
  // Values that the transaction itself has changed are not to be read over.
  await tx.em.flush();
  return tx.em.findOne(DriverDay, where, { filters: { tenant: false }, lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
}

/** The date in the zone of the driver's company. */
export async function dateFor(tx: TxContext, driver: User, at: Date): Promise<string> {
  return localDate(at, (await companyOfDriver(tx, driver)).timeZone);
}

/**
 * The condition for a driver's own day of a date: no shift that they got by a merge. A version that knows no merged drivers gives one back with its former
 * driver still noted, and its id is that of their day, of which there can be no other one.
 */
export const isOwnDay = (driver: string, driverDayDate: string): FilterQuery<DriverDay> => ({
  driver,
  driverDayDate,
  $or: [{ mergedDriverId: null }, { mergedDriverId: driver }],
});

/** Returns the driver's own day of a date if there is one. */
export const dayOfDate = (tx: TxContext, driver: User, driverDayDate: string): Promise<DriverDay | null> =>
  locked(tx, isOwnDay(driver.id, driverDayDate));

/**
 * Begins a shift, or goes on with one: the day of the date is made or resumed. Who left at most three hours ago and is called back after
 * midnight is still on the shift of the day before. The driver's row is locked, so that nobody else makes the day at the same time.
 * @param before the driver's present state
 * @throws Invalid if the day is approved
 */
export async function openShift(tx: TxContext, driver: User, at: Date, before: DriverStateEvent | null): Promise<DriverDay> {
  const date = await dateFor(tx, driver, at);
  const day = (await dayOfDate(tx, driver, date)) ?? (await dayBefore(tx, date, at, before)) ?? (await makeDay(tx, driver, date, at));
  if (day.billingApprovedAt) throw new Invalid([{ model: 'DriverDay', field: '', key: 'day_approved' }]);
  day.startedShiftAt ??= at;
  // Somebody has corrected the end of the stretch before; what is worked from now on must not be cut off by it.
  if (day.endedShiftAt) day.adjustedEndedShiftAt = null;
  day.endedShiftAt = null;
  day.endReason = null;
  return day;
}

/** A day of a driver that is made. */
interface NewDay {
  driver: User;
  driverDayDate: string;
  startedShiftAt: Date;
}

/** Makes the driver's day of a date. */
const makeDay = async (tx: TxContext, driver: User, driverDayDate: string, startedShiftAt: Date): Promise<DriverDay> =>
  (await makeDays(tx, [{ driver, driverDayDate, startedShiftAt }]))[0]!;

async function makeDays(tx: TxContext, wanted: readonly NewDay[]): Promise<DriverDay[]> {
  const counts = new Map<string, number>();
  for (const { driver } of wanted) counts.set(driver.company.id, (counts.get(driver.company.id) ?? 0) + 1);
  const numbers = await nextNumbersOf(tx.em, 'driver_day', counts);
  const days: DriverDay[] = [];
  for (const { driver, driverDayDate, startedShiftAt } of wanted) {
    const { timeZone, permissionToggles } = await companyOfDriver(tx, driver);
    const { start, end } = dayBounds(driverDayDate, timeZone);
    const number = numbers.get(driver.company.id)!;
    numbers.set(driver.company.id, number + 1);
    const day = Object.assign(new DriverDay(), {
      ...{ id: idOfDay(driver.id, driverDayDate), company: driver.company, driver: ref(driver), driverDayDate, driverDayId: `D-${number}` },
      ...{ startsAt: start, endsAt: end, startedShiftAt, timesEditable: permissionToggles.includes(EDITS_TIMES) },
    });
    tx.em.persist(day);
    days.push(day);
  }
  // States and jobs refer to them by their ids alone, so the unit of work does not know that they come first.
  await tx.em.flush();
  for (const day of days) emitEvent(tx, 'driver_day.created', day);
  return days;
}

// The condition of `isOwnDay`.
const DAYS_OF_DATES = `select w.n::int as n, d.id from unnest($1::uuid[], $2::date[]) with ordinality w (driver_id, date, n)
  join driver_day d on d.driver_id = w.driver_id and d.driver_day_date = w.date and (d.merged_driver_id is null or d.merged_driver_id = d.driver_id)`;

/**
 * Returns the days of work that was reported when its shifts could not be any more, locked. Those that are made have an end at once: nobody knows when it was, and
 * nobody is on duty by them. The office corrects it, as that of a shift that was forgotten.
 * @param work with its driver, who is locked
 */
export async function daysAfterwards(tx: TxContext, work: readonly { driver: User; at: Date }[]): Promise<DriverDay[]> {
  if (work.length === 0) return [];
  const dates: string[] = [];
  for (const { driver, at } of work) dates.push(await dateFor(tx, driver, at));
  const found = await queryIn<{ n: number; id: string }>(tx.em, DAYS_OF_DATES, [work.map(({ driver }) => driver.id), dates]);
  const keyOf = (n: number): string => `${work[n]!.driver.id} ${dates[n]}`;
  const known = new Map((await lockDays(tx, [...new Set(found.map(({ id }) => id))])).map((day) => [day.id, day]));
  const days = new Map(found.map(({ n, id }) => [keyOf(n - 1), known.get(id)!]));
  const missing = new Map<string, NewDay>();
  for (const [n, { driver, at }] of work.entries()) {
    const key = keyOf(n);
    if (!days.has(key) && !missing.has(key)) missing.set(key, { driver, driverDayDate: dates[n]!, startedShiftAt: at });
  }
  const made = missing.size > 0 ? await makeDays(tx, [...missing.values()]) : [];
  for (const [i, key] of [...missing.keys()].entries()) {
    const day = made[i]!;
    Object.assign(day, { endedShiftAt: day.startedShiftAt, endReason: 'auto' });
    emitEvent(tx, 'driver_day.ended', day, { end_reason: day.endReason });
    days.set(key, day);
  }
  return work.map((_, n) => days.get(keyOf(n))!);
}

/** The day before the date, if its shift ended recently and nobody has approved it. */
async function dayBefore(tx: TxContext, date: string, at: Date, before: DriverStateEvent | null): Promise<DriverDay | null> {
  if (before?.state !== 'off_duty' || !before.driverDayId || at.getTime() - before.startedAt.getTime() > RESUMED_WITHIN) return null;
  const day = await lockDay(tx, before.driverDayId);
  return day && !day.billingApprovedAt && day.driverDayDate < date ? day : null;
}

/** Returns the driver's company: somebody who puts a driver on duty may be of another company, whose work the driver hauls. */
const companyOfDriver = async (tx: TxContext, { company }: User): Promise<Company> =>
  company.isInitialized() ? company.unwrap() : tx.em.findOneOrFail(Company, company.id, { filters: { tenant: false } });
