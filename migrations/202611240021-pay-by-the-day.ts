import { Migration } from '@mikro-orm/migrations';

/** Rates say whether their minimum is for a job or a day and which time is paid, and companies whether overtime is. */
export class PayByTheDay extends Migration {
  override up(): void {
    this.addSql(`
      alter table company_settings add column overtime_paid boolean not null default false;
      alter table rate
        add column minimum_per text not null default 'job',
        add column time_basis text not null default 'job';
      alter table invoice add column rate_terms jsonb`);
  }
}
