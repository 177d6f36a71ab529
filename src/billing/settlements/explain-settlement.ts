import type DataLoader from 'dataloader';
import type { Context } from '../../platform/context.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { loaderOf } from '../../platform/read/loader.ts';
import { AddOnCharge } from '../charges/add-on-charge.entity.ts';
import { seesAmounts } from '../invoices/read-invoice.ts';
import { type Figure, given, sum } from '../pricing/figure.ts';
import { type FigureJson, figureJson } from '../pricing/figure-json.ts';
import { asRebilled, figureOf } from './charges-of-settlement.ts';
import { Settlement } from './settlement.entity.ts';

/** The explanation of a settlement's total, down to its invoices and charges; `rebilled` is that of one that is billed anew. */
export type SettlementExplanation = FigureJson & { rebilled?: FigureJson };

interface Row {
  settlement_id: string;
  id: string;
  name: string;
  version: number;
  total: string;
  rebilled: string;
}
// An invoice explains itself: the trees of thousands are not read for their sum.
const INVOICES = `select x.settlement_id, i.id, i.invoice_id as name, i.version, i.total_amount::text as total,
    coalesce(x.rebill_total_amount, i.total_amount)::text as rebilled
  from settlement_invoice x join invoice i on i.id = x.invoice_id where x.settlement_id = any($1::uuid[]) order by i.number, i.id`;

/**
 * Explains settlements, batched, by the computation that made their totals (BILLING B10). Null for viewers who do not see the amounts of its
 * side, for settlements of others, and for a voided one whose invoices come to something else since.
 */
export const explanationsOf = (ctx: Context): DataLoader<string, SettlementExplanation | null> =>
  loaderOf(ctx, 'explanationsOfSettlements', async (ids) => {
    const seen = await ctx.em.find(Settlement, { id: { $in: [...ids] } });
    const shown = new Map(seen.filter(({ side, driver }) => seesAmounts(ctx, side, driver)).map((one) => [one.id, one]));
    if (shown.size === 0) return ids.map(() => null);
    const rows = Map.groupBy(await queryOf<Row>(ctx, INVOICES, [[...shown.keys()]]), (row) => row.settlement_id);
    const applied = { addOnApplicableId: { $in: [...shown.keys()] } };
    const charges = Map.groupBy(
      await ctx.em.find(AddOnCharge, applied, { orderBy: { createdAt: 'asc', id: 'asc' } }),
      ({ addOnApplicableId }) => addOnApplicableId,
    );
    return ids.map((id) => {
      const settlement = shown.get(id);
      return settlement ? explain(settlement, rows.get(id) ?? [], charges.get(id) ?? []) : null;
    });
  });

function explain(settlement: Settlement, rows: readonly Row[], charges: readonly AddOnCharge[]): SettlementExplanation | null {
  const invoices = (of: 'total' | 'rebilled'): Figure =>
    sum(
      'invoices',
      rows.map((row) => given(row.name, row[of], { type: 'Invoice', id: row.id, version: row.version })),
    );
  const total = (of: Figure, terms: (charge: AddOnCharge) => Parameters<typeof figureOf>[0]): Figure =>
    sum('total', [of, ...charges.map((charge) => figureOf(terms(charge), settlement.side, of.value))]);
  const explained = total(invoices('total'), (charge) => charge);
  if (settlement.state === 'voided' && !explained.value.eq(settlement.totalAmount)) return null;
  return {
    ...figureJson(explained),
    ...(settlement.rebillTotalAmount == null ? {} : { rebilled: figureJson(total(invoices('rebilled'), asRebilled)) }),
  };
}
