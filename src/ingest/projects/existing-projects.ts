import type { Known } from '../apply/change.ts';
import { type Edit, editsSql, UserEdits } from '../apply/user-edits.ts';
import type { BatchTx } from '../importer.ts';

/** A stored project that a payload's external id names. */
export interface ExistingProject extends Known {
  externalId: string;
  name: string;
  /** It has orders, which are of its customer. */
  hasOrders: boolean;
}

const LOCK = `select p.id from project p where p.company_id = $1 and p.external_id = any($2::text[]) and p.discarded_at is null
  order by p.created_at, p.id for update of p`;

/**
 * Returns projects by external id, case-sensitive (SPEC), the oldest of each, locked for the effect, with the fields that people edited. They are read by another
 * statement than that which locks them, as orders are (`findExisting`).
 */
export async function findProjects(tx: BatchTx, externalIds: string[]): Promise<Map<string, ExistingProject>> {
  const locked = await tx.query<{ id: string }>(LOCK, [tx.company.id, [...new Set(externalIds)]]);
  if (locked.length === 0) return new Map();
  const rows = await tx.query<Record<string, unknown>>(
    `select p.id, p.external_id, p.name, p.route_id, exists (select from orders o where o.project_id = p.id and o.state <> 'canceled') as has_orders,
            (select json_object_agg(kv.key, kv.value) from jsonb_each_text(to_jsonb(p)) kv) as columns,
            ${editsSql('Project', 'p')} as edits
     from project p where p.id = any($1::uuid[]) order by p.created_at, p.id`,
    [locked.map(({ id }) => id)],
  );
  const found = new Map<string, ExistingProject>();
  for (const row of rows) {
    const externalId = row.external_id as string;
    if (found.has(externalId)) continue;
    found.set(externalId, {
      id: row.id as string,
      externalId,
      name: row.name as string,
      hasOrders: row.has_orders as boolean,
      routeId: row.route_id as string | null,
      columns: row.columns as Record<string, string | null>,
      edited: new UserEdits(row.edits as Edit[]),
    });
  }
  return found;
}
