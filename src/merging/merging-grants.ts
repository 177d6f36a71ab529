import type { Grants, Privilege } from '../platform/database/scope.ts';
import { EARLIER, REFERENCES, type Reference } from './references.ts';

/** Tables whose rows have a version, and those that only have the time of their last change: a row that is moved was changed. */
const VERSIONED = new Set(['billing_profile', 'driver_day', 'job', 'load', 'orders', 'project', 'ticket']);
const UNTIMED = new Set([
  'waiting_ticket',
  'merged_record',
  'location_history',
  'position_task',
  'import_batch',
  'bulk_action_item',
  'bulk_action',
]);

/** The tables of what goes by a route, whose stops may be moved: an order is locked before its jobs and loads. */
export const BY_ROUTE = ['project', 'orders', 'job', 'load'] as const;
export type ByRoute = (typeof BY_ROUTE)[number];

/** Returns the columns that are set of a row that is moved, in addition to the reference. */
export function bumpOf({ table, does, quietly }: Reference): string[] {
  if (does === 'stays' || quietly || UNTIMED.has(table)) return [];
  return [...(VERSIONED.has(table) ? ['version'] : []), 'updated_at'];
}

export const keyOf = ({ key = 'id' }: Reference): string => key;
export const placeOf = ({ table, column }: Reference): string => `${table}.${column}`;

/** The rights of whoever merges: the references, what decides whether a row may move, and nothing else of the tables. */
export function mergingGrants(): Grants {
  const reads = new Map<string, Set<string>>();
  const writes = new Map<string, Set<string>>();
  const add = (to: Map<string, Set<string>>, table: string, columns: readonly string[]) =>
    to.set(table, new Set([...(to.get(table) ?? []), ...columns]));
  for (const reference of [...Object.values(REFERENCES).flat(), EARLIER]) {
    const { table, column, does, kind, taken, pages, apart } = reference;
    const bumped = bumpOf(reference);
    const known = does === 'moves' ? [keyOf(reference)] : [];
    add(reads, table, [
      column,
      ...known,
      ...(kind ? [kind[0]] : []),
      ...(taken?.columns ?? []),
      ...(pages ? Object.values(pages) : []),
      ...bumped,
    ]);
    add(writes, table, [column, ...(apart ? [apart] : []), ...bumped]);
  }
  add(writes, 'driver_state_event', ['ended_at']);
  // The shares on which others hang, and what is said of those that have ended.
  for (const to of [reads, writes]) add(to, 'company_share', ['parent_company_share_id', 'name_at_end']);
  // The companies of tickets, to continue their histories.
  add(reads, 'ticket', ['company_id']);
  // What changes because its stops do.
  for (const table of ['waypoint', ...BY_ROUTE]) add(reads, table, ['route_id', 'company_id']);
  for (const table of BY_ROUTE) for (const to of [reads, writes]) add(to, table, ['version', 'updated_at']);
  for (const table of BY_ROUTE) add(reads, table, ['id']);
  const named = (columns: Set<string>) => [...columns].join(', ');
  return Object.fromEntries(
    [...reads].map(([table, read]): [string, Privilege[]] => [table, [`select (${named(read)})`, `update (${named(writes.get(table)!)})`]]),
  );
}
