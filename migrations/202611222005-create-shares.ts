import { Migration } from '@mikro-orm/migrations';

const NAMED = [
  ['app_user', 'User', ['first_name', 'last_name'], `trim(old.first_name || ' ' || old.last_name)`],
  ['equipment', 'Equipment', ['name'], 'old.name'],
  ['site', 'Site', ['name'], 'old.name'],
] as const;

/** Records that one company lets another one use, and the names vendors call their trucks by. */
export class CreateShares extends Migration {
  override up(): void {
    this.addSql(`
      create table company_share (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),

        sender_company_id uuid not null references company (id),
        receiver_company_id uuid not null references company (id),
        company_shareable_type text not null,
        company_shareable_id uuid not null,
        parent_company_share_id uuid references company_share (id) on delete cascade,
        external_id text,
        ticket_match_id text,
        -- After a share ends, the former partner sees the record's name as it was on that day.
        name_at_end text,

        dispatchable boolean not null default false,
        -- Whether every share above it is dispatchable too; kept by the trigger below.
        plannable boolean not null default false,
        schedule_on boolean not null default false,
        rate_override boolean not null default false,
        expires_at timestamptz(6),
        -- The earliest end of this share and of those above it; kept by the trigger below.
        valid_until timestamptz(6),
        default_equipment_id uuid references equipment (id),
        default_additional_equipment_ids uuid[] not null default '{}',

        constraint company_share_owner_check check (company_id = sender_company_id),
        constraint company_share_sides_check check (sender_company_id <> receiver_company_id)
      );
      -- A record is shared with a company once, because two shares would contradict each other. Also answers for every record of a page
      -- whether it is shared with the reader.
      create unique index company_share_record_key on company_share (company_shareable_id, receiver_company_id, sender_company_id);
      -- Pages of what a company shares.
      create index company_share_sender_idx on company_share (company_id, created_at, id);
      -- Pages of what is shared with a company; at sign-in also whether there is anything.
      create index company_share_receiver_idx on company_share (receiver_company_id, created_at, id);
      -- The shares that hang on a share end with it.
      create index company_share_parent_idx on company_share (parent_company_share_id) where parent_company_share_id is not null;`);

    // A share that hangs on another one ends no later than that, and may be planned with as long as every share above it says so. Decided here,
    // because the shares below belong to other companies, whose rows the one that ends it or changes its mind does not write.
    this.addSql(`create function company_share_ends() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        if new.parent_company_share_id is not null then
          -- Waits for whoever is changing the parent, and then sees what became of it.
          select least(new.expires_at, valid_until), new.dispatchable and plannable into new.valid_until, new.plannable from company_share
            where id = new.parent_company_share_id for share;
          -- A parent that has gone leaves the word to the foreign key.
          new.plannable := coalesce(new.plannable, false);
        else
          new.valid_until := new.expires_at;
          new.plannable := new.dispatchable;
        end if;
        if new.valid_until is null or new.valid_until > now() then
          new.name_at_end := null;
        end if;
        return new;
      end $$`);
    this.addSql(`create trigger company_share_ends before insert or update on company_share
      for each row execute function company_share_ends()`);
    this.addSql(`create function company_share_ends_others() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        update company_share set valid_until = null where parent_company_share_id = new.id;
        return null;
      end $$`);
    this.addSql(`create trigger company_share_ends_others after update on company_share for each row
      when (old.valid_until is distinct from new.valid_until or old.plannable <> new.plannable) execute function company_share_ends_others()`);

    // After a share ends, the former partner sees the name that the record had then. The first change of name after the end keeps it, so that
    // renaming writes nothing to shares that are valid, and an end that comes by itself needs nobody to notice.
    for (const [table, type, columns, name] of NAMED) {
      this.addSql(`create function ${table}_name_at_end() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
        begin
          update company_share set name_at_end = ${name}
            where company_shareable_id = old.id and company_shareable_type = '${type}' and valid_until <= now() and name_at_end is null;
          return null;
        end $$`);
      const changed = columns.map((column) => `old.${column} is distinct from new.${column}`).join(' or ');
      this.addSql(`create trigger ${table}_name_at_end after update of ${columns.join(', ')} on ${table}
        for each row when (${changed}) execute function ${table}_name_at_end()`);
    }
    // Both sides of a share see what it was about, also when it has ended and one of them sees the record itself no more.
    this.addSql(`create function shareable_name(type text, id uuid) returns text
      language sql stable security definer set search_path = public, pg_temp as $$
      select case type
        when 'User' then (select trim(u.first_name || ' ' || u.last_name) from app_user u where u.id = $2)
        when 'Equipment' then (select e.name from equipment e where e.id = $2)
        else (select s.name from site s where s.id = $2) end
      where exists (select 1 from company_share s, (select nullif(current_setting('app.company_ids', true), '')::uuid[] as ids) own
        where s.company_shareable_id = $2 and s.company_shareable_type = $1
          and (s.company_id = any(own.ids) or s.receiver_company_id = any(own.ids))) $$`);

    // What vendors call their trucks: noted when a ticket names one, and matched with a shared truck by people.
    this.addSql(`
      create table account_external_truck_identifier (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        account_id uuid not null references account (id),
        external_truck_id text not null,
        -- Without a truck the name waits for one; when a share ends, the name stays and the truck is not found any more.
        equipment_id uuid references equipment (id),
        company_share_id uuid references company_share (id) on delete set null,
        last_ticket_received_at timestamptz(6)
      );
      -- A vendor calls one truck by a name; the truck of a ticket is found by it.
      create unique index account_external_truck_identifier_key on account_external_truck_identifier (company_id, external_truck_id, account_id);
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index account_external_truck_identifier_page_idx on account_external_truck_identifier (company_id, created_at, id);
      -- For the foreign key: shares end.
      create index account_external_truck_identifier_share_idx on account_external_truck_identifier (company_share_id) where company_share_id is not null;`);
  }
}
