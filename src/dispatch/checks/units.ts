import type { RateType, UnitOfMeasure } from '../../directory/master-data/units.ts';

/** Units that convert into each other (DOMAIN 3.4). Every other unit converts into itself only. */
const FAMILIES: readonly (readonly UnitOfMeasure[])[] = [
  ['Ton', 'Tonne'],
  ['Yard', 'CubicMeter'],
  ['Gallon', 'Liter', 'Barrel'],
  ['Mile', 'Kilometer'],
  ['Foot', 'Meter'],
];

/** The unit that a rate counts in; undefined for rates that do not depend on a load's quantity. */
const OF_RATE: Partial<Record<RateType, UnitOfMeasure>> = {
  RatePerTon: 'Ton',
  RatePerTonne: 'Tonne',
  RatePerYard: 'Yard',
  RatePerBushel: 'Bushel',
};

export const unitOfRate = (type: RateType | null | undefined): UnitOfMeasure | undefined => (type ? OF_RATE[type] : undefined);

/**
 * The type that counts of what work or a link says itself: a type belongs to the value that is given with it, and a rate card without one has its own
 * (`typeSql` says the same in SQL). @param rateCard any sign of a rate card
 */
export const statedType = (type: RateType | null | undefined, value: unknown, rateCard: unknown): RateType | null | undefined =>
  value == null && rateCard ? null : type;

export const convertible = (one: UnitOfMeasure, other: UnitOfMeasure): boolean =>
  one === other || FAMILIES.some((family) => family.includes(one) && family.includes(other));
