import { Migration } from '@mikro-orm/migrations';

/** Types of equipment are kept by people: capacities in other units, and where a type came from. */
export class EquipmentTypes extends Migration {
  override up(): void {
    this.addSql(`alter table equipment_type
      add column additional_gross_capacities jsonb not null default '[]',
      add column source text not null default 'web'`);
    // Typeaheads page by name; of the types that were not discarded.
    this.addSql('create index equipment_type_offer_idx on equipment_type (company_id, lower(name), id) where discarded_at is null');
  }
}
