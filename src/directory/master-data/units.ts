import { stringEnum } from '../../platform/model/columns.ts';

/** SPEC "Shared enumerations". */
export const UnitOfMeasure = stringEnum('UnitOfMeasure', [
  'Load',
  'Tonne',
  'Ton',
  'Yard',
  'Meter',
  'Foot',
  'Liter',
  'Hour',
  'Bushel',
  'Gallon',
  'CubicMeter',
  'Mile',
  'Kilometer',
  'Barrel',
  'Bag',
  'Pallet',
]);
export type UnitOfMeasure = keyof typeof UnitOfMeasure;

export const RateType = stringEnum('RateType', [
  'RatePerHour',
  'RatePerDay',
  'RatePerLoad',
  'RatePerTon',
  'RatePerTonne',
  'RatePerYard',
  'RatePerBushel',
  'RateCommission',
  'RateFlatCommission',
  'RateFlatRate',
]);
export type RateType = keyof typeof RateType;
