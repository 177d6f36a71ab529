import { Migration } from '@mikro-orm/migrations';

/** Companies to try things in, with a clock of their own, which are deleted after a month (src/sandbox, docs/sandbox.md). */
export class OpenSandboxes extends Migration {
  override up(): void {
    this.addSql(`
      -- The id of a company says whether it is a sandbox, and which one: src/platform/worlds/sandbox-ids.ts has the same.
      create function is_sandbox(company uuid) returns boolean language sql immutable parallel safe as $$ select substr($1::text, 15, 1) = '8' $$;
      create function world_of(company uuid) returns text language sql immutable parallel safe
        as $$ select case when substr($1::text, 15, 1) = '8' then right($1::text, 10) end $$;

      create table sandbox (
        -- That of its company.
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        -- Whose administrator made it.
        company_id uuid not null constraint sandbox_company_id_foreign references company (id),
        name text not null,
        administrator text not null,
        client_id text not null,
        ahead_seconds bigint not null default 0 check (ahead_seconds >= 0),
        ends_at timestamptz(6) not null,
        check (is_sandbox(id) and not is_sandbox(company_id))
      );
      -- Lists are pages of one company in the order of creation; its sandboxes are counted by the same index.
      create index sandbox_page_idx on sandbox (company_id, created_at, id);
      -- What is over is deleted.
      create index sandbox_ends_idx on sandbox (ends_at);
      -- Every company of a sandbox has its clock.
      create unique index sandbox_world_key on sandbox (world_of(id));

      -- Mails and texts that a sandbox would have sent.
      create table sandbox_message (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null constraint sandbox_message_company_id_foreign references company (id),
        channel text not null check (channel in ('mail', 'sms', 'push')),
        kind text not null,
        recipient text not null,
        subject text,
        text text not null,
        attachments text[] not null default '{}'
      );
      -- The log, newest first.
      create index sandbox_message_page_idx on sandbox_message (company_id, created_at, id);

      -- The sandbox that asked for a message; null of messages that go out.
      alter table outgoing_message add column sandbox_id uuid;`);

    this.addSql(`
      -- The time of a sandbox's company. As the owner, because whoever asks need not see the sandbox.
      create function sandbox_now(company uuid) returns timestamptz language sql stable parallel safe security definer set search_path = public, pg_temp
        as $$ select now() + coalesce((select s.ahead_seconds from sandbox s where world_of(s.id) = world_of($1)), 0) * interval '1 second' $$;
      -- The time by which a company is judged. It becomes a part of the statement that asks, so that nothing is called for real companies.
      create function company_now(company uuid) returns timestamptz language sql stable parallel safe
        as $$ select case when substr($1::text, 15, 1) = '8' then sandbox_now($1) else now() end $$;
      -- The same for the companies of the running statement, which are all of one world.
      create function present_time() returns timestamptz language sql stable parallel safe
        as $$ select case when substr(current_setting('app.company_ids', true), 16, 1) = '8'
          then sandbox_now(substr(current_setting('app.company_ids', true), 2, 36)::uuid) else now() end $$;
      -- Whether a company has that time: a look at all companies is one at the real ones, and one for each sandbox.
      create function in_present_time(company uuid) returns boolean language sql stable parallel safe
        as $$ select case when substr(current_setting('app.company_ids', true), 16, 1) = '8'
          then substr($1::text, 15, 1) = '8' and right($1::text, 10) = substr(current_setting('app.company_ids', true), 28, 10)
          else substr($1::text, 15, 1) <> '8' end $$`);

    // Sandboxes and real companies have nothing in common, whatever the code does.
    this.addSql(`
      alter table company add constraint company_world_check
        check (parent_company_id is null or world_of(id) is not distinct from world_of(parent_company_id));
      alter table account add constraint account_world_check
        check (connected_company_id is null or world_of(company_id) is not distinct from world_of(connected_company_id)) not valid;
      alter table company_share add constraint company_share_world_check
        check (world_of(sender_company_id) is not distinct from world_of(receiver_company_id)) not valid;
      -- An address signs in one person of all companies: people of a sandbox have addresses and numbers that nobody else can have.
      alter table app_user add constraint app_user_sandbox_email_check check (not is_sandbox(company_id) or unclaimed or email is null
        or email ~* '[@.](example|test|invalid|example\\.com|example\\.net|example\\.org)$') not valid;
      alter table app_user add constraint app_user_sandbox_phone_check check (not is_sandbox(company_id) or unclaimed or phone is null
        or phone ~ '^\\+1(999[0-9]{7}|[0-9]{3}55501[0-9]{2})$') not valid`);

    this.addSql(`
      -- Moves a sandbox's clock, and with it what waits for a time of its company. What waits for the world, such as a webhook that failed, stays.
      create function move_sandbox_clock(p_sandbox uuid, p_ahead bigint) returns void language plpgsql security definer set search_path = public, pg_temp as $$
      declare
        companies uuid[] := array(select c.id from company c where world_of(c.id) = world_of(p_sandbox));
        step interval;
      begin
        select (p_ahead - s.ahead_seconds) * interval '1 second' into strict step from sandbox s where s.id = p_sandbox for update;
        update sandbox set ahead_seconds = p_ahead where id = p_sandbox;
        update ticket_chase_task set due_at = due_at - step where company_id = any(companies);
        update export_schedule set due_at = due_at - step where company_id = any(companies) and due_at is not null;
        update outgoing_message set next_at = next_at - step, give_up_at = give_up_at - step where sandbox_id = any(companies);
      end $$`);

    // Whatever has a company, or leads to something that has one: a new table needs nothing to be deleted with its sandbox.
    this.addSql(`
      create function parts_of_sandbox() returns table (name text, condition text, named boolean) language sql stable set search_path = public, pg_temp as $$
        with owned as (
          select c.oid, c.relname::text from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped
          where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> 'sandbox')
        select o.relname, 'company_id = any($1)', false from owned o
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
      -- Signs everybody of a sandbox out, for good.
      create function end_sandbox(p_sandbox uuid) returns void language sql security definer set search_path = public, pg_temp as $$
        update sandbox set ends_at = least(ends_at, now()), updated_at = now() where id = p_sandbox;
        update company set discarded_at = now(), usage_status = 'deleted'
          where is_sandbox(p_sandbox) and world_of(id) = world_of(p_sandbox) and discarded_at is null $$;

      -- Deletes so many rows of a sandbox that is over. Returns how many, and 0 when it is gone.
      create function delete_sandbox_rows(p_sandbox uuid, p_most integer) returns integer language plpgsql security definer set search_path = public, pg_temp as $$
      declare
        companies uuid[];
        part record;
        deleted integer;
        total integer := 0;
        rest text := '';
        is_there boolean;
      begin
        -- Nothing but a sandbox that is over is ever deleted.
        perform from sandbox s where s.id = p_sandbox and is_sandbox(s.id) and s.ends_at <= now() for update;
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
