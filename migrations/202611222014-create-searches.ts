import { Migration } from '@mikro-orm/migrations';

const OF_COMPANY = 'r.company_id = any($1)';
/**
 * Table, what its rows are called when they are shared, and whose rows somebody finds. Of companies somebody finds those of the family and those
 * that one of them is connected to.
 */
const SEARCHED = [
  ['site', 'Site', OF_COMPANY],
  ['account', undefined, OF_COMPANY],
  ['equipment', 'Equipment', OF_COMPANY],
  ['project', undefined, OF_COMPANY],
  ['app_user', 'User', OF_COMPANY],
  [
    'company',
    undefined,
    '(r.id = any($1) or r.id = any(array(select a.connected_company_id from account a where a.company_id = any($1))))',
  ],
] as const;

/**
 * Finds records by pieces of their names, accents and case aside, in `search_text`: each of its fields ends with a line feed, so that a whole field is
 * distinguished from a piece of one. LIKE is not leakproof, so that below row-level security PostgreSQL may not ask an index with it: a function of
 * the owner asks, for the companies of the running statement alone, and answers ids only.
 */
export class CreateSearches extends Migration {
  override up(): void {
    // Where an owner may not have the extensions, the rows of a company are looked through.
    this.addSql(`do $$
      declare
        place text := (select quote_ident(n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm');
        before text := current_setting('search_path');
      begin
        if place is null or not exists (select from pg_extension where extname = 'btree_gin') then return; end if;
        perform set_config('search_path', 'public, ' || place, true);
        -- Pieces of names of sites within a company, however many companies have such names.
        create index site_search_idx on site using gin (company_id, search_text gin_trgm_ops);
        -- The same for accounts.
        create index account_search_idx on account using gin (company_id, search_text gin_trgm_ops);
        -- The same for equipment.
        create index equipment_search_idx on equipment using gin (company_id, search_text gin_trgm_ops);
        -- The same for projects.
        create index project_search_idx on project using gin (company_id, search_text gin_trgm_ops);
        -- The same for people.
        create index app_user_search_idx on app_user using gin (company_id, search_text gin_trgm_ops);
        -- Pieces of names of companies within the installation.
        create index company_search_idx on company using gin (search_text gin_trgm_ops);
        perform set_config('search_path', before, true);
      end $$`);
    for (const [table, shareable, own] of SEARCHED) {
      const shared = shareable
        ? `sql := sql || format(' union select r.id from company_share s join ${table} r on r.id = s.company_shareable_id
            where s.receiver_company_id = any($1) and s.company_shareable_type = %L and (s.valid_until is null or s.valid_until > now())', '${shareable}') || likes;`
        : '';
      this.addSql(`create function ${table}_search(words text[]) returns setof uuid
        language plpgsql stable security definer rows 50 set search_path = public, pg_temp as $$
        declare
          own uuid[] := nullif(current_setting('app.company_ids', true), '')::uuid[];
          likes text := '';
          sql text;
        begin
          for i in 1 .. cardinality(words) loop
            likes := likes || format(' and r.search_text like search_pattern($2[%s])', i);
          end loop;
          sql := 'select r.id from ${table} r where ${own}' || likes;
          ${shared}
          return query execute sql using own, words;
        end $$`);
    }
  }
}
