import type { Account, AccountType } from '../directory/accounts/account.entity.ts';
import type { TxContext } from '../platform/commands/transact.ts';
import { queryIn } from '../platform/database/sql.ts';
import { keepMoves, type Moved, moveFree } from './moves.ts';
import { RecordMerge } from './record-merge.entity.ts';
import { type MergeableType, REFERENCES } from './references.ts';

/** A record that is still merged into another one. */
interface StillMerged {
  former: string;
  remains: string;
  merge: string;
}

const STILL_MERGED = `select m.former_id as former, m.remains_id as remains, m.record_merge_id as merge, g.created_at
  from merged_record m join record_merge g on g.id = m.record_merge_id where m.kept_id = $1 order by g.created_at, m.former_id`;

/**
 * Has the record that stays use what other merges put aside because something was in the way that the merge had brought which is undone. They give it back
 * when they are undone themselves.
 * @returns what is used again
 */
export async function useAgain(
  tx: TxContext,
  type: MergeableType,
  { keptId: kept, formerIds, company }: Pick<RecordMerge, 'keptId' | 'formerIds' | 'company'>,
): Promise<Moved[]> {
  const all: Moved[] = [];
  for (const { former, remains, merge } of await queryIn<StillMerged>(tx.em, STILL_MERGED, [kept])) {
    const moved: Moved[] = [];
    for (const reference of REFERENCES[type]) {
      // Of the others nothing was put aside, but for positions, of which both have the same.
      if (reference.does !== 'moves' || !reference.taken || reference.apart || reference.pages) continue;
      const rows = await moveFree(tx, reference, { former: remains, kept }, formerIds);
      if (rows.length > 0) moved.push({ reference, rows, putAside: 0 });
    }
    await keepMoves(tx, merge, company.id, former, moved);
    all.push(...moved);
  }
  return all;
}

/**
 * Takes from an account the types that it got by a merge, unless somebody changed them since. A type that another record had which is still merged into it
 * stays, and goes with that one.
 */
export async function giveBackTypes(tx: TxContext, kept: Account, { keptChanges }: RecordMerge): Promise<void> {
  const [before, after] = (keptChanges.accountTypes ?? []) as AccountType[][];
  if (!before || !after || JSON.stringify(kept.accountTypes) !== JSON.stringify(after)) return;
  const others = await queryIn<{ merge: string; types: AccountType[] }>(
    tx.em,
    `select m.merge, a.account_types as types from (${STILL_MERGED}) m join account a on a.id = m.remains order by m.created_at, m.former`,
    [kept.id],
  );
  const stays = after.filter((type) => before.includes(type) || others.some(({ types }) => types.includes(type)));
  kept.accountTypes = stays;
  const heir = others.findLast(({ types }) => types.some((type) => stays.includes(type) && !before.includes(type)));
  if (!heir) return;
  const merge = await tx.em.findOneOrFail(RecordMerge, { id: heir.merge });
  merge.keptChanges = { accountTypes: [before, stays] };
}
