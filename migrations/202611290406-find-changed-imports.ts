import { Migration } from '@mikro-orm/migrations';

/** The parts of the table that there are; those that the product makes ahead get an index of the table by themselves. */
const PARTS = ['2026', '2027', '2028', '2029', '2030', '2031', 'default'];

/** Finds what of a company's imports changed since a moment without reading all of them. */
export class FindChangedImports extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // What a failed run has left, with all that hangs on it.
    this.addSql('drop index if exists imported_record_updated_idx');
    for (const part of PARTS) {
      this.addSql(`drop index concurrently if exists imported_record_${part}_updated_idx`);
      this.addSql(`
        -- Polls mostly find nothing. The outcome of a record stays on its page (HOT): an index that only sums pages up does not forbid it.
        create index concurrently imported_record_${part}_updated_idx on imported_record_${part} using brin (updated_at) with (pages_per_range = 16, autosummarize = on)`);
    }
    this.addSql(`
      -- That of the parts, and of those to come.
      create index imported_record_updated_idx on only imported_record using brin (updated_at) with (pages_per_range = 16, autosummarize = on)`);
    for (const part of PARTS) this.addSql(`alter index imported_record_updated_idx attach partition imported_record_${part}_updated_idx`);
  }
}
