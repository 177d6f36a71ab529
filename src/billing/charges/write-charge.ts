import { ref } from '@mikro-orm/core';
import { Company } from '../../directory/companies/company.entity.ts';
import { DriverDay } from '../../dispatch/model/driver-day.entity.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { onlySeen } from '../../identity/access/money.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext } from '../../platform/commands/transact.ts';
import { type ErrorItem, HaulgateError } from '../../platform/errors.ts';
import type { AddOnType } from '../add-ons/add-on.entity.ts';
import { beginTerms, fillTerms } from '../add-ons/terms.ts';
import { AddOnCharge } from './add-on-charge.entity.ts';
import type { AddOnChargeInput } from './charge.inputs.ts';
import { type ChargedBill, keepPaidRate } from './charged-bill.ts';
import { mayChange, type Work } from './charged-work.ts';
import type { Charged, Charging } from './charging.ts';

const model = 'AddOnCharge';

/** The uses of which an add-on must have one, to be requested for a kind of work. */
const USES: Record<Work['type'], readonly AddOnType[]> = {
  Job: ['job', 'invoicing', 'driver_pay'],
  DriverDay: ['driver_day', 'driver_pay'],
};
const usesOf = (of: Charged): readonly AddOnType[] => ('uses' in of ? of.uses : USES[of.type]);

/** Of these, a new charge has one: by them it says what is charged. */
const SAYS_WHAT = ['addOnId', 'name', 'rate', 'revenueRateValue', 'costRateValue', 'percentage'] as const;

/** Adds a charge, to an invoice of the work if the input names one; problems are noted. */
export function addCharge(asked: Charging, sent: AddOnChargeInput, at: string): AddOnCharge {
  const bill = 'uses' in asked.work || !sent.invoiceId ? undefined : asked.bills.get(sent.invoiceId.toLowerCase());
  const charging = bill && !(bill instanceof HaulgateError) ? { ...asked, work: bill } : asked;
  const { tx, work } = charging;
  if (sent.invoiceId && !('uses' in work)) {
    const [{ key, params } = { key: 'must_exist', params: undefined }] = bill instanceof HaulgateError ? bill.items : [];
    asked.items.push({ model, field: `${at}invoiceId`, key, params });
  }
  const charge = Object.assign(new AddOnCharge(), {
    company: ref(Company, work.companyId),
    ...('uses' in work
      ? { addOnApplicableType: work.type, addOnApplicableId: work.id, payeeDriver: work.payeeDriver, ...work.seenBy }
      : {
          receivableCompanyId: work.companyId,
          ...(work.type === 'Job' ? { job: ref(Job, work.id) } : { driverDay: ref(DriverDay, work.id) }),
        }),
    requestedById: viewerOf(tx).id,
  });
  beginTerms(charge, sent.addOnId ? charging.addOns.get(sent.addOnId.toLowerCase()) : undefined);
  // A change whose id was forgotten would become a charge of nothing that nobody wanted.
  if (!SAYS_WHAT.some((field) => (sent[field] ?? null) !== null)) asked.items.push({ model, field: `${at}rate`, key: 'required' });
  fill(charging, charge, sent, at);
  tx.em.persist(charge);
  emitEvent(tx, 'add_on_charge.created', charge);
  return charge;
}

/** Changes a charge; problems are noted. */
export function changeCharge(charging: Charging, charge: AddOnCharge, sent: AddOnChargeInput, at: string): void {
  if (!('uses' in charging.work)) {
    mayChange(charging.tx, charge);
    if (sent.invoiceId) charging.items.push({ model, field: `${at}invoiceId`, key: 'request_of_work' });
  }
  fill(charging, charge, sent, at);
  emitEvent(charging.tx, 'add_on_charge.updated', charge);
}

/** Deletes a charge; a settlement gives back the installment that it charged. @throws Denied */
export async function removeCharge(tx: TxContext, work: Charged, charge: AddOnCharge): Promise<void> {
  if ('uses' in work) await work.letGo?.(charge);
  else mayChange(tx, charge);
  tx.em.remove(charge);
  emitEvent(tx, 'add_on_charge.deleted', charge);
}

function fill({ tx, work, addOns, loads, items }: Charging, charge: AddOnCharge, sent: AddOnChargeInput, at: string): void {
  // People who change the charges of an invoice or a settlement see the money of its side.
  const input = 'uses' in work ? sent : onlySeen(viewerOf(tx), sent, 'RequestedCharge');
  const report = (field: string, key: string, params?: ErrorItem['params']) => items.push({ model, field: `${at}${field}`, key, params });
  if (sent.invoiceId && 'uses' in work && sent.invoiceId.toLowerCase() !== work.id) report('invoiceId', 'other_invoice');
  if (input.addOnId !== undefined) {
    const addOn = input.addOnId === null ? null : addOns.get(input.addOnId.toLowerCase());
    if (addOn === undefined) report('addOnId', 'must_exist');
    else if (addOn && !addOn.addOnTypes.some((type) => usesOf(work).includes(type)))
      report('addOnId', 'add_on_of_other_use', { values: usesOf(work).join(', ') });
    charge.addOn = addOn ? ref(addOn) : null;
    // A charge without an add-on is not taxed (DOMAIN 3.8).
    charge.taxable = addOn?.taxable ?? false;
    charge.percentageBase = addOn?.percentageBase ?? 'lines';
  }
  if (input.loadId !== undefined) {
    const load = input.loadId === null ? null : loads.get(input.loadId.toLowerCase());
    if (load === undefined) report('loadId', 'must_exist');
    charge.load = load ? ref(load) : null;
  }
  fillTerms(charge, input, { model, at, items });
  if ('uses' in work && work.side === 'payable') keepPaidRate(charge);
  const { rateTypes, isRebilled = false }: Partial<ChargedBill> = 'uses' in work ? work : {};
  if (rateTypes && !rateTypes.includes(charge.revenueCostRateType)) report(rateTypeIn(sent), 'fuel_on_invoices');
  for (const field of ['rebillRevenueRateValue', 'rebillPercentage'] as const) {
    if (input[field] != null && !isRebilled) report(field, 'not_a_rebill');
    else if (input[field] !== undefined) charge[field] = input[field];
  }
  // Only an add-on says by which schedule.
  if (charge.revenueCostRateType === 'FuelSurcharge' && !charge.addOn) report('revenueCostRateType', 'only_of_fuel_surcharge');
}

/** The field that says how a charge is counted. */
const rateTypeIn = (sent: AddOnChargeInput): string =>
  sent.addOnId && !sent.revenueCostRateType && !sent.addOnRateType ? 'addOnId' : 'revenueCostRateType';
