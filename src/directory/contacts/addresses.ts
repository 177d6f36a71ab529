import type { EntityManager } from '@mikro-orm/postgresql';
import type { ErrorCollector } from '../../platform/errors.ts';
import { Address } from './address.entity.ts';
import type { CreateAddressInput, UpdateAddressInput } from './address.inputs.ts';
import { areaOf, isCountry } from './countries.ts';

/** The required fields of an address. */
const REQUIRED = ['thoroughfare', 'locality', 'administrativeArea', 'postalCode', 'country'] as const;
const OPTIONAL = ['premise', 'placeId'] as const;
const DEGREES = ['lat', 'lon'] as const;

/** Returns a new address of a company, and collects what is missing or wrong. */
export function makeAddress(
  em: EntityManager,
  companyId: string,
  input: CreateAddressInput | UpdateAddressInput,
  field: string,
  to: ErrorCollector,
): Address {
  const address = Object.assign(new Address(), { companyId });
  for (const name of REQUIRED)
    if (input[name] === undefined) to.items.push({ model: to.model, field: `${field}.${name}`, key: 'required' });
  changeAddress(address, input, field, to);
  em.persist(address);
  return address;
}

/** Changes the fields of an address that are sent; absent fields are kept, null and blanks clear optional ones. */
export function changeAddress(address: Address, input: CreateAddressInput | UpdateAddressInput, field: string, to: ErrorCollector): void {
  for (const name of REQUIRED) {
    const given = input[name];
    if (given === null || given?.trim() === '') to.items.push({ model: to.model, field: `${field}.${name}`, key: 'required' });
    else if (given !== undefined) address[name] = given.trim();
  }
  for (const name of OPTIONAL) if (input[name] !== undefined) address[name] = input[name]?.trim() || null;
  for (const name of DEGREES) if (input[name] !== undefined) address[name] = input[name];
  if (Boolean(address.lat) !== Boolean(address.lon))
    to.items.push({ model: to.model, field: `${field}.${address.lat ? 'lon' : 'lat'}`, key: 'one_coordinate' });
  if (input.country || input.administrativeArea) keepToCountry(address, field, to);
}

/** An address in one line, as it is written on an envelope. */
export function addressLine({ thoroughfare, premise, locality, administrativeArea, postalCode, country }: Address): string {
  const area = [administrativeArea, postalCode].filter(Boolean).join(' ');
  return [thoroughfare, premise, locality, area, country].filter(Boolean).join(', ');
}

function keepToCountry(address: Address, field: string, to: ErrorCollector): void {
  const { country, administrativeArea } = address;
  if (!country) return;
  const report = (name: string, key: string) => to.items.push({ model: to.model, field: `${field}.${name}`, key });
  if (!/^[A-Z]{2}$/.test(country)) report('country', 'invalid_country');
  else if (!isCountry(country)) report('country', 'unknown_country');
  else if (administrativeArea) {
    const area = areaOf(country, administrativeArea);
    if (area === undefined) report('administrativeArea', `not_an_area_${country.toLowerCase()}`);
    else address.administrativeArea = area;
  }
}
