import type { Project } from '../../dispatch/model/project.entity.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { queryOf } from '../../platform/database/sql.ts';
import type { List } from '../../platform/read/lists.ts';
import type { Where } from '../../platform/read/run.ts';

/**
 * SQL of when ticket `t` was served, in the words of `ticket_served_idx`. Below row-level security PostgreSQL uses no index for `coalesce`, which it does not know to be leakproof.
 */
export const servedSql = (t: string): string => `(case when ${t}.service_date is null then ${t}.created_at else ${t}.service_date end)`;

/** SQL of tickets of order `of` in the company `$2`, behind the moment `$3`, the nearest first. */
const behind = (of: string, back: boolean): string =>
  `select ${servedSql('t')} as served from ticket t where t.order_id = ${of} and t.company_id = $2 and ${servedSql('t')} ${back ? '<' : '>'} $3
    order by ${servedSql('t')}${back ? ' desc' : ''}`;

/**
 * SQL of the moment up to which `$4` tickets of project `$1` and one more were served: of many orders, when so many had their next one; null if there are not so many. It looks for one ticket of
 * each order, or for a page of each if they are fewer than those of a page.
 */
const upTo = (back: boolean): string => `with works as materialized (select o.id from orders o where o.project_id = $1),
  next as materialized (select w.id, f.served from works w cross join lateral (${behind('w.id', back)} limit 1) f)
  select (case when (select count(*) from next) > $4::int then (select n.served from next n order by n.served${back ? ' desc' : ''} offset $4::int limit 1)
    else (select f.served from next n cross join lateral (${behind('n.id', back)} limit $4::int + 1) f order by f.served${back ? ' desc' : ''} offset $4::int limit 1) end)::text as "upTo"`;
const UP_TO = { on: upTo(false), back: upTo(true) };

/**
 * Between which moments all tickets of a page of a project's were served, by which they are found: sorted, there are hundreds of thousands. It is judged by tickets that are surely on the
 * list, so that there may be more between them and never fewer.
 * @param filter between which moments everything on the list was served
 */
export async function nearPage(
  ctx: Context,
  project: Project,
  list: List,
  { from, to }: Record<'from' | 'to', Date | undefined>,
): Promise<Where[]> {
  const { after, stop, backward: back, limit } = list;
  const { companyIds, ownRecordsOnly, siteIds } = viewerOf(ctx);
  const companyId = project.company.id;
  if (ownRecordsOnly || siteIds || !companyIds.includes(companyId)) return [];
  const [first, last] = ['-infinity', 'infinity'];
  // Backward, a page ends where another one begins, or before a row that the client names.
  const cursor = back && !after?.backward ? stop : after;
  const begins = cursor?.keys[0] ?? (back ? (to?.toISOString() ?? last) : (from?.toISOString() ?? first));
  const [found] = await queryOf<{ upTo: string | null }>(ctx, back ? UP_TO.back : UP_TO.on, [project.id, companyId, begins, limit]);
  const ends = found?.upTo ?? (back ? first : last);
  return [
    {
      key: 'nearPage',
      sql: (t, p) => `${servedSql(t)} >= (${p})[1] and ${servedSql(t)} <= (${p})[2]`,
      cast: 'timestamptz[]',
      value: back ? [ends, begins] : [begins, ends],
    },
  ];
}
