import type { TierMode } from '../../directory/master-data/rate.entity.ts';
import { computed, type Figure, given, type Source } from './figure.ts';

/** Other rates from a quantity on (BILLING B3 "tiers"). */
export interface Tiers {
  mode: TierMode;
  /** Ascending. Below the first, the rate itself holds. */
  bands: readonly Band[];
}

interface Band {
  /** In the unit of the rate. */
  from: string;
  rate: Figure;
}

/** The quantities of a load that are priced: how much was delivered and billed of it. */
interface Quantities {
  delivered: Figure;
  quantity: Figure;
}

/** A part of a load at the rate of its band. */
export interface TieredPart extends Quantities {
  /** From where on the rate holds; null of the rate itself. */
  from: string | null;
  rate: Figure;
}

/** The quantity that is counted for a load: what was billed before it, and in all. */
export interface Counted {
  before: Figure;
  all: Figure;
}

/**
 * Returns the parts of a load in their bands. By `slab`, each part of it has the rate of its own band; by `volume`, everything has the rate of the band
 * that is reached, from its first unit on.
 */
export function tieredParts({ mode, bands }: Tiers, rate: Figure, load: Quantities, { before, all }: Counted): TieredPart[] {
  if (mode === 'volume') {
    const steps = bands.flatMap((band) => [given('from', band.from, rate.source), band.rate]);
    const reached = bands.findLast(({ from }) => all.value.gte(from));
    return [{ ...load, from: reached?.from ?? null, rate: computed('reached', 'rate of the band', [all, rate, ...steps]) }];
  }
  const parts = [{ from: null, rate }, ...bands].flatMap(({ from, rate }, i): TieredPart[] => {
    const limits = [from ?? '0', ...(bands[i] ? [bands[i].from] : [])].map((limit) => given('limit of the band', limit, rate.source));
    const within = (of: Figure) => computed('band', `${of.label} within the band`, [before, of, ...limits]);
    const quantity = within(load.quantity);
    return quantity.value.isZero() ? [] : [{ from, rate, quantity, delivered: within(load.delivered) }];
  });
  return parts.length > 0 ? parts : [{ ...load, from: null, rate }];
}

/** Returns how much is counted for each of several quantities, in their order. @param source of the work over which is counted */
export function countedOf(quantities: readonly Figure[], source?: Source): Counted[] {
  const sums: Figure['value'][] = [];
  const total = quantities.reduce((sum, { value }) => {
    sums.push(sum);
    return sum.plus(value);
  }, given('nothing', 0).value);
  const all = given('counted in all', total, source);
  return sums.map((sum) => ({ before: given('counted before', sum, source), all }));
}
