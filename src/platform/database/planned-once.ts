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

/** Statements that PostgreSQL may share out among several of its processes. */
interface SharedOut extends QueryConfig {
  sharedOut?: true;
}

/**
 * Lets PostgreSQL share a statement out among several of its processes, as it does for whoever writes SQL by hand. Use it for what reads much and answers
 * little, such as sums over all loads of a company. The partners in work are found ahead of it. It is not prepared: a plan for several processes must not
 * be kept for a time when partners were not found ahead. What MikroORM's transactions send is not shared out, because only its text arrives.
 */
export const sharedOut = (config: QueryConfig): QueryConfig => ({ ...config, name: undefined, sharedOut: true }) as SharedOut;

/** Processes that help with a statement, at most: PostgreSQL's own default. The server's `max_parallel_workers` is for all statements together. */
const HELPERS = '2';
/** How many help with every other statement, which is the setting that connections of the product are opened with (`roles.ts`). */
export const NO_HELPERS = '0';

/** How a statement is planned: for its values, once, or once by look-ups alone; or for its values and for several processes. */
export type Planning = 'auto' | 'once' | 'look-ups' | 'shared-out';
export const planningOf = (config: QueryConfig): Planning => {
  if ((config as SharedOut).sharedOut) return 'shared-out';
  return lookUps.has(config.text) ? 'look-ups' : isPlannedOnce(config) ? 'once' : 'auto';
};

/**
 * The settings with which statements are planned in another way than those before them.
 * @param before how these were; undefined if that is not known
 */
export function planningSettings(before: Planning | undefined, planning: Planning): { plan?: string; scans?: string; helpers?: string } {
  // The partners are found anew for each of them.
  if (before === planning && planning !== 'shared-out') return {};
  const settings: ReturnType<typeof planningSettings> = {
    plan: planning === 'once' || planning === 'look-ups' ? 'force_generic_plan' : 'auto',
  };
  if (planning === 'look-ups') settings.scans = 'off';
  else if (before === undefined || before === 'look-ups') settings.scans = 'on';
  if (planning === 'shared-out') settings.helpers = HELPERS;
  else if (before === undefined || before === 'shared-out') settings.helpers = NO_HELPERS;
  return settings;
}
