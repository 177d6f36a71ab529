import { Migration } from '@mikro-orm/migrations';

/**
 * The rows of a sandbox that is over are found by indexes: most tables have none on the company, and each look would read all positions and events of
 * everybody.
 */
export class FindRowsOfSandboxes extends Migration {
  override up(): void {
    this.addSql(`
      -- Its people and trucks, whose positions outlive them for a moment: these are found by nothing else.
      alter table sandbox add column asset_ids uuid[] not null default '{}'`);
    this.addSql(`
      -- Every table with rows of companies, and a condition of those of the companies $1, whose people and trucks are $2.
      create or replace function parts_of_sandbox() returns table (name text, condition text, named boolean)
        language sql stable set search_path = public, pg_temp as $$
        with owned as (
          select c.oid, c.relname::text from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped
          where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> 'sandbox'),
        -- Columns with which an index begins that has every row.
        led as (
          select i.indrelid, a.attnum, a.attname from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
          where i.indisvalid and (i.indpred is null or a.attnotnull and pg_get_expr(i.indpred, i.indrelid) = format('(%I IS NOT NULL)', a.attname)))
        select o.relname, case
            when exists (select from pg_inherits h where h.inhrelid = o.oid and h.inhparent = 'location_history'::regclass)
              then 'company_id = any($1) and asset_id = any($2)'
            when exists (select from led l where l.indrelid = o.oid and l.attname = 'company_id') then 'company_id = any($1)'
            -- By the record to which they belong, which cannot be deleted before them.
            when k.by is not null then 'company_id = any($1) and ' || k.by
            else 'company_id = any($1) and is_sandbox(company_id)' end, false
        from owned o left join lateral (
          select format('%I in (select p.id from %s p where p.company_id = any($1))', a.attname, f.confrelid::regclass) as by
          from pg_constraint f join pg_attribute a on a.attrelid = f.conrelid and a.attnum = f.conkey[1] and a.attnotnull
            join pg_attribute b on b.attrelid = f.confrelid and b.attnum = f.confkey[1] and b.attname = 'id'
          where f.contype = 'f' and f.conrelid = o.oid and cardinality(f.conkey) = 1 and f.confrelid <> f.conrelid
            and exists (select from led l where l.indrelid = o.oid and l.attnum = a.attnum)
            and exists (select from led l where l.indrelid = f.confrelid and l.attname = 'company_id')
          order by a.attname limit 1) k on true
        union all
        -- Secrets, which are apart from what they belong to, and the like.
        select f.conrelid::regclass::text, string_agg(format('%I in (select p.%I from %s p where p.company_id = any($1))', a.attname, b.attname, f.confrelid::regclass), ' or '), false
        from pg_constraint f join owned o on o.oid = f.confrelid
          join pg_attribute a on a.attrelid = f.conrelid and a.attnum = f.conkey[1] join pg_attribute b on b.attrelid = f.confrelid and b.attnum = f.confkey[1]
        where f.contype = 'f' and cardinality(f.conkey) = 1 and f.conrelid not in ('company'::regclass, 'sandbox'::regclass)
          and not exists (select from pg_attribute c where c.attrelid = f.conrelid and c.attname = 'company_id' and not c.attisdropped)
        group by 1
        union all values ('outgoing_message', 'sandbox_id = any($1)', false),
          -- Of the companies themselves: they go with these.
          ('address', 'id in (select c.address_id from company c where c.id = any($1))', true),
          ('contact', 'id in (select unnest(array[c.primary_contact_id, c.billing_contact_id]) from company c where c.id = any($1))', true) $$`);
    this.addSql(`
      -- Deletes so many rows of a sandbox that is over. Returns how many, 0 when it is gone, and -1 when it is empty and stays for stragglers.
      create or replace function delete_sandbox_rows(p_sandbox uuid, p_most integer) returns integer language plpgsql security definer set search_path = public, pg_temp as $$
      declare
        companies uuid[];
        assets uuid[];
        part record;
        deleted integer;
        total integer := 0;
        rest text := '';
        is_there boolean;
        emptied timestamptz;
      begin
        -- Nothing but a sandbox that is over is ever deleted.
        select s.emptied_at, s.asset_ids into emptied, assets from sandbox s where s.id = p_sandbox and is_sandbox(s.id) and s.ends_at <= now() for update;
        if not found then return 0; end if;
        companies := array(select c.id from company c where world_of(c.id) = world_of(p_sandbox));
        assets := array(select unnest(assets) union select unnest(companies) union select id from app_user where company_id = any(companies)
          union select id from equipment where company_id = any(companies));
        update sandbox set asset_ids = assets where id = p_sandbox and cardinality(asset_ids) <> cardinality(assets);
        for part in select * from parts_of_sandbox() where not named loop
          begin
            execute format('delete from only %1$s where ctid = any(array(select ctid from only %1$s where %2$s limit %3$s))', part.name, part.condition, p_most - total)
              using companies, assets;
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
          execute format('select exists (select from only %s where %s)', part.name, part.condition) into is_there using companies, assets;
          if is_there then rest := rest || format('deleted_%s as (delete from only %s where %s), ', part.place, part.name, part.condition); end if;
        end loop;
        execute format('with %s companies as (delete from company where id = any($1)) select', rest) using companies, assets;
        -- Nobody is told: their feeds are gone.
        delete from change_pending where company_id = any(companies) or reader_id = any(companies);
        delete from sandbox where id = p_sandbox;
        return 0;
      end $$`);
  }
}
