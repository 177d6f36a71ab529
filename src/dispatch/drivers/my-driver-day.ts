import type { GraphQLResolveInfo } from 'graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { Conflict, Denied, Invalid, Missing } from '../../platform/errors.ts';
import type { Where } from '../../platform/read/reader.ts';
import { localDate } from '../../platform/time.ts';
import { presentTime } from '../../platform/worlds/present-time.ts';
import { zoneOf } from '../model/company-day.ts';
import { DriverDay } from '../model/driver-day.entity.ts';
import type { DriverState } from '../model/driver-state.entity.ts';
import { type DriverStateInput, presentState } from '../shifts/begin-state.ts';
import { idOfDay } from '../shifts/driver-days.ts';
import { changeState, ownId } from './driver-state.ts';

/**
 * Puts the caller on duty, on a break or off duty, and returns the id of the day of the shift.
 * @throws Denied if the caller is no driver; Missing for a break or an end before the first shift; Invalid for a break off duty
 */
export function setOwnDay(ctx: Context, state: DriverState, input: DriverStateInput): Promise<string | undefined> {
  const id = requireDriver(ctx);
  return transact(ctx, async (tx) => {
    if (state !== 'on_duty' && !(await presentState(tx, id))) throw new Missing();
    const { day } = await begin(tx, id, state, input);
    return day?.id;
  });
}

/** The routes of a day declare no 409, so what is one on the routes of a state is a 422 here (PROOF A3). */
async function begin(tx: TxContext, id: string, state: DriverState, input: DriverStateInput) {
  try {
    return await changeState(tx, id, { ...input, state, source: 'phone' });
  } catch (error) {
    if (error instanceof Conflict) throw new Invalid(error.items);
    throw error;
  }
}

/** The id of the driver who asks. @throws Denied if the caller is none */
function requireDriver(ctx: Context): string {
  const viewer = viewerOf(ctx);
  if (!viewer.roles.includes('driver')) throw new Denied('driver', 'role_missing');
  return ownId(ctx);
}

/** Reads the day of the caller's shift; before it begins, the day of the date as it will be. @throws Denied if the caller is no driver */
export async function readOwnDay(ctx: Context, info: GraphQLResolveInfo, known?: string): Promise<DriverDay> {
  const driverId = requireDriver(ctx);
  const { id, date } = known ? { id: known, date: undefined } : await currentDay(ctx, driverId);
  return id ? ctx.read.one(DriverDay, info, { id }) : unbegun(ctx, info, driverId, date!);
}

/** The condition for days before the current one. */
export async function previousDays(ctx: Context): Promise<Where[]> {
  const driverId = requireDriver(ctx);
  const { id, date } = await currentDay(ctx, driverId);
  const current = id ?? idOfDay(driverId, date!);
  return [
    { key: 'own', sql: (t, p) => `${t}.driver_id = ${p}`, cast: 'uuid', value: driverId },
    { key: 'previous', sql: (t, p) => `${t}.id <> ${p}`, cast: 'uuid', value: current },
  ];
}

/** The day of the shift that lasts, or else of today; only its date if there is none yet. */
async function currentDay(ctx: Context, driverId: string): Promise<{ id?: string; date?: string }> {
  const date = localDate(presentTime(), await zoneOf(ctx, viewerOf(ctx).companyId));
  const [row] = await queryOf<{ id: string }>(
    ctx,
    `select d.id from driver_day d left join driver_state_event e on e.driver_day_id = d.id and e.ended_at is null and e.state <> 'off_duty'
     where d.driver_id = $1 and (e.id is not null or d.driver_day_date = $2) order by e.id is null, d.driver_day_date desc, d.merged_driver_id is not null limit 1`,
    [driverId, date],
  );
  return { id: row?.id, date };
}

/** A day that is not stored: the contract knows no driver without one. */
async function unbegun(ctx: Context, info: GraphQLResolveInfo, driverId: string, date: string): Promise<DriverDay> {
  const only = (value: string): Where[] => [{ key: 'id', sql: (t, p) => `${t}.id = ${p}`, cast: 'uuid', value }];
  const [driver] = await ctx.read.list(User, info, { where: only(driverId), at: { below: 'driver', columns: [] } });
  const [company] = await ctx.read.list(Company, info, { where: only(viewerOf(ctx).companyId), at: { below: 'company', columns: [] } });
  const now = presentTime();
  return {
    ...{ id: idOfDay(driverId, date), createdAt: now, updatedAt: now, driver, company, driverDayDate: date, driverDayId: '' },
    ...{ startedShiftAt: null, endedShiftAt: null, endReason: null, adjustedStartedShiftAt: null, adjustedEndedShiftAt: null },
    ...{ shiftAdjustmentMinutes: 0, shiftAdjustmentType: null, externalId: null, timesEditable: false, editable: false, version: 0 },
    ...{ firstHomebaseExitAt: null, lastHomebaseEntryAt: null, currentDriverStateEvent: null, vendorAccount: null },
    ...{ billerApproved: false, companyAdminApproved: false, driverApproved: false, foremanApproved: false },
    ...{ billingApprovedAt: null, fieldApprovedAt: null, approvedAt: null, hasDropoffSignature: false },
  } as object as DriverDay;
}
