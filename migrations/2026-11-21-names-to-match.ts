import { Migration } from '@mikro-orm/migrations';

/**
 * What the importer finds records by name with. `lower` and `btrim` are not leakproof, so that below row-level security PostgreSQL may not
 * ask an index of `lower(btrim(name))`: it read all records of the company for every batch. Comparing a column to the letter is.
 */
export class NamesToMatch extends Migration {
  override up(): void {
    for (const table of ['account', 'equipment_type', 'site', 'material']) {
      this.addSql(`alter table ${table} add column match_name text generated always as (lower(btrim(name))) stored`);
      // Names of a batch among those of the company; the index of the expression served nothing else.
      this.addSql(`create index ${table}_match_name_idx on ${table} (company_id, match_name)`);
      this.addSql(`drop index ${table}_name_idx`);
    }
  }
}
