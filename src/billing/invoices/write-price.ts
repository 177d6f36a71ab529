import { ref } from '@mikro-orm/core';
import { Load } from '../../dispatch/model/load.entity.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { Decimal, decimalText } from '../../platform/decimal.ts';
import { figureJson } from '../pricing/figure-json.ts';
import { type Line, linesTotal } from '../pricing/freight.ts';
import { foldMaterial } from '../pricing/material.ts';
import type { Priced } from '../pricing/price.ts';
import type { JobFacts, RateFacts } from './facts/job-facts.ts';
import type { Invoice } from './invoice.entity.ts';
import { InvoiceLineItem } from './invoice.entity.ts';
import { isStale, noteWork, typeOf } from './lines/edits-of-lines.ts';

const ZERO = new Decimal(0);

interface Written {
  /** The job or the day that is invoiced. */
  job: Pick<JobFacts, 'startedAt' | 'endedAt'>;
  priced: Priced | null;
  /** The price without what somebody set by hand. */
  ofWork: Priced | null;
  /** The lines as they are printed, if they are no work's: then nothing is folded. */
  lines?: readonly Line[];
  /** The lines that the invoice has. */
  items: readonly InvoiceLineItem[];
}

/** Writes a price to an invoice: its lines, its totals and how they were computed; nothing is owed while there is no price. */
export function writePrice(tx: TxContext, invoice: Invoice, written: Written): void {
  const { priced, ofWork } = written;
  const lines = written.lines ?? (priced ? printed(priced.lines, invoice.materialRateItemized) : []);
  const stale = writeLines(tx, invoice, written, lines);
  const tax = priced?.tax?.value ?? null;
  Object.assign(invoice, {
    invoiceLineItemsTotalAmount: totalOf(priced),
    adjustmentsTotalAmount: totalOf(priced).minus(totalOf(ofWork)),
    addOnChargesTotalAmount: priced ? priced.charges.reduce((total, { amount }) => total.plus(amount.value), ZERO) : ZERO,
    addOnChargesCount: priced?.charges.length ?? 0,
    taxPretaxAmount: priced?.tax ? priced.pretax.value : null,
    taxTotalAmount: tax,
    totalAmount: priced?.total.value ?? ZERO,
    explain: priced ? figureJson(priced.total) : null,
    stale,
    blockers: stale ? [...invoice.blockers, 'stale_edited_line'] : invoice.blockers,
  });
}

/** Returns the sum of the lines of a price; 0 while there is no price. */
const totalOf = (priced: Priced | null): Decimal => (priced ? linesTotal(priced.lines).value : ZERO);

/** The lines as they are printed: material by itself or as a part of the freight. */
export const printed = (lines: readonly Line[], itemized: boolean): readonly Line[] => (itemized ? lines : foldMaterial(lines));

/** From when to when is paid, of a line of time. */
export function timesOf(
  { rateType }: Line,
  { startedAt, endedAt }: Pick<JobFacts, 'startedAt' | 'endedAt'>,
): { payStartTime: Date | null; payEndTime: Date | null } {
  const isTime = rateType === 'RatePerHour' || rateType === 'RatePerDay';
  const instant = (text: string | null) => (isTime && text !== null ? new Date(text) : null);
  return { payStartTime: instant(startedAt), payEndTime: instant(endedAt) };
}

/** The line of a load stays the same record as long as the load is paid. @returns whether an edited one says something else than the work */
function writeLines(tx: TxContext, invoice: Invoice, { job, items, ofWork, lines: differences }: Written, lines: readonly Line[]): boolean {
  const keyOf = placesOf();
  const present = new Map(items.map((item) => [keyOf(item.lineItemType, item.load?.id), item]));
  const ofLine = placesOf();
  const worked = new Map(
    (differences ? (ofWork?.lines ?? []) : printed(ofWork?.lines ?? [], invoice.materialRateItemized)).map((line) => [
      ofLine(typeOf(line), line.loadId),
      line,
    ]),
  );
  const wanted = placesOf();
  const partOf = partsOf();
  let stale = false;
  for (const [i, line] of lines.entries()) {
    const type = typeOf(line);
    const key = wanted(type, line.loadId);
    const item = present.get(key) ?? new InvoiceLineItem();
    present.delete(key);
    const { receivableCompanyId, vendorCompanyId, driverCompanyId, payeeDriver } = invoice;
    Object.assign(item, {
      ...{ company: invoice.company, invoice: ref(invoice), receivableCompanyId, vendorCompanyId, driverCompanyId, payeeDriver },
      ...{ load: line.loadId === null ? null : ref(Load, line.loadId), ordinality: i, lineItemType: type, name: line.name },
      part: partOf(type, line.loadId),
      ...{ deliveredQuantity: line.delivered.value, quantity: line.quantity.value, unitOfMeasure: line.unit },
      ...{ rate: line.rate.value, rateType: line.rateType, totalAmount: line.amount.value, correctsId: line.correctsId ?? null },
      ...timesOf(line, job),
    });
    if (item.editedPayStartTime) item.payStartTime = item.editedPayStartTime;
    if (item.editedPayEndTime) item.payEndTime = item.editedPayEndTime;
    if (item.editedById) noteWork(item, worked.get(key));
    stale ||= isStale(item);
    tx.em.persist(item);
  }
  for (const item of present.values()) tx.em.remove(item);
  return stale;
}

/** Distinguishes the lines of an invoice: those of one kind and load by their order. */
export function placesOf(): (type: string, loadId: string | null | undefined) => string {
  const partOf = partsOf();
  return (type, loadId) => `${type} ${loadId ?? ''} ${partOf(type, loadId)}`;
}

/** Counts the lines of one kind and load, from 0. */
function partsOf(): (type: string, loadId: string | null | undefined) => number {
  const seen = new Map<string, number>();
  return (type, loadId) => {
    const key = `${type} ${loadId ?? ''}`;
    const nth = seen.get(key) ?? 0;
    seen.set(key, nth + 1);
    return nth;
  };
}

export const numberOf = (text: string | null | undefined): Decimal | null => (text == null ? null : new Decimal(text));

/** The rate of an invoice, as it was set by hand. */
export const rateOf = ({ rate, rateType, rateValue, rateMinimum, rateIncrement, rateTerms, rateSince }: Invoice): RateFacts => ({
  rateId: rate?.id ?? null,
  type: rateType ?? null,
  value: rateValue ? decimalText(rateValue) : null,
  minimum: rateMinimum ? decimalText(rateMinimum) : null,
  increment: rateIncrement ? decimalText(rateIncrement) : null,
  terms: rateTerms ?? null,
  since: rateSince ?? null,
  chosen: { source: 'by_hand', matched: [] },
});
