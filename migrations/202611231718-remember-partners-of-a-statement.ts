import { Migration } from '@mikro-orm/migrations';

/** Partners in work for row policies: found when a statement meets the first row of another company, and remembered until it ends. */
export class RememberPartnersOfAStatement extends Migration {
  override up(): void {
    // What is remembered names its statement by the moment at which it began, and the companies and kind of work that it is for. It is
    // set for the transaction only, so that nobody else finds it.
    this.addSql(`create function partner_in_work(company uuid, in_shares boolean) returns uuid language plpgsql stable as $$
      declare
        work text := current_setting('app.work', true);
        statement text;
      begin
        if work is null or not (work = 'on' or (in_shares and work = 'shares')) then
          return null;
        end if;
        statement := concat_ws(' ', statement_timestamp(), work, current_setting('app.company_ids', true));
        if current_setting('app.partners_of', true) is distinct from statement then
          perform set_config('app.partners', public.work_partners()::text, true), set_config('app.partners_of', statement, true);
        end if;
        return case when company = any(current_setting('app.partners')::uuid[]) then company end;
      end $$`);
  }
}
