import { Migration } from '@mikro-orm/migrations';

export class KeepApprovedMeasures extends Migration {
  override up(): void {
    this.addSql(`
      alter table driver_day add column measured_after_approval boolean not null default false;
      alter table driver_state_event add column repeated_client_ids uuid[] not null default '{}'`);
  }
}
