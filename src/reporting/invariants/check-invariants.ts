import { INVARIANTS, INVARIANTS_CHECK } from './invariants.ts';

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

/**
 * The tables of which a login sees only some rows, because row-level security binds it: what it does not see, no invariant finds.
 * @param ask runs a statement with the login
 */
export async function boundTables(ask: (sql: string) => Promise<object[]>): Promise<string[]> {
  const tables = Object.keys(INVARIANTS_CHECK.grants).map((name) => `'${name}'`);
  // A policy shows every row to the owner of the tables, whom row-level security binds, too.
  const rows = await ask(`select c.relname as name from unnest(array[${tables.join()}]::regclass[]) t (oid) join pg_class c on c.oid = t.oid
    where row_security_active(c.oid) and not exists (
      select from pg_policy p where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('*', 'r') and pg_get_expr(p.polqual, p.polrelid) = 'true'
        and exists (select from unnest(p.polroles) r (oid) where r.oid = 0 or pg_has_role(r.oid, 'usage')))
    order by c.relname`);
  return (rows as { name: string }[]).map(({ name }) => name);
}

/** What a transaction that checks a large database sets first: sums over whole tables then have room in memory. */
export const ROOM_TO_CHECK = `set local work_mem = '128MB'`;

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
