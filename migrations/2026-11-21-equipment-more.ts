import { Migration } from '@mikro-orm/migrations';

/** Equipment is kept by people: labels, a friendly number that everything has, and an external id that is nobody else's. */
export class EquipmentMore extends Migration {
  override up(): void {
    this.addSql(`alter table equipment add column label_ids uuid[] not null default '{}'`);

    this.addSql(`create function equipment_number() returns trigger language plpgsql as $$ begin
      if new.equipment_id is null then
        insert into company_counter (company_id, kind, value) values (new.company_id, 'equipment', 1)
          on conflict (company_id, kind) do update set value = company_counter.value + 1 returning value::text into new.equipment_id;
      end if;
      return new;
    end $$`);
    this.addSql(`insert into company_counter (company_id, kind, value)
      select company_id, 'equipment', coalesce(max(equipment_id::int) filter (where equipment_id ~ '^[0-9]{1,8}$'), 0) from equipment group by 1`);
    this.addSql(`with numbered as (
        select e.id, (c.value + row_number() over (partition by e.company_id order by e.created_at, e.id))::int as number
        from equipment e join company_counter c on c.company_id = e.company_id and c.kind = 'equipment' where e.equipment_id is null)
      update equipment e set equipment_id = n.number::text from numbered n where n.id = e.id`);
    this.addSql(`update company_counter c set value = greatest(c.value, e.most)
      from (select company_id, max(equipment_id::int) filter (where equipment_id ~ '^[0-9]{1,8}$') as most from equipment group by 1) e
      where e.company_id = c.company_id and c.kind = 'equipment'`);
    this.addSql('alter table equipment alter column equipment_id set not null');
    this.addSql('create trigger equipment_number before insert on equipment for each row execute function equipment_number()');

    this.addSql(`update equipment t set external_id = external_id || '-' || n from (
      select id, row_number() over (partition by company_id, external_id order by created_at, id) as n
      from equipment where external_id is not null and discarded_at is null) twice
      where twice.id = t.id and n > 1`);
    // A ticket names its truck by it; a discarded truck frees it. Also finds what the plain index found.
    this.addSql(
      'create unique index equipment_external_id_key on equipment (company_id, external_id) where external_id is not null and discarded_at is null',
    );
    this.addSql('drop index equipment_external_id_idx');
    // Typeaheads page by name.
    this.addSql('create index equipment_offer_idx on equipment (company_id, lower(name), id) where discarded_at is null');
  }
}
