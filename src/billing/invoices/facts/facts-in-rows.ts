import { objectsOf } from './arrays.sql.ts';
import { COMPANY, JOB, LOAD, MORE } from './job-facts.sql.ts';
import type { FactsAlone, WorkedTimes } from './job-facts.ts';

/** A row of `FACTS`: arrays, in the order of their columns. */
export interface FactsRow {
  facts: unknown[];
  /** Whether it says how long the job took. */
  timed: boolean;
  /** Null of a job that is not finished, or of which nobody asks how long it took. */
  worked: WorkedTimes | null;
  more: unknown[];
}

const [jobOf, moreOf, loadOf, companyIn] = [objectsOf(JOB), objectsOf(MORE), objectsOf(LOAD), objectsOf(COMPANY)];
const NOT_WORKED: WorkedTimes = { startedAt: null, endedAt: null, workedMinutes: null, breakMinutes: null };

/** Returns what a row says of a job. */
export function factsIn({ facts, worked, more: values }: FactsRow): FactsAlone {
  const more = moreOf(values);
  const [loads, companies] = [more.loads, more.companies] as unknown as [unknown[][], unknown[][]];
  return Object.assign(jobOf(facts), more, worked ?? NOT_WORKED, { loads: loads.map(loadOf), companies: companies.map(companyIn) });
}
