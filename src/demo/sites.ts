import type { SiteType } from '../directory/sites/site.entity.ts';

/** Twenty real sand, gravel and stone operations around Austin, Texas: MSHA mine data, a work of the US government in the public domain. */
export const SITES: {
  externalId: string;
  name: string;
  siteType: SiteType;
  street: string;
  city: string;
  postalCode: string;
  lat: string;
  lon: string;
}[] = [
  {
    externalId: 'MSHA-4104441',
    name: 'Texas Materials Hergotz Plant',
    siteType: 'Plant',
    street: '8811 Hergotz',
    city: 'Austin',
    postalCode: '78742',
    lat: '30.236969204946',
    lon: '-97.661563196092',
  },
  {
    externalId: 'MSHA-4103909',
    name: 'Garfield Sand & Gravel',
    siteType: 'Quarry',
    street: '3901 Norwood Lane',
    city: 'Del Valle',
    postalCode: '78617',
    lat: '30.193119643627',
    lon: '-97.583047331922',
  },
  {
    externalId: 'MSHA-4104363',
    name: 'Webberville S&G',
    siteType: 'Plant',
    street: '18601 FM 969',
    city: 'Manor',
    postalCode: '78653',
    lat: '30.247701058911',
    lon: '-97.52161615256',
  },
  {
    externalId: 'MSHA-4104963',
    name: 'Texas Materials Garfield Plant',
    siteType: 'Plant',
    street: '5451 E Hwy 71',
    city: 'Del Valle',
    postalCode: '78617',
    lat: '30.180373082765',
    lon: '-97.536387150572',
  },
  {
    externalId: 'MSHA-4105572',
    name: 'Bastrop Plant',
    siteType: 'Plant',
    street: '2150 FM 969',
    city: 'Elgin',
    postalCode: '78621',
    lat: '30.225039902738',
    lon: '-97.466752264061',
  },
  {
    externalId: 'MSHA-4105198',
    name: 'Webberville Plant',
    siteType: 'Plant',
    street: '2016 FM 969',
    city: 'Elgin',
    postalCode: '78621',
    lat: '30.224774046676',
    lon: '-97.465467311539',
  },
  {
    externalId: 'MSHA-4105659',
    name: 'Rambo Materials',
    siteType: 'Plant',
    street: '307 Wilbarger Bend Rd',
    city: 'Bastrop',
    postalCode: '78602',
    lat: '30.175571963355',
    lon: '-97.415580599015',
  },
  {
    externalId: 'MSHA-4105313',
    name: 'Bastrop Sand Supply',
    siteType: 'Quarry',
    street: '534 FM 969',
    city: 'Bastrop',
    postalCode: '78602',
    lat: '30.141738220259',
    lon: '-97.374008534503',
  },
  {
    externalId: 'MSHA-4104380',
    name: 'North Austin Quarry',
    siteType: 'Quarry',
    street: '1701 County Road 147',
    city: 'Georgetown',
    postalCode: '78633',
    lat: '30.737977361753',
    lon: '-97.668640154448',
  },
  {
    externalId: 'MSHA-4105070',
    name: 'Heartland Quarries Pit #1',
    siteType: 'Quarry',
    street: '3788 West FM 487',
    city: 'Jarrell',
    postalCode: '76537',
    lat: '30.807628174103',
    lon: '-97.668258384825',
  },
  {
    externalId: 'MSHA-4105779',
    name: 'Smithville Plant',
    siteType: 'Plant',
    street: '301 FM153',
    city: 'Smithville',
    postalCode: '78957',
    lat: '30.038257622499',
    lon: '-97.15159617088',
  },
  {
    externalId: 'MSHA-4104188',
    name: 'Fairland Granite Gravel Pit',
    siteType: 'Quarry',
    street: '201 CR 121',
    city: 'Marble Falls',
    postalCode: '78654',
    lat: '30.645431868706',
    lon: '-98.284787752518',
  },
  {
    externalId: 'MSHA-4105621',
    name: '1211 Smithville',
    siteType: 'Plant',
    street: '390 N Kirtley Rd',
    city: 'Smithville',
    postalCode: '78957',
    lat: '29.965984835728',
    lon: '-97.103050371868',
  },
  {
    externalId: 'MSHA-4105666',
    name: 'Smithville Aggregates, LLC',
    siteType: 'Quarry',
    street: '927 N Kirtley Rd',
    city: 'Smithville',
    postalCode: '78957',
    lat: '29.969026498914',
    lon: '-97.079782387336',
  },
  {
    externalId: 'MSHA-4104996',
    name: 'Plum Aggregate Operating Company',
    siteType: 'Quarry',
    street: '4150 Williams Rd',
    city: 'West Point',
    postalCode: '78963',
    lat: '29.955814559458',
    lon: '-96.979350573395',
  },
  {
    externalId: 'MSHA-4105622',
    name: 'Lagrange Sand Supply',
    siteType: 'Quarry',
    street: '5715 Old Plum Highway',
    city: 'Lagrange',
    postalCode: '78945',
    lat: '29.928234016447',
    lon: '-96.943783774362',
  },
  {
    externalId: 'MSHA-4105537',
    name: '1159 Academy',
    siteType: 'Plant',
    street: '2201 Wilson Valley Rd',
    city: 'Little River Academy',
    postalCode: '76554',
    lat: '30.976489834932',
    lon: '-97.372371166494',
  },
  {
    externalId: 'MSHA-4104830',
    name: 'Hilliard Dozer, LP',
    siteType: 'Plant',
    street: "12495 Reed's Lake Loop",
    city: 'Temple',
    postalCode: '76501',
    lat: '30.962583622973',
    lon: '-97.318128118792',
  },
  {
    externalId: 'MSHA-4104108',
    name: 'Smithson Valley Quarry',
    siteType: 'Quarry',
    street: '29590 Smithson Valley Rd',
    city: 'San Antonio',
    postalCode: '78261',
    lat: '29.736545159128',
    lon: '-98.403214051397',
  },
  {
    externalId: 'MSHA-4103937',
    name: 'Blankenburg Pit',
    siteType: 'Quarry',
    street: '2004 FM 609',
    city: 'La Grange',
    postalCode: '78945',
    lat: '29.88159365461',
    lon: '-96.923941837223',
  },
];

