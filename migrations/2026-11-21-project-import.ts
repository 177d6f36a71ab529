import { Migration } from '@mikro-orm/migrations';

/** How an import finds projects: by the id of the sender, and by a name that must not be taken twice. */
export class ProjectImport extends Migration {
  override up(): void {
    this.addSql('create index project_external_idx on project (company_id, external_id) where external_id is not null');
    this.addSql('create index project_trimmed_name_idx on project (company_id, lower(btrim(name)))');
  }
}
