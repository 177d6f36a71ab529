import type { Context } from '../../../platform/context.ts';
import { queryOf } from '../../../platform/database/sql.ts';
import { Decimal, decimalText } from '../../../platform/decimal.ts';
import type { RateFacts } from '../facts/job-facts.ts';
import type { Invoice, InvoiceLineItem } from '../invoice.entity.ts';
import { rateOf } from '../write-price.ts';

/** The price of an invoice in the settlement that bills it anew at another rate. */
export interface Rebilled {
  rate: RateFacts;
  tax: Decimal | null;
  amountOf(item: InvoiceLineItem): Decimal;
  /** Returns the amount of a charge, by its key: nothing if it is not charged; undefined if nobody noted charges. */
  chargeOf(key: string): Decimal | undefined;
}

interface Row {
  id: string;
  value: string;
  tax: string | null;
  lines: Record<string, string> | null;
  charges: Record<string, string> | null;
}

const REBILLED = `select invoice_id as id, rebill_rate_value::text as value, rebill_tax_total_amount::text as tax, rebill_lines as lines,
    rebill_charges as charges
  from settlement_invoice where invoice_id = any($1::uuid[]) and live and rebill_rate_value is not null`;

/** Returns what invoices come to where a settlement bills them anew, by their ids. Whoever writes by it has locked their work. */
export async function rebilledInvoices(ctx: Context, invoices: readonly Invoice[]): Promise<Map<string, Rebilled>> {
  if (invoices.length === 0) return new Map();
  const rows = await queryOf<Row>(ctx, REBILLED, [invoices.map(({ id }) => id)]);
  const found = new Map(rows.map((row) => [row.id, row]));
  return new Map(
    invoices.flatMap((invoice): [string, Rebilled][] => {
      const row = found.get(invoice.id);
      return row ? [[invoice.id, rebilled(invoice, row)]] : [];
    }),
  );
}

const rebilled = (invoice: Invoice, { value, tax, lines, charges }: Row): Rebilled => ({
  rate: rebilledRate(invoice, new Decimal(value)),
  tax: tax === null ? null : new Decimal(tax),
  amountOf: ({ lineItemType, load, part, totalAmount }) =>
    lines ? new Decimal(lines[`${lineItemType} ${load?.id ?? ''} ${part}`] ?? 0) : totalAmount,
  chargeOf: (key) => (charges ? new Decimal(charges[key] ?? 0) : undefined),
});

/** The rate of an invoice at another value, which is one for all of it: its minimum and increment stay, and there are neither bands nor a wage. */
export function rebilledRate(invoice: Invoice, value: Decimal): RateFacts {
  const rate = rateOf(invoice);
  const { tiers: _tiers, tierMode: _mode, wage: _wage, ...terms } = rate.terms ?? {};
  return { ...rate, value: decimalText(value), terms, chosen: { source: 'rebill', matched: [] } };
}
