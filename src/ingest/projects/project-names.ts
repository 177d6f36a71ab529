import { foldText } from '../../platform/fold.ts';
import type { BatchTx } from '../importer.ts';

/**
 * Returns the name of each project: as sent; followed by `-{external_id}` if another project of the company has it (SPEC); and followed by
 * `-2`, `-3` and so on if that name is taken as well. If two projects of a batch have one name, the first keeps it.
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

/** Returns the projects of the company that have one of these names. */
function lookUp(tx: BatchTx, keys: string[]) {
  return tx.query<Taken & Record<string, unknown>>(
    'select match_name as key, external_id as owner from project where company_id = $1 and discarded_at is null and match_name = any($2::text[])',
    [tx.company.id, keys],
  );
}

/** Returns projects whose name begins with a suffixed one. This is rare, so there is a statement for each name. */
function numbered(tx: BatchTx, suffixedKey: string) {
  return tx.query<Taken & Record<string, unknown>>(
    `select match_name as key, external_id as owner from project where company_id = $1 and discarded_at is null and starts_with(match_name, $2 || '-')`,
    [tx.company.id, suffixedKey],
  );
}
