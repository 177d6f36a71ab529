/**
 * Returns SQL of the first of several values that is not null, as `coalesce` does, for a key by which a row is found. Below row-level security
 * PostgreSQL takes `coalesce` for something that may reveal what it is given of a hidden row, and so finds no row by it: it reads the whole table
 * instead, and asks the policies about each row.
 */
export function firstKnown(...values: [string, ...string[]]): string {
  const last = values.at(-1)!;
  return `case ${values
    .slice(0, -1)
    .map((value) => `when ${value} is not null then ${value}`)
    .join(' ')} else ${last} end`;
}
