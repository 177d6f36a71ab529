import { normalize } from '../../platform/normalize.ts';

/** True for an ISO 3166-1 alpha-2 code that is assigned. */
export const isCountry = (code: string): boolean => COUNTRIES.has(code);

/**
 * An administrative area as ISO 3166-2 writes it without its country: `TX` for `tx`, `US-TX` and `Texas`. For countries whose areas we do
 * not know, the text stays as it was written.
 * @returns undefined for an area that a country we know does not have
 */
export function areaOf(country: string, written: string): string | undefined {
  const areas = AREAS[country];
  const text = written.trim();
  if (!areas) return text;
  return areas.get(keyOf(text.replace(new RegExp(`^${country}-`, 'i'), '')));
}

/** Without regard to case, accents and dots: "Québec" and "quebec" are one province, "D.C." is DC. */
const keyOf = (text: string): string =>
  normalize(text, 'NFD')
    .replace(/[\u0300-\u036f.]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();

/** ISO 3166-1, alpha-2, as of 2025. */
const COUNTRIES = new Set(
  (
    'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
    'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR ' +
    'GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP ' +
    'KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ ' +
    'NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW ' +
    'SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ ' +
    'UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'
  ).split(' '),
);

const tableOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split(',').flatMap((entry) => {
      const [code, ...names] = entry.trim().split('=') as [string, ...string[]];
      return [code, ...names].map((name) => [keyOf(name), code] as const);
    }),
  );

/** ISO 3166-2 of the countries we haul in: code, and the names people write. */
const AREAS: Record<string, ReadonlyMap<string, string> | undefined> = {
  US: tableOf(
    `AL=Alabama, AK=Alaska, AZ=Arizona, AR=Arkansas, CA=California, CO=Colorado, CT=Connecticut, DE=Delaware, FL=Florida, GA=Georgia,
    HI=Hawaii, ID=Idaho, IL=Illinois, IN=Indiana, IA=Iowa, KS=Kansas, KY=Kentucky, LA=Louisiana, ME=Maine, MD=Maryland, MA=Massachusetts,
    MI=Michigan, MN=Minnesota, MS=Mississippi, MO=Missouri, MT=Montana, NE=Nebraska, NV=Nevada, NH=New Hampshire, NJ=New Jersey,
    NM=New Mexico, NY=New York, NC=North Carolina, ND=North Dakota, OH=Ohio, OK=Oklahoma, OR=Oregon, PA=Pennsylvania, RI=Rhode Island,
    SC=South Carolina, SD=South Dakota, TN=Tennessee, TX=Texas, UT=Utah, VT=Vermont, VA=Virginia, WA=Washington, WV=West Virginia,
    WI=Wisconsin, WY=Wyoming, DC=District of Columbia, AS=American Samoa, GU=Guam, MP=Northern Mariana Islands, PR=Puerto Rico,
    UM=United States Minor Outlying Islands, VI=Virgin Islands=US Virgin Islands`,
  ),
  CA: tableOf(
    `AB=Alberta, BC=British Columbia, MB=Manitoba, NB=New Brunswick, NL=Newfoundland and Labrador=Newfoundland, NS=Nova Scotia,
    NT=Northwest Territories, NU=Nunavut, ON=Ontario, PE=Prince Edward Island, QC=Quebec, SK=Saskatchewan, YT=Yukon,
    NB=Nouveau-Brunswick, NL=Terre-Neuve-et-Labrador, NS=Nouvelle-Écosse, PE=Île-du-Prince-Édouard, BC=Colombie-Britannique,
    NT=Territoires du Nord-Ouest`,
  ),
  MX: tableOf(
    `AGU=Aguascalientes, BCN=Baja California, BCS=Baja California Sur, CAM=Campeche, CHP=Chiapas, CHH=Chihuahua,
    CMX=Ciudad de México=Mexico City, COA=Coahuila=Coahuila de Zaragoza, COL=Colima, DUR=Durango, GUA=Guanajuato, GRO=Guerrero,
    HID=Hidalgo, JAL=Jalisco, MEX=México=Estado de México, MIC=Michoacán=Michoacán de Ocampo, MOR=Morelos, NAY=Nayarit, NLE=Nuevo León,
    OAX=Oaxaca, PUE=Puebla, QUE=Querétaro, ROO=Quintana Roo, SLP=San Luis Potosí, SIN=Sinaloa, SON=Sonora, TAB=Tabasco, TAM=Tamaulipas,
    TLA=Tlaxcala, VER=Veracruz=Veracruz de Ignacio de la Llave, YUC=Yucatán, ZAC=Zacatecas`,
  ),
};
