import { ref } from '@mikro-orm/core';
import { Load } from '../../dispatch/model/load.entity.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { Decimal, decimalText } from '../../platform/decimal.ts';
import type { Figure } from '../pricing/figure.ts';
import { foldMaterial, type Line, linesTotal } from '../pricing/freight.ts';
import type { Priced } from '../pricing/price.ts';
import type { Invoice } from './invoice.entity.ts';
import { InvoiceLineItem, type InvoiceLineItemType } from './invoice.entity.ts';
import type { JobFacts, RateFacts } from './job-facts.ts';

const ZERO = new Decimal(0);

interface Written {
  job: JobFacts;
  priced: Priced | null;
  /** The lines that the invoice has. */
  items: readonly InvoiceLineItem[];
}

/** Writes a price to an invoice: its lines, its totals and how they were computed; nothing is owed while there is no price. */
export function writePrice(tx: TxContext, invoice: Invoice, written: Written): void {
  const { priced } = written;
  const lines = priced ? printed(priced.lines, invoice.materialRateItemized) : [];
  writeLines(tx, invoice, written, lines);
  const tax = priced?.tax?.value ?? null;
  Object.assign(invoice, {
    invoiceLineItemsTotalAmount: priced ? linesTotal(priced.lines).value : ZERO,
    addOnChargesTotalAmount: priced ? priced.charges.reduce((total, { amount }) => total.plus(amount.value), ZERO) : ZERO,
    addOnChargesCount: priced?.charges.length ?? 0,
    taxPretaxAmount: priced?.tax ? priced.pretax.value : null,
    taxTotalAmount: tax,
    totalAmount: priced?.total.value ?? ZERO,
    explain: priced ? toJson(priced.total) : null,
    stale: false,
  });
}

/** The lines as they are printed: material by itself or as a part of the freight. */
export const printed = (lines: readonly Line[], itemized: boolean): readonly Line[] => (itemized ? lines : foldMaterial(lines));

/** The type of a line in the contract: material, the freight of a load, or something else, such as time. */
export const typeOf = ({ kind, loadId }: Line): InvoiceLineItemType =>
  kind === 'material' ? 'MaterialRateLineItem' : loadId === null ? 'InvoiceLineItem' : 'FreightRateLineItem';

/** From when to when is paid, of a line of time. */
export function timesOf({ rateType }: Line, { startedAt, endedAt }: JobFacts): { payStartTime: Date | null; payEndTime: Date | null } {
  const isTime = rateType === 'RatePerHour' || rateType === 'RatePerDay';
  const instant = (text: string | null) => (isTime && text !== null ? new Date(text) : null);
  return { payStartTime: instant(startedAt), payEndTime: instant(endedAt) };
}

/** The line of a load stays the same record as long as the load is paid. */
function writeLines(tx: TxContext, invoice: Invoice, { job, items }: Written, lines: readonly Line[]): void {
  const keyOf = (type: string, loadId: string | null | undefined) => `${type} ${loadId ?? ''}`;
  const present = new Map(items.map((item) => [keyOf(item.lineItemType, item.load?.id), item]));
  for (const [i, line] of lines.entries()) {
    const type = typeOf(line);
    const key = keyOf(type, line.loadId);
    const item = present.get(key) ?? new InvoiceLineItem();
    present.delete(key);
    const { receivableCompanyId, vendorCompanyId, driverCompanyId, payeeDriver } = invoice;
    Object.assign(item, {
      ...{ company: invoice.company, invoice: ref(invoice), receivableCompanyId, vendorCompanyId, driverCompanyId, payeeDriver },
      ...{ load: line.loadId === null ? null : ref(Load, line.loadId), ordinality: i, lineItemType: type, name: line.name },
      ...{ deliveredQuantity: line.delivered.value, quantity: line.quantity.value, unitOfMeasure: line.unit },
      ...{ rate: line.rate.value, rateType: line.rateType, totalAmount: line.amount.value },
      ...timesOf(line, job),
    });
    tx.em.persist(item);
  }
  for (const item of present.values()) tx.em.remove(item);
}

/** The rate of an invoice, as it was set by hand. */
export const rateOf = ({ rate, rateType, rateValue, rateMinimum, rateIncrement }: Invoice): RateFacts => ({
  rateId: rate?.id ?? null,
  type: rateType ?? null,
  value: rateValue ? decimalText(rateValue) : null,
  minimum: rateMinimum ? decimalText(rateMinimum) : null,
  increment: rateIncrement ? decimalText(rateIncrement) : null,
});

/** A figure as it is stored and shown: its label, amount, operation, source and parts. */
interface FigureJson {
  label: string;
  amount: string;
  operation: string;
  places?: number;
  source?: Figure['source'];
  parts?: FigureJson[];
}

const toJson = ({ label, value, operation, places, source, parts }: Figure): FigureJson => ({
  ...{ label, amount: decimalText(value), operation },
  ...(places === undefined ? {} : { places }),
  ...(source ? { source } : {}),
  ...(parts.length > 0 ? { parts: parts.map(toJson) } : {}),
});
