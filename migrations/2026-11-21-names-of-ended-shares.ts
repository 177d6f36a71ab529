import { Migration } from '@mikro-orm/migrations';

const NAMED = [
  ['app_user', 'User', ['first_name', 'last_name'], `trim(old.first_name || ' ' || old.last_name)`],
  ['equipment', 'Equipment', ['name'], 'old.name'],
  ['site', 'Site', ['name'], 'old.name'],
] as const;

/**
 * Whoever had a share that has ended is told the name that the record had then, not what it is called since. The first change of name after
 * the end keeps it, so that renaming writes nothing to shares that stand, and an end that comes by itself needs nobody to notice.
 */
export class NamesOfEndedShares extends Migration {
  override up(): void {
    this.addSql('alter table company_share add column name_at_end text');
    for (const [table, type, columns, name] of NAMED) {
      this.addSql(`create function ${table}_name_at_end() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
        begin
          update company_share set name_at_end = ${name}
            where company_shareable_id = old.id and company_shareable_type = '${type}' and valid_until <= now() and name_at_end is null;
          return null;
        end $$`);
      const changed = columns.map((column) => `old.${column} is distinct from new.${column}`).join(' or ');
      this.addSql(`create trigger ${table}_name_at_end after update of ${columns.join(', ')} on ${table}
        for each row when (${changed}) execute function ${table}_name_at_end()`);
    }
    // A share that stands again has the record's name again.
    this.addSql(`create or replace function company_share_ends() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        if new.parent_company_share_id is not null then
          -- Waits for whoever is changing the parent, and then sees what became of it.
          select least(new.expires_at, valid_until) into new.valid_until from company_share
            where id = new.parent_company_share_id for share;
        else
          new.valid_until := new.expires_at;
        end if;
        if new.valid_until is null or new.valid_until > now() then
          new.name_at_end := null;
        end if;
        return new;
      end $$`);
  }
}
