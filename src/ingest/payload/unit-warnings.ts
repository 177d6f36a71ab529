import type { RateType, UnitOfMeasure } from '../../directory/master-data/units.ts';
import { counted, countedRate, mismatchesOf } from '../../dispatch/checks/unit-mismatch.ts';
import type { RootColumns } from './order-draft.ts';
import type { PayloadReader } from './payload-reader.ts';

/**
 * Adds warnings for units of a payload that do not convert. The record is created all the same: SPEC turns an unknown unit into Ton, and a
 * sender must not lose orders because of it. Forms refuse such units (DOMAIN 8.13).
 * @param load the fields that set the unit of loads, the deciding one first
 */
export function warnOfUnits(reader: PayloadReader, root: RootColumns, load: readonly string[]): void {
  const unit = (field: string) => root[field] as UnitOfMeasure | null | undefined;
  const rate = (side: 'customer' | 'vendor' | 'driver') =>
    countedRate(side, root[`${side}_rate_type`] as RateType | null | undefined, null);
  const measured = load.find((field) => unit(field)) ?? load[0]!;
  const plan = {
    load: counted([measured], unit(measured)),
    material: counted(['material_rate_unit_of_measure'], unit('material_rate_unit_of_measure')),
    capacity: counted(['equipment_type_gross_capacity_unit_of_measure'], unit('equipment_type_gross_capacity_unit_of_measure')),
    rates: { customer: rate('customer'), vendor: rate('vendor'), driver: rate('driver') },
  };
  for (const { name, part, to } of mismatchesOf(plan)) {
    const field = name === 'material' || name === 'capacity' ? part.fields[0] : `${name}_rate_type`;
    reader.warn('unit_mismatch', `/${field}`, root[field], to.units[0]);
  }
}
