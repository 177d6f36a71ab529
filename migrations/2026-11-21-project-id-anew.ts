import { Migration } from '@mikro-orm/migrations';

/** A discarded project gives its external id up: the sender's next payload makes another one of it. */
export class ProjectIdAnew extends Migration {
  override up(): void {
    this.addSql('drop index project_external_id_key');
    // Matching on import is by external id, one record each (SPEC "Importer API").
    this.addSql(`create unique index project_external_id_key on project (company_id, external_id)
      where external_id is not null and discarded_at is null`);
  }
}
