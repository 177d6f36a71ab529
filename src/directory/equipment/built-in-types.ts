import { ref } from '@mikro-orm/core';
import { Decimal, decimalText } from '../../platform/decimal.ts';
import type { Company } from '../companies/company.entity.ts';
import { EquipmentType } from './equipment-type.entity.ts';

/** Kinds of dump trucks, and what one usually carries: short tons of aggregate, or cubic yards heaped. */
const KINDS = [
  { name: 'Tandem dump', tons: 14, yards: 10 },
  { name: 'Tri-axle dump', tons: 18, yards: 14 },
  { name: 'Quad-axle dump', tons: 21, yards: 16 },
  { name: 'Super dump', tons: 26, yards: 18 },
  { name: 'End dump', tons: 23, yards: 20 },
  { name: 'Belly dump', tons: 24, yards: 17 },
  { name: 'Side dump', tons: 25, yards: 18 },
  { name: 'Transfer dump', tons: 26, yards: 20 },
] as const;

/** Of a short ton and a cubic yard (DOMAIN 3.4). */
const METRIC = { Tonne: 0.90718474, CubicMeter: 0.764554858 };

/**
 * The kinds of trucks that a new company begins with, so that its first truck has a kind and its first order a capacity. Counted as the
 * company counts, metric or not; both can be changed, the names not. Not persisted yet.
 */
export function builtInTypes(company: Company): EquipmentType[] {
  const metric = company.systemOfMeasure === 'metric';
  return KINDS.map(({ name, tons, yards }) => {
    const weight = new Decimal(metric ? tons * METRIC.Tonne : tons).toDecimalPlaces(1);
    const volume = new Decimal(metric ? yards * METRIC.CubicMeter : yards).toDecimalPlaces(1);
    return Object.assign(new EquipmentType(), {
      company: ref(company),
      name,
      system: true,
      grossCapacity: weight,
      grossCapacityUnitOfMeasure: metric ? ('Tonne' as const) : ('Ton' as const),
      additionalGrossCapacities: [{ capacity: decimalText(volume), unitOfMeasure: metric ? ('CubicMeter' as const) : ('Yard' as const) }],
    });
  });
}
