import { Migration } from '@mikro-orm/migrations';

/** What row-level security (src/platform/database/row-level-security.ts) needs of the tables, and the few questions that must see beyond it. */
export class SecondWall extends Migration {
  override up(): void {
    // The owner of the work, so that a policy need not ask the job, whose policy asks the links.
    this.addSql('alter table job_assignment add column company_id uuid');
    this.addSql('update job_assignment a set company_id = j.company_id from job j where j.id = a.job_id');
    this.addSql('alter table job_assignment alter column company_id set not null');
    this.addSql(`create function job_assignment_company() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        select company_id into new.company_id from job where id = new.job_id;
        return new;
      end $$`);
    this.addSql(`create trigger job_assignment_company before insert or update of job_id on job_assignment
      for each row execute function job_assignment_company()`);
    // Partners in work are found by jumping from one to the next, however many jobs lie between.
    this.addSql('create index job_assignment_owner_partner_idx on job_assignment (company_id, vendor_company_id)');
    this.addSql('create index job_assignment_vendor_partner_idx on job_assignment (vendor_company_id, company_id)');
    this.addSql('create index job_assignment_vendor_customer_idx on job_assignment (vendor_company_id, customer_company_id)');
    this.addSql('create index job_assignment_customer_partner_idx on job_assignment (customer_company_id, vendor_company_id)');
    const ways = [
      ['company_id', 'vendor_company_id'],
      ['vendor_company_id', 'company_id'],
      ['vendor_company_id', 'customer_company_id'],
      ['customer_company_id', 'vendor_company_id'],
    ] as const;
    this.addSql(`create function work_partners() returns uuid[] language sql stable security definer set search_path = public, pg_temp as $$
      with recursive own (id) as (select unnest(nullif(current_setting('app.company_ids', true), '')::uuid[])),
      ${ways.map(([from, to], n) => `way${n} (own, id) as (${jump(`way${n}`, from, to)})`).join(',\n')},
      shares (sender_company_id, parent_company_share_id) as (
        select s.sender_company_id, s.parent_company_share_id from company_share s where s.receiver_company_id in (select id from own)
        union
        select p.sender_company_id, p.parent_company_share_id from company_share p join shares c on p.id = c.parent_company_share_id)
      select coalesce(array_agg(distinct id), '{}') from (
        ${ways.map((_, n) => `select id from way${n} where id is not null`).join(' union ')} union select sender_company_id from shares) p $$`);
    this.addSql(`create function parent_companies() returns uuid[] language sql stable security definer set search_path = public, pg_temp as $$
      select coalesce(array_agg(c.parent_company_id), '{}') from company c
      where c.id = any(nullif(current_setting('app.company_ids', true), '')::uuid[]) and c.parent_company_id is not null $$`);

    // A parent above the caller's own family must be seen, or a circle through it would not be.
    this.addSql('alter function company_stays_in_a_tree() security definer set search_path = public, pg_temp');
    // Ends a session of the same login, whatever role it has taken.
    this.addSql(`create function end_session(pid integer) returns boolean language sql security definer set search_path = public, pg_temp as $$
      select pg_terminate_backend(a.pid, 2000) from pg_stat_activity a
      where a.pid = $1 and a.datname = current_database() and a.usename = session_user $$`);
  }
}

const jump = (way: string, from: string, to: string) => `
  select own.id, first.${to} from own, lateral (
    select a.${to} from job_assignment a where a.${from} = own.id and a.${to} is not null order by a.${to} limit 1) first
  union all
  select w.own, next.${to} from ${way} w, lateral (
    select a.${to} from job_assignment a where a.${from} = w.own and a.${to} > w.id order by a.${to} limit 1) next`;
