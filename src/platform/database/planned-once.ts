import type { QueryConfig } from 'pg';

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

export const isPlannedOnce = (config: QueryConfig): boolean => (config as PlannedOnce).plannedOnce === true || texts.has(config.text);
