import { LockMode } from '@mikro-orm/core';
import { Field, ID, InputType } from 'type-graphql';
import { User } from '../../directory/people/user.entity.ts';
import { emitEvent, type TxContext } from '../../platform/commands/transact.ts';
import { actOnBehalfOf } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Conflict, type ErrorItem, Invalid, Missing } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { About } from '../../platform/model/about.ts';
import { DateTime } from '../../platform/scalars.ts';
import type { DriverDay, ShiftEndReason } from '../model/driver-day.entity.ts';
import { type DriverState, DriverStateEvent, type DriverStateSource } from '../model/driver-state.entity.ts';
import { addBreak } from './breaks-of-jobs.ts';
import { dateFor, lockDay, openShift } from './driver-days.ts';

/** A telephone's clock may be ahead by so much, and it may report a state so much later, in milliseconds. */
const CLOCK_SKEW = 5 * 60_000;
export const LATEST_REPORT = 24 * 3_600_000;
/** Hours after which anybody has forgotten to end a shift, however much is heard of them (PROOF A3 `auto_end`). */
export const LONGEST_SHIFT = 20;
/** Further ids of a state that are kept. */
const MOST_REPEATS = 20;

/** Sent by a driver's telephone, perhaps late: the telephone's id of the state, and when it really began. */
@InputType()
@About('DriverStateEvent')
export class DriverStateInput {
  @Field(() => ID, { nullable: true, description: 'The own id of the state, a UUID: a repeat with it changes nothing.' }) id?:
    | string
    | null;
  @Field(() => DateTime, { nullable: true, description: 'When the state began; now by default, and at most 24 hours ago.' })
  occurredAt?: Date | null;
}

export interface StateWish extends DriverStateInput {
  state: DriverState;
  source: DriverStateSource;
  /** When it began, as the system knows it: it is not checked as the time of a telephone is. */
  seenAt?: Date;
  /** The one who ends the shift, for `off_duty`. */
  by?: ShiftEndReason;
}

/** A state that began, and the day of its shift; `changed` is false if it had begun before. */
export interface Begun {
  event: DriverStateEvent;
  day: DriverDay | null;
  changed: boolean;
}

