import { Migration } from '@mikro-orm/migrations';

/**
 * What was shared on may be planned with as long as every share above it says so. Kept where the end is kept, because the shares below
 * belong to other companies, whose rows the one that changes its mind does not write.
 */
export class EffectiveShares extends Migration {
  override up(): void {
    this.addSql('alter table company_share add column plannable boolean not null default false');
    this.addSql(`with recursive chain as (
        select id, dispatchable as plannable from company_share where parent_company_share_id is null
        union all
        select c.id, c.dispatchable and p.plannable from company_share c join chain p on c.parent_company_share_id = p.id)
      update company_share s set plannable = chain.plannable from chain where chain.id = s.id`);
    this.addSql(`create or replace function company_share_ends() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
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
    this.addSql('drop trigger company_share_ends_others on company_share');
    this.addSql(`create trigger company_share_ends_others after update on company_share for each row
      when (old.valid_until is distinct from new.valid_until or old.plannable <> new.plannable) execute function company_share_ends_others()`);
  }
}
