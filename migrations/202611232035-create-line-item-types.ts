import { Migration } from '@mikro-orm/migrations';

/** What lines of invoices charge: built in, the same ids everywhere, one microsecond apart so that lists have an order. */
export class CreateLineItemTypes extends Migration {
  override up(): void {
    this.addSql(`
      create table line_item_type (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        name text not null
      );`);
    this.addSql(`
      insert into line_item_type (id, name, created_at, updated_at)
      select ('018cc251-f400-7000-8000-0c000000000' || n)::uuid, name, at, at
      from (values ('InvoiceLineItem', 1), ('MaterialRateLineItem', 2), ('FreightRateLineItem', 3)) as type (name, n),
        lateral (select timestamptz '2026-01-01 00:00:00+00' + n * interval '1 microsecond') as time (at);`);
  }
}