/** Locks a driver, before anything else of their work is locked. @throws Missing */
export async function lockDriver(tx: TxContext, id: string): Promise<User> {
  const driver = await tx.em.findOne(User, { id }, { filters: { tenant: false } });
  if (!driver) throw new Missing();
  // The driver's times are kept by their company, whoever has them drive.
  actOnBehalfOf(driver.company.id);
  return tx.em.findOneOrFail(User, { id }, { filters: { tenant: false }, lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
}

/** Locks drivers, in the order of their ids, as `lockDriver` locks one. */
export async function lockDrivers(tx: TxContext, ids: readonly string[]): Promise<User[]> {
  if (ids.length === 0) return [];
  const known = await tx.em.find(User, { id: { $in: [...ids] } }, { filters: { tenant: false } });
  for (const { company } of known) actOnBehalfOf(company.id);
  return tx.em.find(
    User,
    { id: { $in: [...ids] } },
    { orderBy: { id: 'asc' }, filters: { tenant: false }, lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  );
}

/** Returns the present state of a driver; null before the first. */
export const presentState = (tx: TxContext, driverId: string): Promise<DriverStateEvent | null> =>
  tx.em.findOne(DriverStateEvent, { userId: driverId, endedAt: null }, { filters: { tenant: false } });

/**
 * Ends the present state of a locked driver and begins the next one. Nothing changes if it is their state already, or if the telephone has sent
 * it before. Jobs are not touched.
 * @throws Conflict for a break of somebody who is off duty; Invalid for an impossible id or time, or if the day is approved
 */
export async function beginState(tx: TxContext, driver: User, wish: StateWish): Promise<Begun> {
  const replayed = wish.id ? await replayOf(tx, driver, wish.id, wish.state) : null;
  if (replayed) return { event: replayed, day: await dayOf(tx, replayed), changed: false };
  const before = await presentState(tx, driver.id);
  if (before && (await beganEarlier(tx, driver, wish, before))) return { event: before, day: await dayOf(tx, before), changed: false };
  const revoked = before && (await endedLater(tx, driver, wish, before));
  if (revoked) return revoked;
  const at = timeOf(tx, wish, before);
  if (before?.state === wish.state) {
    if (wish.id) noteRepeat(before, wish.id.toLowerCase());
    return { event: before, day: await dayOf(tx, before), changed: false };
  }
  if (wish.state === 'break' && before?.state !== 'on_duty') throw new Conflict([{ ...offDuty(before), event: wish.state }]);
  const day =
    wish.state === 'on_duty' && before?.state !== 'break' ? await openShift(tx, driver, at, before) : before && (await dayOf(tx, before));
  if (before) {
    before.endedAt = at;
    // Only one state at a time has no end, which PostgreSQL checks row by row.
    await tx.em.flush();
    if (before.state === 'break' && before.driverDayId) await addBreak(tx, before.driverDayId, before.startedAt, at);
  }
  const event = Object.assign(new DriverStateEvent(), {
    ...{ company: driver.company, userId: driver.id, state: wish.state, startedAt: at, source: wish.source },
    ...{ clientId: wish.id?.toLowerCase() ?? null, driverDayId: day?.id ?? null },
  });
  tx.em.persist(event);
  emitEvent(tx, `driver.${wish.state}`, event);
  if (wish.state === 'off_duty' && day && !day.endedShiftAt) {
    day.endedShiftAt = at;
    day.endReason = wish.by ?? 'driver';
    emitEvent(tx, 'driver_day.ended', day, { end_reason: day.endReason });
  }
  return { event, day, changed: true };
}

/** The refusal of a break. */
const offDuty = (before: DriverStateEvent | null): ErrorItem => ({
  ...{ model: 'DriverStateEvent', field: 'state', key: 'break_off_duty' },
  state: before?.state ?? 'off_duty',
});

const dayOf = async (tx: TxContext, { driverDayId }: DriverStateEvent): Promise<DriverDay | null> =>
  driverDayId ? lockDay(tx, driverDayId) : null;

/** A telephone that was not answered may say the same state anew by another id, and send either once more. */
function noteRepeat(event: DriverStateEvent, clientId: string): void {
  if (!event.clientId) event.clientId = clientId;
  else if (event.clientId !== clientId) event.repeatedClientIds = [...event.repeatedClientIds.slice(-MOST_REPEATS), clientId];
}

/**
 * A departure that was reported first has put its driver on duty, at its own time; then the telephone says since when they were. The shift begins then, unless
 * something else was in between. @returns whether it was so
 */
async function beganEarlier(tx: TxContext, driver: User, wish: StateWish, before: DriverStateEvent): Promise<boolean> {
  const at = wish.occurredAt;
  if (!at || before.state !== 'on_duty' || wish.state !== 'on_duty' || before.source !== 'automation' || at >= before.startedAt)
    return false;
  if (at.getTime() < tx.tx.now.getTime() - LATEST_REPORT) return false;
  // A day is of the date on which it began.
  if ((await dateFor(tx, driver, at)) !== (await dateFor(tx, driver, before.startedAt))) return false;
  const day = await dayOf(tx, before);
  const [last] = await tx.em.find(
    DriverStateEvent,
    { userId: driver.id, startedAt: { $lt: before.startedAt } },
    { orderBy: { startedAt: 'desc' }, limit: 1, filters: { tenant: false } },
  );
  if (!day || day.billingApprovedAt || (last && (last.state !== 'off_duty' || last.startedAt > at))) return false;
  if (last) last.endedAt = at;
  // No state may overlap another one, which PostgreSQL checks row by row.
  await tx.em.flush();
  if (day.startedShiftAt?.getTime() === before.startedAt.getTime()) day.startedShiftAt = at;
  Object.assign(before, { startedAt: at, source: wish.source });
  if (wish.id) noteRepeat(before, wish.id.toLowerCase());
  emitEvent(tx, 'driver_day.updated', day);
  return true;
}

// A gap between two shifts of a date is no part of the second one.
const LATEST_END = `select (extract(epoch from coalesce(max(f.ended_at), d.started_shift_at) + interval '${LONGEST_SHIFT} hours') * 1000)::float8 as at
  from driver_day d left join driver_state_event f on f.driver_day_id = d.id and f.state = 'off_duty' where d.id = $1 group by d.id`;

/** Whether a moment is so long after the last shift of a day began that it is no part of it: whoever says so then forgot to end it. */
export async function isBeyondShift(tx: TxContext, dayId: string, at: Date): Promise<boolean> {
  const [latest] = await queryIn<{ at: number | null }>(tx.em, LATEST_END, [dayId]);
  return at.getTime() > (latest?.at ?? Number.POSITIVE_INFINITY);
}

/**
 * A shift that ended by itself, because nothing was heard of its driver, lasted until the telephone says, once that is heard of again: who had a break, or went
 * off duty, after it was on duty until then. Who goes on duty begins anew. @returns null if it was not so
 */
async function endedLater(tx: TxContext, driver: User, wish: StateWish, end: DriverStateEvent): Promise<Begun | null> {
  const at = wish.occurredAt;
  if (!at || wish.state === 'on_duty' || end.state !== 'off_duty' || end.source !== 'automation' || at <= end.startedAt) return null;
  timeOf(tx, wish, end);
  const day = await dayOf(tx, end);
  if (day?.endReason !== 'auto' || day.billingApprovedAt || (await isBeyondShift(tx, day.id, at))) return null;
  const [last] = await tx.em.find(
    DriverStateEvent,
    { userId: driver.id, driverDayId: day.id, state: { $ne: 'off_duty' }, endedAt: end.startedAt },
    { orderBy: { startedAt: 'desc' }, limit: 1, filters: { tenant: false } },
  );
  if (!last || last.state === wish.state) return null;
  Object.assign(end, { state: wish.state, startedAt: at, source: wish.source });
  if (wish.id) noteRepeat(end, wish.id.toLowerCase());
  // No state may overlap another one.
  await tx.em.flush();
  last.endedAt = at;
  if (last.state === 'break') await addBreak(tx, day.id, last.startedAt, at);
  const isOver = wish.state === 'off_duty';
  Object.assign(day, { endedShiftAt: isOver ? at : null, endReason: isOver ? (wish.by ?? 'driver') : null });
  // Somebody has corrected the end that it had by itself; what is worked from now on must not be cut off by it.
  if (!isOver) day.adjustedEndedShiftAt = null;
  emitEvent(tx, `driver.${wish.state}`, end);
  emitEvent(tx, 'driver_day.updated', day);
  return { event: end, day, changed: true };
}

async function replayOf(tx: TxContext, driver: User, id: string, state: DriverState): Promise<DriverStateEvent | null> {
  if (!isUuid(id)) throw refusal('id', 'not_a_uuid');
  const clientId = id.toLowerCase();
  const since = new Date(tx.tx.now.getTime() - 2 * LATEST_REPORT);
  const repeated = { repeatedClientIds: { $contains: [clientId] }, $or: [{ endedAt: null }, { endedAt: { $gt: since } }] };
  const known = await tx.em.findOne(DriverStateEvent, { userId: driver.id, $or: [{ clientId }, repeated] }, { filters: { tenant: false } });
  if (known && known.state !== state) throw refusal('id', 'other_event');
  return known;
}

function timeOf(tx: TxContext, { occurredAt, seenAt }: StateWish, before: DriverStateEvent | null): Date {
  const now = tx.tx.now;
  if (seenAt) return before && before.startedAt > seenAt ? before.startedAt : seenAt;
  // If two requests come at the same time, the one that waits may have begun first. No state may end before it began.
  if (!occurredAt) return before && before.startedAt > now ? before.startedAt : now;
  if (occurredAt.getTime() > now.getTime() + CLOCK_SKEW) throw refusal('occurredAt', 'in_the_future');
  if (occurredAt.getTime() < now.getTime() - LATEST_REPORT) throw refusal('occurredAt', 'state_too_late');
  if (before && occurredAt < before.startedAt) throw refusal('occurredAt', 'before_previous_event');
  return occurredAt;
}

const refusal = (field: string, key: string) => new Invalid([{ model: 'DriverStateEvent', field, key }]);
