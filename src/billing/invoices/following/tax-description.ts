import type { Priced } from '../../pricing/price.ts';
import type { JobFacts } from '../facts/job-facts.ts';

/** The word that is printed where tax would be (BILLING B7). */
export const EXEMPT = 'Exempt';
/** What may be taxed, as an invoice names it (DOMAIN 3.8). */
const NAMES = { freight: 'Freight', material: 'Material', addOns: 'Add-ons' } as const;
type Taxed = keyof typeof NAMES;

/** Whether an order is taxed at all: a rate of 0 is none (DOMAIN 3.8), so that its invoices have no tax, and not one of nothing. */
export const hasTaxRate = ({ taxRate }: Pick<JobFacts, 'taxRate'>): boolean => taxRate !== null && Number(taxRate) !== 0;

/** Returns what was taxed of an invoice, such as `Freight, Material`; null where nothing of it was. Fuel is taxed with the freight. */
export function taxDescriptionOf(
  { taxFreight, taxMaterial, taxAddOns }: Pick<JobFacts, 'taxFreight' | 'taxMaterial' | 'taxAddOns'>,
  priced: Pick<Priced, 'lines' | 'charges' | 'tax'> | null,
): string | null {
  if (!priced?.tax) return null;
  const { lines, charges } = priced;
  const isThere: Record<Taxed, boolean> = {
    freight: taxFreight && (lines.some(({ kind }) => kind === 'freight') || charges.some(({ isFuel }) => isFuel)),
    material: taxMaterial && lines.some(({ kind }) => kind === 'material'),
    addOns: taxAddOns && charges.some(({ taxable, isFuel }) => taxable && !isFuel),
  };
  const named = KINDS.filter((kind) => isThere[kind]).map((kind) => NAMES[kind]);
  return named.join(', ') || null;
}
const KINDS = Object.keys(NAMES) as Taxed[];

/** What a description says was taxed. */
export const taxedIn = (description: string): Taxed[] => {
  const named = description.split(', ');
  return KINDS.filter((kind) => named.includes(NAMES[kind]));
};
