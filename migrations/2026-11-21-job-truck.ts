import { Migration } from '@mikro-orm/migrations';

export class JobTruck extends Migration {
  override up(): void {
    // What else a truck does that day; drivers have their own.
    this.addSql('create index job_equipment_idx on job (equipment_id, job_start_at) where equipment_id is not null');
  }
}
