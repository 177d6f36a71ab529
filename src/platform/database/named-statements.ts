const names = new Map<string, string>();

/**
 * Has PostgreSQL plan a statement only once for each connection, by naming it, wherever it runs: statements inside transactions cannot say
 * so otherwise. Some look-ups of an import took longer to plan than to run. Do not use it for statements on `import_task`, which is empty
 * when they are planned and has hundreds of thousands of rows when they run.
 * @returns the statement
 */
export function namedStatement(sql: string): string {
  if (!names.has(sql)) names.set(sql, `once_${names.size}`);
  return sql;
}

/** The name of a statement that is to be planned once. */
export const statementName = (sql: string): string | undefined => names.get(sql);
