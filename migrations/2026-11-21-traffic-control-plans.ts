import { Migration } from '@mikro-orm/migrations';

/** How the traffic beside a works is led. */
export class TrafficControlPlans extends Migration {
  override up(): void {
    this.addSql(`create table traffic_control_plan (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      name text not null,
      discarded_at timestamptz(6)
    )`);
    // Two of one name could not be told apart; a discarded one frees its name. Also serves typeaheads, which go by name.
    this.addSql(
      'create unique index traffic_control_plan_name_key on traffic_control_plan (company_id, lower(name)) where discarded_at is null',
    );
    // The page of one company in the default order, newest first.
    this.addSql('create index traffic_control_plan_page_idx on traffic_control_plan (company_id, created_at, id)');
  }
}
