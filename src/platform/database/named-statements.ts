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

/** The same under a name that it has elsewhere, so that a connection prepares it once. */
export function nameAs(sql: string, name: string): void {
  if (!names.has(sql)) names.set(sql, name);
}

/** Statements that came lately, with the names of those that came again; the one that was unused the longest comes first. */
const lately = new Map<string, string | undefined>();
const LATELY = 500;
let repeated = 0;

/** Names a statement that comes for a second time, because what comes once is not worth preparing. Its text has no values in it. */
export function nameIfRepeated(sql: string): void {
  if (names.has(sql)) return;
  const name = lately.has(sql) ? (lately.get(sql) ?? `again_${repeated++}`) : undefined;
  lately.delete(sql);
  lately.set(sql, name);
  if (lately.size > LATELY) lately.delete(lately.keys().next().value!);
}

/** The name under which a statement is prepared; undefined if it is not. */
export const statementName = (sql: string): string | undefined => names.get(sql) ?? lately.get(sql);

const last = new Set<string>();

/**
 * Has the transaction committed in the message of its last statement, so that it takes no round trip of its own. Commit the transaction
 * after it as usual: the commit is answered without being sent.
 * @returns the statement
 */
export function lastStatement(sql: string): string {
  const text = namedStatement(`${sql}\n-- and commit`);
  last.add(text);
  return text;
}

export const isLastStatement = (sql: string): boolean => last.has(sql);
