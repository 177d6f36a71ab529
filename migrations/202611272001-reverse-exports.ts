import { Migration } from '@mikro-orm/migrations';

/** What accounting has got is taken back by a document of its own; whether it has got it may be unknown for a while. */
export class ReverseExports extends Migration {
  override up(): void {
    this.addSql(`
      -- It was exported, or on its way, before it was paid: then paying can be taken back.
      alter table settlement add column exported_before_pay boolean not null default false;

      alter table settlement_export alter column linked_account_id drop not null,
        -- It takes another one back.
        add column reverses boolean not null default false,
        -- Of a reversal: what is taken back, as it was when the settlement was voided.
        add column document jsonb,
        -- Of the document that may have arrived although nobody has said so.
        add column uncertain_revision integer,
        add column last_error_code text;
      drop index settlement_export_key;
      -- A settlement has one export, and one that takes it back.
      create unique index settlement_export_key on settlement_export (settlement_id, reverses)`);
  }
}
