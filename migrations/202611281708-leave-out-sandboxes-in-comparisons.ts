import { Migration } from '@mikro-orm/migrations';

/**
 * Positions of a sandbox are in no file (src/archives/archived-tables.ts), whatever it says, and leave with their month, or with the sandbox. Counted as
 * missing in the files, they kept the month of all companies. And whoever finds a partition gone that another process has just dropped has nothing to do.
 */
export class LeaveOutSandboxesInComparisons extends Migration {
  override up(): void {
    this.addSql(`
      create or replace function archive_comparison_of(p_table text, p_part text, p_first date, p_next date) returns text
        language sql stable set search_path = public, pg_temp set timezone = 'UTC' as $$
          select md5(concat_ws('|',
            (select string_agg(concat_ws(',', id, row_count, checksum, sha256), ';' order by id) from archive_piece
              where table_name = p_table and state = 'verified' and period >= p_first and period < p_next),
            case when p_table = 'location_history' then (select string_agg(company_id::text, ';' order by company_id) from company_settings where archive_positions and not is_sandbox(company_id)) end,
            (select string_agg(concat_ws(',', attname, atttypid, atttypmod, attisdropped), ';' order by attnum) from pg_attribute
              where attrelid = to_regclass(p_part) and attnum > 0))) $$`);
    this.addSql(`
      create or replace function compare_archived_part(p_table text, p_part text) returns boolean
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
          begin
            execute format('lock table %I in share row exclusive mode', p_part);
          exception when undefined_table then return false;
          end;
          if exists (select from archive_comparison where part = p_part and depends_on = archive_comparison_of(p_table, p_part, span.first, span.next)) then
            return true;
          end if;
          execute format($compare$
            select exists (
              select from (select t.company_id, date_trunc('month', t.%I)::date as period, count(*) as n,
                  sum(hashtextextended(archive_line(t), 0)::numeric) as s
                from %I t where $1 <> 'location_history' or exists (select from company_settings c where c.company_id = t.company_id and c.archive_positions and not is_sandbox(c.company_id))
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
      create or replace function drop_archived_part(p_table text, p_part text) returns boolean
        language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' as $$
        declare span record;
        begin
          span := archived_part_range(p_table, p_part);
          if not exists (select from pg_inherits where inhparent = p_table::regclass and inhrelid = to_regclass(p_part)) then return false; end if;
          -- Whoever reads or writes the table waits behind this, so it does not wait for them for long. The next round tries again.
          perform set_config('lock_timeout', '1s', true);
          begin
            execute format('lock table %I in access exclusive mode', p_part);
          exception when undefined_table then return false;
          end;
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
