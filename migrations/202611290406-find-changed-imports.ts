import { Migration } from '@mikro-orm/migrations';

/** Finds what of a company's imports changed since a moment without reading all of them. */
export class FindChangedImports extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override async up(): Promise<void> {
    // Before PostgreSQL 16 a change of what any index names moves a record off its page (not HOT), and into all of its indexes. Every import would pay.
    const [server] = await this.execute("select current_setting('server_version_num')::integer as version");
    if (server!.version < 160_000) return;
    // The product makes further ones, and drops those that are archived.
    const parts = await this.execute(`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'imported_record'::regclass order by 1`);
    // What a failed run has left, with all that hangs on it.
    this.addSql('drop index if exists imported_record_updated_idx');
    for (const { name } of parts) {
      this.addSql(`drop index concurrently if exists ${name}_updated_idx`);
      this.addSql(
        `create index concurrently ${name}_updated_idx on ${name} using brin (updated_at) with (pages_per_range = 16, autosummarize = on)`,
      );
    }
    // It takes those of the parts, and builds none but of a part that was made meanwhile.
    this.addSql(`
      -- Polls mostly find nothing. The outcome of a record stays on its page (HOT): an index that only sums pages up does not forbid it since PostgreSQL 16.
      create index imported_record_updated_idx on imported_record using brin (updated_at) with (pages_per_range = 16, autosummarize = on)`);
  }
}
