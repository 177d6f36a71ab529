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

export const convertible = (one: UnitOfMeasure, other: UnitOfMeasure): boolean =>
  one === other || FAMILIES.some((family) => family.includes(one) && family.includes(other));
