import { Migration } from '@mikro-orm/migrations';

/** Labels that a company puts on its people, and what a person wants to be told of. */
export class PeopleMore extends Migration {
  override up(): void {
    this.addSql(`create table label (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      name text not null,
      color text not null check (color ~ '^#[0-9A-Fa-f]{6}$'),
      constraint label_name_key unique (company_id, name)
    )`);
    this.addSql(
      `alter table app_user add column label_ids uuid[] not null default '{}', add column preferences jsonb not null default '{}'`,
    );
  }
}
