import type { QueryConfig } from 'pg';
import { namedStatement } from './named-statements.ts';

/** Statements whose plan does not depend on their values. */
interface PlannedOnce extends QueryConfig {
  plannedOnce?: true;
}

/**
 * Has PostgreSQL plan a named statement once for each connection, for any values (`force_generic_plan`). Otherwise it plans each named
 * statement anew for the first five times, and for ever if a plan for the values looks cheaper than one for any, however long the planning
 * takes: 15 to 35 ms for a job with all that belongs to it, which takes 2 ms to run. Use it for reads by key, and for no statement whose
 * filters decide which index serves it.
 */
export const plannedOnce = (config: QueryConfig & { name: string }): QueryConfig => ({ ...config, plannedOnce: true }) as PlannedOnce;

const texts = new Set<string>();

/** The same for a statement of ours wherever it runs: inside transactions only its text arrives. */
export const planOnce = (sql: string): void => void texts.add(sql);

const lookUps = new Set<string>();

/**
 * The same for a statement of ours that looks up few rows by keys in tables which are empty at times, such as queues: it has nothing but nested loops over
 * indexes. A plan of any other kind that was made while a table was empty would read all of it later, until PostgreSQL analyzes it.
 * @returns the statement
 */
export function planLookUps(sql: string): string {
  lookUps.add(namedStatement(sql));
  return sql;
}

/** PostgreSQL takes a list that it does not know for ten elements, so a plan for any list is a good one for some dozens. */
export const FEW = 100;
const aboutFew = new Map<string, string>();

/**
 * Has PostgreSQL plan a statement of ours once for each connection while it is about few rows, such as those that one person writes. About many
 * rows, such as those of an import, it is planned for its values.
 * @param rows how many rows the statement is given at most
 * @param plan `planLookUps` has it planned once as that says
 * @returns the statement, with another text if it is planned once
 */
export function planOnceForFew(sql: string, rows: number, plan: (text: string) => unknown = planOnce): string {
  if (rows > FEW) return sql;
  let text = aboutFew.get(sql);
  if (text === undefined) {
    text = namedStatement(`${sql}\n-- about few rows`);
    plan(text);
    aboutFew.set(sql, text);
  }
  return text;
}

export const isPlannedOnce = (config: QueryConfig): boolean => (config as PlannedOnce).plannedOnce === true || texts.has(config.text);

/** How a statement is planned: for its values, once, or once by look-ups alone. */
export type Planning = 'auto' | 'once' | 'look-ups';
export const planningOf = (config: QueryConfig): Planning =>
  lookUps.has(config.text) ? 'look-ups' : isPlannedOnce(config) ? 'once' : 'auto';

/**
 * The settings with which statements are planned in another way than those before them.
 * @param before how these were; undefined if that is not known
 */
export function planningSettings(before: Planning | undefined, planning: Planning): { plan?: string; scans?: string } {
  if (before === planning) return {};
  const plan = planning === 'auto' ? 'auto' : 'force_generic_plan';
  if (planning === 'look-ups') return { plan, scans: 'off' };
  return before === undefined || before === 'look-ups' ? { plan, scans: 'on' } : { plan };
}
