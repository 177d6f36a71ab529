import { ref } from '@mikro-orm/core';
import { Company } from '../../directory/companies/company.entity.ts';
import type { User } from '../../directory/people/user.entity.ts';
import { find } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext } from '../../platform/commands/transact.ts';
import { dayBounds, localDate } from '../../platform/time.ts';
import { nextNumbers } from '../fields/numbers.ts';
import { DriverDay } from '../model/driver-day.entity.ts';

/**
 * Opens the driver day on which a shift begins, if it is the driver's first shift of that date. The driver's row is locked, so that nobody
 * else opens the day at the same time.
 */
export async function openDriverDay(tx: TxContext, driver: User): Promise<void> {
  const { timeZone } = await find(tx, Company, driver.company.id);
  const driverDayDate = localDate(tx.tx.now, timeZone);
  if (await tx.em.findOne(DriverDay, { driver: driver.id, driverDayDate }, { filters: { tenant: false } })) return;
  const { start, end } = dayBounds(driverDayDate, timeZone);
  const number = await nextNumbers(tx.em, driver.company.id, 'driver_day', 1);
  const day = Object.assign(new DriverDay(), {
    ...{ company: driver.company, driver: ref(driver), driverDayDate, driverDayId: `D-${number}` },
    ...{ startsAt: start, endsAt: end },
  });
  tx.em.persist(day);
  emitEvent(tx, 'driver_day.created', day);
}
