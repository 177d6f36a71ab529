import { Migration } from '@mikro-orm/migrations';

const AS_OWNER = 'language plpgsql security definer set search_path = public, pg_temp';

/**
 * `managed` of a person: another company manages theirs, and plans and enters for them. It follows from accounts and companies, and is kept
 * on the person because lists of work name hundreds of drivers with it, and each would ask of accounts that most readers do not see.
 */
export class ManagedPeople extends Migration {
  override up(): void {
    // As for whoever acts inside of it: the connection stands, and the company has not become a customer of its own.
    this.addSql(`create function company_is_managed(id uuid) returns boolean language sql stable security definer set search_path = public, pg_temp as $$
      select exists (select from account a join company c on c.id = a.connected_company_id
        where a.connected_company_id = $1 and a.managed and a.discarded_at is null and c.discarded_at is null and not c.platform_customer) $$`);
    // The company is held, so that of somebody who is added and managing that begins meanwhile one sees the other.
    this.addSql(`create function app_user_is_managed() returns trigger ${AS_OWNER} as $$
      begin
        perform from company where id = new.company_id for key share;
        new.managed := company_is_managed(new.company_id);
        return new;
      end $$`);
    this.addSql('create trigger app_user_is_managed before insert on app_user for each row execute function app_user_is_managed()');
    this.addSql(`create function people_are_managed(company uuid) returns void ${AS_OWNER} as $$
      begin
        perform from company c where c.id = company for update;
        update app_user u set managed = not u.managed where u.company_id = company and u.managed <> company_is_managed(company);
      end $$`);
    this.addSql(`create function account_manages() returns trigger ${AS_OWNER} as $$
      begin
        if tg_op = 'UPDATE' and old.connected_company_id is distinct from new.connected_company_id then
          perform people_are_managed(old.connected_company_id);
        end if;
        perform people_are_managed(new.connected_company_id);
        return null;
      end $$`);
    this.addSql(
      `create trigger account_begins_to_manage after insert on account for each row when (new.managed) execute function account_manages()`,
    );
    this.addSql(`create trigger account_manages after update of managed, discarded_at, connected_company_id on account for each row
      when ((old.managed or new.managed) and (old.managed, old.discarded_at, old.connected_company_id)
        is distinct from (new.managed, new.discarded_at, new.connected_company_id)) execute function account_manages()`);
    this.addSql(`create function company_speaks_for_itself() returns trigger ${AS_OWNER} as $$
      begin
        perform people_are_managed(new.id);
        return null;
      end $$`);
    this.addSql(`create trigger company_speaks_for_itself after update of platform_customer on company for each row
      when (old.platform_customer is distinct from new.platform_customer) execute function company_speaks_for_itself()`);
    this.addSql('update app_user u set managed = true where not u.managed and company_is_managed(u.company_id)');
  }
}