/**
 * The hauls of the demo's orders, from one of these sites to another: those whose way of 15 to 27 km a truck drives in the minutes of `history.ts`
 * at 30 to 80 km/h. Some sites are too far from all others for that.
 */
export const HAULS: readonly (readonly [pickup: string, dropoff: string])[] = [
  // Bastrop Plant to the Hergotz plant, by FM 969 and FM 973.
  ['MSHA-4105572', 'MSHA-4104441'],
  // Garfield Sand & Gravel to Bastrop Plant: the nearest bridge over the Colorado is that of FM 973.
  ['MSHA-4103909', 'MSHA-4105572'],
  // Plum and La Grange to Smithville, by SH 71.
  ['MSHA-4104996', 'MSHA-4105779'],
  ['MSHA-4105622', 'MSHA-4105621'],
  // Bastrop Sand Supply to Webberville and to Smithville.
  ['MSHA-4105313', 'MSHA-4104363'],
  ['MSHA-4105313', 'MSHA-4105779'],
  // Blankenburg Pit to Smithville, by FM 609 and SH 71.
  ['MSHA-4103937', 'MSHA-4105621'],
  // The Garfield plant to the Hergotz plant, by SH 71.
  ['MSHA-4104963', 'MSHA-4104441'],
  // Heartland Quarries to the quarry at Georgetown, by I-35.
  ['MSHA-4105070', 'MSHA-4104380'],
  // Blankenburg Pit to Plum.
  ['MSHA-4103937', 'MSHA-4104996'],
  // Bastrop Sand Supply to the Garfield plant, by FM 969 and SH 71.
  ['MSHA-4105313', 'MSHA-4104963'],
  // Webberville to the Hergotz plant, the same way.
  ['MSHA-4104363', 'MSHA-4104441'],
];
