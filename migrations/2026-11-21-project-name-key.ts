import { Migration } from '@mikro-orm/migrations';

/** Imports give no project a name that another has: the index is made of what they compare. */
export class ProjectNameKey extends Migration {
  override up(): void {
    // Upper case first: the two small sigmas have one great one, and are the same letter to whoever reads a name.
    this.addSql('create index project_name_key_idx on project (company_id, lower(upper(btrim(name))))');
    this.addSql('drop index project_trimmed_name_idx');
  }
}
