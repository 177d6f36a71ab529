import { Migration } from '@mikro-orm/migrations';

/** The load that a load of another truck continues. */
export class ContinueLoads extends Migration {
  override up(): void {
    this.addSql(`
      alter table load add column continues_load_id uuid constraint load_continues_load_id_foreign references load (id) on delete set null;
      -- For the foreign key: loads are deleted. Few loads continue another one.
      create index load_continues_load_idx on load (continues_load_id) where continues_load_id is not null`);
  }
}
