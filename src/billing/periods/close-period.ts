import { ref } from '@mikro-orm/core';
import { Company } from '../../directory/companies/company.entity.ts';
import { settingSql } from '../../directory/companies/settings/setting-sql.ts';
import { deadlinesOf } from '../../dispatch/checks/reviewed-weeks.ts';
import { zoneOf } from '../../dispatch/model/company-day.ts';
import { allow, companyOf, denial, find, viewerOf } from '../../platform/authz/authorization.ts';
import { NO_REAL_ACTOR, realActorColumns } from '../../platform/commands/real-actor.ts';
import { transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { Conflict, type ErrorItem, Invalid } from '../../platform/errors.ts';
import { conflict } from '../../platform/state/machine.ts';
import { localDate } from '../../platform/time.ts';
import { presentTime } from '../../platform/worlds/present-time.ts';
import { compareClosed } from '../invoices/following/compare-again.ts';
import { BillingPeriod } from './billing-period.entity.ts';
import { billingPeriodMachine, type NextBillingPeriodState } from './billing-period.machine.ts';
import { closedDay, dayAfter, holdBooks } from './books.ts';
import type { CloseBillingPeriodInput, ReopenBillingPeriodInput } from './period.inputs.ts';
import { firstDayOf, isExported, NO_TOTALS, totalsOf, type Unfinished, unfinishedOf } from './period-facts.ts';

const model = 'BillingPeriod';
export const CLOSES = 'close_period';

/**
 * Closes the books of a company up to a day (BILLING B10): what counts until then stays as it is. What is not approved keeps them from being closed;
 * with `force` and a reason it stays out, and counts in a later period when it is approved.
 * @throws Missing, Denied; Invalid for a day that is not over or closed already; Conflict with what is not approved
 */
export function closeBillingPeriod(ctx: Context, input: CloseBillingPeriodInput, companyId?: string | null): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const company = closing(tx, companyId);
    await holdBooks(tx, company);
    const { startsOn, endsOn, after } = await daysToClose(tx, company, input.endsOn);
    const reason = input.reason?.trim() || null;
    if (input.force && !reason) throw new Invalid([{ model, field: 'reason', key: 'required' }]);
    const unfinished = await unfinishedOf(tx, company, { through: endsOn, after });
    if (!input.force) refuseUnfinished(unfinished);
    const open = await tx.em.findOne(BillingPeriod, { company, state: 'open' });
    const period = open ?? Object.assign(new BillingPeriod(), { company: ref(Company, company) });
    if (!open) tx.em.persist(period);
    const viewer = viewerOf(tx);
    Object.assign(period, {
      ...{ startsOn, endsOn, closedAt: tx.tx.now, closeReason: input.force ? reason : null },
      ...{ closedByType: viewer.type, closedById: viewer.id, closedByName: viewer.name, ...realActorColumns(viewer) },
      ...{ leftOutInvoicesCount: unfinished.unapprovedInvoices, leftOutSettlementsCount: unfinished.unapprovedSettlements },
      ...(await totalsOf(tx, company, { startsOn, endsOn })),
    });
    billingPeriodMachine.fire(tx, period, 'close');
    await compareClosed(tx, company, { startsOn, endsOn });
    return { id: period.id };
  });
}

/**
 * Opens the last closed period again, so that what counts in it can be changed.
 * @throws Missing, Denied; Conflict unless it is the last one, and nothing of it was handed to accounting
 */
export function reopenBillingPeriod(ctx: Context, path: RecordPath, { reason }: ReopenBillingPeriodInput): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const { company } = await find(tx, BillingPeriod, path.id, path);
    closing(tx, company.id);
    await holdBooks(tx, company.id);
    const period = await find(tx, BillingPeriod, path.id, { ...path, lock: true });
    if (!reason.trim()) throw new Invalid([{ model, field: 'reason', key: 'required' }]);
    if (period.state === 'closed') {
      if (period.endsOn !== (await closedDay(tx, company.id))) throw conflict(model, period, 'reopen', 'later_period_closed');
      if (await isExported(tx, company.id, period)) throw conflict(model, period, 'reopen', 'period_exported');
    }
    // A period that was opened again after it is one period with it, which is closed up to some day anew.
    const later = await tx.em.findOne(BillingPeriod, { company: company.id, state: 'open', id: { $ne: period.id } });
    if (later) {
      tx.em.remove(later);
      await tx.em.flush();
    }
    billingPeriodMachine.fire(tx, period, 'reopen');
    Object.assign(period, {
      ...{ closedAt: null, closeReason: null, reopenReason: reason.trim(), closedByType: null, closedById: null, closedByName: null },
      ...NO_REAL_ACTOR,
      ...{ ...NO_TOTALS, leftOutInvoicesCount: null, leftOutSettlementsCount: null },
    });
    return { id: period.id };
  });
}

