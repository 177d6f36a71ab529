import { Migration } from '@mikro-orm/migrations';

export class WayOfMachines extends Migration {
  override up(): void {
    // Where a paver, which is a moving site, was during a job.
    this.addSql(
      'create index location_history_equipment_idx on location_history (equipment_id, occurred_at) where equipment_id is not null',
    );
  }
}
