import { Migration } from '@mikro-orm/migrations';

/** A sandbox whose rows are deleted stays for an hour, and is looked through once more: not every table has a foreign key that refuses rows of nobody. */
export class DeleteStragglersOfSandboxes extends Migration {
  override up(): void {
    this.addSql('alter table sandbox add column emptied_at timestamptz(6)');
    this.addSql(`
      -- Deletes so many rows of a sandbox that is over. Returns how many, 0 when it is gone, and -1 when it is empty and stays for stragglers.
      create or replace function delete_sandbox_rows(p_sandbox uuid, p_most integer) returns integer language plpgsql security definer set search_path = public, pg_temp as $$
      declare
        companies uuid[];
        part record;
        deleted integer;
        total integer := 0;
        rest text := '';
        is_there boolean;
        emptied timestamptz;
      begin
        -- Nothing but a sandbox that is over is ever deleted.
        select s.emptied_at into emptied from sandbox s where s.id = p_sandbox and is_sandbox(s.id) and s.ends_at <= now() for update;
        if not found then return 0; end if;
        companies := array(select c.id from company c where world_of(c.id) = world_of(p_sandbox));
        for part in select * from parts_of_sandbox() where not named loop
          begin
            execute format('delete from only %1$s where ctid = any(array(select ctid from only %1$s where %2$s limit %3$s))', part.name, part.condition, p_most - total)
              using companies;
            get diagnostics deleted = row_count;
            total := total + deleted;
          -- It waits until what refers to it is gone.
          exception when foreign_key_violation then null;
          end;
          if total >= p_most then return total; end if;
        end loop;
        if total > 0 then return total; end if;
        -- What somebody began before it was over may be written behind the last row that was deleted.
        if emptied is null then update sandbox set emptied_at = now() where id = p_sandbox; end if;
        if emptied is null or emptied > now() - interval '1 hour' then return -1; end if;
        -- What is left refers to each other in a circle: at the end of one statement all of it is gone.
        for part in select row_number() over () as place, p.* from parts_of_sandbox() p loop
          execute format('select exists (select from only %s where %s)', part.name, part.condition) into is_there using companies;
          if is_there then rest := rest || format('deleted_%s as (delete from only %s where %s), ', part.place, part.name, part.condition); end if;
        end loop;
        execute format('with %s companies as (delete from company where id = any($1)) select', rest) using companies;
        -- Nobody is told: their feeds are gone.
        delete from change_pending where company_id = any(companies) or reader_id = any(companies);
        delete from sandbox where id = p_sandbox;
        return 0;
      end $$`);
  }
}
