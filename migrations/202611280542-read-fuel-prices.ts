import { Migration } from '@mikro-orm/migrations';

/** Indices of fuel follow a published series, and prices say whether they were read or entered (src/billing/fuel/sources). */
export class ReadFuelPrices extends Migration {
  override up(): void {
    this.addSql(`
      alter table fuel_price_index
        add column series text,
        add column prices_read_at timestamptz(6),
        add column last_error text,
        add column next_read_at timestamptz(6),
        add column read_attempts integer not null default 0;
      alter table fuel_price
        add column source text,
        add column published_price numeric(18,4) check (published_price > 0);
      -- The worker looks for indices that are due; most follow nothing.
      create index fuel_price_index_due_idx on fuel_price_index (next_read_at) where next_read_at is not null`);
    // When an index is read again is no change of it: what it came to is.
    this.addSql(`
      do $do$ declare noting record; fn text; begin
        for noting in select tgname, tgfoid::regprocedure::text as fn from pg_trigger
          where tgrelid = 'fuel_price_index'::regclass and tgname like 'note\\_fuel\\_price\\_index\\_%'
        loop
          execute format('drop trigger %I on fuel_price_index', noting.tgname);
          fn := noting.fn;
        end loop;
        execute 'drop function ' || fn;
      end $do$`);
    this.addSql(
      `select watch_changes('fuel_price_index', $sql$'FuelPriceIndex'$sql$, '(select r.id)', 'r.company_id', null, true,
         array['next_read_at', 'read_attempts', 'prices_read_at'])`,
    );
  }
}
