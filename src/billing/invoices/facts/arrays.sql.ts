/** SQL of values by the names that they have in an object. */
export type Columns<T> = { readonly [K in keyof T]-?: string };

/**
 * SQL of a JSON array of values, in the order of their names (`objectsOf`). It is half the work of an object: PostgreSQL would write each name for each row, and look up
 * how it is written.
 */
export const arraySql = (columns: Readonly<Record<string, string>>): string => `json_build_array(${Object.values(columns).join(', ')})`;

/** SQL of the same as a JSON object. */
export const objectSql = (columns: Readonly<Record<string, string>>): string =>
  `json_build_object(${Object.entries(columns)
    .map(([name, sql]) => `'${name}', ${sql}`)
    .join(', ')})`;

/** Returns what makes the object of an array of `arraySql`, compiled once. */
export function objectsOf<T>(columns: Columns<T>): (values: readonly unknown[]) => T {
  const members = Object.keys(columns).map((name, at) => `${JSON.stringify(name)}: v[${at}]`);
  return new Function('v', `return { ${members.join(', ')} }`) as (values: readonly unknown[]) => T;
}
