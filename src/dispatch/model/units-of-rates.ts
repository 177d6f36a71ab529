import type { RateType, UnitOfMeasure } from '../../directory/master-data/units.ts';
import { Decimal } from '../../platform/decimal.ts';

/** The unit that a rate per unit counts. */
export const UNIT_OF_RATE: Partial<Record<RateType, UnitOfMeasure>> = {
  RatePerLoad: 'Load',
  RatePerTon: 'Ton',
  RatePerTonne: 'Tonne',
  RatePerYard: 'Yard',
  RatePerBushel: 'Bushel',
};

/** The factor of each unit to its base unit (DOMAIN 3.4). Units of different bases do not convert. */
const BASES: readonly Partial<Record<UnitOfMeasure, string>>[] = [
  { Tonne: '1', Ton: '0.90718474' },
  { CubicMeter: '1', Yard: '0.764554858' },
  { Kilometer: '1', Mile: '1.609344', Meter: '0.001', Foot: '0.0003048' },
  { Liter: '1', Gallon: '3.785411784', Barrel: '158.987294928' },
];

/** Returns the sizes of two units in their common base unit; undefined if they have none. */
export function sizesOf(from: UnitOfMeasure, to: UnitOfMeasure): { from: string; to: string } | undefined {
  const base = BASES.find((one) => one[from] && one[to]);
  return base && { from: base[from]!, to: base[to]! };
}

/** Returns the same quantity in another unit, unrounded; undefined if the units do not convert. */
export function convert(quantity: Decimal, from: UnitOfMeasure, to: UnitOfMeasure): Decimal | undefined {
  if (from === to) return quantity;
  const sizes = sizesOf(from, to);
  return sizes && quantity.mul(sizes.from).div(sizes.to);
}

const SIZES = BASES.flatMap((base, kind) => Object.entries(base).map(([unit, size]) => `(${kind}, '${unit}', ${size})`)).join(', ');

/**
 * Returns `convert` as an SQL expression of three expressions: unrounded, null if the units do not convert. A missing unit converts only
 * into a missing one.
 */
export const convertSql = (quantity: string, from: string, to: string): string =>
  `case when ${from} is not distinct from ${to} then ${quantity} else (select ${quantity} * given.size / wanted.size from (values ${SIZES}) given(kind, unit, size)
    join (values ${SIZES}) wanted(kind, unit, size) using (kind) where given.unit = ${from} and wanted.unit = ${to}) end`;
