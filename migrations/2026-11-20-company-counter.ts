import { Migration } from '@mikro-orm/migrations';

/** Friendly numbers run per company and kind; taken with one upsert, so that two takers never get the same. */
export class CompanyCounter extends Migration {
  override up(): void {
    this.addSql(`create table company_counter (
      company_id uuid not null references company (id),
      kind text not null,
      value integer not null,
      primary key (company_id, kind)
    )`);
  }
}
