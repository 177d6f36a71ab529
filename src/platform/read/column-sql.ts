import type { EntityMetadata, EntityProperty } from '@mikro-orm/core';

type Meta = EntityMetadata<unknown>;

export const table = (meta: Meta): string => `"${meta.tableName}"`;

/** The column of a property or relation of an entity. */
export function fieldName(meta: Meta, property: string): string {
  const prop = meta.properties[property as never] as EntityProperty | undefined;
  if (!prop) throw new Error(`${meta.className} has no property ${property}`);
  return prop.fieldNames[0]!;
}

/** Numbers wider than a double travel as text, or digits are lost in JSON. */
export function columnSql(alias: string, prop: EntityProperty): string {
  const column = `${alias}."${prop.fieldNames[0]}"`;
  return /^(numeric|decimal|bigint)/.test(prop.columnTypes?.[0] ?? '') ? `${column}::text` : column;
}
