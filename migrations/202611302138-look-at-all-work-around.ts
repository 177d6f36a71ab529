import { Migration } from '@mikro-orm/migrations';

/** Whatever is seen with an order, a job, a day or a project is looked at when that changes, for readers of feeds who see some records only. */
export class LookAtAllWorkAround extends Migration {
  override up(): void {
    this.addSql(`
      -- Records that somebody who is limited to some of them may begin or cease to see when an order, a job, a load, a day of a driver or a project changes.
      create or replace function change_surroundings(p_type text, p_id uuid) returns table (type text, id uuid) language sql stable as $$
        with whole as (
            select p_id as id where p_type = 'Order'
            -- An order is at a site also by the stops of its loads.
            union all select l.order_id from load l where p_type = 'Load' and l.id = p_id),
          jobs as (
            select j.id, j.order_id, j.driver_day_id from job j where p_type = 'Job' and j.id = p_id
            union all select j.id, j.order_id, j.driver_day_id from whole w join job j on j.order_id = w.id),
          work (type, id) as (
            select 'Order', w.id from whole w
            union select 'Order', j.order_id from jobs j
            union select 'Job', j.id from jobs j
            union select 'Load', l.id from jobs j join load l on l.job_id = j.id
            union select 'DriverDay', j.driver_day_id from jobs j where j.driver_day_id is not null
            union select 'DriverDay', p_id where p_type = 'DriverDay'
            union select 'Project', o.project_id from jobs j join orders o on o.id = j.order_id where o.project_id is not null
            union select 'Project', o.project_id from whole w join orders o on o.id = w.id where o.project_id is not null
            union select 'Project', p_id where p_type = 'Project'),
          bills as (
            select i.id from work w join invoice i on i.order_id = w.id where w.type = 'Order'
            union select i.id from work w join invoice i on i.driver_day_id = w.id where w.type = 'DriverDay'),
          settled as (select distinct s.settlement_id as id from bills b join settlement_invoice s on s.invoice_id = b.id)
        select a.type, a.id from (
          select w.type, w.id from work w
          union select 'Ticket', t.id from jobs j join ticket t on t.job_id = j.id
          union select 'Ticket', t.id from whole w join ticket t on t.order_id = w.id
          union select 'JobAssignment', k.id from jobs j join job_assignment k on k.job_id = j.id
          union select 'FileAttachment', f.id from work w join file_attachment f on f.file_attachable_id = w.id and f.file_attachable_type = w.type
          union select 'AddOnCharge', c.id from jobs j join add_on_charge c on c.job_id = j.id
          union select 'AddOnCharge', c.id from work w join add_on_charge c on c.driver_day_id = w.id where w.type = 'DriverDay'
          union select 'AddOnCharge', c.id from (select b.id from bills b union all select s.id from settled s) b join add_on_charge c on c.add_on_applicable_id = b.id
          union select 'Invoice', b.id from bills b
          union select 'Settlement', s.id from settled s
          union select 'LoadMatch', m.id from jobs j join load_match m on m.job_id = j.id) a (type, id)
        where (a.type, a.id) is distinct from (p_type, p_id)
      $$`);
    this.addSql(`
      -- Whoever sees a project by its orders sees another one when an order moves.
      create function note_projects_of_order() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        insert into change_pending (company_id, subject_type, subject_id, kind)
          select new.company_id, 'Project', p.id, 'update' from unnest(array[old.project_id, new.project_id]) p (id) where p.id is not null;
        return null;
      end $$`);
    this.addSql(`
      create trigger note_projects_of_order after update of project_id on orders
        for each row when (old.project_id is distinct from new.project_id) execute function note_projects_of_order()`);
  }
}
