import { UnitOfMeasure } from '../../directory/master-data/units.ts';
import { normalize } from '../../platform/normalize.ts';

/**
 * The spellings of units by senders: DOMAIN section 5 "Unit normalisation table", further spellings that can mean nothing else, and the codes of
 * UN/CEFACT (Recommendation 20), which ERPs write, in the languages of the product. Lower case, without accents, dots, blanks, signs and the s of plurals.
 */
const SPELLINGS: Record<string, UnitOfMeasure> = {
  t: 'Ton',
  ton: 'Ton',
  tn: 'Ton',
  shortton: 'Ton',
  shton: 'Ton',
  shtn: 'Ton',
  ston: 'Ton',
  tonne: 'Tonne',
  mt: 'Tonne',
  metricton: 'Tonne',
  metrictonne: 'Tonne',
  tne: 'Tonne',
  // As SAP writes it, and as Quebec does.
  to: 'Tonne',
  tm: 'Tonne',
  tonnemetrique: 'Tonne',
  tonnesmetrique: 'Tonne',
  yd: 'Yard',
  cy: 'Yard',
  cuyd: 'Yard',
  yard: 'Yard',
  yd3: 'Yard',
  yds3: 'Yard',
  yard3: 'Yard',
  yards3: 'Yard',
  cyd: 'Yard',
  cyard: 'Yard',
  cuyard: 'Yard',
  cubicyd: 'Yard',
  cubicyard: 'Yard',
  cubyd: 'Yard',
  cubyard: 'Yard',
  ydcu: 'Yard',
  ydq: 'Yard',
  yrd: 'Yard',
  cuyrd: 'Yard',
  cubicyrd: 'Yard',
  y3: 'Yard',
  bcy: 'Yard',
  lcy: 'Yard',
  bankcubicyard: 'Yard',
  loosecubicyard: 'Yard',
  verge: 'Yard',
  vergecube: 'Yard',
  vergescube: 'Yard',
  vg3: 'Yard',
  yarda: 'Yard',
  yardacubica: 'Yard',
  yardascubica: 'Yard',
  ea: 'Load',
  each: 'Load',
  load: 'Load',
  ld: 'Load',
  voyage: 'Load',
  viaje: 'Load',
  h: 'Hour',
  heure: 'Hour',
  hora: 'Hour',
  hr: 'Hour',
  hour: 'Hour',
  hur: 'Hour',
  gal: 'Gallon',
  gll: 'Gallon',
  bbl: 'Barrel',
  bll: 'Barrel',
  m3: 'CubicMeter',
  mtq: 'CubicMeter',
  cubicmetre: 'CubicMeter',
  metre: 'Meter',
  ft: 'Foot',
  feet: 'Foot',
  litre: 'Liter',
  ltr: 'Liter',
  mi: 'Mile',
  smi: 'Mile',
  km: 'Kilometer',
  kmt: 'Kilometer',
  kilometre: 'Kilometer',
  bu: 'Bushel',
  bua: 'Bushel',
};
for (const unit of Object.keys(UnitOfMeasure) as UnitOfMeasure[]) SPELLINGS[unit.toLowerCase()] ??= unit;

/** A unit of the contract, and how many of it one of the sent unit is. */
export interface Measure {
  unit: UnitOfMeasure;
  /** Decimal text; undefined for a unit of the contract. */
  factor?: string;
}

/** Units that the contract does not have, in units that it has. A ton has 2,000 pounds, a long ton 2,240. */
const CONVERTED: Record<string, Measure> = {
  ...spelt(['lb', 'lbm', 'lbr', 'pound', '#'], { unit: 'Ton', factor: '0.0005' }),
  ...spelt(['cwt', 'cwa', 'hundredweight'], { unit: 'Ton', factor: '0.05' }),
  ...spelt(['st', 'stn', 'uston', 'nett', 'netton'], { unit: 'Ton', factor: '1' }),
  ...spelt(['longton', 'longtn', 'lt', 'ltn', 'lton', 'imperialton', 'ukton', 'grosston'], { unit: 'Ton', factor: '1.12' }),
  ...spelt(['kg', 'kgm', 'kilo', 'kilogram', 'kilogramme'], { unit: 'Tonne', factor: '0.001' }),
};

function spelt(spellings: readonly string[], measure: Measure): Record<string, Measure> {
  return Object.fromEntries(spellings.map((spelling) => [spelling, measure]));
}

/** Returns the unit that a text means, with the factor if it has to be converted; undefined for an unknown one. */
export function unitNamed(text: string): Measure | undefined {
  // `Cu. Yds`, `m³`, `yd^3`, `METRIC_TON`, `cubic metre` and `tonne métrique` are one word each.
  const plain = normalize(text, 'NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[.\s_^/()-]/g, '')
    .replaceAll('³', '3');
  const known = (spelling: string): Measure | undefined => {
    if (Object.hasOwn(SPELLINGS, spelling)) return { unit: SPELLINGS[spelling]! };
    return Object.hasOwn(CONVERTED, spelling) ? CONVERTED[spelling] : undefined;
  };
  return known(plain) ?? known(plain.replace(/s$/, '')) ?? known(plain.replace(/s(?=3$)/, ''));
}
