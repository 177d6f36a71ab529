import { UnitOfMeasure } from '../../directory/master-data/units.ts';

/**
 * How senders spell units: DOMAIN section 5 "Unit normalisation table", and further spellings that never mean a ton. Lower case, without
 * dots, blanks, signs and the s of plurals.
 */
const SPELLINGS: Record<string, UnitOfMeasure> = {
  t: 'Ton',
  ton: 'Ton',
  tn: 'Ton',
  shortton: 'Ton',
  tonne: 'Tonne',
  mt: 'Tonne',
  metricton: 'Tonne',
  metrictonne: 'Tonne',
  yd: 'Yard',
  cy: 'Yard',
  cuyd: 'Yard',
  yard: 'Yard',
  yd3: 'Yard',
  yds3: 'Yard',
  cyd: 'Yard',
  cubicyard: 'Yard',
  ea: 'Load',
  each: 'Load',
  load: 'Load',
  hr: 'Hour',
  hour: 'Hour',
  gal: 'Gallon',
  bbl: 'Barrel',
  m3: 'CubicMeter',
  cubicmetre: 'CubicMeter',
  metre: 'Meter',
  ft: 'Foot',
  feet: 'Foot',
  litre: 'Liter',
  mi: 'Mile',
  km: 'Kilometer',
  kilometre: 'Kilometer',
};
for (const unit of Object.keys(UnitOfMeasure) as UnitOfMeasure[]) SPELLINGS[unit.toLowerCase()] ??= unit;

/** Returns the unit that a text means; undefined for an unknown one. */
export function unitNamed(text: string): UnitOfMeasure | undefined {
  // `Cu. Yds`, `m³`, `METRIC_TON` and `cubic metre` are one word each.
  const plain = text
    .toLowerCase()
    .replace(/[.\s_^-]/g, '')
    .replaceAll('³', '3');
  const known = (spelling: string) => (Object.hasOwn(SPELLINGS, spelling) ? SPELLINGS[spelling] : undefined);
  return known(plain) ?? known(plain.replace(/s$/, ''));
}
