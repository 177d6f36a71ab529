import { objectsOf } from './arrays.sql.ts';
import { COMPANY, JOB, LOAD, MORE } from './job-facts.sql.ts';
import type { JobFacts } from './job-facts.ts';

/** The parts of the facts of a job in which they are read. */
export type MoreOfJob = Pick<JobFacts, 'purchaseOrder' | 'profiles' | 'itemized' | 'canceled' | 'sellPrice' | 'materialUnit'> &
  Pick<JobFacts, 'rates' | 'links' | 'loads' | 'companies' | 'conflicts' | 'charges'>;
export type WorkedTimes = Pick<JobFacts, 'startedAt' | 'endedAt' | 'workedMinutes' | 'breakMinutes'>;
/** What is known of a job by itself, without the others of its day and order. */
type Alone = Omit<JobFacts, 'sameDay' | 'sameOrder' | 'shiftMinutes' | 'loadsOfOthers' | 'isFurther' | 'accountBreaks'>;
export type FactsOfJob = Omit<Alone, keyof WorkedTimes | keyof MoreOfJob>;

/** A row of `FACTS`: arrays, in the order of their columns. */
export interface FactsRow {
  facts: unknown[];
  /** Null of a job that is not finished. */
  worked: WorkedTimes | null;
  more: unknown[];
}

const [jobOf, moreOf, loadOf, companyIn] = [objectsOf(JOB), objectsOf(MORE), objectsOf(LOAD), objectsOf(COMPANY)];
const NOT_WORKED: WorkedTimes = { startedAt: null, endedAt: null, workedMinutes: null, breakMinutes: null };

/** Returns what a row says of a job. */
export function factsIn({ facts, worked, more: values }: FactsRow): Alone {
  const more = moreOf(values);
  const [loads, companies] = [more.loads, more.companies] as unknown as [unknown[][], unknown[][]];
  return Object.assign(jobOf(facts), more, worked ?? NOT_WORKED, { loads: loads.map(loadOf), companies: companies.map(companyIn) });
}
