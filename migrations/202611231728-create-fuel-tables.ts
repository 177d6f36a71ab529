import { Migration } from '@mikro-orm/migrations';

/** What fuel costs, and what is charged for it (src/billing/fuel). */
export class CreateFuelTables extends Migration {
  override up(): void {
    const record = `
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),`;
    this.addSql(`
      create table fuel_price_index (${record}
        name text not null,
        discarded_at timestamptz(6)
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index fuel_price_index_page_idx on fuel_price_index (company_id, created_at, id);
      -- Two with one name could not be distinguished; a discarded one frees its name.
      create unique index fuel_price_index_name_key on fuel_price_index (company_id, fold_text(name)) where discarded_at is null;

      create table fuel_price (${record}
        fuel_price_index_id uuid not null references fuel_price_index (id),
        date date not null,
        price numeric(18,4) not null check (price > 0 and price <= 100),
        discarded_at timestamptz(6)
      );
      -- An index has one price for a day; a surcharge looks for the latest one up to the day of the work.
      create unique index fuel_price_date_key on fuel_price (fuel_price_index_id, date) where discarded_at is null;

      create table fuel_surcharge_schedule (${record}
        name text not null,
        fuel_price_index_id uuid not null references fuel_price_index (id),
        surcharge_type text not null,
        lag_weeks integer not null check (lag_weeks between 0 and 13),
        discarded_at timestamptz(6)
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index fuel_surcharge_schedule_page_idx on fuel_surcharge_schedule (company_id, created_at, id);
      -- Two with one name could not be distinguished; a discarded one frees its name.
      create unique index fuel_surcharge_schedule_name_key on fuel_surcharge_schedule (company_id, fold_text(name)) where discarded_at is null;
      -- The schedules that follow an index, asked before it is deleted.
      create index fuel_surcharge_schedule_index_idx on fuel_surcharge_schedule (fuel_price_index_id);

      create table fuel_surcharge_schedule_price (${record}
        fuel_surcharge_schedule_id uuid not null references fuel_surcharge_schedule (id),
        price numeric(18,4) not null check (price > 0 and price <= 100),
        bill_surcharge numeric(18,4) not null check (bill_surcharge between -100 and 100),
        discarded_at timestamptz(6)
      );
      -- A schedule has one row for a price; a surcharge looks for the greatest one up to the price of fuel.
      create unique index fuel_surcharge_schedule_price_key on fuel_surcharge_schedule_price (fuel_surcharge_schedule_id, price)
        where discarded_at is null;

      alter table add_on add column fuel_surcharge_schedule_id uuid references fuel_surcharge_schedule (id);
      -- The add-ons that charge a schedule, asked before it is deleted; few have one.
      create index add_on_schedule_idx on add_on (fuel_surcharge_schedule_id) where fuel_surcharge_schedule_id is not null;`);
  }
}
