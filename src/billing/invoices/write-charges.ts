import { ref } from '@mikro-orm/core';
import type { TxContext } from '../../platform/commands/transact.ts';
import { AddOn } from '../add-ons/add-on.entity.ts';
import { AutoAddOnAssignment } from '../auto-add-ons/auto-add-on-assignment.entity.ts';
import { AddOnCharge, isCompanyFuel } from '../charges/add-on-charge.entity.ts';
import { seenBy } from '../charges/charged-bill.ts';
import { COMPANY_FUEL } from '../pricing/charges.ts';
import type { Priced } from '../pricing/price.ts';
import type { ChargeOfJob } from './facts/charge-facts.ts';
import type { JobFacts } from './facts/job-facts.ts';
import type { Invoice } from './invoice.entity.ts';
import type { InvoiceWarning } from './invoice-enums.ts';
import { fuelOf } from './price-entry.ts';

interface Charged {
  /** The job or the day that is invoiced. */
  job: Pick<JobFacts, 'charges'>;
  priced: Priced | null;
  /** The charges that the invoice has. */
  copies: readonly AddOnCharge[];
}

/** Writes the charges of a price to an invoice, each as a copy of what was requested or assigned, with the amount that it came to. */
export function writeCharges(tx: TxContext, invoice: Invoice, { job, priced, copies }: Charged): void {
  invoice.fuelWarnings = warningsOf(invoice, job, priced);
  const payeeDriver = invoice.payeeDriver ?? null;
  // A charge that nobody requested is not copied: it is the invoice's own.
  const present = new Map(copies.map((copy) => [keyOf(copy), copy]));
  for (const charge of priced?.charges ?? []) {
    const requested = job.charges.find(({ id }) => id === charge.id);
    if (!requested && charge.id !== COMPANY_FUEL) continue;
    if (requested?.invoiceId) {
      const own = present.get(requested.id);
      present.delete(requested.id);
      if (own)
        Object.assign(own, {
          payeeDriver,
          ...seenBy(invoice),
          quantity: charge.quantity.value,
          ratedOn: ratedOn(requested, invoice),
          baseAmount: charge.base?.value ?? null,
          amount: charge.amount.value,
        });
      continue;
    }
    const key = requested?.id ?? COMPANY_FUEL;
    const copy = present.get(key) ?? new AddOnCharge();
    present.delete(key);
    Object.assign(copy, {
      ...{ company: invoice.company, addOnApplicableType: 'Invoice', addOnApplicableId: invoice.id, payeeDriver, ...seenBy(invoice) },
      requestedCharge: requested && !requested.auto ? ref(AddOnCharge, requested.id) : null,
      autoAddOnAssignment: requested?.auto ? ref(AutoAddOnAssignment, requested.id) : null,
      assignedId: requested?.auto ? requested.id : null,
      ...{ addOn: requested?.addOnId ? ref(AddOn, requested.addOnId) : null },
      ...{
        name: charge.name,
        taxable: charge.taxable,
        revenueCostRateType: requested?.type ?? 'FuelSurcharge',
        percentageBase: requested?.percentageBase ?? 'lines',
      },
      ratedOn: ratedOn(requested, invoice),
      ...{ quantity: charge.quantity.value, revenueRateValue: charge.rate.value, percentage: charge.percentage.value },
      ...{ baseAmount: charge.base?.value ?? null, amount: charge.amount.value },
    });
    tx.em.persist(copy);
  }
  for (const copy of present.values()) {
    // There is no price, of which it would be a part.
    if (copy.requestedById) Object.assign(copy, { baseAmount: null, amount: null });
    else tx.em.remove(copy);
  }
}

/** The day of the price of fuel by which an invoice charges something. */
export const ratedOn = (one: ChargeOfJob | undefined, { side }: Invoice): string | null => (one && fuelOf(one, side).ratedOn) ?? null;

const keyOf = (copy: AddOnCharge): string =>
  isCompanyFuel(copy) ? COMPANY_FUEL : (copy.requestedCharge?.id ?? copy.autoAddOnAssignment?.id ?? copy.id);

/** Returns the warnings about the fuel that an invoice charges (BILLING B6). A price that is not known at all is a blocker. */
function warningsOf({ side }: Invoice, { charges }: Charged['job'], priced: Priced | null): InvoiceWarning[] {
  const charged = new Set(priced?.charges.map(({ id }) => id));
  const warnings = charges.filter(({ id }) => charged.has(id)).flatMap((one) => fuelOf(one, side).fuelWarnings ?? []);
  return OF_FUEL.filter((warning) => warnings.includes(warning));
}
const OF_FUEL = ['fuel_price_stale', 'below_schedule'] as const;
