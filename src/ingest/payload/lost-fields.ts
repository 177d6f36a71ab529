import type { Warning } from '../importer.ts';

type Payload = Readonly<Record<string, unknown>>;

/** The most names that a warning lists. */
const MOST = 20;

/**
 * Returns a warning of what only older elements of a key had, which the newest of the same request replaces before they are applied; undefined
 * if it has everything. Only names are reported, no values. Lists that every payload replaces as a whole lose nothing by it.
 */
export function lostBy(payload: Payload, older: readonly Payload[]): Warning | undefined {
  const lost = new Set(older.flatMap((one) => fieldsOf(one)));
  for (const field of fieldsOf(payload)) lost.delete(field);
  return lost.size === 0 ? undefined : { code: 'superseded_fields', pointer: '', given: [...lost].slice(0, MOST) };
}

/** Lists that are replaced as a whole, also by their omission, and what has no effect. */
const REPLACED: ReadonlySet<string> = new Set(['foremen', 'collaborators', 'salespeople', 'vendors', 'metadata']);

/** Returns the fields of a payload that say something; of a list of sites the waypoints, of other objects their fields. */
function fieldsOf(payload: Payload): string[] {
  return Object.entries(payload).flatMap(([field, value]): string[] => {
    if (REPLACED.has(field)) return [];
    if (field === 'sites' && Array.isArray(value)) return value.flatMap(waypointOf).map((waypoint) => `sites.${waypoint}`);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [field];
    return Object.keys(value).map((inner) => `${field}.${inner}`);
  });
}

const waypointOf = (site: unknown): string[] => {
  const { waypoint } = (site ?? {}) as { waypoint?: unknown };
  return typeof waypoint === 'string' ? [waypoint] : [];
};
