import type { Overheard } from './app.ts';

/** Begins or ends something, or waits for a lock: it reads no rows. */
export const CONTROL = /^\s*(begin|commit|rollback|savepoint|release|set|select pg_advisory_xact_lock)\b/i;

/** Whether a statement reads or writes rows and names no company, for no listed purpose: with many machines, nobody would know which one to ask. */
export const isUnnamed = ({ sql, scope }: Overheard): boolean => !CONTROL.test(sql) && !scope.purpose && scope.companyIds.length === 0;

/** The texts of statements, each once and shortened. */
export const textsOf = (statements: readonly Overheard[]): string[] => [...new Set(statements.map(({ sql }) => sql.slice(0, 200)))];
