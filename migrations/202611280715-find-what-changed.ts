import { Migration } from '@mikro-orm/migrations';

export class FindWhatChanged extends Migration {
  override up(): void {
    this.addSql(`
      -- Polls for what changed since a moment mostly find nothing, and would walk through all rows of the company.
      create index invoice_updated_idx on invoice using brin (updated_at) with (pages_per_range = 16, autosummarize = on);
      -- The same for days.
      create index driver_day_updated_idx on driver_day using brin (updated_at) with (pages_per_range = 16, autosummarize = on);
      -- The same for deliveries, of which there are most.
      create index webhook_delivery_updated_idx on webhook_delivery using brin (updated_at) with (pages_per_range = 16, autosummarize = on);
      -- The same for crossings.
      create index geofence_trigger_updated_idx on geofence_trigger using brin (updated_at) with (pages_per_range = 16, autosummarize = on);
      -- The settlements that had an invoice before, of which one that has it anew counts on the day of their reversal.
      create index settlement_invoice_invoice_idx on settlement_invoice (invoice_id);`);
  }
}
