import { Migration } from '@mikro-orm/migrations';

/**
 * What names of projects are compared by, as a column: below row-level security PostgreSQL may not ask an index of `lower(upper(btrim(name)))`,
 * so that each name of a batch read all projects of the company.
 */
export class ProjectMatchName extends Migration {
  override up(): void {
    // Upper case first: the two small sigmas have one great one, and are the same letter to whoever reads a name.
    this.addSql('alter table project add column match_name text generated always as (lower(upper(btrim(name)))) stored');
    this.addSql('create index project_match_name_idx on project (company_id, match_name)');
    this.addSql('drop index project_name_key_idx');
  }
}
