import type { EntityMetadata, EntityProperty, MetadataStorage } from '@mikro-orm/core';
import type pg from 'pg';

/** Where entities and the database may differ: places by their reason. A place that no longer differs is an error, too. */
export interface Exceptions {
  /** Tables without an entity. */
  tables: Record<string, string[]>;
  /** `table.column` without a property, or `*.column` of any table. */
  columns: Record<string, string[]>;
  /** `table.column` that is null in one of the two only. */
  nulls: Record<string, string[]>;
  /** `table.column` of relations without a foreign key. */
  withoutKey: Record<string, string[]>;
  /** `table.column` of foreign keys without a relation. */
  withoutRelation: Record<string, string[]>;
  /** Unique indexes whose violation names no field. */
  unnamed: Record<string, string[]>;
}

interface Column {
  table: string;
  name: string;
  type: string;
  nullable: boolean;
  initial: string | null;
  key: string | null;
}

const COLUMNS = `
  select c.relname as "table", a.attname as name, format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as nullable,
    case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end as initial,
    (select k.confrelid::regclass::text || '.' || r.attname from pg_constraint k join pg_attribute r on r.attrelid = k.confrelid and r.attnum = k.confkey[1]
      where k.conrelid = c.oid and k.contype = 'f' and k.conkey = array[a.attnum]) as key
  from pg_class c join pg_attribute a on a.attrelid = c.oid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0 and not a.attisdropped
  order by 1, a.attnum`;
/** The rules whose names a violation has: unique indexes, checks, and triggers that raise one. */
const RULES = `
  select i.relname as name, not x.indisprimary as listed from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
    where c.relnamespace = 'public'::regnamespace and not c.relispartition and x.indisunique
  union all select conname, false from pg_constraint where connamespace = 'public'::regnamespace and contype = 'c' and conparentid = 0
  union all select tgname, false from pg_trigger where not tgisinternal`;

/**
 * Returns every difference between the entities and a migrated database, in both directions: tables, columns, types, nullability, declared
 * defaults, foreign keys, and the names of unique rules and checks.
 * @param named the constraints that `defineUnique` and `defineCheck` name
 * @returns a sentence for each difference
 */
export async function driftOf(
  client: pg.Client,
  metadata: MetadataStorage,
  named: readonly string[],
  exceptions: Exceptions,
): Promise<string[]> {
  const found: string[] = [];
  const needed = new Set<string>();
  const allowed = new Set(
    Object.entries(exceptions).flatMap(([kind, reasons]) =>
      Object.values(reasons)
        .flat()
        .map((place) => `${kind} ${place}`),
    ),
  );
  /** Returns whether a difference is a declared exception. */
  const excepted = (kind: keyof Exceptions, ...places: string[]) => {
    const one = places.map((place) => `${kind} ${place}`).find((each) => allowed.has(each));
    if (one) needed.add(one);
    return one !== undefined;
  };
  const { rows } = await client.query<Column>(COLUMNS);
  const tables = Map.groupBy(rows, (row) => row.table);
  const entities = ([...metadata.getAll().values()] as EntityMetadata[]).filter((meta) => !meta.embeddable && !meta.abstract);

  for (const meta of entities) {
    const columns = new Map(tables.get(meta.tableName)?.map((column) => [column.name, column]));
    if (columns.size === 0) found.push(`${meta.tableName}: the table of ${meta.className} is missing`);
    else for (const prop of propertiesOf(meta)) for (const line of compare(prop, columns)) found.push(`${meta.tableName}.${line}`);
  }
  function compare(prop: EntityProperty, columns: Map<string, Column>): string[] {
    const name = prop.fieldNames[0]!;
    const column = columns.get(name);
    if (!column) return [`${name}: the column is missing`];
    const place = `${column.table}.${name}`;
    const type = typeOf(prop.columnTypes[0]!);
    const target = prop.kind === 'm:1' ? `${prop.targetMeta!.tableName}.${prop.referencedColumnNames[0]}` : null;
    const declared = defaultOf(prop);
    return [
      ...(typeOf(column.type) === type ? [] : [`${name}: is ${typeOf(column.type)}, declared as ${type}`]),
      ...(column.nullable === Boolean(prop.nullable) || excepted('nulls', place)
        ? []
        : [`${name}: ${column.nullable ? 'takes null, and is declared as required' : 'takes no null, and is declared as nullable'}`]),
      ...(declared === undefined || declared === defaultText(column.initial)
        ? []
        : [`${name}: has the default ${defaultText(column.initial)}, declared as ${declared}`]),
      ...(target && !column.key && !excepted('withoutKey', place) ? [`${name}: has no foreign key to ${target}`] : []),
      ...(target && column.key && column.key !== target ? [`${name}: its foreign key leads to ${column.key}, declared to ${target}`] : []),
      ...(!target && column.key && !excepted('withoutRelation', place)
        ? [`${name}: has a foreign key to ${column.key}, and is declared as no relation`]
        : []),
    ];
  }

  for (const [table, columns] of tables) {
    const meta = entities.find((one) => one.tableName === table);
    if (!meta) {
      if (!excepted('tables', table)) found.push(`${table}: no entity has this table`);
      continue;
    }
    const known = new Set(propertiesOf(meta).map((prop) => prop.fieldNames[0]));
    for (const { name } of columns)
      if (!known.has(name) && !excepted('columns', `${table}.${name}`, `*.${name}`))
        found.push(`${table}.${name}: no property has this column`);
  }

  const rules = (await client.query<{ name: string; listed: boolean }>(RULES)).rows;
  const there = new Set(rules.map(({ name }) => name));
  for (const name of named) if (!there.has(name)) found.push(`${name}: a unique rule or check that is named and missing`);
  for (const { name, listed } of rules)
    if (listed && !named.includes(name) && !excepted('unnamed', name)) found.push(`${name}: a unique rule that defineUnique does not name`);

  for (const one of allowed) if (!needed.has(one)) found.push(`an exception that nothing needs: ${one}`);
  return found.sort();
}

/** Returns the properties with a column; those of an embedded object are computed. */
const propertiesOf = (meta: EntityMetadata): EntityProperty[] =>
  (Object.values(meta.properties) as EntityProperty[]).filter((prop) => prop.columnTypes?.length > 0 && !prop.formula);

/** Returns one spelling of a type for MikroORM and PostgreSQL. */
const typeOf = (type: string): string =>
  type
    .replace(/\s*,\s*/, ',')
    .replace(/^timestamp\((\d)\) with time zone$/, 'timestamptz($1)')
    .replace(/^int$/, 'integer')
    .replace(/^character varying/, 'varchar');

const defaultOf = (prop: EntityProperty): string | undefined =>
  prop.defaultRaw !== undefined ? defaultText(prop.defaultRaw) : prop.default !== undefined ? String(prop.default) : undefined;
/** Returns a default without the type that PostgreSQL appends to a literal. */
const defaultText = (text: string | null): string => (text ?? 'none').replace(/^('(?:[^']|'')*')::[\w[\] ]+$/, '$1');
