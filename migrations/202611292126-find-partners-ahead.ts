import { Migration } from '@mikro-orm/migrations';

/** Partners in work are found ahead of a statement that reads much, so that the processes among which PostgreSQL shares it out only read them. */
export class FindPartnersAhead extends Migration {
  override up(): void {
    // The partners of the companies that are set, for the next statement of the transaction.
    this.addSql(`create function find_partners() returns void language plpgsql volatile as $$
      declare
        work text := current_setting('app.work', true);
      begin
        perform set_config('app.partners', case when work in ('on', 'shares') then public.work_partners()::text else '{}' end, true),
          set_config('app.partners_of', concat_ws(' ', 'ahead', work, current_setting('app.company_ids', true)), true);
      end $$`);
    // What was found ahead names the companies and the kind of work that it is for, and counts for no other. Otherwise partners are remembered for the
    // statement, as before; but no setting may be changed while a statement is shared out. So that is done only where none is. On other connections, such
    // as those of the version before, each call finds the partners itself: it takes longer, and is as right.
    this.addSql(`create or replace function partner_in_work(company uuid, in_shares boolean) returns uuid language plpgsql stable parallel safe as $$
      declare
        work text := current_setting('app.work', true);
        statement text;
      begin
        if work is null or not (work = 'on' or (in_shares and work = 'shares')) then
          return null;
        end if;
        statement := concat_ws(' ', statement_timestamp(), work, current_setting('app.company_ids', true));
        if current_setting('app.partners_of', true) is distinct from statement
          and current_setting('app.partners_of', true) is distinct from concat_ws(' ', 'ahead', work, current_setting('app.company_ids', true)) then
          if current_setting('max_parallel_workers_per_gather') <> '0' then
            return case when company = any(public.work_partners()) then company end;
          end if;
          perform set_config('app.partners', public.work_partners()::text, true), set_config('app.partners_of', statement, true);
        end if;
        return case when company = any(current_setting('app.partners')::uuid[]) then company end;
      end $$`);
  }
}
