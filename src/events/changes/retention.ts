import type { EntityManager } from '@mikro-orm/postgresql';
import { definePurpose, runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';

/** Deletes changes that happened long ago, and notes where the feeds begin. */
export const OLD_CHANGES = definePurpose('old_changes', {
  change_entry: ['select (company_id, position, moved_at)', 'delete'],
  change_feed: ['select (company_id, begins_after)', 'update (begins_after)'],
  change_sight: ['select (company_id, lost_at)', 'delete'],
});

/** Days for which a feed can be read back. */
const DAYS = 30;
const BATCH = 5_000;
// Where a feed begins is said by the statement that deletes what was before it: nobody reads a feed with a gap. It deletes of one feed, so that it
// never waits for a mover of changes that waits for it.
const OLD = `moved_at < now() - ${DAYS} * interval '1 day'`;
const DELETE = `with gone as (
    delete from change_entry where (company_id, position) in (
      select company_id, position from change_entry where ${OLD} and company_id = (select company_id from change_entry where ${OLD} order by moved_at limit 1)
      order by position limit ${BATCH})
    returning company_id, position),
  begins as (
    update change_feed f set begins_after = greatest(f.begins_after, g.position)
    from (select company_id, max(position) as position from gone group by company_id) g where g.company_id = f.company_id)
  select count(*)::int as deleted from gone`;
const FORGET = `delete from change_sight s using change_feed f where f.company_id = s.company_id and s.lost_at <= f.begins_after`;

/** Deletes changes that are older than 30 days, in pieces that lock nobody out. */
export async function deleteOldChanges(em: EntityManager): Promise<void> {
  await runAsPurpose(OLD_CHANGES, async () => {
    const pool = await poolOf(em);
    for (let deleted = 1; deleted > 0; ) deleted = (await pool.query<{ deleted: number }>(DELETE)).rows[0]!.deleted;
    await pool.query(FORGET);
  });
}
