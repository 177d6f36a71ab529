import { UnitOfMeasure } from '../../directory/units.ts';

/** What senders write for a unit (DOMAIN section 5 "Unit normalisation table"); lower case, dots and plural s stripped. */
const SPELLINGS: Record<string, UnitOfMeasure> = {
  t: 'Ton',
  ton: 'Ton',
  tn: 'Ton',
  'short ton': 'Ton',
  tonne: 'Tonne',
  mt: 'Tonne',
  'metric ton': 'Tonne',
  yd: 'Yard',
  cy: 'Yard',
  cuyd: 'Yard',
  yard: 'Yard',
  ea: 'Load',
  load: 'Load',
  hr: 'Hour',
  hour: 'Hour',
  gal: 'Gallon',
  bbl: 'Barrel',
  m3: 'CubicMeter',
};
for (const unit of Object.keys(UnitOfMeasure) as UnitOfMeasure[]) SPELLINGS[unit.toLowerCase()] ??= unit;

/** The unit a text means; undefined when it is none we know. */
export function unitNamed(text: string): UnitOfMeasure | undefined {
  const plain = text.trim().toLowerCase().replaceAll('.', '');
  return SPELLINGS[plain] ?? SPELLINGS[plain.replace(/s$/, '')];
}
