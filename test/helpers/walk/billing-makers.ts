import { type Ref, ref } from '@mikro-orm/core';
import { LinkedAccount } from '../../../src/billing/accounting/linked-account.entity.ts';
import {
  LinkedCustomer,
  LinkedItem,
  LinkedLedgerAccount,
  type LinkedRecord,
  LinkedVendor,
} from '../../../src/billing/accounting/linked-records.entity.ts';
import { AddOn } from '../../../src/billing/add-ons/add-on.entity.ts';
import { AddOnCharge } from '../../../src/billing/charges/add-on-charge.entity.ts';
import { FuelPrice, FuelPriceIndex } from '../../../src/billing/fuel/fuel-price-index.entity.ts';
import { FuelSurchargeSchedule, FuelSurchargeSchedulePrice } from '../../../src/billing/fuel/fuel-surcharge-schedule.entity.ts';
import type { Company } from '../../../src/directory/companies/company.entity.ts';
import { Job } from '../../../src/dispatch/model/job.entity.ts';

/** Saves a record and returns its id. */
type Save = <T extends { id: string }>(type: new () => T, fields: object) => Promise<string>;

/**
 * Makes records of src/billing, with ids that the walk uses.
 * @param own the company and a name of their own
 * @param jobOf the id of a job of the walk
 */
export function billingMakers(own: { company: Ref<Company>; name: string }, saved: Save, jobOf: () => Promise<string>) {
  const { company } = own;
  // Names of a kind are unique in a company.
  let number = 0;
  const named = () => ({ company, name: `${own.name} ${++number}` });
  const index = () => saved(FuelPriceIndex, named());
  const schedule = async () =>
    saved(FuelSurchargeSchedule, { ...named(), surchargeType: 'percentage', fuelPriceIndex: ref(FuelPriceIndex, await index()) });
  const addOn = () => ({ ...named(), addOnTypes: ['job'], quantity: '1' });
  const linkedAccount = () => {
    const { name } = named();
    return saved(LinkedAccount, { company, name, sourceKey: name, system: 'file', status: 'linked' });
  };
  const linked = async (type: new () => LinkedRecord, data: object = {}) => {
    const of = { linkedAccount: ref(LinkedAccount, await linkedAccount()), externalKey: '1' };
    return saved(type, { company, ...of, data: { id: '1', name: own.name, status: 'Active', ...data } });
  };
  return {
    linkedAccount,
    linkedCustomer: () => linked(LinkedCustomer, { id: '018cc251-f400-7000-8000-0d0000000001', addresses: [] }),
    linkedVendor: () => linked(LinkedVendor),
    linkedItem: () => linked(LinkedItem),
    linkedLedgerAccount: () => linked(LinkedLedgerAccount, { type: 'AccountsPayable' }),
    addOn: () => saved(AddOn, addOn()),
    addOnCharge: async () => {
      const terms = { revenueRateValue: '25', percentage: '0' };
      return saved(AddOnCharge, { ...named(), ...terms, quantity: '1', job: ref(Job, await jobOf()) });
    },
    fuelAddOn: async () => {
      const fuelSurchargeSchedule = ref(FuelSurchargeSchedule, await schedule());
      return saved(AddOn, { ...addOn(), revenueCostRateType: 'FuelSurcharge', fuelSurchargeSchedule });
    },
    fuelPriceIndex: index,
    fuelPrice: async () =>
      saved(FuelPrice, { company, fuelPriceIndex: ref(FuelPriceIndex, await index()), date: '2026-11-16', price: '4' }),
    fuelSurchargeSchedule: schedule,
    fuelSurchargeSchedulePrice: async () => {
      const fuelSurchargeSchedule = ref(FuelSurchargeSchedule, await schedule());
      return saved(FuelSurchargeSchedulePrice, { company, fuelSurchargeSchedule, price: '4', billSurcharge: '2' });
    },
  };
}
