import { ref } from '@mikro-orm/core';
import { Account } from '../../src/directory/accounts/account.entity.ts';
import { Equipment } from '../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../src/directory/equipment/equipment-type.entity.ts';
import { Material } from '../../src/directory/master-data/named.entities.ts';
import { Site } from '../../src/directory/sites/site.entity.ts';
import type { Answer } from '../helpers/app.ts';
import type { StaffedTenant } from '../helpers/staffed-tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
export type Json = any;

/** Makes records of a tenant that may be merged. */
export const siteOf = (of: StaffedTenant, fields: object): Promise<Site> => of.save(Site, { company: ref(of.company), ...fields });
export const materialOf = (of: StaffedTenant, fields: object): Promise<Material> =>
  of.save(Material, { company: ref(of.company), ...fields });
export const accountOf = (of: StaffedTenant, fields: object): Promise<Account> => of.save(Account, { company: ref(of.company), ...fields });
export async function truckOf(of: StaffedTenant, fields: object): Promise<Equipment> {
  const equipmentType = ref(await of.save(EquipmentType, { company: ref(of.company), name: `Type of ${JSON.stringify(fields)}` }));
  return of.save(Equipment, { company: ref(of.company), equipmentType, ...fields });
}

type Paths = 'accounts' | 'sites' | 'materials' | 'users' | 'equipment';
/** Merges records over REST, as the administrator. */
export const merge = (of: StaffedTenant, path: Paths, kept: string, others: string[], more: object = {}): Promise<Answer> =>
  of.admin.http('PUT', of.path(`/${path}/${kept}/merge`), { other_ids: others, ...more });
export async function merged(...args: Parameters<typeof merge>): Promise<Json> {
  const { status, body } = await merge(...args);
  if (status !== 200) throw new Error(`merging answered ${status} ${JSON.stringify(body)}`);
  return body.data;
}
export const undo = (of: StaffedTenant, id: string): Promise<Answer> => of.admin.http('PUT', of.path(`/merges/${id}/undo`), {});

/** The refusals of an answer: its status, and what is said of which field. */
export const errorsOf = ({ status, body }: Answer): string[] => [
  String(status),
  ...((body as Json).error?.errors ?? []).map(({ field, message }: Json) => `${field}: ${message}`),
];

/** All rows of a company in all tables, but for what merges, the feed and the logs keep, and for versions: what an undo has to restore. */
export async function rowsOf(of: StaffedTenant): Promise<Record<string, Json[]>> {
  const em = of.app.orm.em.fork();
  const run = (sql: string, values: unknown[] = []): Promise<Json[]> => em.getConnection().execute(sql, values);
  const tables = await run(`select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id'
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace order by 1`);
  const found: Record<string, Json[]> = {};
  for (const { name } of tables) {
    if (LEFT_OUT.test(name)) continue;
    const rows = await run(
      `select to_jsonb(t) - '{version,updated_at}'::text[] as row from "${name}" t where company_id = ? order by (to_jsonb(t) - '{version,updated_at}'::text[])::text`,
      [of.company.id],
    );
    if (rows.length > 0) found[name] = rows.map(({ row }) => row);
  }
  return found;
}
const LEFT_OUT =
  /^(record_merge|merged_record|merge_move|change_|audit_entry|outbox_event|transition|ticket_history|rate_limit|idempotency_key|.*_task$|company_counter)/;
