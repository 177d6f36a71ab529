import { Migration } from '@mikro-orm/migrations';

export class KeepUnmeasuredMeters extends Migration {
  override up(): void {
    this.addSql('alter table driver_day add column gps_unmeasured_meters numeric(12, 1)');
  }
}
