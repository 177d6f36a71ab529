import { type EntityClass, ref } from '@mikro-orm/core';
import type { MasterKind } from '../../directory/master-data/master-data.ts';
import { nameOf } from '../../directory/master-data/named-kinds.ts';
import { zoneOf } from '../../dispatch/model/company-day.ts';
import { findKept } from '../../platform/authz/authorization.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { worldTime } from '../../platform/database/time/sandbox-time.ts';
import { type ErrorCollector, type ErrorItem, Invalid, unlessMissing } from '../../platform/errors.ts';
import { localDate } from '../../platform/time.ts';
import type {
  CreateFuelPriceIndexInput,
  CreateFuelPriceInput,
  CreateFuelSurchargeScheduleInput,
  CreateFuelSurchargeSchedulePriceInput,
  UpdateFuelPriceIndexInput,
  UpdateFuelPriceInput,
  UpdateFuelSurchargeScheduleInput,
  UpdateFuelSurchargeSchedulePriceInput,
} from './fuel.inputs.ts';
import { FuelPrice, FuelPriceIndex } from './fuel-price-index.entity.ts';
import { FuelSurchargeSchedule, FuelSurchargeSchedulePrice } from './fuel-surcharge-schedule.entity.ts';
import { refuseRepricing } from './refuse-repricing.ts';
import { fuelPriceSource } from './sources/fuel-price-source.ts';

/** A price may be noted so far ahead: it is published on the day after the one for which it holds, at the latest. */
const MOST_DAYS_AHEAD = 7;
const DAY = 86_400_000;

const permissions = {
  create: 'create_fuel_price_indices',
  edit: 'edit_fuel_price_indices',
  delete: 'delete_fuel_price_indices',
};

export const fuelPriceIndexNameKey = defineUnique('fuel_price_index_name_key', { model: 'FuelPriceIndex', field: 'name' });
export const fuelPriceDateKey = defineUnique('fuel_price_date_key', { model: 'FuelPrice', field: 'date' });
export const fuelSurchargeScheduleNameKey = defineUnique('fuel_surcharge_schedule_name_key', {
  model: 'FuelSurchargeSchedule',
  field: 'name',
});
export const fuelSurchargeSchedulePriceKey = defineUnique('fuel_surcharge_schedule_price_key', {
  model: 'FuelSurchargeSchedulePrice',
  field: 'price',
});

/** The rules of indices. One that a schedule follows cannot be deleted. */
export const fuelPriceIndices: MasterKind<FuelPriceIndex, CreateFuelPriceIndexInput, UpdateFuelPriceIndexInput> & {
  entity: typeof FuelPriceIndex;
} = {
  entity: FuelPriceIndex,
  event: 'fuel_price_index',
  permissions,
  fill(tx, index, input) {
    const to = collector('FuelPriceIndex');
    if (input.name !== undefined) index.name = nameOf(input.name, to.model, to.items);
    if (input.series !== undefined) follow(tx, index, input.series, to);
    settle(to);
  },
  async letGo(tx, index) {
    await refuseInUse(
      tx,
      'FuelPriceIndex',
      'select 1 from fuel_surcharge_schedule where fuel_price_index_id = $1 and discarded_at is null',
      index.id,
    );
    index.nextReadAt = null;
  },
};

/** Has a series read, from now on. */
function follow(tx: TxContext, index: FuelPriceIndex, series: string | null, to: ErrorCollector): void {
  const source = fuelPriceSource.of(tx.em);
  const key = series === null ? undefined : source ? (source.isSeries(series) ? undefined : 'not_a_series') : 'no_source_of_fuel_prices';
  if (key) to.items.push({ model: to.model, field: 'series', key });
  else Object.assign(index, { series, lastError: null, readAttempts: 0, nextReadAt: series === null ? null : worldTime(tx.tx) });
}

/** The rules of prices: there is one for each day of an index. */
export const fuelPrices: MasterKind<FuelPrice, CreateFuelPriceInput, UpdateFuelPriceInput> & { entity: typeof FuelPrice } = {
  entity: FuelPrice,
  event: 'fuel_price',
  permissions,
  async fill(tx, price, input) {
    const to = collector('FuelPrice');
    required(input, ['date', 'price'], to);
    const dates = [price.date, input.date].flatMap((date) => date || []);
    if (input.date ?? input.price) await refuseRepricing(tx, price, dates);
    if (input.date) {
      if (price.date !== input.date) price.publishedPrice = null;
      price.date = input.date;
      const ahead = (Date.parse(input.date) - Date.parse(localDate(tx.tx.now, await zoneOf(tx, price.company.id)))) / DAY;
      if (ahead > MOST_DAYS_AHEAD)
        to.items.push({ model: to.model, field: 'date', key: 'too_far_ahead', params: { most: MOST_DAYS_AHEAD } });
    }
    if (input.price) price.price = input.price;
    // A price that somebody entered is not overwritten by one that is read.
    if (input.date ?? input.price) price.source = null;
    settle(to);
  },
  letGo: (tx, price) => refuseRepricing(tx, price, [price.date]),
};