/** The company whose books somebody closes. Who does not see all of them closes none. @throws Missing, Denied */
function closing(ctx: Context, companyId?: string | null): string {
  const viewer = allow(ctx, CLOSES);
  if (viewer.siteIds || viewer.ownRecordsOnly) throw denial(viewer, CLOSES);
  return companyOf(ctx, companyId);
}

export interface DaysToClose {
  startsOn: string;
  endsOn: string;
  /** The last day that is closed already. */
  after: string | null;
}

/** Returns the days that are closed next. @throws Invalid for a day that is not over, or closed already */
async function daysToClose(ctx: Context, companyId: string, wanted?: string | null): Promise<DaysToClose> {
  const after = await closedDay(ctx, companyId);
  const today = localDate(ctx.tx?.now ?? presentTime(), await zoneOf(ctx, companyId));
  const endsOn = wanted ?? (await nextWeek(ctx, companyId, { after, today }));
  const refuse = (key: string, params: ErrorItem['params']) => new Invalid([{ model, field: 'endsOn', key, params }]);
  if (after !== null && endsOn <= after) throw refuse('period_is_closed', { day: after });
  if (endsOn >= today) throw refuse('period_not_over', { day: endsOn });
  return { startsOn: after === null ? await firstDayOf(ctx, companyId, endsOn) : dayAfter(after), endsOn, after };
}

const WEEK = 7;
const BEGINS = `select coalesce((select ${settingSql('cs', 'periodStartsOn')} from company_settings cs where cs.company_id = $1), 0)::int as weekday`;

/** The last day of the week that is closed next: the one after what is closed, or else the last one that is over. */
async function nextWeek(ctx: Context, companyId: string, { after, today }: { after: string | null; today: string }): Promise<string> {
  const [found] = await queryOf<{ weekday: number }>(ctx, BEGINS, [companyId]);
  const endOf = (day: string): string => plus(day, (found!.weekday + WEEK - 1 - new Date(day).getUTCDay() + WEEK) % WEEK);
  if (after !== null) return endOf(dayAfter(after));
  const end = endOf(today);
  return plus(end, -WEEK);
}
const plus = (day: string, days: number): string => {
  const date = new Date(day);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
};

/** @throws Conflict with an item for each kind of what is not approved */
function refuseUnfinished({ unapprovedInvoices, unapprovedSettlements }: Unfinished): void {
  const of = (key: string, count: number): ErrorItem[] => (count === 0 ? [] : [{ model, field: 'endsOn', key, params: { count } }]);
  const items = [...of('period_has_invoices', unapprovedInvoices), ...of('period_has_settlements', unapprovedSettlements)];
  if (items.length > 0) throw new Conflict(items);
}

/** From when on its last week is reviewed, and whether it is by now; null in companies that review none. */
interface Deadlines {
  state: NextBillingPeriodState;
  workReviewedFrom: Date | null;
  billingReviewedFrom: Date | null;
}

/** Returns what closing the next period would find. @throws Missing, Denied, Invalid */
export async function nextPeriod(
  ctx: Context,
  endsOn?: string | null,
  companyId?: string | null,
): Promise<DaysToClose & Unfinished & Deadlines> {
  const company = closing(ctx, companyId);
  const days = await daysToClose(ctx, company, endsOn);
  const deadlines = await deadlinesOf(ctx, company, days.endsOn);
  const now = ctx.tx?.now ?? presentTime();
  return {
    ...days,
    ...(await unfinishedOf(ctx, company, { through: days.endsOn, after: days.after })),
    state: deadlines && [deadlines.work, deadlines.billing].some((from) => from <= now) ? 'review' : 'open',
    ...{ workReviewedFrom: deadlines?.work ?? null, billingReviewedFrom: deadlines?.billing ?? null },
  };
}
