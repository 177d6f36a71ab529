import type { EntityManager } from '@mikro-orm/postgresql';
import { definePurpose, runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';

/** Deletes changes that happened long ago, and notes where the feeds begin. */
export const OLD_CHANGES = definePurpose('old_changes', {
  change_entry: ['select (company_id, position, moved_at)', 'delete'],
  change_feed: ['select (company_id, begins_after)', 'update (begins_after)'],
  change_sight: ['select (company_id, reader_id, subject_id, lost_at)', 'delete'],
  change_reader: ['select (company_id, reader_id, read_at)', 'delete'],
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
// Changes that were lost before the beginning of a feed are announced to nobody any more.
const FORGET_LOST = `with lost as (
    select s.company_id, s.reader_id, s.subject_id from change_feed f cross join lateral (
      select company_id, reader_id, subject_id from change_sight where company_id = f.company_id and lost_at <= f.begins_after limit ${BATCH}) s limit ${BATCH}),
  gone as (
    delete from change_sight s using lost l
      where s.company_id = l.company_id and s.reader_id = l.reader_id and s.subject_id = l.subject_id and s.lost_at is not null returning 1)
  select count(*)::int as deleted from gone`;
// A reader who has not read for so long begins with a snapshot (read-changes.ts): people who left, too. In one statement, so that nobody reads on whose
// sights are half gone. The time is asked twice, because who reads at this moment writes it.
const LONG_AGO = `read_at < now() - ${DAYS} * interval '1 day'`;
const FORGET_READER = `with gone as (
    delete from change_reader where ${LONG_AGO} and (company_id, reader_id) in (
      select company_id, reader_id from change_reader where ${LONG_AGO} order by read_at limit 1)
    returning company_id, reader_id),
  sights as (delete from change_sight s using gone g where s.company_id = g.company_id and s.reader_id = g.reader_id)
  select count(*)::int as deleted from gone`;

/** Deletes changes that are older than 30 days, and what was kept for who reads no more, in pieces that lock nobody out. */
export async function deleteOldChanges(em: EntityManager): Promise<void> {
  await runAsPurpose(OLD_CHANGES, async () => {
    const pool = await poolOf(em);
    for (const statement of [DELETE, FORGET_LOST, FORGET_READER])
      for (let deleted = 1; deleted > 0; ) deleted = (await pool.query<{ deleted: number }>(statement)).rows[0]!.deleted;
  });
}
