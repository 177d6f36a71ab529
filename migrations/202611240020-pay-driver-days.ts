import { Migration } from '@mikro-orm/migrations';

/** Drivers are paid by job or by their day, and an invoice may be for a day (src/billing/days). */
export class PayDriverDays extends Migration {
  override up(): void {
    this.addSql(`
      alter table company_settings add column driver_pay_by text not null default 'job';
      alter table app_user add column pay_by text;

      alter table invoice
        alter column job_id drop not null,
        alter column order_id drop not null,
        add column driver_day_id uuid references driver_day (id) on delete cascade,
        add constraint invoice_work_check check ((job_id is null) <> (driver_day_id is null));
      -- A day is paid once.
      create unique index invoice_driver_day_key on invoice (driver_day_id, side) where driver_day_id is not null and state <> 'voided';
      -- The invoices of a day, voided ones too.
      create index invoice_driver_day_idx on invoice (driver_day_id) where driver_day_id is not null;

      create table day_invoice_task (
        -- Of the day.
        id uuid primary key references driver_day (id) on delete cascade,
        company_id uuid not null references company (id),
        due_at timestamptz(6) not null,
        attempts integer not null default 0,
        asked integer not null default 1
      );
      -- What the worker looks for: a handful of rows.
      create index day_invoice_task_due_idx on day_invoice_task (due_at)`);
  }
}
