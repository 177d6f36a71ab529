import { User } from '../../directory/people/user.entity.ts';
import { allow, find } from '../../platform/authz/authorization.ts';
import { transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';

// A worker that has read positions already finds another version, and keeps nothing of them. Who was merged into a person is the same one: what was put
// aside goes, too, and they are forgotten when the merge is undone.
const FORGET = `with they as materialized (select $1::uuid as id union all select m.remains_id from merged_record m where m.kept_id = $1),
  gone as (delete from location_history h using they where h.asset_id = they.id returning 1),
  places as (insert into fence_progress as p (asset_id, company_id, fences) values ($1, $3, '{}')
    on conflict (asset_id) do update set updated_at = present_time(), version = p.version + 1,
      fences = (select coalesce(jsonb_object_agg(key, value || '{"run": null, "last": null, "lastInside": null}'), '{}') from jsonb_each(p.fences))),
  waiting as (delete from position_task where asset_id = $1),
  person as (update app_user u set last_lat = null, last_lon = null, positions_forgotten_at = $2 from they where u.id = they.id)
  select count(*)::int as positions from gone`;

/**
 * Deletes every position of a person's telephones (PROOF A7). Figures, crossings of geofences and distances stay, and the audit log has who did
 * it and how many there were.
 * @returns how many positions were deleted
 * @throws Missing for people whom the caller does not see, Denied without `edit_user`
 */
export function forgetPositions(ctx: Context, userId: string): Promise<number> {
  return transact(ctx, async (tx) => {
    const { id, company } = await find(tx, User, userId, { lock: true });
    allow(tx, 'edit_user');
    const [gone] = await queryIn<{ positions: number }>(tx.em, FORGET, [id, tx.tx.now, company.id]);
    const { positions } = gone!;
    tx.tx.audits.push({ event: 'update', type: 'User', id, companyId: company.id, changes: { positions: [positions, 0] } });
    return positions;
  });
}
