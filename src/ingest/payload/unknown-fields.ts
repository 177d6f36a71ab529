import { isObject } from '../../platform/json/objects.ts';
import type { Warning } from '../importer.ts';
import type { RootFields } from './payload-reader.ts';
import { CONTACTS } from './read-people.ts';

/** The most names in one warning, and the most characters of each. */
const REPORTED = 20;
const LONGEST = 80;

const NAMED = ['external_id', 'name'];
const PERSON = ['external_id', 'name', 'first_name', 'last_name', 'email', 'phone'];
const SITE = ['waypoint', 'external_id', 'name', 'full_address', 'lat', 'lon', 'site_type'];

/** The fields of objects inside a payload, by the field that contains the object or a list of them. */
const NESTED: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries<readonly string[]>({
    customer: NAMED,
    vendor: NAMED,
    vendors: NAMED,
    supplier: NAMED,
    material: NAMED,
    materials: [...NAMED, 'total_quantity', 'unit_of_measure'],
    equipment_type: NAMED,
    dispatch_number: ['name'],
    // A ticket finds its site by name or id alone. A sender who sends all fields of an order's site misspells nothing.
    site: SITE,
    sites: SITE,
    phases: ['name', 'code', 'primary'],
    foremen: PERSON,
    collaborators: PERSON,
    salespeople: PERSON,
    ...Object.fromEntries(CONTACTS.map((contact) => [contact, ['name', 'email', 'phone']])),
  }).map(([field, names]) => [field, new Set(names)]),
);

/**
 * Adds warnings for unknown fields of a payload, because a misspelt one would otherwise be lost silently. There is one warning for the
 * payload itself, and one for each field whose object, or list of objects, has unknown fields; the items of a list are usually misspelt
 * alike.
 */
export function warnOfUnknownFields(payload: Readonly<Record<string, unknown>>, known: ReadonlySet<string>, warnings: Warning[]): void {
  warnOf(warnings, '', [payload], known);
  for (const [field, value] of Object.entries(payload)) {
    const names = known.has(field) ? NESTED.get(field) : undefined;
    if (names) warnOf(warnings, `/${field}`, (Array.isArray(value) ? value : [value]).filter(isObject), names);
  }
}

function warnOf(warnings: Warning[], pointer: string, objects: readonly object[], known: ReadonlySet<string>): void {
  const unknown = objects.flatMap((one) => Object.keys(one).filter((name) => !known.has(name)));
  if (unknown.length === 0) return;
  const given = [...new Set(unknown)].slice(0, REPORTED).map((name) => name.slice(0, LONGEST).toWellFormed());
  warnings.push({ code: 'unknown_fields', pointer, given });
}

/** Returns the fields of a payload: those of its root by kind, the contacts that every kind has, and its own. */
export function fieldsOf(root: RootFields, own: readonly string[]): ReadonlySet<string> {
  const { texts, decimals, wholes, flags, units, choices } = root;
  return new Set([...own, ...CONTACTS, ...texts, ...decimals, ...wholes, ...flags, ...units, ...Object.keys(choices)]);
}
