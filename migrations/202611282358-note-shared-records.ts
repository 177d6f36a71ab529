import { Migration } from '@mikro-orm/migrations';

/** What a company shares changes for who receives it, too: when the share begins, ends and says something else, and when the record changes. */
export class NoteSharedRecords extends Migration {
  override up(): void {
    this.addSql(`
      -- When it was noted for the feeds that the share has ended. Whoever ends it notes that by doing so; of those that expire a worker does.
      alter table company_share add column end_noted_at timestamptz(6)`);
    this.addSql(`
      create or replace function company_share_ends() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
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
          new.end_noted_at := null;
        else
          new.end_noted_at := coalesce(new.end_noted_at, now());
        end if;
        return new;
      end $$`);
    this.addSql(`
      select watch_changes('company_share', 'r.company_shareable_type', '(select r.company_shareable_id)', 'r.company_id', '(select r.receiver_company_id)',
        false, array[]::text[])`);
    this.addSql(`
      -- The companies that may see a record of another one, or saw it. The planner decides whether they do. What is shared is seen as long as the share holds.
      create or replace function change_readers(p_type text, p_id uuid) returns setof uuid language plpgsql stable as $$
      begin
        if p_type = 'Job' then
          return query select a.vendor_company_id from job_assignment a where a.job_id = p_id;
        elsif p_type = 'Load' then
          return query select a.vendor_company_id from load l join job_assignment a on a.job_id = l.job_id where l.id = p_id;
        elsif p_type = 'Order' then
          return query select a.vendor_company_id from job j join job_assignment a on a.job_id = j.id where j.order_id = p_id;
        elsif p_type = 'JobAssignment' then
          return query select a.vendor_company_id from job_assignment a where a.id = p_id
            union all select a.customer_company_id from job_assignment a where a.id = p_id;
        elsif p_type = 'FileAttachment' then
          return query select a.vendor_company_id from file_attachment f
            left join load l on f.file_attachable_type = 'Load' and l.id = f.file_attachable_id
            join job_assignment a on a.job_id = case f.file_attachable_type when 'Job' then f.file_attachable_id else l.job_id end where f.id = p_id;
        elsif p_type = 'DriverDay' then
          return query select a.customer_company_id from job j join job_assignment a on a.job_id = j.id where j.driver_day_id = p_id;
        elsif p_type = 'CompanyShare' then
          return query select s.receiver_company_id from company_share s where s.id = p_id;
        elsif p_type = 'Invoice' then
          return query select i.sent_to_company_id from invoice i where i.id = p_id;
        elsif p_type = 'Settlement' then
          return query select s.sent_to_company_id from settlement s where s.id = p_id;
        elsif p_type = 'AddOnCharge' then
          return query select c.sent_to_company_id from add_on_charge c where c.id = p_id;
        elsif p_type in ('Equipment', 'Site', 'User') then
          return query select s.receiver_company_id from company_share s
            where s.company_shareable_id = p_id and s.company_shareable_type = p_type and (s.valid_until is null or s.valid_until > now());
        else
          return;
        end if;
        return query select s.company_id from change_sight s where s.subject_id = p_id and s.lost_at is null;
      end $$`);
    this.addSql(`
      -- Who receives shares begins with a snapshot: what was shared before is in no feed.
      delete from change_reader r where exists (select from company_share s where s.receiver_company_id = r.company_id)`);
  }
}
