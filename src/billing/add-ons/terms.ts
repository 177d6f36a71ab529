import { type Ref, ref } from '@mikro-orm/core';
import { nameOf } from '../../directory/master-data/named-kinds.ts';
import { Decimal } from '../../platform/decimal.ts';
import type { ErrorItem } from '../../platform/errors.ts';
import type { AddOn, AddOnRateType } from './add-on.entity.ts';

/** The most characters of a name and of an id that comes from another system. */
export const NAME = 255;
export const EXTERNAL_ID = 500;
/** The highest quantity and amount of money of a charge: what is beyond is a typing error. Their product fits a column of money. */
export const MOST_QUANTITY = 1_000_000;
export const MOST_MONEY = 10_000_000;

/** Options of an input's field by which clients know another one, too. */
export const older = (name: string) => ({
  nullable: true,
  description: `An older name of \`${name}\`, which takes precedence if both are sent.`,
});

/** The terms of a charge: those of its add-on, unless the record says otherwise. */
export interface Terms {
  addOn?: Ref<AddOn> | null;
  name: string;
  quantity: Decimal;
  revenueRateValue: Decimal;
  revenueCostRateType: AddOnRateType;
  costRateValue?: Decimal | null;
  percentage: Decimal;
  externalId?: string | null;
  accountingId?: string | null;
}

/** The same in an input. Absent fields stay; `rate` and `addOnRateType` are older names. */
export type TermsInput = {
  [K in Exclude<keyof Terms, 'addOn'>]?: Terms[K] | null;
} & { rate?: Decimal | null; addOnRateType?: AddOnRateType | null };

/** Gives a new record the terms of its add-on, or those of a charge without one: nothing of nothing (BILLING B4). */
export function beginTerms(record: Terms, addOn: AddOn | undefined): void {
  Object.assign(record, {
    ...{ addOn: addOn ? ref(addOn) : null, name: addOn?.name ?? UNNAMED, quantity: addOn?.quantity ?? new Decimal(0) },
    ...{ revenueRateValue: addOn?.revenueRateValue ?? new Decimal(0), revenueCostRateType: addOn?.revenueCostRateType ?? 'RateForEach' },
    ...{ costRateValue: addOn?.costRateValue ?? null, percentage: addOn?.percentage ?? new Decimal(0) },
  });
}

/** Sets what an input says of a record's terms, and reports what is wrong with it. @param at the path of the input, with a dot at its end */
export function fillTerms(record: Terms, input: TermsInput, about: { model: string; at: string; items: ErrorItem[] }): void {
  const { model, at, items } = about;
  const wrong: ErrorItem[] = [];
  if (input.name !== undefined) record.name = nameOf(input.name, model, wrong);
  for (const field of ['quantity', 'percentage'] as const) {
    const given = input[field];
    if (given === null) wrong.push({ model, field, key: 'required' });
    else if (given) record[field] = given;
  }
  const rate = input.revenueRateValue ?? input.rate;
  if (rate) record.revenueRateValue = rate;
  const rateType = input.revenueCostRateType ?? input.addOnRateType;
  if (rateType) record.revenueCostRateType = rateType;
  if (input.costRateValue !== undefined) record.costRateValue = input.costRateValue;
  for (const field of ['externalId', 'accountingId'] as const) if (input[field] !== undefined) record[field] = input[field]?.trim() || null;
  items.push(...wrong.map((item) => ({ ...item, field: `${at}${item.field}` })));
}

/** The name of a charge that has neither a name nor an add-on. */
const UNNAMED = 'Charge';
