import { insertRows } from '../platform/database/sql.ts';
import { newId } from '../platform/ids.ts';
import type { BatchTx } from './importer.ts';
import { type Matches } from './orders/match.ts';
import type { SiteDraft } from './orders/order-draft.ts';

/** A route, and the sites a payload wants on it. */
export interface Routed {
  routeId: string;
  sites: SiteDraft[];
}

/** SPEC: sites are matched by waypoint type and the waypoint's id is preserved. @returns routes whose sites changed */
export async function upsertWaypoints(tx: BatchTx, items: Routed[], matches: Matches): Promise<Set<string>> {
  if (items.length === 0) return new Set();
  const known = await tx.query<{ id: string; route_id: string; type: string; site_id: string; ordinality: number }>(
    'select id, route_id, type, site_id, ordinality from waypoint where route_id = any($1::uuid[]) order by ordinality',
    [items.map((item) => item.routeId)],
  );
  const moved: { id: string; site_id: string }[] = [];
  const added: object[] = [];
  const touched = new Set<string>();
  for (const { routeId, sites } of items) {
    const own = known.filter((waypoint) => waypoint.route_id === routeId);
    let next = Math.max(-1, ...own.map((waypoint) => waypoint.ordinality)) + 1;
    for (const site of sites) {
      const siteId = matches.site(site)!;
      const waypoint = own.find((one) => one.type === site.waypoint);
      if (waypoint?.site_id === siteId) continue;
      touched.add(routeId);
      if (waypoint) moved.push({ id: waypoint.id, site_id: siteId });
      else
        added.push({
          id: newId(),
          company_id: tx.company.id,
          route_id: routeId,
          type: site.waypoint,
          ordinality: next++,
          site_id: siteId,
          created_at: tx.now,
          updated_at: tx.now,
        });
    }
  }
  if (moved.length > 0) {
    await tx.query(
      'update waypoint w set site_id = r.site_id, updated_at = $2 from jsonb_to_recordset($1::jsonb) r(id uuid, site_id uuid) where w.id = r.id',
      [JSON.stringify(moved), tx.now],
    );
  }
  await insertRows(tx.em, 'waypoint', added);
  return touched;
}
