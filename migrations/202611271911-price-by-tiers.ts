import { Migration } from '@mikro-orm/migrations';

/** Rates have bands of quantities, which are counted over an order. A load that reaches into another band has a line in each. */
export class PriceByTiers extends Migration {
  override up(): void {
    this.addSql(`
      alter table rate add column tier_mode text, add column tiers jsonb not null default '[]';
      alter table invoice add column counted jsonb;
      alter table invoice_line_item add column part integer not null default 0;
      -- Lines of one kind are told apart, those of overtime, too.
      update invoice_line_item li set part = k.part
        from (select id, row_number() over (partition by invoice_id, line_item_type, load_id order by ordinality, id) - 1 as part from invoice_line_item) k
        where k.id = li.id and k.part > 0;
      update settlement_invoice set rebill_lines = (select jsonb_object_agg(e.key || ' 0', e.value) from jsonb_each(rebill_lines) e)
        where rebill_lines is not null and rebill_lines <> '{}';
      drop index invoice_line_item_key;
      -- The lines of an invoice; a load has one line of a kind in each band of its rate, so that it is not paid twice.
      create unique index invoice_line_item_key on invoice_line_item (invoice_id, line_item_type, load_id, part)`);
  }
}
