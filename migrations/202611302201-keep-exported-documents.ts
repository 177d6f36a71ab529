import { Migration } from '@mikro-orm/migrations';

/** What accounting has got is kept as it was: it is taken back by the same lines, and sent again by the same bytes. */
export class KeepExportedDocuments extends Migration {
  override up(): void {
    this.addSql(`
      alter table settlement_export
        -- What was exported, as it was drawn up then; null of what was exported before it was kept. Of a reversal it is in document.
        add column exported_document json,
        -- As it was announced to its system, to the byte.
        add column sent json`);
  }
}
