import { Migration } from '@mikro-orm/migrations';

/** Table, what its searched text is made of (the name first), and what its rows are called when they are shared. */
const SEARCHED = [
  ['project', ['name', 'external_id'], undefined],
  ['app_user', [`(first_name || ' ' || last_name)`, 'email', 'phone'], 'User'],
  ['company', ['legal_name', 'dba_name', 'platform_id'], undefined],
] as const;

/** Whose rows somebody finds. Companies are their own, those of the family and those that one is connected to. */
const OWN: Record<string, string> = {
  project: 'r.company_id = any($1)',
  app_user: 'r.company_id = any($1)',
  company: '(r.id = any($1) or r.id = any(array(select a.connected_company_id from account a where a.company_id = any($1))))',
};

/** Finds projects, people and companies by pieces of their names, as "Typeaheads" does sites, accounts and trucks. */
export class MoreTypeaheads extends Migration {
  override up(): void {
    for (const [table, fields, shareable] of SEARCHED) {
      const parts = fields.map((field) => `coalesce(${field}, '')`).join(` || E'\\n' || `);
      // Every field ends with a line feed: so a whole field is told from a piece of one.
      this.addSql(`alter table ${table} add column search_text text generated always as (fold(${parts} || E'\\n')) stored`);
      // Pieces of names within a company, however many companies have such names; of companies within the installation.
      const columns = table === 'company' ? '' : 'company_id, ';
      this.addSql(`do $$
        declare place text := (select quote_ident(n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm');
        begin
          if place is not null and exists (select from pg_extension where extname = 'btree_gin') then
            execute 'create index ${table}_search_idx on ${table} using gin (${columns}search_text ' || place || '.gin_trgm_ops)';
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
          sql := 'select r.id from ${table} r where ${OWN[table]}' || likes;
          ${shared}
          return query execute sql using own, words;
        end $$`);
    }
  }
}
