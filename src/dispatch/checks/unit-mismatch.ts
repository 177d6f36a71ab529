import type { RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import type { RateType, UnitOfMeasure } from '../../directory/master-data/units.ts';
import { convertible, UNMEASURED, unitOfRate } from './units.ts';

/** A quantity that is counted in a unit, and the input fields that may set it, the deciding one first. */
export interface Counted {
  fields: readonly [string, ...string[]];
  /** Any of these units will do: a truck that holds 14 Ton also holds 10 Yard. Empty if the quantity is not counted. */
  units: readonly UnitOfMeasure[];
}

/** The units of a piece of work that have to agree (DOMAIN 8.13). */
export interface CountedPlan {
  load: Counted;
  material: Counted;
  capacity: Counted;
  rates: Partial<Record<RateOwnerType, Counted>>;
}

export interface Mismatch {
  name: 'material' | 'capacity' | RateOwnerType;
  /** The part that does not fit, and what it does not fit. */
  part: Counted;
  to: Counted;
}

export const counted = (fields: Counted['fields'], ...units: readonly (UnitOfMeasure | null | undefined)[]): Counted => ({
  fields,
  units: units.flatMap((unit) => (unit && !UNMEASURED.includes(unit) ? [unit] : [])),
});

/** Returns the unit that a rate is paid for. The bare type goes before that of the rate card. */
export const countedRate = (side: RateOwnerType, bare: RateType | null | undefined, ofRateCard: RateType | null | undefined): Counted => {
  const fields = [`${side}RateType`, `${side}RateId`] as const;
  return counted(bare ? fields : [fields[1], fields[0]], unitOfRate(bare ?? ofRateCard));
};

/**
 * Returns the parts whose units do not convert into the unit of the loads, or, without one, into that of the material's price. If neither
 * is known, a rate is compared with the truck's capacity.
 */
export function mismatchesOf({ load, material, capacity, rates }: CountedPlan): Mismatch[] {
  const to = [load, material, capacity].find(({ units }) => units.length > 0);
  if (!to) return [];
  return Object.entries({ material, capacity, ...rates }).flatMap(([name, part]) =>
    part === to || part.units.length === 0 || fits(part, to) ? [] : [{ name: name as Mismatch['name'], part, to }],
  );
}

const fits = (one: Counted, other: Counted): boolean => one.units.some((a) => other.units.some((b) => convertible(a, b)));

/** Returns the parameters of the message: which units do not convert into which. */
export const wordsOf = ({ part, to }: Mismatch): Record<string, string> => ({ one: part.units.join(', '), other: to.units.join(', ') });
