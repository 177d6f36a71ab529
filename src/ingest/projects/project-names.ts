import { foldText } from '../../platform/fold.ts';
import type { BatchTx } from '../importer.ts';

/**
 * The name each project gets: as sent, with `-{external_id}` behind it when another project of the company has it (SPEC), and with
 * `-2`, `-3` and so on behind that when this name is taken as well. The first of a batch keeps a name that two ask for.
 * @param wanted by external id
 */
export async function namesOf(tx: BatchTx, wanted: Map<string, string>): Promise<Map<string, string>> {
  if (wanted.size === 0) return new Map();
  const asked = [...wanted].map(([externalId, name]) => ({
    ...{ externalId, name },
    key: foldText(name),
    suffixedKey: foldText(`${name}-${externalId}`),
  }));
  const owners = new Map<string, Set<string | null>>();
  const own = (key: string, owner: string | null) => owners.set(key, (owners.get(key) ?? new Set()).add(owner));
  for (const { key, owner } of await lookUp(tx, [...new Set(asked.flatMap((one) => [one.key, one.suffixedKey]))])) own(key, owner);
  const names = new Map<string, string>();
  for (const { externalId, name, key, suffixedKey } of asked) {
    const isTaken = (one: string) => [...(owners.get(one) ?? [])].some((owner) => owner !== externalId);
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

/** The projects of the company that have one of these names. */
function lookUp(tx: BatchTx, keys: string[]) {
  return tx.query<Taken & Record<string, unknown>>(
    'select match_name as key, external_id as owner from project where company_id = $1 and discarded_at is null and match_name = any($2::text[])',
    [tx.company.id, keys],
  );
}

/** Projects whose name begins with a suffixed one and goes on: rare, so that it is asked for one name at a time. */
function numbered(tx: BatchTx, suffixedKey: string) {
  return tx.query<Taken & Record<string, unknown>>(
    `select match_name as key, external_id as owner from project where company_id = $1 and discarded_at is null and starts_with(match_name, $2 || '-')`,
    [tx.company.id, suffixedKey],
  );
}
