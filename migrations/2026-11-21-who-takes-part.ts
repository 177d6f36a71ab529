import { Migration } from '@mikro-orm/migrations';

/**
 * A vendor that got a job after another one reads what its owner and its own chain did with it, not what the first vendor and its people did.
 * Events so far were made by somebody's company; those of nobody (automation, sheets of an import) are the owner's.
 */
export class WhoTakesPart extends Migration {
  override up(): void {
    this.addSql('alter table job_event add column created_by_company_id uuid');
    this.addSql(`update job_event e set created_by_company_id = u.company_id from app_user u
      where u.id = e.created_by_id and u.company_id <> e.company_id`);
    this.addSql(`update job_event e set created_by_company_id = c.company_id from machine_client c
      where c.id = e.created_by_id and c.company_id <> e.company_id`);
    // As the owner: a vendor sees only the links beside it, and its chain may be longer.
    this.addSql(`create function takes_part(job_id uuid, company_id uuid) returns boolean
      language sql stable security definer set search_path = public, pg_temp as $$
        with recursive part (id) as (
          select j.company_id from job j where j.id = $1
          union select unnest(array[a.customer_company_id, a.vendor_company_id]) from job_assignment a where a.job_id = $1
          union select c.parent_company_id from company c join part on part.id = c.id)
        select exists (select from part where id = $2) $$`);
  }
}
