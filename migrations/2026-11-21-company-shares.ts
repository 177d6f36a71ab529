import { Migration } from '@mikro-orm/migrations';

/** Records that one company lets another one use. */
export class CompanyShares extends Migration {
  override up(): void {
    this.addSql(`create table company_share (
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
      dispatchable boolean not null,
      schedule_on boolean not null default false,
      rate_override boolean not null default false,
      expires_at timestamptz(6),
      valid_until timestamptz(6),
      default_equipment_id uuid references equipment (id),
      default_additional_equipment_ids uuid[] not null default '{}',
      constraint company_share_owner_check check (company_id = sender_company_id),
      constraint company_share_sides_check check (sender_company_id <> receiver_company_id)
    )`);
    // A record is shared with a company once; two shares would contradict each other. Also answers, for every record of a page,
    // whether it is shared with the reader.
    this.addSql(
      `create unique index company_share_record_key on company_share (company_shareable_id, receiver_company_id, sender_company_id)`,
    );
    // Pages of what a company shares, and of what it is shared; the second also tells at sign-in whether there is anything.
    this.addSql('create index company_share_sender_idx on company_share (company_id, created_at, id)');
    this.addSql('create index company_share_receiver_idx on company_share (receiver_company_id, created_at, id)');
    // What ends with a share.
    this.addSql(`create index company_share_parent_idx on company_share (parent_company_share_id)
      where parent_company_share_id is not null`);
    // A share that hangs on another one stands no longer than that. Decided here, because what hangs on a share belongs to other
    // companies, whose rows the one that ends it does not write.
    this.addSql(`create function company_share_ends() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        if new.parent_company_share_id is not null then
          -- Waits for whoever is changing the parent, and then sees what became of it.
          select least(new.expires_at, valid_until) into new.valid_until from company_share
            where id = new.parent_company_share_id for share;
        else
          new.valid_until := new.expires_at;
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
    this.addSql(`create trigger company_share_ends_others after update on company_share
      for each row when (old.valid_until is distinct from new.valid_until) execute function company_share_ends_others()`);
    this.addSql(`alter table equipment add column ownership text not null default 'internal'`);
  }
}
