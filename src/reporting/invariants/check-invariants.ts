import { INVARIANTS } from './invariants.ts';

/** Records of one invariant that are named at most. */
const MOST = 100;

interface Violation {
  id: string;
  company_id: string;
  what: string;
}

/** What an invariant is, and what breaks it. */
export interface Checked {
  name: string;
  meaning: string;
  /** How many records break it. */
  count: number;
  /** The first hundred of them. */
  violations: Violation[];
  /** How long it took. */
  milliseconds: number;
}

/** Asks the database of each invariant what breaks it. @param ask runs a statement that sees the rows of all companies */
export async function checkInvariants(ask: (sql: string) => Promise<object[]>): Promise<Checked[]> {
  const checked: Checked[] = [];
  for (const { name, meaning, sql } of INVARIANTS) {
    const began = performance.now();
    const found = (await ask(
      `select id, company_id, what, count(*) over ()::int as count from (${sql}) v order by id limit ${MOST}`,
    )) as (Violation & { count: number })[];
    const violations = found.map(({ count: _, ...violation }) => violation);
    checked.push({ name, meaning, count: found[0]?.count ?? 0, violations, milliseconds: Math.round(performance.now() - began) });
  }
  return checked;
}

/** Writes what was found as lines for people. */
export function describeChecked(checked: readonly Checked[]): string {
  const lines = checked.flatMap(({ name, meaning, count, violations, milliseconds }) => [
    `${count === 0 ? 'holds ' : 'BROKEN'} ${name} (${milliseconds} ms)`,
    ...(count === 0 ? [] : [`       ${meaning}`, `       ${count} records, such as:`]),
    ...violations.slice(0, 10).map(({ id, company_id, what }) => `       ${id} of company ${company_id}: ${what}`),
  ]);
  return `${lines.join('\n')}\n`;
}