/** The rules of schedules. One that an add-on charges cannot be deleted. */
export const fuelSurchargeSchedules: MasterKind<
  FuelSurchargeSchedule,
  CreateFuelSurchargeScheduleInput,
  UpdateFuelSurchargeScheduleInput
> & { entity: typeof FuelSurchargeSchedule } = {
  entity: FuelSurchargeSchedule,
  event: 'fuel_surcharge_schedule',
  permissions,
  async fill(tx, schedule, input) {
    const to = collector('FuelSurchargeSchedule');
    if (input.name !== undefined) schedule.name = nameOf(input.name, to.model, to.items);
    required(input, ['fuelPriceIndexId', 'surchargeType', 'lagWeeks'], to);
    if (input.fuelPriceIndexId) {
      const index = await heldReference(tx, FuelPriceIndex, input.fuelPriceIndexId, schedule.company.id);
      if (index) schedule.fuelPriceIndex = ref(index);
      else to.items.push({ model: to.model, field: 'fuelPriceIndexId', key: 'must_exist' });
    }
    if (input.surchargeType) schedule.surchargeType = input.surchargeType;
    schedule.lagWeeks = input.lagWeeks ?? schedule.lagWeeks;
    settle(to);
  },
  letGo: (tx, schedule) =>
    refuseInUse(
      tx,
      'FuelSurchargeSchedule',
      'select 1 from add_on where fuel_surcharge_schedule_id = $1 and discarded_at is null',
      schedule.id,
    ),
};

/** The rules of rows of a schedule: there is one for each price of fuel. */
export const fuelSurchargeSchedulePrices: MasterKind<
  FuelSurchargeSchedulePrice,
  CreateFuelSurchargeSchedulePriceInput,
  UpdateFuelSurchargeSchedulePriceInput
> & { entity: typeof FuelSurchargeSchedulePrice } = {
  entity: FuelSurchargeSchedulePrice,
  event: 'fuel_surcharge_schedule_price',
  permissions,
  async fill(tx, row, input) {
    const to = collector('FuelSurchargeSchedulePrice');
    required(input, ['price', 'billSurcharge'], to);
    if (input.price) row.price = input.price;
    const { billSurcharge, billSurchargePercentage: older } = input;
    if (older) {
      // A row that is not stored yet loads nothing by itself.
      const { surchargeType } = await tx.em.findOneOrFail(FuelSurchargeSchedule, row.fuelSurchargeSchedule.id);
      const key = surchargeType !== 'percentage' ? 'only_of_percentages' : billSurcharge && !older.eq(billSurcharge) ? DIFFERS : undefined;
      // Clients of the older name send 0 with schedules by unit, as they read it.
      if (key && !(key === 'only_of_percentages' && older.isZero())) to.items.push({ model: to.model, field: OLDER, key });
      else if (surchargeType === 'percentage') row.billSurcharge = older;
    }
    if (billSurcharge) row.billSurcharge = billSurcharge;
    settle(to);
  },
};

const OLDER = 'billSurchargePercentage';
const DIFFERS = 'differs_from_bill_surcharge';

const collector = (model: string): ErrorCollector & { items: ErrorItem[] } => ({ model, items: [] });

function settle({ items }: ErrorCollector): void {
  if (items.length > 0) throw new Invalid(items);
}

/** Reports fields that are sent as null, which cannot be empty. */
function required<I extends object>(input: I, fields: readonly (keyof I & string)[], to: ErrorCollector): void {
  for (const field of fields) if (input[field] === null) to.items.push({ model: to.model, field, key: 'required' });
}

/** Returns a record that is about to be referred to, locked, so that nobody deletes it meanwhile; undefined if there is none to refer to. */
export function heldReference<T extends { id: string; discardedAt?: Date | null }>(
  tx: TxContext,
  entity: EntityClass<T>,
  id: string,
  companyId: string,
): Promise<T | undefined> {
  return unlessMissing(findKept(tx, entity, id, { companyId, lock: true }));
}

/** @throws Invalid if other records refer to the record that is to be deleted */
async function refuseInUse(tx: TxContext, model: string, sql: string, id: string): Promise<void> {
  const [users] = await queryIn<{ count: number }>(tx.em, `select count(*)::int as count from (${sql}) used`, [id]);
  if (users!.count > 0) throw new Invalid([{ model, field: 'id', key: 'in_use', params: { count: users!.count } }]);
}
