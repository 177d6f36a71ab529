import { Migration } from '@mikro-orm/migrations';

/** Positions of a driver or a truck are moved by pages of their time, by which an undo finds them again in the index and the months that they are in. */
export class PageMovesOfMerges extends Migration {
  override up(): void {
    this.addSql(`
      alter table merge_move
        -- Of a page of very many rows: the times of its first and its last one.
        add column since timestamptz(6),
        add column until timestamptz(6)`);
  }
}
