import type { TxContext } from '../platform/commands/transact.ts';
import { runAsPurpose } from '../platform/database/scope.ts';
import { queryIn } from '../platform/database/sql.ts';
import { BY_ROUTE, type ByRoute } from './merging-grants.ts';
import { MERGING, PAGE } from './moves.ts';

const STOPS = 'from waypoint w where w.id = any($1::uuid[]) and w.site_id = any($2::uuid[])';
/** Orders and projects have no index of their routes: those of the companies whose stops these are. */
const FOUND_BY_ROUTE: readonly ByRoute[] = ['job', 'load'];
const ofTheirCompanies = (table: ByRoute): string =>
  FOUND_BY_ROUTE.includes(table) ? '' : ` and r.company_id = any(array(select distinct w.company_id ${STOPS}))`;

/**
 * Has everything that goes by stops change with them, as it does when somebody changes the stops of an order (D-DISPATCH-220): a stop is a row that an order shares
 * with its jobs and loads, which are no other rows because of it, so that neither the feed nor whoever polls would learn that they show another site.
 * @param stops stops that a merge has moved, or its undo
 * @param sites the sites that they name now; of a stop that names another one nothing was changed
 */
export async function changeWithStops(tx: TxContext, stops: readonly string[], sites: readonly string[]): Promise<void> {
  if (stops.length === 0) return;
  const ask = <R extends object>(sql: string, values: unknown[]) => runAsPurpose(MERGING, () => queryIn<R>(tx.em, sql, values));
  for (const table of BY_ROUTE) {
    const found = await ask<{ id: string }>(
      `select r.id from ${table} r where r.route_id in (select w.route_id ${STOPS})${ofTheirCompanies(table)} order by r.id`,
      [stops, sites],
    );
    for (let at = 0; at < found.length; at += PAGE)
      await ask(`update ${table} r set version = r.version + 1, updated_at = present_time() where r.id = any($1::uuid[])`, [
        found.slice(at, at + PAGE).map(({ id }) => id),
      ]);
  }
}
