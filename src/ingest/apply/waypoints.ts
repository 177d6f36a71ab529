import { type PartChanges, type StopRow, writeStops } from '../../dispatch/fields/write-parts.ts';
import { keepStopsOfPast } from '../../dispatch/orders/follow-orders.ts';
import { newId } from '../../platform/ids.ts';
import type { BatchTx } from '../importer.ts';
import { type Matches, warnOfInactive } from '../nested/nested.ts';
import type { SiteDraft } from '../payload/order-draft.ts';
import type { Change } from './change.ts';

/** A route, and the sites that a payload sets on it; with `change` unless the record is new. */
export interface Routed {
  routeId: string;
  sites: SiteDraft[];
  change?: Change;
}
interface Stop {
  id: string;
  type: string;
  ordinality: number;
  site_id: string;
  contact_id: string | null;
}

/**
 * SPEC: sites are matched by waypoint type and the waypoint's id is preserved. If a person moved, added or removed stops of a type, that
 * type is kept.
 */
export async function upsertWaypoints(tx: BatchTx, items: Routed[], matches: Matches): Promise<void> {
  if (items.length === 0) return;
  const known = await stopsOf(
    tx,
    items.map(({ routeId }) => routeId),
  );
  const plan: Plan = { added: [], changed: [], kept: [] };
  for (const item of items) planRoute(item, known.get(item.routeId) ?? [], matches, plan);
  await describeKept(tx, plan.kept);
  // Of projects, which have no jobs, it finds nothing.
  await keepStopsOfPast(
    tx,
    items.flatMap(({ change }) => (change?.audit.waypoints ? [change.known.id] : [])),
  );
  await writeStops(tx, tx.company.id, plan);
}

/** A site that was not taken over because a person changed the stops of its type. */
interface KeptStop {
  change: Change;
  site: SiteDraft;
  stop: Stop | undefined;
}

/** The rows to write. */
interface Plan extends PartChanges<StopRow> {
  kept: KeptStop[];
}

/** Adds to the plan what a payload changes of one route. @param before its stops */
function planRoute({ routeId, sites, change }: Routed, before: readonly Stop[], matches: Matches, plan: Plan): void {
  const after = [...before];
  let next = Math.max(-1, ...before.map(({ ordinality }) => ordinality)) + 1;
  for (const site of sites) {
    const siteId = matches.site(site)!;
    const at = before.findIndex(({ type }) => type === site.waypoint);
    const stop = before[at];
    if ((stop && stop.site_id === siteId) || change?.meetsLock()) continue;
    if (change?.known.edited.hasStop(site.waypoint)) {
      plan.kept.push({ change, site, stop });
      continue;
    }
    if (change) warnOfInactive(change.warnings, 'site', site, matches);
    if (stop) {
      after[at] = { ...stop, site_id: siteId };
      plan.changed.push(after[at]);
    } else {
      const fresh: Stop = { id: newId(), type: site.waypoint, ordinality: next++, site_id: siteId, contact_id: null };
      after.push(fresh);
      plan.added.push({ ...fresh, route_id: routeId });
    }
  }
  if (change && after.some((stop, i) => stop !== before[i])) change.audit.waypoints = [before, after];
}

async function stopsOf(tx: BatchTx, routeIds: string[]): Promise<Map<string, Stop[]>> {
  const rows = await tx.query<Stop & { route_id: string } & Record<string, unknown>>(
    'select route_id, id, type, ordinality, site_id, contact_id from waypoint where route_id = any($1::uuid[]) order by ordinality, id',
    [routeIds],
  );
  const stops = new Map<string, Stop[]>();
  for (const { route_id, id, type, ordinality, site_id, contact_id } of rows)
    stops.set(route_id, [...(stops.get(route_id) ?? []), { id, type, ordinality, site_id, contact_id }]);
  return stops;
}

/** Describes the kept sites as their sender would write them. */
async function describeKept(tx: BatchTx, kept: readonly KeptStop[]): Promise<void> {
  if (kept.length === 0) return;
  const rows = await tx.query<{ id: string; sent: object }>(
    `select s.id, jsonb_strip_nulls(jsonb_build_object('external_id', s.external_id, 'name', s.name)) as sent from site s where s.id = any($1::uuid[])`,
    [kept.flatMap(({ stop }) => stop?.site_id ?? [])],
  );
  const sites = new Map(rows.map(({ id, sent }) => [id, sent]));
  for (const { change, site, stop } of kept)
    change.keep(site.pointer, { used: stop ? { waypoint: site.waypoint, ...sites.get(stop.site_id) } : null });
}
