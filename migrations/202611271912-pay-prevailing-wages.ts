import { Migration } from '@mikro-orm/migrations';

/** Projects may prescribe what drivers are paid for an hour, by their classification. */
export class PayPrevailingWages extends Migration {
  override up(): void {
    this.addSql(`
      alter table project add column prevailing_wage boolean not null default false, add column wages jsonb not null default '[]';
      alter table app_user add column wage_classification text`);
  }
}
