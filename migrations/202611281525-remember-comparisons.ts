import { Migration } from '@mikro-orm/migrations';

/**
 * What was compared with its files is not compared again because somebody held it when it was to be dropped; and a file that a process brings after it has
 * been cut off is removed, too.
 */
export class RememberComparisons extends Migration {
  override up(): void {
    this.addSql(`
      -- Partitions that were what their files are, and have not been changed since.
      create table archive_comparison (
        part text primary key,
        compared_at timestamptz(6) not null default now(),
        -- Of everything else that the comparison depends on: the files, who archives, and the columns.
        depends_on text not null
      );
      -- Files that belong to nothing. Whoever began one and was cut off may still bring it: it is removed again until nobody can.
      create table archive_stray (
        key text primary key,
        noted_at timestamptz(6) not null default now()
      );`);
    this.addSql(`
      -- Whoever changes a row of a partition that was compared has it compared again. Both are seen together, or not at all.
      create function forget_comparison() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
        begin
          delete from archive_comparison where part = tg_table_name;
          return null;
        end $$`);
    this.addSql(`
      -- A partition's name as the month or year that is in it.
      create function archived_part_range(p_table text, p_part text, out first date, out next date) language plpgsql stable set search_path = public, pg_temp as $$
        declare monthly boolean := p_part ~ '_[0-9]{4}_[0-9]{2}$';
        begin
          if p_table not in ('location_history', 'audit_entry', 'imported_record') then raise exception '% is not archived', p_table; end if;
          if p_part !~ ('^' || p_table || '_[0-9]{4}(_[0-9]{2}|)$') then raise exception '% is no partition of %', p_part, p_table; end if;
          first := to_date(substr(p_part, length(p_table) + 2) || case when monthly then '' else '_01' end, 'YYYY_MM');
          next := first + case when monthly then interval '1 month' else interval '1 year' end;
          if next > now() - interval '30 days' then raise exception '% is too young', p_part; end if;
        end $$`);
    this.addSql(`
      create function archive_comparison_of(p_table text, p_part text, p_first date, p_next date) returns text
        language sql stable set search_path = public, pg_temp set timezone = 'UTC' as $$
          select md5(concat_ws('|',
            (select string_agg(concat_ws(',', id, row_count, checksum, sha256), ';' order by id) from archive_piece
              where table_name = p_table and state = 'verified' and period >= p_first and period < p_next),
            case when p_table = 'location_history' then (select string_agg(company_id::text, ';' order by company_id) from company_settings where archive_positions) end,
            (select string_agg(concat_ws(',', attname, atttypid, atttypmod, attisdropped), ';' order by attnum) from pg_attribute
              where attrelid = p_part::regclass and attnum > 0))) $$`);
    this.addSql(`
      -- Compares a partition, row by row, with what its files have, unless it is known to be the same. Nobody writes it meanwhile. Null if another process does it.
      create function compare_archived_part(p_table text, p_part text) returns boolean
        language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' as $$
        declare
          span record;
          at text := case p_table when 'location_history' then 'occurred_at' when 'audit_entry' then 'created_at' else 'import_received_at' end;
          differs boolean;
        begin
          span := archived_part_range(p_table, p_part);
          -- Another process may have been faster.
          if not exists (select from pg_inherits where inhparent = p_table::regclass and inhrelid = to_regclass(p_part)) then return false; end if;
          if not pg_try_advisory_xact_lock(hashtext('haulgate:compare:' || p_part)) then return null; end if;
          -- Whoever writes the table waits behind this, so it does not wait for them for long. The next round tries again.
          perform set_config('lock_timeout', '1s', true);
          execute format('lock table %I in share row exclusive mode', p_part);
          if exists (select from archive_comparison where part = p_part and depends_on = archive_comparison_of(p_table, p_part, span.first, span.next)) then
            return true;
          end if;
          execute format($compare$
            select exists (
              select from (select t.company_id, date_trunc('month', t.%I)::date as period, count(*) as n,
                  sum(hashtextextended(archive_line(t), 0)::numeric) as s
                from %I t where $1 <> 'location_history' or exists (select from company_settings c where c.company_id = t.company_id and c.archive_positions)
                group by 1, 2) here
              full join (select company_id, period, sum(row_count) as n, sum(checksum) as s from archive_piece
                where table_name = $1 and state = 'verified' and period >= $2 and period < $3 group by 1, 2) there using (company_id, period)
              where here.n is distinct from there.n or here.s is distinct from there.s)$compare$, at, p_part)
            into differs using p_table, span.first, span.next;
          if differs then return false; end if;
          -- Before it is dropped, because nobody may read it while it is.
          if p_table = 'audit_entry' then
            execute format('insert into audit_kept select id, company_id, subject_type, subject_id, event, object_changes, created_at from %I t
              where is_kept_entry(t.event, t.subject_type, t.created_by_type, t.imported_record_id) on conflict do nothing', p_part);
          end if;
          execute format('create or replace trigger forget_comparison after insert or update or delete on %I for each row execute function forget_comparison()', p_part);
          insert into archive_comparison (part, depends_on) values (p_part, archive_comparison_of(p_table, p_part, span.first, span.next))
            on conflict (part) do update set compared_at = now(), depends_on = excluded.depends_on;
          return true;
        end $$`);
    this.addSql(`
      -- Whether a partition is known to be what its files are, so that these need not be read again. After a day they are.
      create function is_compared_part(p_table text, p_part text) returns boolean
        language plpgsql security definer set search_path = public, pg_temp as $$
        declare span record;
        begin
          span := archived_part_range(p_table, p_part);
          return exists (select from archive_comparison where part = p_part and compared_at > now() - interval '1 day'
            and depends_on = archive_comparison_of(p_table, p_part, span.first, span.next));
        end $$`);
    this.addSql(`
      -- The application owns no tables. What this drops was compared, row by row, and has not been changed since.
      create or replace function drop_archived_part(p_table text, p_part text) returns boolean
        language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' as $$
        declare span record;
        begin
          span := archived_part_range(p_table, p_part);
          if not exists (select from pg_inherits where inhparent = p_table::regclass and inhrelid = to_regclass(p_part)) then return false; end if;
          -- Whoever reads or writes the table waits behind this, so it does not wait for them for long. The next round tries again.
          perform set_config('lock_timeout', '1s', true);
          execute format('lock table %I in access exclusive mode', p_part);
          -- Asked behind everybody who has changed it.
          if not exists (select from archive_comparison where part = p_part and depends_on = archive_comparison_of(p_table, p_part, span.first, span.next)) then
            return false;
          end if;
          execute format('drop table %I', p_part);
          delete from archive_comparison where part = p_part;
          update archive_piece set state = 'removed', removed_at = now(), lease_until = null
            where table_name = p_table and state = 'verified' and period >= span.first and period < span.next;
          return true;
        end $$`);
  }
}
