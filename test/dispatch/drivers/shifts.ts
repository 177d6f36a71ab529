import { ref } from '@mikro-orm/core';
import type { User } from '../../../src/directory/people/user.entity.ts';
import { DriverDay } from '../../../src/dispatch/model/driver-day.entity.ts';
import { type DriverState, DriverStateEvent } from '../../../src/dispatch/model/driver-state.entity.ts';
import { idOfDay } from '../../../src/dispatch/shifts/driver-days.ts';
import { dayBounds, localDate, localToInstant } from '../../../src/platform/time.ts';
import type { Tenant } from '../../helpers/tenant.ts';

/** The instant of a wall clock. */
export const at = (text: string, zone: string): Date => localToInstant(text, zone)!;

let made = 0;

/**
 * A shift of long ago, as if the driver had reported it then: `[state, from, to]`, in order. The last one is followed by a state off duty, unless it
 * has no end.
 */
export async function pastShift(
  tenant: Tenant,
  driver: User,
  spans: readonly (readonly [DriverState, Date, Date | null])[],
  more: object = {},
): Promise<DriverDay> {
  const zone = tenant.company.timeZone;
  const startedShiftAt = spans[0]![1];
  const endedShiftAt = spans.at(-1)![2];
  const driverDayDate = localDate(startedShiftAt, zone);
  const { start, end } = dayBounds(driverDayDate, zone);
  const company = ref(tenant.company);
  const day = await tenant.save(DriverDay, {
    ...{ id: idOfDay(driver.id, driverDayDate), company, driver: ref(driver), driverDayDate, driverDayId: `D-1${++made}` },
    ...{ startsAt: start, endsAt: end, startedShiftAt, endedShiftAt, endReason: endedShiftAt && 'driver', ...more },
  });
  const about = { company, userId: driver.id, driverDayId: day.id };
  for (const [state, startedAt, endedAt] of spans) await tenant.save(DriverStateEvent, { ...about, state, startedAt, endedAt });
  if (endedShiftAt) await tenant.save(DriverStateEvent, { ...about, state: 'off_duty', startedAt: endedShiftAt });
  return day;
}
