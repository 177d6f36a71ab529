import type { Project } from '../../dispatch/model/project.entity.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import type { List } from '../../platform/read/lists.ts';
import type { Where } from '../../platform/read/run.ts';

/**
 * SQL of when ticket `t` was served, in the words of `ticket_served_idx`. Below row-level security PostgreSQL uses no index for `coalesce`, which it does not know to be leakproof.
 */
export const servedSql = (t: string): string => `(case when ${t}.service_date is null then ${t}.created_at else ${t}.service_date end)`;

/**
 * SQL of the ids of the tickets that are on a page of a project's, and of some more that were served at its first and last moment. `p` has the project, its company, a moment at which
 * the page begins, how many are on it, and two moments more, of which that counts at which it begins last. The page ends when one more than these was served: of many orders, when so many had their next one; of fewer, in a page of each.
 * Each order is asked twice, for its next ticket and for those of the page, and nothing is asked of all tickets.
 */
const idsNear = (p: string, back: boolean): string => {
  const [project, company, limit] = [`(${p})[1]::uuid`, `(${p})[2]::uuid`, `(${p})[4]::int`];
  const begins = `${back ? 'least' : 'greatest'}((${p})[3]::timestamptz, (${p})[5]::timestamptz, (${p})[6]::timestamptz)`;
  const [way, isBehind, from, to] = back ? [' desc', '<', '<=', '>='] : ['', '>', '>=', '<='];
  const nextOf = (
    work: string,
    most: string,
  ) => `(select ${servedSql('k')} as served from ticket k where k.order_id = ${work} and k.company_id = ${company}
    and ${servedSql('k')} ${isBehind} ${begins} order by ${servedSql('k')}${way} limit ${most})`;
  return `with works as materialized (select o.id from orders o where o.project_id = ${project}),
    next as materialized (select w.id, f.served from works w cross join lateral ${nextOf('w.id', '1')} f),
    page as materialized (select coalesce(case when (select count(*) from next) > ${limit}
      then (select n.served from next n order by n.served${way} offset ${limit} limit 1)
      else (select f.served from next n cross join lateral ${nextOf('n.id', `${limit} + 1`)} f order by f.served${way} offset ${limit} limit 1)
      end, '${back ? '-' : ''}infinity') as ends)
    select f.id from page cross join works w cross join lateral (select k.id from ticket k where k.order_id = w.id and k.company_id = ${company}
      and ${servedSql('k')} ${from} ${begins} and ${servedSql('k')} ${to} page.ends offset 0) f`;
};

/**
 * The condition by which a page of a project's tickets is found: sorted, there may be hundreds of thousands. It is judged by tickets that are surely on the list, so that what it finds may be
 * more than the page and never less.
 * @param filter between which moments everything on the list was served
 */
export function nearPage(ctx: Context, project: Project, list: List, { from, to }: Record<'from' | 'to', Date | undefined>): Where[] {
  const { after, stop, backward: back, limit } = list;
  const { companyIds, ownRecordsOnly, siteIds } = viewerOf(ctx);
  const companyId = project.company.id;
  if (ownRecordsOnly || siteIds || !companyIds.includes(companyId)) return [];
  // Backward, a page ends where another one begins, and before a row that the client names. A cursor may be of a list with another first or last day.
  const [first, second, third] = (
    back
      ? [stop?.keys[0], to?.toISOString(), after?.backward ? after.keys[0] : undefined]
      : [after?.keys[0], from?.toISOString(), undefined]
  ).map((moment) => moment ?? (back ? 'infinity' : '-infinity'));
  return [
    {
      key: back ? 'nearPageBack' : 'nearPage',
      sql: (t, p) => `${t}.id = any(array(${idsNear(p, back)}))`,
      cast: 'text[]',
      value: [project.id, companyId, first, String(limit), second, third],
    },
  ];
}
