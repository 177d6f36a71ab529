import { Migration } from '@mikro-orm/migrations';

/** Trucks that were ordered and canceled too late are charged, and a customer that pays little more than the work costs is pointed out. */
export class ChargeStackOuts extends Migration {
  override up(): void {
    this.addSql(`
      alter table company_settings
        add column stack_outs_requested boolean not null default true,
        add column cancel_notice_minutes integer not null default 120,
        add column thin_margin_percent integer not null default 5;
      alter table invoice
        add column stack_out_noted boolean not null default false,
        add column thin_margin boolean not null default false`);
  }
}
