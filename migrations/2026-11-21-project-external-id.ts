import { Migration } from '@mikro-orm/migrations';

/** A discarded project frees its external id. */
export class ProjectExternalId extends Migration {
  override up(): void {
    this.addSql('drop index project_external_id_key');
    // Matching on import is by external id, case-sensitive, one record each (SPEC "Importer API").
    this.addSql(`create unique index project_external_id_key on project (company_id, external_id)
      where external_id is not null and discarded_at is null`);
    // The same rows, of the discarded ones too, which nobody looks for.
    this.addSql('drop index project_external_idx');
  }
}
