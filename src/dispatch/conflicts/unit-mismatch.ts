import type { RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import type { RateType, UnitOfMeasure } from '../../directory/master-data/units.ts';
import { convertible, unitOfRate } from './units.ts';

/** What is counted in a unit, and the fields of an input that may say so, the one that decides first. */
export interface Counted {
  fields: readonly [string, ...string[]];
  /** Any of them will do: a truck holds 14 Ton, which are 10 Yard. None: it is not counted. */
  units: readonly UnitOfMeasure[];
}

/** What the units of a piece of work have to agree on (DOMAIN 8.13). */
export interface CountedPlan {
  load: Counted;
  material: Counted;
  capacity: Counted;
  rates: Partial<Record<RateOwnerType, Counted>>;
}

export interface Mismatch {
  name: 'material' | 'capacity' | RateOwnerType;
  /** What does not fit, and what it does not fit to. */
  part: Counted;
  to: Counted;
}

/** Units that say nothing of how much material there is: hours and trips are paid without it. */
const UNMEASURED: readonly UnitOfMeasure[] = ['Load', 'Hour', 'Mile', 'Kilometer'];

export const counted = (fields: Counted['fields'], ...units: readonly (UnitOfMeasure | null | undefined)[]): Counted => ({
  fields,
  units: units.flatMap((unit) => (unit && !UNMEASURED.includes(unit) ? [unit] : [])),
});

/** What a rate is paid for; the bare type goes before that of the card. */
export const countedRate = (side: RateOwnerType, bare: RateType | null | undefined, ofCard: RateType | null | undefined): Counted => {
  const fields = [`${side}RateType`, `${side}RateId`] as const;
  return counted(bare ? fields : [fields[1], fields[0]], unitOfRate(bare ?? ofCard));
};

/**
 * What cannot be converted into what loads are measured in, else into what the material is priced in. Where neither is known a rate is held
 * against what the truck holds.
 */
export function mismatchesOf({ load, material, capacity, rates }: CountedPlan): Mismatch[] {
  const to = [load, material, capacity].find(({ units }) => units.length > 0);
  if (!to) return [];
  return Object.entries({ material, capacity, ...rates }).flatMap(([name, part]) =>
    part === to || part.units.length === 0 || fits(part, to) ? [] : [{ name: name as Mismatch['name'], part, to }],
  );
}

const fits = (one: Counted, other: Counted): boolean => one.units.some((a) => other.units.some((b) => convertible(a, b)));

/** Of the message: what cannot be converted into what. */
export const wordsOf = ({ part, to }: Mismatch): Record<string, string> => ({ one: part.units.join(', '), other: to.units.join(', ') });
