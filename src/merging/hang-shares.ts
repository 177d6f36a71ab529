import type { TxContext } from '../platform/commands/transact.ts';
import { runAsPurpose } from '../platform/database/scope.ts';
import { queryIn } from '../platform/database/sql.ts';
import { MERGING } from './moves.ts';
import type { MergeableType } from './references.ts';

// What was shared on by a share that has ended has ended with it, and does not begin again because its sender has the record that stayed.
const HANG = `update company_share r set parent_company_share_id = p.id, updated_at = present_time() from company_share was, company_share p
  where r.company_shareable_id = any($1::uuid[]) and was.id = r.parent_company_share_id and was.company_shareable_id <> r.company_shareable_id
    and p.company_shareable_id = r.company_shareable_id and p.sender_company_id = was.sender_company_id and p.receiver_company_id = was.receiver_company_id
    and (was.valid_until is null or was.valid_until > now() or was.company_shareable_id = any($1::uuid[]))`;

/**
 * Has what was shared on hang on the share by which its sender has the record. A merge moves it, while the share on which it hung may be put aside for one of
 * the same companies: nobody sees that any more, and whoever ended the one that counts would leave what was shared on behind.
 * @param ids of records that shares name now, and did not before, or did before and do not now: what hung on a share of these hangs on it by the merge alone
 */
export async function hangShares(tx: TxContext, ids: readonly string[]): Promise<void> {
  await runAsPurpose(MERGING, () => queryIn(tx.em, HANG, [ids]));
}

/** What records are called that can be shared. */
const NAMES: Partial<Record<MergeableType, string>> = {
  Site: 'select name from site where id = $1',
  User: `select trim(first_name || ' ' || last_name) as name from app_user where id = $1`,
  Equipment: 'select name from equipment where id = $1',
};
const KEEP = `update company_share r set name_at_end = $2
  where r.company_shareable_id = $1 and r.valid_until <= now() and r.name_at_end is null`;

/** Keeps on shares that have ended what the record is called that is merged: their former partner does not learn the name of the one that stays. */
export async function keepNames(tx: TxContext, type: MergeableType, id: string): Promise<void> {
  const named = NAMES[type];
  if (!named) return;
  const [row] = await queryIn<{ name: string }>(tx.em, named, [id]);
  await runAsPurpose(MERGING, () => queryIn(tx.em, KEEP, [id, row!.name]));
}
