import { Migration } from '@mikro-orm/migrations';

/**
 * Changes that wait are taken by the range of their ids, and what their transactions did later is looked for by a hash, whatever PostgreSQL believes of
 * the table. It is empty most of the time, and then estimated at one row for a minute after many came: each of them was compared with each one of the
 * batch, and the feed stood still for minutes while 100,000 waited.
 */
export class MoveBacklogs extends Migration {
  override up(): void {
    this.addSql(`
      create or replace function move_changes(p_most integer) returns integer language plpgsql security definer set search_path = public, pg_temp as $$
      declare
        moved integer;
      begin
        if not exists (select from change_pending) then return 0; end if;
        perform pg_advisory_xact_lock(7320447561);
        with batch as materialized (select id, writer, subject_id from change_pending order by id limit p_most),
          -- All that can be seen up to the last one of the batch is in it.
          first as (delete from change_pending where id <= (select max(id) from batch) returning *),
          -- What the same transactions did to the same records later: looked for only where something is left behind. The last two words keep it from becoming
          -- a join, which would be planned for the rows that the table is believed to have.
          later as (
            delete from change_pending p where (select count(*) from batch) = p_most and p.id > (select max(id) from batch)
              and ((p.writer, p.subject_id) in (select writer, subject_id from batch)) is true returning *),
          taken as (select * from first union all select * from later),
          -- What a transaction did to a record is one change.
          together as (
            select writer, reader_id, subject_type, subject_id, max(id) as id, (array_agg(company_id))[1] as company_id, max(changed_at) as changed_at,
              bool_or(kind = 'create') as made, bool_or(kind = 'delete') as gone, bool_or(kind = 'state_change') as driven,
              (array_agg(previous_state order by id) filter (where kind = 'state_change'))[1] as previous_state,
              (array_agg(state order by id desc) filter (where kind in ('create', 'state_change')))[1] as state
            from taken group by writer, reader_id, subject_type, subject_id),
          changes as (
            select *, case when gone then 'delete' when made then 'create' when driven and previous_state is distinct from state then 'state_change' else 'update' end as kind
            from together where not (made and gone)),
          addressed as (
            select c.*, c.company_id as feed from changes c where c.reader_id is null
            union all select c.*, r.id from changes c cross join lateral change_readers(c.subject_type, c.subject_id) r (id)
              where c.reader_id is null and r.id <> c.company_id
            union all select c.*, c.reader_id from changes c where c.reader_id <> c.company_id),
          distinct_ones as (
            select distinct on (feed, writer, subject_type, subject_id) a.* from addressed a join company k on k.id = a.feed
            order by feed, writer, subject_type, subject_id, reader_id nulls first, id),
          counted as (
            insert into change_feed (company_id, position) select feed, count(*) from distinct_ones group by feed order by feed
            on conflict (company_id) do update set position = change_feed.position + excluded.position
            returning company_id, position)
        insert into change_entry (company_id, position, owner_company_id, subject_type, subject_id, kind, previous_state, state, changed_at)
        select d.feed, c.position - count(*) over (partition by d.feed) + row_number() over (partition by d.feed order by d.id),
          d.company_id, d.subject_type, d.subject_id, d.kind,
          case when d.kind = 'state_change' then d.previous_state end, case when d.kind in ('create', 'state_change') then d.state end, d.changed_at
        from distinct_ones d join counted c on c.company_id = d.feed;
        -- As many as were taken decide whether there may be more.
        select count(*) into moved from (select from change_pending limit 1) more;
        return moved;
      end $$`);
  }
}
