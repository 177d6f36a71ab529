import { Migration } from '@mikro-orm/migrations';

/** Table, the fields that are searched (the name first), and what its rows are called when they are shared. */
const SEARCHED = [
  ['site', ['name', 'external_id', 'full_address'], 'Site'],
  ['account', ['name', 'external_id', 'accounting_id'], undefined],
  ['equipment', ['name', 'external_id', 'license_number'], 'Equipment'],
] as const;

/**
 * Finds records by pieces of their names, accents and case aside. LIKE is not leakproof, so that below row-level security PostgreSQL may
 * not ask an index with it: a function of the owner asks, for the companies of the running statement alone, and answers ids only.
 */
export class Typeaheads extends Migration {
  override up(): void {
    // All three are trusted: who may create in the database may have them without being a superuser. Who may not, and has nobody who made
    // them before, searches without them: accents count then, and the rows of a company are looked through.
    for (const extension of ['unaccent', 'pg_trgm', 'btree_gin'])
      this.addSql(
        `do $$ begin create extension if not exists ${extension}; exception when insufficient_privilege or undefined_file then null; end $$`,
      );
    // unaccent itself is only stable, because its dictionary could be changed; this one never is, and columns are computed with it.
    this.addSql(`do $$
      declare place text := (select quote_ident(n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'unaccent');
      begin
        execute 'create function fold(text) returns text language sql immutable strict parallel safe return lower('
          || coalesce(place || '.unaccent(' || quote_literal(place || '.unaccent') || '::regdictionary, $1)', '$1') || ')';
      end $$`);
    this.addSql(`create function search_pattern(text) returns text language sql immutable strict parallel safe
      return '%' || replace(replace(replace(fold($1), '\\', '\\\\'), '%', '\\%'), '_', '\\_') || '%'`);
    for (const [table, fields, shareable] of SEARCHED) {
      const parts = fields.map((field) => `coalesce(${field}, '')`).join(` || E'\\n' || `);
      // Every field ends with a line feed: so a whole field is told from a piece of one.
      this.addSql(`alter table ${table} add column search_text text generated always as (fold(${parts} || E'\\n')) stored`);
      // Pieces of names within a company, however many companies have such names.
      this.addSql(`do $$
        declare place text := (select quote_ident(n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm');
        begin
          if place is not null and exists (select from pg_extension where extname = 'btree_gin') then
            execute 'create index ${table}_search_idx on ${table} using gin (company_id, search_text ' || place || '.gin_trgm_ops)';
          end if;
        end $$`);
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
          sql := 'select r.id from ${table} r where r.company_id = any($1)' || likes;
          ${shared}
          return query execute sql using own, words;
        end $$`);
    }
  }
}
