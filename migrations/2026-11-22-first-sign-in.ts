import { Migration } from '@mikro-orm/migrations';

/** Nobody manages a company whose people sign in themselves: when that was first, and when managing ended. */
export class FirstSignIn extends Migration {
  override up(): void {
    this.addSql('alter table company add column first_sign_in_at timestamptz(6)');
    this.addSql('alter table account add column managed_until timestamptz(6)');
    // Of each person the last sign-in is kept: the earliest of those is no earlier than the first.
    this.addSql(`update company c set first_sign_in_at = met.at
      from (select company_id, min(last_login_at) as at from app_user where last_login_at is not null group by company_id) met
      where met.company_id = c.id`);
    // Programs of the company's own are somebody of it too.
    this.addSql(`update company c set first_sign_in_at = met.at
      from (select company_id, min(last_used_at) as at from machine_client where last_used_at is not null group by company_id) met
      where met.company_id = c.id and c.first_sign_in_at is null`);
    // Whoever is above a company has their role in it anyway.
    this.addSql(`create temporary table outlived on commit drop as
      with recursive above (id, parent) as (
        select id, parent_company_id from company
        union select b.id, p.parent_company_id from above b join company p on p.id = b.parent)
      select a.id, a.company_id as manager, a.connected_company_id as managed
      from account a join company c on c.id = a.connected_company_id
      where a.managed and c.first_sign_in_at is not null
        and not exists (select from above b where b.id = a.connected_company_id and b.parent = a.company_id)`);
    this.addSql('update account set managed = false, managed_until = now() where id in (select id from outlived)');
    const author = `'System', '00000000-0000-0000-0000-000000000000'::uuid, 'System', '2026-11-22-first-sign-in'`;
    this.addSql(`insert into audit_entry (id, company_id, subject_type, subject_id, event, object_changes, created_by_type, created_by_id, created_by_name, request_id)
      select gen_random_uuid(), manager, 'Account', id, 'update', '{"managed": [true, false]}'::jsonb, ${author} from outlived
      union all
      select gen_random_uuid(), managed, 'Company', managed, 'update', jsonb_build_object('managed_by_company_id', jsonb_build_array(manager, null)), ${author} from outlived`);
  }
}
