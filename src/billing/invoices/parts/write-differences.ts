import { ref } from '@mikro-orm/core';
import type { TxContext } from '../../../platform/commands/transact.ts';
import { AddOn } from '../../add-ons/add-on.entity.ts';
import { AutoAddOnAssignment } from '../../auto-add-ons/auto-add-on-assignment.entity.ts';
import { AddOnCharge } from '../../charges/add-on-charge.entity.ts';
import { assignmentOf, seenBy } from '../../charges/charged-bill.ts';
import type { JobFacts } from '../facts/job-facts.ts';
import type { Invoice } from '../invoice.entity.ts';
import { ratedOn } from '../write-charges.ts';
import type { Difference } from './difference.ts';

interface Written {
  job: Pick<JobFacts, 'charges'>;
  difference: Difference;
  /** The charges that the invoice has. */
  copies: readonly AddOnCharge[];
}

/** Writes what differs of charges to an invoice, each as a copy of what was requested, assigned or billed. */
export function writeDifferences(tx: TxContext, invoice: Invoice, { job, difference, copies }: Written): void {
  const present = new Map(copies.map((copy) => [keyOf(copy), copy]));
  for (const { id, name, taxable, quantity, rate, percentage, base, amount, billed } of difference.charges) {
    const requested = job.charges.find((one) => one.id === id);
    const [before] = billed;
    const of = requested
      ? {
          requestedCharge: requested.auto ? null : ref(AddOnCharge, requested.id),
          autoAddOnAssignment: requested.auto && !requested.gone ? ref(AutoAddOnAssignment, requested.id) : null,
          assignedId: requested.auto ? requested.id : null,
        }
      : {
          requestedCharge: before?.requestedCharge ?? null,
          autoAddOnAssignment: before?.autoAddOnAssignment ?? null,
          assignedId: before ? assignmentOf(before) : null,
        };
    const key = keyOf({ ...of, name });
    const copy = present.get(key) ?? new AddOnCharge();
    present.delete(key);
    const addOnId = requested ? requested.addOnId : before?.addOn?.id;
    Object.assign(copy, {
      ...{
        company: invoice.company,
        addOnApplicableType: 'Invoice',
        addOnApplicableId: invoice.id,
        payeeDriver: invoice.payeeDriver ?? null,
      },
      ...seenBy(invoice),
      ...of,
      addOn: addOnId ? ref(AddOn, addOnId) : null,
      ...{ name, taxable, revenueCostRateType: requested?.type ?? before?.revenueCostRateType ?? 'FuelSurcharge' },
      ratedOn: before?.ratedOn ?? ratedOn(requested, invoice),
      percentageBase: requested?.percentageBase ?? before?.percentageBase ?? 'lines',
      ...{ quantity: quantity.value, revenueRateValue: rate.value, percentage: percentage.value },
      ...{ baseAmount: base?.value ?? null, amount: amount.value },
    });
    tx.em.persist(copy);
  }
  for (const copy of present.values()) tx.em.remove(copy);
}

function keyOf(of: Pick<AddOnCharge, 'requestedCharge' | 'autoAddOnAssignment' | 'assignedId' | 'name'>): string {
  const assigned = assignmentOf(of);
  return assigned ? `auto ${assigned}` : `charge ${of.requestedCharge?.id ?? of.name}`;
}
