import { ref } from '@mikro-orm/core';
import { addOns } from '../../billing/add-ons/add-ons.ts';
import { createAutoAddOn } from '../../billing/auto-add-ons/auto-add-ons.ts';
import { PARENT_KINDS } from '../../billing/auto-add-ons/parents.ts';
import { FuelPriceIndex } from '../../billing/fuel/fuel-price-index.entity.ts';
import { FuelSurchargeSchedule } from '../../billing/fuel/fuel-surcharge-schedule.entity.ts';
import { fuelPriceIndices, fuelPrices, fuelSurchargeSchedulePrices, fuelSurchargeSchedules } from '../../billing/fuel/fuel-tables.ts';
import { createBelow, createMaster } from '../../directory/master-data/master-data.ts';
import type { CreateRateInput } from '../../dispatch/pricing/rate.inputs.ts';
import { createRate } from '../../dispatch/pricing/rates.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { Decimal } from '../../platform/decimal.ts';
import { localDate } from '../../platform/time.ts';
import { PLACE } from './billed-work.ts';
import type { DemoBooks } from './demo-books.ts';

const DAY = 86_400_000;
const of = (value: string) => new Decimal(value);

/** Diesel by the week, and what is charged from a price on: those of the worked example M19 of BILLING, of which the week before the last is the second. */
const WEEKLY = ['4.118', '4.132', '4.289', '4.251'];
const ROWS = [
  ['3.5', '0'],
  ['3.75', '2'],
  ['4', '4'],
  ['4.25', '6'],
] as const;

/** Add-ons that are requested for work. */
export interface Tariffs {
  fuelId: string;
  washId: string;
}

/** Rate cards, fuel and add-ons of the parent, by which its work is priced. */
export async function makeTariffs(tx: TxContext, books: DemoBooks): Promise<Tariffs> {
  await makeRateCards(tx, books);
  const schedule = await makeFuel(tx, books);
  const addOn = (name: string, more: object) => createMaster(tx, addOns, { name, addOnTypes: ['invoicing'], ...more });
  const fuel = await addOn('Fuel surcharge', { revenueCostRateType: 'FuelSurcharge', fuelSurchargeScheduleId: schedule.id });
  const wash = await addOn('Wash of the box', { revenueRateValue: of('25') });
  await tx.em.flush();
  const { TSW, BTH, LLC, 'V-SOUTH': south } = books.accounts;
  for (const customer of [TSW, BTH]) await alwaysCharge(tx, customer!, 'customer', { addOnId: fuel.id });
  await alwaysCharge(tx, LLC!, 'customer', { ...share('Prompt payment', -2), addOnTypes: ['settlement'] });
  await alwaysCharge(tx, south!, 'vendor', { ...share('Broker fee', -8), addOnTypes: ['driver_pay'] });
  return { fuelId: fuel.id, washId: wash.id };
}

/** Has an add-on charged by itself for the work of an account. */
export const alwaysCharge = (tx: TxContext, id: string, accountType: 'customer' | 'vendor', input: object): Promise<unknown> =>
  createAutoAddOn(tx, PARENT_KINDS.Account, { id }, { accountType, ...input });

export const share = (name: string, percentage: number) => ({
  ...{ name, revenueCostRateType: 'RatePercentOfTotal' as const, percentage: new Decimal(percentage), quantity: of('1') },
});

async function makeRateCards(tx: TxContext, { accounts, hourlyServiceId, firstDriverId }: DemoBooks): Promise<void> {
  const rateCardsOf = (externalId: string) => ({ ownerType: 'customer' as const, accountId: accounts[externalId]! });
  const [hillCountry, lakeline, travis, barton] = ['HCP', 'LLC', 'TSW', 'BTH'].map(rateCardsOf);
  const perTon = (name: string, value: string, minimum: string) =>
    ({ name, type: 'RatePerTon', unitRate: of(value), unitMinimum: of(minimum), unitIncrement: of('0') }) as const;
  const rateCards: CreateRateInput[] = [
    { ...hillCountry!, ...perTon('Hill Country by the ton', '4.25', '22') },
    { ...lakeline!, ...perTon('Lakeline by the ton', '4.25', '22') },
    {
      ...{ ...lakeline!, name: 'Lakeline by the hour', type: 'RatePerHour', serviceIds: [hourlyServiceId] },
      ...{ timeRate: of('110'), timeMinimumMinutes: 240, timeIncrementMinutes: 15 },
    },
    { ...travis!, ...perTon('Travis by the ton', '5.1', '0') },
    { ...barton!, name: 'Barton by the load', type: 'RatePerLoad', unitRate: of('185'), unitMinimum: of('0'), unitIncrement: of('0') },
    ...[
      { name: 'Drivers by the load', type: 'RatePerLoad', unitRate: of('38'), unitMinimum: of('0'), unitIncrement: of('0') } as const,
      { name: 'Commission of Drew Castillo', type: 'RateCommission', commissionPercentage: 30, driverId: firstDriverId } as const,
    ].map((rateCard) => ({ ownerType: 'driver' as const, ...rateCard })),
  ];
  for (const rateCard of rateCards) await createRate(tx, rateCard);
}

/** A weekly price of diesel, and a schedule that follows it. */
async function makeFuel(tx: TxContext, { parent, jobsAt }: DemoBooks): Promise<FuelSurchargeSchedule> {
  const index = await createMaster(tx, fuelPriceIndices, { name: 'Gulf Coast diesel' });
  await tx.em.flush();
  const today = localDate(tx.tx.now, parent.timeZone);
  const day = new Date(`${localDate(jobsAt(PLACE.worked)[0]!.loadAt, parent.timeZone)}T12:00:00Z`);
  const monday = day.getTime() - ((day.getUTCDay() + 6) % 7) * DAY;
  for (const [week, price] of WEEKLY.entries()) {
    const date = new Date(monday + (week - 1) * 7 * DAY).toISOString().slice(0, 10);
    // The price of this week is known on its Monday.
    if (date > today) continue;
    const above = { entity: FuelPriceIndex, path: { id: index.id } };
    await createBelow(tx, fuelPrices, above, { date, price: of(price) }, () => ({ fuelPriceIndex: ref(index) }));
  }
  const follows = { name: 'Standard surcharge', fuelPriceIndexId: index.id, surchargeType: 'percentage' as const };
  const schedule = await createMaster(tx, fuelSurchargeSchedules, follows);
  await tx.em.flush();
  for (const [price, billSurcharge] of ROWS) {
    const above = { entity: FuelSurchargeSchedule, path: { id: schedule.id } };
    const row = { price: of(price), billSurcharge: of(billSurcharge) };
    await createBelow(tx, fuelSurchargeSchedulePrices, above, row, () => ({ fuelSurchargeSchedule: ref(schedule) }));
  }
  return schedule;
}
