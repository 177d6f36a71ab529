import type { BatchTx } from '../importer.ts';

/** A stored project that a payload's external id names. */
export interface ExistingProject {
  id: string;
  externalId: string;
  name: string;
  routeId: string | null;
  /** Columns as texts, for comparing and for the audit. */
  columns: Record<string, string | null>;
  /** Columns a person changed through the product: an import leaves them (SPEC `skipped_update`). */
  edited: Set<string>;
}

/** Projects by external id, case-sensitive (SPEC), the oldest of each, locked for the effect; with what people edited on them. */
export async function findProjects(tx: BatchTx, externalIds: string[]): Promise<Map<string, ExistingProject>> {
  const rows = await tx.query<Record<string, unknown>>(
    `select p.id, p.external_id, p.name, p.route_id,
            (select json_object_agg(kv.key, kv.value) from jsonb_each_text(to_jsonb(p)) kv) as columns,
            coalesce((select json_agg(distinct k) from audit_entry a, jsonb_object_keys(a.object_changes) k
                      where a.company_id = p.company_id and a.subject_type = 'Project' and a.subject_id = p.id and a.created_by_type = 'User' and a.event = 'update'), '[]') as edited
     from project p where p.company_id = $1 and p.external_id = any($2::text[]) and p.discarded_at is null order by p.created_at, p.id for update of p`,
    [tx.company.id, [...new Set(externalIds)]],
  );
  const found = new Map<string, ExistingProject>();
  for (const row of rows) {
    const externalId = row.external_id as string;
    if (found.has(externalId)) continue;
    found.set(externalId, {
      id: row.id as string,
      externalId,
      name: row.name as string,
      routeId: row.route_id as string | null,
      columns: row.columns as Record<string, string | null>,
      edited: new Set(row.edited as string[]),
    });
  }
  return found;
}

const keyOf = (name: string): string => name.trim().toLowerCase();

/**
 * The name each project gets: as sent, with `-{external_id}` behind it when another project of the company has it (SPEC). Names compare
 * without regard to case and outer blanks; the first of a batch keeps a name that two ask for.
 * @param wanted by external id
 */
export async function namesOf(tx: BatchTx, wanted: Map<string, string>): Promise<Map<string, string>> {
  if (wanted.size === 0) return new Map();
  const rows = await tx.query<{ key: string; external_id: string | null }>(
    'select lower(btrim(name)) as key, external_id from project where company_id = $1 and lower(btrim(name)) = any($2::text[]) and discarded_at is null',
    [tx.company.id, [...new Set([...wanted.values()].map(keyOf))]],
  );
  const owners = new Map<string, Set<string | null>>();
  for (const { key, external_id } of rows) owners.set(key, (owners.get(key) ?? new Set()).add(external_id));
  const names = new Map<string, string>();
  for (const [externalId, name] of wanted) {
    const taken = owners.get(keyOf(name)) ?? new Set<string | null>();
    const others = [...taken].some((owner) => owner !== externalId);
    names.set(externalId, others ? `${name}-${externalId}` : name);
    owners.set(keyOf(name), taken.add(externalId));
  }
  return names;
}
