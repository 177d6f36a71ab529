import { type Charge, type ChargeTerms, chargesOn } from './charges.ts';
import { editedLines, type LineEdit } from './edits.ts';
import { type Figure, given, share, sum } from './figure.ts';
import { freightLines, isShareOf, type Line, linesTotal, type PricingBlocker, type Terms, type WorkFacts } from './freight.ts';
import { type MaterialOf, materialLines } from './material.ts';

/** Which part of a receivable is taxed. */
export interface TaxTerms {
  /** Percent. */
  rate: Figure;
  freight: boolean;
  material: boolean;
  addOns: boolean;
  /** The customer pays no tax. */
  exempt: boolean;
}

/** Everything that a price depends on. */
export interface Priceable {
  work: WorkFacts;
  terms: Terms;
  /** The freight, if it is worked out of several terms; by default, that of the terms. */
  freight?: readonly Line[];
  /** The freight of the payer's own receivable, for commissions. */
  receivable?: readonly Line[];
  /** A material that is charged by itself; absent if it is not. */
  material?: MaterialOf;
  charges?: readonly ChargeTerms[];
  /** Payables have none. */
  tax?: TaxTerms;
  /** The values that somebody set on lines by hand. */
  edits?: readonly LineEdit[];
  /** Material is printed as a part of the freight. */
  folded?: boolean;
}

/** A price, line by line. `total` explains itself: it is the sum of its parts down to what somebody wrote on a ticket. */
export interface Priced {
  lines: Line[];
  charges: Charge[];
  tax: Figure | null;
  pretax: Figure;
  total: Figure;
  /** Why it cannot be billed yet; empty if it can. */
  blockers: (PricingBlocker | 'fuel_price_missing')[];
}

/**
 * Prices one side of a job (BILLING B3, B4, B6, B7). A pure function: previews, invoices, calculators, corrections and explanations of the
 * same facts and terms are the same price.
 */
export function price({ work: worked, terms, receivable, material, charges: wanted = [], tax, ...given }: Priceable): Priced {
  const { edits = [], folded = false } = given;
  const work = withTimeByHand(worked, edits);
  const freight = given.freight ?? freightLines(terms, work, receivable);
  const lines = editedLines([...freight, ...(material ? materialLines(material, work.loads) : [])], edits, folded);
  const loads = billedLoads(work, lines, { terms, edits, receivable });
  const taken = new Set(work.loads.flatMap((load) => (loads.includes(load) ? [] : load.id)));
  const charges = chargesOn(wanted, { lines, terms, work: { ...work, loads }, taken });
  const pretax = sum('before tax', [
    linesTotal(lines),
    sum(
      'charges',
      charges.map((one) => one.amount),
    ),
  ]);
  const taxed = tax ? taxOf(tax, lines, charges) : null;
  const blockers = [...lines, ...charges].flatMap(({ blocker }) => (blocker ? [blocker] : []));
  return {
    ...{ lines, charges, pretax },
    tax: taxed,
    total: sum('total', taxed ? [pretax, taxed] : [pretax]),
    blockers: [...new Set(blockers)],
  };
}

/**
 * The loads that are billed: one of which all lines were taken off costs nothing by the load, and its truck waited for nothing (BILLING B2.3). So does one of which
 * a commission is no share, because its lines were taken off the customer's invoice. Freight for the whole, as by the hour, is for all of them, although the
 * material of one was taken off.
 */
function billedLoads(
  { loads }: WorkFacts,
  lines: readonly Line[],
  { terms, edits = [], receivable }: Pick<Priceable, 'terms' | 'edits' | 'receivable'>,
): WorkFacts['loads'] {
  const taken = new Set(edits.flatMap(({ removed, loadId }) => (removed && loadId !== null ? [loadId] : [])));
  const isShare = receivable !== undefined && isShareOf(terms);
  if (!isShare && taken.size === 0) return loads;
  if (lines.some(({ kind, loadId }) => kind === 'freight' && loadId === null)) return loads;
  const kept = new Set(lines.map(({ loadId }) => loadId));
  return loads.filter(({ id }) => kept.has(id) || !(isShare || taken.has(id)));
}

/** The work with the time that somebody set on its line: of a day that is shared, it is the part of this job that is another one. */
function withTimeByHand(work: WorkFacts, edits: readonly LineEdit[]): WorkFacts {
  const { minutes, adjusted } = edits.find((edit) => edit.minutes) ?? {};
  if (!minutes) return work;
  const { day, isTimeKnown: _, ...known } = work;
  if (!day) return { ...known, minutes };
  if (day.total) return { ...known, day: { ...day, byHand: adjusted ? { adjusted } : { minutes } } };
  return { ...known, minutes, day: { ...day, minutes: day.minutes.with(day.place, minutes) } };
}

/** Returns the tax of an invoice, rounded once; fuel is taxed like the freight (BILLING B7). */
function taxOf(tax: TaxTerms, lines: readonly Line[], charges: readonly Charge[]): Figure {
  const ofCharges = (label: string, of: (charge: Charge) => boolean) =>
    sum(
      label,
      charges.filter(of).map((charge) => charge.amount),
    );
  const base = sum('taxed', [
    ...(tax.freight ? [linesTotal(lines, 'freight'), ofCharges('fuel', ({ isFuel }) => isFuel)] : []),
    ...(tax.material ? [linesTotal(lines, 'material')] : []),
    ...(tax.addOns ? [ofCharges('taxable charges', ({ isFuel, taxable }) => taxable && !isFuel)] : []),
  ]);
  return share('tax', tax.exempt ? given('exempt', 0) : tax.rate, base);
}
