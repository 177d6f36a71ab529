import { ref } from '@mikro-orm/core';
import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Decimal } from '../../platform/decimal.ts';
import { AddOn, type AddOnRateType } from '../add-ons/add-on.entity.ts';
import { AutoAddOnAssignment } from '../auto-add-ons/auto-add-on-assignment.entity.ts';
import { AddOnCharge } from '../charges/add-on-charge.entity.ts';
import { keepPaidRate, seenBy } from '../charges/charged-bill.ts';
import { amount, type Figure, given, share, sourceSince } from '../pricing/figure.ts';
import { balancesOwedAgain } from './balances.ts';
import type { Settlement } from './settlement.entity.ts';

/** A fuel surcharge goes by the day of the work, so it is on invoices. */
export const OF_SETTLEMENTS: readonly AddOnRateType[] = ['RateForEach', 'PerLoad', 'RatePercentOfTotal'];

interface Applying {
  id: string;
  add_on_id: string | null;
  name: string;
  quantity: string;
  revenue_rate_value: string;
  cost_rate_value: string | null;
  revenue_cost_rate_type: AddOnRateType;
  percentage: string;
  taxable: boolean;
}
// The count is raised with the look, so that two settlements at once charge the last installment once.
const TAKE_INSTALLMENTS = `with taken as (
    update auto_add_on_assignment set auto_add_on_installments_count = auto_add_on_installments_count + 1, updated_at = present_time()
    where company_id = $1 and coalesce(account_id, driver_id) = $2 and side = $3 and 'settlement' = any(add_on_types)
      and revenue_cost_rate_type = any($4::text[]) and (total_installments = 0 or auto_add_on_installments_count < total_installments)
    returning *)
  select a.id, a.add_on_id, a.name, a.quantity::text, a.revenue_rate_value::text, a.cost_rate_value::text, a.revenue_cost_rate_type, a.percentage::text,
    coalesce(d.taxable, false) as taxable
  from taken a left join add_on d on d.id = a.add_on_id order by a.created_at, a.id`;

const COUNT_AGAIN = `update auto_add_on_assignment a set auto_add_on_installments_count = a.auto_add_on_installments_count + $2 * c.times, updated_at = present_time()
  from (select auto_add_on_assignment_id as id, count(*)::int as times from add_on_charge
    where add_on_applicable_id = $1 and auto_add_on_assignment_id is not null group by 1) c
  where a.id = c.id`;

// Another settlement may have charged the last installment since it was given back: then the charge stays, and is none (B-I13).
const TAKE_AGAIN = `update auto_add_on_assignment a set auto_add_on_installments_count = a.auto_add_on_installments_count + c.times, updated_at = present_time()
  from (select auto_add_on_assignment_id as id, count(*)::int as times from add_on_charge
    where add_on_applicable_id = $1 and auto_add_on_assignment_id is not null group by 1) c
  where a.id = c.id and (a.total_installments = 0 or a.auto_add_on_installments_count + c.times <= a.total_installments)
  returning a.id`;

/** Charges the add-ons that come by themselves with settlements of its customer, vendor or driver (BILLING B4). */
export async function addAutoCharges(tx: TxContext, settlement: Settlement, loads: number): Promise<AddOnCharge[]> {
  const { company, customerAccount, vendorAccount, driver } = settlement;
  const side = customerAccount ? 'customer' : vendorAccount ? 'vendor' : 'driver';
  const party = (customerAccount ?? vendorAccount ?? driver)!.id;
  const applying = await queryIn<Applying>(tx.em, TAKE_INSTALLMENTS, [company.id, party, side, OF_SETTLEMENTS]);
  return applying.map((one) => {
    const charge = Object.assign(new AddOnCharge(), {
      ...{ company, addOnApplicableType: 'Settlement', addOnApplicableId: settlement.id, payeeDriver: driver, ...seenBy(settlement) },
      autoAddOnAssignment: ref(AutoAddOnAssignment, one.id),
      addOn: one.add_on_id ? ref(AddOn, one.add_on_id) : null,
      ...{ name: one.name, quantity: new Decimal(one.quantity), taxable: one.taxable, revenueCostRateType: one.revenue_cost_rate_type },
      revenueRateValue: new Decimal(one.revenue_rate_value),
      costRateValue: one.cost_rate_value === null ? null : new Decimal(one.cost_rate_value),
      percentage: new Decimal(one.percentage),
    });
    if (settlement.side === 'payable') keepPaidRate(charge);
    computeCharge(charge, settlement, loads);
    tx.em.persist(charge);
    return charge;
  });
}

/** The charges of a settlement. */
export const chargesOf = (tx: TxContext, { id }: Settlement): Promise<AddOnCharge[]> =>
  tx.em.find(AddOnCharge, { addOnApplicableId: id }, { orderBy: { createdAt: 'asc', id: 'asc' } });

/**
 * Charges on a settlement what was charged on the one that it replaces, at the same terms: percentages are of its own invoices, and a balance is what is
 * owed still.
 */
