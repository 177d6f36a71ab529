import { Migration } from '@mikro-orm/migrations';

/** Families of companies stay trees, and every company can be found by its six digits. */
export class CompanyFamily extends Migration {
  override up(): void {
    this.addSql(`alter table company
      add constraint company_platform_id_check check (platform_id ~ '^[0-9A-F]{6}$'),
      add constraint company_own_parent_check check (parent_company_id <> id)`);
    // Walks from the new parent upwards. Every row it passes is locked, so that nobody hangs it elsewhere before we commit: of two
    // transactions that make each other the parent one waits for the other, and then sees what it did or is ended as a deadlock.
    // Older snapshots (repeatable read) fail at the lock instead of overlooking it. A hundred generations are a circle above us.
    this.addSql(`create function company_stays_in_a_tree() returns trigger language plpgsql as $$
      declare
        above uuid := new.parent_company_id;
        generations int := 0;
      begin
        while above is not null loop
          generations := generations + 1;
          if above = new.id or generations > 100 then
            raise exception 'company % would be above itself', new.id
              using errcode = 'check_violation', table = 'company', column = 'parent_company_id', constraint = 'company_circle_check';
          end if;
          select parent_company_id into above from company where id = above for share;
        end loop;
        return null;
      end $$`);
    // After the statement, so that rows it changes together are judged by what they become.
    this.addSql(`create trigger company_circle_check after insert or update of parent_company_id on company
      for each row when (new.parent_company_id is not null) execute function company_stays_in_a_tree()`);
  }
}
