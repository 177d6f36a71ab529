import { Migration } from '@mikro-orm/migrations';

/** What master data is sorted by: types of materials and services, which are everybody's, and the rules of names. */
export class DirectoryKinds extends Migration {
  override up(): void {
    for (const table of ['department', 'service_class', 'label'])
      this.addSql(`update ${table} t set name = name || ' ' || n from (
        select id, row_number() over (partition by company_id, lower(name) order by created_at, id) as n from ${table}) twice
        where twice.id = t.id and n > 1`);
    this.addSql('alter table label add column discarded_at timestamptz(6)');
    this.addSql('alter table label drop constraint label_name_key');
    // Two of one name could not be told apart; a discarded one frees its name. Also serves lists by name.
    for (const table of ['department', 'service_class', 'label'])
      this.addSql(`create unique index ${table}_name_key on ${table} (company_id, lower(name)) where discarded_at is null`);
    this.addSql('create index label_page_idx on label (company_id, created_at, id)');

    this.addSql(`create table material_type (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      name text not null,
      ordinality int not null
    )`);
    this.addSql(`insert into material_type (id, name, ordinality, created_at)
      select id::uuid, name, n, timestamptz '2026-01-01 00:00:00+00' + n * interval '1 microsecond' from (values ${rows(MATERIAL_TYPES)}) as type (id, name, n)`);
    this.addSql(`alter table material add column material_type_id uuid not null default '${OTHER}' references material_type (id)`);
    this.addSql(
      `update material m set material_type_id = t.id from material_type t where lower(t.name) = lower(btrim(m.material_type_name))`,
    );
    this.addSql('alter table material drop column material_type_name');

    this.addSql(`create table service_type (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      name text not null,
      key text not null unique
    )`);
    this.addSql(`insert into service_type (id, name, key) values ${SERVICE_TYPES.map((type) => `('${type.join("', '")}')`).join(', ')}`);
    this.addSql(`alter table service
      add column service_type_id uuid not null default '${SERVICE_TYPES[0]![0]}' references service_type (id),
      add column ordinality int not null default 0`);
    this.addSql(`update service set service_type_id = '${SERVICE_TYPES[1]![0]}', ordinality = 1 where name = 'Haulage by the hour'`);
    this.addSql(`update service set service_type_id = '${SERVICE_TYPES[2]![0]}', ordinality = 2 where name = 'Traffic control'`);
  }
}

const id = (kind: string, n: number): string => `018cc251-f400-7000-8000-${kind}${n.toString(16).padStart(8, '0')}`;
const MATERIAL_TYPES = [
  'Aggregate',
  'Asphalt',
  'Concrete',
  'Demolition debris',
  'Gravel',
  'Recycled',
  'Rock',
  'Salt',
  'Sand',
  'Snow',
  'Soil',
];
/** What a material is until somebody says otherwise. */
const OTHER = id('0a00', 0);
const rows = (names: string[]): string =>
  [...names.map((name, n) => `('${id('0a00', n + 1)}', '${name}', ${n + 1})`), `('${OTHER}', 'Other', 1000)`].join(', ');
const SERVICE_TYPES = [
  [id('0b00', 1), 'Haulage', 'haulage'],
  [id('0b00', 2), 'Hourly', 'hourly'],
  [id('0b00', 3), 'Traffic control', 'traffic_control'],
];