export async function copyCharges(tx: TxContext, from: Settlement, to: Settlement, loads: number): Promise<AddOnCharge[]> {
  const taken = new Set((await queryIn<{ id: string }>(tx.em, TAKE_AGAIN, [from.id])).map(({ id }) => id));
  const owed = await balancesOwedAgain(tx, from);
  const left = (await chargesOf(tx, from)).filter(({ balanceOf }) => !balanceOf || owed.has(balanceOf.id));
  return left.map((charge) => {
    const { company, autoAddOnAssignment, addOn, name, quantity, taxable, revenueCostRateType, costRateValue, percentage } = charge;
    const { rebillRevenueRateValue, rebillPercentage, externalId, accountingId, payeeDriver, balanceOf } = charge;
    const copy = Object.assign(new AddOnCharge(), {
      autoAddOnAssignment: autoAddOnAssignment && taken.has(autoAddOnAssignment.id) ? autoAddOnAssignment : null,
      ...{ company, addOnApplicableType: 'Settlement', addOnApplicableId: to.id, ...seenBy(to), addOn, name, quantity, taxable },
      revenueRateValue: (balanceOf && owed.get(balanceOf.id)) ?? charge.revenueRateValue,
      ...{ revenueCostRateType, costRateValue, percentage, rebillRevenueRateValue, rebillPercentage },
      ...{ externalId, accountingId, payeeDriver, balanceOf },
    });
    computeCharge(copy, to, loads);
    tx.em.persist(copy);
    return copy;
  });
}

const GIVE_BACK = `update auto_add_on_assignment set auto_add_on_installments_count = auto_add_on_installments_count - 1, updated_at = present_time()
  where id = $1`;

/** Gives back an installment whose charge is taken from its settlement. */
export const giveBackInstallment = (tx: TxContext, assignmentId: string): Promise<unknown> => queryIn(tx.em, GIVE_BACK, [assignmentId]);

/** Gives back the installments that a settlement has charged. */
export const giveBackInstallments = (tx: TxContext, { id }: Settlement): Promise<unknown> => queryIn(tx.em, COUNT_AGAIN, [id, -1]);

/**
 * Sets what a charge comes to on a settlement, by the same computation as on invoices: percentages are of the total of its invoices, never of
 * other charges (BILLING B4).
 */
export function computeCharge(charge: AddOnCharge, settlement: Settlement, loads: number): void {
  const isPercentage = charge.revenueCostRateType === 'RatePercentOfTotal';
  if (charge.revenueCostRateType === 'PerLoad') charge.quantity = new Decimal(loads);
  charge.baseAmount = isPercentage ? settlement.invoicesTotalAmount : null;
  charge.amount = figureOf(charge, settlement.side, settlement.invoicesTotalAmount).value;
}

type Charged = Pick<AddOnCharge, 'id' | 'updatedAt' | 'name' | 'quantity' | 'percentage'> &
  Pick<AddOnCharge, 'revenueRateValue' | 'costRateValue' | 'revenueCostRateType'>;

/** A charge at the terms that were set when it was billed anew; those that were not set stay. */
export function asRebilled(charge: AddOnCharge): Charged {
  const { id, updatedAt, name, quantity, revenueCostRateType, rebillRevenueRateValue, rebillPercentage } = charge;
  return {
    ...{ id, updatedAt, name, quantity, revenueCostRateType },
    revenueRateValue: rebillRevenueRateValue ?? charge.revenueRateValue,
    costRateValue: rebillRevenueRateValue ?? charge.costRateValue,
    percentage: rebillPercentage ?? charge.percentage,
  };
}

/** Returns the amount of a charge, with how it came about. @param base of which a percentage is taken */
export function figureOf(charge: Charged, side: Settlement['side'], base: Decimal): Figure {
  const { name, quantity, percentage, revenueRateValue, costRateValue, revenueCostRateType, id, updatedAt } = charge;
  const source = sourceSince('AddOnCharge', id, updatedAt.toISOString());
  if (revenueCostRateType === 'RatePercentOfTotal')
    return share(name, given(`percentage of ${name}`, percentage, source), given('total of the invoices', base));
  const rate = (side === 'payable' ? costRateValue : null) ?? revenueRateValue;
  return amount(name, given(`quantity of ${name}`, quantity, source), given(`rate of ${name}`, rate, source));
}

/** Sets the totals of a settlement that its charges are a part of. */
export function sumCharges(settlement: Settlement, charges: readonly AddOnCharge[]): void {
  const total = charges.reduce((sum, charge) => sum.plus(charge.amount ?? 0), new Decimal(0));
  settlement.addOnChargesTotalAmount = total;
  settlement.totalAmount = settlement.invoicesTotalAmount.plus(total);
  const { rebillInvoicesTotalAmount: rebilled } = settlement;
  if (rebilled == null) return;
  let anew = new Decimal(0);
  for (const charge of charges) {
    charge.rebillAmount = figureOf(asRebilled(charge), settlement.side, rebilled).value;
    anew = anew.plus(charge.rebillAmount);
  }
  settlement.rebillAddOnChargesTotalAmount = anew;
  settlement.rebillTotalAmount = rebilled.plus(anew);
}
