import { Migration } from '@mikro-orm/migrations';

/** What goes by the stops of a merged site is found by its route. Jobs have such an index; orders have a twentieth of the rows, and are read by company. */
export class FindLoadsByRoute extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // One that failed in the middle leaves an index that nothing uses.
    this.addSql('drop index concurrently if exists load_route_idx');
    this.addSql(`
      -- The loads that show another stop when sites are merged. All loads of an order that share its route are one entry.
      create index concurrently load_route_idx on load (route_id)`);
  }
}
