import type { Decimal } from '../../../platform/decimal.ts';
import type { LineEdit } from '../../pricing/edits.ts';
import { computed, type Figure, given, type Source, sourceSince } from '../../pricing/figure.ts';
import type { Line } from '../../pricing/freight.ts';
import type { JobFacts } from '../facts/job-facts.ts';
import type { Invoice, InvoiceLineItem } from '../invoice.entity.ts';
import type { InvoiceLineItemType } from '../invoice-enums.ts';
import { paysBreaks, minutesOf as workedMinutesOf } from '../work-of-job.ts';

/** The type of a line in the contract: material, the freight of a load, or something else, such as time. */
export const typeOf = ({ kind, loadId }: Pick<Line, 'kind' | 'loadId'>): InvoiceLineItemType =>
  kind === 'material' ? 'MaterialRateLineItem' : loadId === null ? 'InvoiceLineItem' : 'FreightRateLineItem';

/** Distinguishes the lines of an invoice. */
export const keyOfLine = (type: InvoiceLineItemType, loadId: string | null | undefined): string => `${type} ${loadId ?? ''}`;

const MINUTE = 60_000;
/** Minutes between two times. */
export const minutesBetween = (from: Date, to: Date): number => Math.round((to.getTime() - from.getTime()) / MINUTE);

/** Whether breaks are a part of the time that an invoice pays for a job. */
export const breaksOf = (job: JobFacts, { side, customerAccount, vendorAccount }: OfAccount): boolean =>
  paysBreaks(job, { side, customerAccountId: customerAccount?.id ?? null, vendorAccountId: vendorAccount?.id ?? null }) ?? false;
type OfAccount = Pick<Invoice, 'side' | 'customerAccount' | 'vendorAccount'>;

/** Returns what was set by hand on the lines of an invoice, for its price. @param job absent of an invoice that pays no job's time */
export function editsOf(
  job: JobFacts | undefined,
  invoice: Pick<Invoice, 'removedLines'> & OfAccount,
  items: readonly InvoiceLineItem[],
): LineEdit[] {
  const { removedLines } = invoice;
  const breaksPaid = job ? breaksOf(job, invoice) : false;
  const removed = removedLines.map((key): LineEdit => {
    const [type, loadId] = key.split(' ');
    return { kind: type === 'MaterialRateLineItem' ? 'material' : 'freight', loadId: loadId || null, removed: true };
  });
  const edited = items
    .filter((item) => item.editedById)
    .map((item): LineEdit => {
      const source = sourceOfLine(item);
      const byHand = (label: string, value: Decimal | null | undefined): Figure | undefined =>
        value ? given(label, value, source) : undefined;
      const [quantity, rate] = [byHand('quantity by hand', item.editedQuantity), byHand('rate by hand', item.editedRate)];
      const minutes = job && minutesOf(job, item, breaksPaid);
      const isAdjusted = minutes && !(item.editedPayStartTime ?? item.editedPayEndTime);
      return {
        ...{ kind: item.lineItemType === 'MaterialRateLineItem' ? 'material' : 'freight', loadId: item.load?.id ?? null },
        ...(quantity ? { quantity } : {}),
        ...(rate ? { rate } : {}),
        ...(minutes ? { minutes } : {}),
        ...(isAdjusted ? { adjusted: given('adjusted minutes', item.billingAdjustmentMinutes, source) } : {}),
      };
    });
  return [...removed, ...edited.filter((one) => !removed.some(({ kind, loadId }) => kind === one.kind && loadId === one.loadId))];
}

type EditedTime = Pick<InvoiceLineItem, 'id' | 'load' | 'editedPayStartTime' | 'editedPayEndTime' | 'billingAdjustmentMinutes'> & {
  updatedAt: Date | string;
};
const sourceOfLine = ({ id, updatedAt }: Pick<EditedTime, 'id' | 'updatedAt'>): Source =>
  sourceSince('InvoiceLineItem', id, new Date(updatedAt).toISOString());

/** The minutes that somebody set in some books (`keyOfBooks`) on the line of time of a job; undefined if nobody did. */
export function minutesByHand(job: JobFacts, books: string, breaksPaid: boolean): Figure | undefined {
  const found = job.editedTimes.find((one) => one.books === books);
  if (!found) return undefined;
  const [editedPayStartTime, editedPayEndTime] = [found.from, found.until].map((text) => (text === null ? null : new Date(text)));
  const line = { id: found.id, updatedAt: found.since, editedPayStartTime, editedPayEndTime, billingAdjustmentMinutes: found.adjustment };
  return minutesOf(job, line, breaksPaid);
}

/** The minutes that an edited line of time pays: between its times, less the breaks that are not paid, and with what was adjusted. */
export function minutesOf(job: JobFacts, item: EditedTime, breaksPaid: boolean): Figure | undefined {
  const { editedPayStartTime, editedPayEndTime, billingAdjustmentMinutes } = item;
  if (item.load || !(editedPayStartTime || editedPayEndTime || billingAdjustmentMinutes)) return undefined;
  const source = sourceOfLine(item);
  const adjustment = given('adjusted minutes', billingAdjustmentMinutes, source);
  const [start, end] = [job.startedAt, job.endedAt].map((text) => (text === null ? null : new Date(text)));
  if (!editedPayStartTime && !editedPayEndTime)
    return computed('sum', 'adjusted', [given('minutes of the job', workedMinutesOf(job, breaksPaid).value), adjustment]);
  const [from, to] = [editedPayStartTime ?? start, editedPayEndTime ?? end];
  if (!from || !to) return undefined;
  const isKnown = start && end && job.workedMinutes !== null;
  const breaks = isKnown && !breaksPaid ? Math.max(0, minutesBetween(start, end) - job.workedMinutes!) : 0;
  return computed('sum', 'adjusted', [
    given('minutes by hand', minutesBetween(from, to), source),
    given('less the breaks', -breaks, { type: 'Job', id: job.id, version: job.version }),
    adjustment,
  ]);
}

/** Notes on an edited line what it would be by the work. What the work said when it was edited is noted once. */
export function noteWork(item: InvoiceLineItem, line: Line | undefined): void {
  const [workQuantity, workRate] = [line?.quantity.value ?? null, line?.rate.value ?? null];
  Object.assign(item, { workQuantity, workRate, workTotalAmount: line?.amount.value ?? null });
  item.seenQuantity ??= workQuantity;
  item.seenRate ??= workRate;
}

/** Whether the work changed in what an edited line says instead of it. */
export function isStale(item: InvoiceLineItem): boolean {
  if (!item.editedById) return false;
  const differs = (now: Decimal | null | undefined, then: Decimal | null | undefined) =>
    now && then ? !now.eq(then) : Boolean(now) !== Boolean(then);
  const byTime = Boolean(item.editedPayStartTime ?? item.editedPayEndTime) || item.billingAdjustmentMinutes !== 0;
  return (
    ((item.editedQuantity != null || byTime) && differs(item.workQuantity, item.seenQuantity)) ||
    (item.editedRate != null && differs(item.workRate, item.seenRate))
  );
}

/** Lets a line follow the work again. */
export const followWork = (item: InvoiceLineItem): InvoiceLineItem =>
  Object.assign(item, {
    ...{ editedById: null, editedQuantity: null, editedRate: null, editedPayStartTime: null, editedPayEndTime: null },
    ...{ billingAdjustmentMinutes: 0, seenQuantity: null, seenRate: null, workQuantity: null, workRate: null, workTotalAmount: null },
  });
