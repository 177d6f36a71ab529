import type { RateType, UnitOfMeasure } from '../../directory/master-data/units.ts';
import { sizesOf, UNIT_OF_RATE } from '../model/units-of-rates.ts';

/** Units that do not depend on the quantity of material: hours and trips are paid without it. */
export const UNMEASURED: readonly UnitOfMeasure[] = ['Load', 'Hour', 'Mile', 'Kilometer'];

/** Returns the unit of material that a rate counts; undefined for rates that do not depend on a load's quantity. */
export function unitOfRate(type: RateType | null | undefined): UnitOfMeasure | undefined {
  const unit = type ? UNIT_OF_RATE[type] : undefined;
  return unit && !UNMEASURED.includes(unit) ? unit : undefined;
}

/**
 * The type that counts of what work or a link says itself: a type belongs to the value that is given with it, and a rate card without one has its own
 * (`typeSql` says the same in SQL). @param rateCard any sign of a rate card
 */
export const statedType = (type: RateType | null | undefined, value: unknown, rateCard: unknown): RateType | null | undefined =>
  value == null && rateCard ? null : type;

/** Whether a quantity in one unit can be said in another one without a density (DOMAIN 3.4). */
export const convertible = (one: UnitOfMeasure, other: UnitOfMeasure): boolean => one === other || sizesOf(one, other) !== undefined;
