import { projectNameKey as keySql } from '../../dispatch/project-fields.ts';
import type { BatchTx } from '../importer.ts';

/**
 * The name each project gets: as sent, with `-{external_id}` behind it when another project of the company has it (SPEC), and with
 * `-2`, `-3` and so on behind that when this name is taken as well. The first of a batch keeps a name that two ask for.
 * @param wanted by external id
 */
export async function namesOf(tx: BatchTx, wanted: Map<string, string>): Promise<Map<string, string>> {
  if (wanted.size === 0) return new Map();
  const asked = await lookUp(tx, wanted);
  const owners = new Map<string, Set<string | null>>();
  const own = (key: string, owner: string | null) => owners.set(key, (owners.get(key) ?? new Set()).add(owner));
  for (const { taken } of asked) for (const { key, owner } of taken) own(key, owner);
  const names = new Map<string, string>();
  for (const { externalId, key, suffixedKey } of asked) {
    const isTaken = (one: string) => [...(owners.get(one) ?? [])].some((owner) => owner !== externalId);
    const name = wanted.get(externalId)!;
    let free = key;
    let end = '';
    if (isTaken(key)) {
      free = suffixedKey;
      end = `-${externalId}`;
      if (isTaken(free)) {
        for (const taken of await numbered(tx, suffixedKey)) own(taken.key, taken.owner);
        let n = 2;
        while (isTaken(`${suffixedKey}-${n}`)) n++;
        free = `${suffixedKey}-${n}`;
        end = `-${externalId}-${n}`;
      }
    }
    names.set(externalId, `${name}${end}`);
    own(free, externalId);
  }
  return names;
}

interface Taken {
  key: string;
  /** External id of the project that has it. */
  owner: string | null;
}

/** Keys of each wanted name and of its suffixed form, with the projects that have either. */
function lookUp(tx: BatchTx, wanted: Map<string, string>) {
  return tx.query<{ externalId: string; key: string; suffixedKey: string; taken: Taken[] }>(
    `select w.id as "externalId", w.key, w.suffixed as "suffixedKey",
       (select coalesce(json_agg(json_build_object('key', p.match_name, 'owner', p.external_id)), '[]') from project p
        where p.company_id = $1 and p.discarded_at is null and p.match_name = any(array[w.key, w.suffixed])) as taken
     from (select id, place, ${keySql('name')} as key, ${keySql("name || '-' || id")} as suffixed
           from unnest($2::text[], $3::text[]) with ordinality as x(id, name, place)) w
     order by w.place`,
    [tx.company.id, [...wanted.keys()], [...wanted.values()]],
  );
}

/** Projects whose name begins with a suffixed one and goes on: rare, so that it is asked for one name at a time. */
function numbered(tx: BatchTx, suffixedKey: string) {
  return tx.query<Taken & Record<string, unknown>>(
    `select match_name as key, external_id as owner from project where company_id = $1 and discarded_at is null and starts_with(match_name, $2 || '-')`,
    [tx.company.id, suffixedKey],
  );
}
