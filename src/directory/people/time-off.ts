import { ref } from '@mikro-orm/core';
import { allow, find, viewerOf } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { Invalid, Missing } from '../../platform/errors.ts';
import type { Where } from '../../platform/read/reader.ts';
import { Account } from '../accounts/account.entity.ts';
import { type CreateTimeOffInput, ScheduledTimeOff } from './time-off.entity.ts';
import { User } from './user.entity.ts';

/** The person or account that is off. */
export type Absent = 'User' | 'Account';
type AbsentRecord = User | Account;

/** The company and the condition of a list of one person's or account's times off. @throws Missing */
export async function timesOffOf(ctx: Context, kind: Absent, id: string): Promise<{ companyId: string; where: Where[] }> {
  const { id: found, company } = await of(ctx, kind, id);
  const column = kind === 'User' ? 'user_id' : 'account_id';
  return { companyId: company.id, where: [{ key: column, sql: (t, p) => `${t}.${column} = ${p}`, cast: 'uuid', value: found }] };
}

/** Plans a time off. @throws Missing, Denied, Invalid when it ends before it starts */
export function createTimeOff(ctx: Context, kind: Absent, id: string, input: CreateTimeOffInput): Promise<ScheduledTimeOff> {
  return transact(ctx, async (tx) => {
    const absent = await changeable(tx, kind, id);
    if (input.endDate <= input.startDate) throw new Invalid([{ model: 'ScheduledTimeOff', field: 'endDate', key: 'must_be_after_start' }]);
    const off = newTimeOff(absent, input.startDate, input.endDate);
    tx.em.persist(off);
    emitEvent(tx, 'time_off.created', off);
    return off;
  });
}

/** @throws Missing, also for a time off of somebody else, Denied */
export function deleteTimeOff(ctx: Context, kind: Absent, ofId: string, id: string): Promise<void> {
  return transact(ctx, async (tx) => {
    const absent = await changeable(tx, kind, ofId);
    const off = await find(tx, ScheduledTimeOff, id, { lock: true });
    if ((off.user ?? off.account)?.id !== absent.id) throw new Missing();
    if (!off.endDate) absent.scheduleOn = false;
    emitEvent(tx, 'time_off.deleted', off);
    tx.em.remove(off);
  });
}

/** Ends times off that are running: planned ones stay. Does nothing when there is none. @throws Missing, Denied */
export function makeAvailable(ctx: Context, kind: Absent, id: string): Promise<AbsentRecord> {
  return transact(ctx, async (tx) => {
    const absent = await changeable(tx, kind, id);
    const now = tx.tx.now;
    for (const off of await running(tx, absent, now)) {
      // Of two concurrent requests the one that waits may have begun first: a time off must not end before it began.
      off.endDate = off.startDate > now ? off.startDate : now;
      emitEvent(tx, 'time_off.ended', off);
    }
    absent.scheduleOn = false;
    return absent;
  });
}

/** Off from now until further notice; a person who is already off stays so. @throws Missing, Denied */
export function makeUnavailable(ctx: Context, kind: Absent, id: string): Promise<AbsentRecord> {
  return transact(ctx, async (tx) => {
    const absent = await changeable(tx, kind, id);
    const off = (await running(tx, absent, tx.tx.now)).find(({ endDate }) => !endDate);
    if (!off) {
      const open = newTimeOff(absent, tx.tx.now, null);
      tx.em.persist(open);
      emitEvent(tx, 'time_off.created', open);
    }
    absent.scheduleOn = true;
    return absent;
  });
}

const of = (ctx: Context, kind: Absent, id: string, lock = false): Promise<AbsentRecord> =>
  kind === 'User' ? find(ctx, User, id, { lock }) : find(ctx, Account, id, { lock });

/** The person or account, locked: people say themselves when they are off. @throws Missing, Denied */
async function changeable(tx: TxContext, kind: Absent, id: string): Promise<AbsentRecord> {
  const absent = await of(tx, kind, id, true);
  if (kind === 'Account') allow(tx, 'edit_account');
  else if (viewerOf(tx).id !== absent.id) allow(tx, 'edit_user');
  if (absent.discardedAt) throw new Invalid([{ model: kind, field: kind === 'User' ? 'userId' : 'accountId', key: 'must_exist' }]);
  return absent;
}

const kindOf = (absent: AbsentRecord) => (absent instanceof User ? { user: ref(absent) } : { account: ref(absent) });

function newTimeOff(absent: AbsentRecord, startDate: Date, endDate: Date | null): ScheduledTimeOff {
  return Object.assign(new ScheduledTimeOff(), { company: absent.company, ...kindOf(absent), startDate, endDate });
}

/** The condition that a time off is running. An open one has begun, also if it was written by a later request for which this one waited. */
const running = (tx: TxContext, absent: AbsentRecord, now: Date): Promise<ScheduledTimeOff[]> =>
  tx.em.find(ScheduledTimeOff, {
    company: absent.company.id,
    ...(absent instanceof User ? { user: absent.id } : { account: absent.id }),
    $or: [{ endDate: null }, { startDate: { $lte: now }, endDate: { $gt: now } }],
  });
