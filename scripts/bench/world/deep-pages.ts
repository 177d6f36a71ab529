import type pg from 'pg';
import { shoot } from '../drive.ts';
import type { DeepPage } from '../workloads.ts';

/** Returns pages far down, which are reached by the product's own cursors, so that both sides start at the same rows. @param last pages from the first one, of which the last fifty are returned */
export async function deepPages(base: URL, token: string, pool: pg.Pool, companyId: string, last = 400): Promise<DeepPage[]> {
  const headers = { authorization: `Bearer ${token}` };
  const pages: DeepPage[] = [];
  let after: string | null = null;
  for (let page = 0; page < last; page++) {
    const body = JSON.stringify({
      query: 'query($after: String) { loads(first: 100, after: $after) { nodes { id } pageInfo { endCursor } } }',
      variables: { after },
    });
    const text = await shoot(base, { method: 'POST', path: '/graphql', headers, body });
    const { loads } = (JSON.parse(text) as { data: { loads: { nodes: { id: string }[]; pageInfo: { endCursor: string } } } }).data;
    after = loads.pageInfo.endCursor;
    if (page < last - 50) continue;
    const { rows } = await pool.query<{ at: string; id: string }>(
      'select created_at::text as at, id from load where id = $1 and company_id = $2',
      [loads.nodes.at(-1)!.id, companyId],
    );
    pages.push({ cursor: after, at: rows[0]!.at, id: rows[0]!.id });
  }
  return pages;
}
