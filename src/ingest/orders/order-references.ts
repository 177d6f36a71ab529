import { foldText } from '../../platform/fold.ts';
import { newId } from '../../platform/ids.ts';
import type { BatchTx } from '../importer.ts';
import type { OrderDraft } from '../payload/order-draft.ts';

/** The service of orders if neither the payload nor the company has one. */
const LAST_RESORT = 'Haulage';

interface NamedService {
  id: string;
  name: string;
}

/**
 * Returns the service of each draft: the one of that name; else the company's oldest visible one, with a warning; else a new "Haulage".
 * Orders require a service, and SPEC does not create services from payloads.
 */
export async function servicesOf(tx: BatchTx, drafts: OrderDraft[]): Promise<(draft: OrderDraft) => string> {
  let rows = await tx.query<NamedService>(
    'select id, name from service where company_id = $1 and discarded_at is null and visible order by created_at, id',
    [tx.company.id],
  );
  if (rows.length === 0 && drafts.length > 0) {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('haulgate:master:' || $1, 0))`, [tx.company.id]);
    rows = await tx.query<NamedService>(
      `with made as (insert into service (id, company_id, name) select $2, $1, $3 where not exists (select 1 from service where company_id = $1 and discarded_at is null and visible) returning id, name)
       select id, name from made union all select id, name from service where company_id = $1 and discarded_at is null and visible`,
      [tx.company.id, newId(), LAST_RESORT],
    );
  }
  const byName = new Map<string, string>();
  for (const { id, name } of rows) if (!byName.has(foldText(name))) byName.set(foldText(name), id);
  return (draft) => {
    const fallback = rows[0]!.id;
    if (!draft.service) return fallback;
    const found = byName.get(foldText(draft.service));
    if (!found) draft.warnings.push({ code: 'unknown_service', pointer: '/service', given: draft.service, used: rows[0]!.name });
    return found ?? fallback;
  };
}

/**
 * Returns dispatch numbers by name; missing ones are created.
 * @param known further names that are looked up and not created
 */
export async function dispatchNumbers(tx: BatchTx, names: string[], known: string[] = []): Promise<Map<string, string>> {
  const made = [...new Set(names)];
  const wanted = [...new Set([...made, ...known])];
  if (wanted.length === 0) return new Map();
  if (made.length > 0)
    await tx.query(
      `insert into dispatch_number (id, company_id, name) select r.id, $2, r.name from jsonb_to_recordset($1::jsonb) r(id uuid, name text) order by r.name on conflict (company_id, name) do nothing`,
      [JSON.stringify(made.map((name) => ({ id: newId(), name }))), tx.company.id],
    );
  const rows = await tx.query<{ id: string; name: string }>(
    'select id, name from dispatch_number where company_id = $1 and name = any($2::text[])',
    [tx.company.id, wanted],
  );
  return new Map(rows.map((row) => [row.name, row.id]));
}
