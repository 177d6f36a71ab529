const names = new Map<string, string>();

/**
 * Has PostgreSQL plan a statement once for a connection, as a named one, wherever it is run: what runs inside transactions has no other way
 * to say so. An import's look-ups took longer to plan than to run. Not for statements about `import_task`, which is empty when they are
 * planned and holds hundreds of thousands of rows when they are run.
 * @returns the statement
 */
export function namedStatement(sql: string): string {
  if (!names.has(sql)) names.set(sql, `once_${names.size}`);
  return sql;
}

/** The name of a statement that is to be planned once. */
export const statementName = (sql: string): string | undefined => names.get(sql);
