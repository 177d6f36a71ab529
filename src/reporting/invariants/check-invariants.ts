import type { Invariant } from './invariant.ts';
import { INVARIANTS, INVARIANTS_CHECK } from './invariants.ts';

/** Records of one invariant that are named at most. */
const MOST = 100;

interface Violation {
  id: string;
  company_id: string;
  what: string;
}

/** An invariant, and the rows that break it. */
export interface Checked {
  name: string;
  meaning: string;
  /** The number of records that break it. */
  count: number;
  /** The first hundred of them. */
  violations: Violation[];
  /** The time that it took, with those that read the same rows as it (`Invariant.reads`). */
  milliseconds: number;
}

/**
 * The tables of which a login sees only some rows, because row-level security binds it: what it does not see, nobody finds.
 * @param ask runs a statement with the login
 * @param names those of the invariants by default
 */
export async function boundTables(
  ask: (sql: string) => Promise<object[]>,
  names = Object.keys(INVARIANTS_CHECK.grants),
): Promise<string[]> {
  const tables = names.map((name) => `'${name}'`);
  // A policy shows every row to the owner of the tables, whom row-level security binds, too.
  const rows = await ask(`select c.relname as name from unnest(array[${tables.join()}]::regclass[]) t (oid) join pg_class c on c.oid = t.oid
    where row_security_active(c.oid) and not exists (
      select from pg_policy p where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('*', 'r') and pg_get_expr(p.polqual, p.polrelid) = 'true'
        and exists (select from unnest(p.polroles) r (oid) where r.oid = 0 or pg_has_role(r.oid, 'usage')))
    order by c.relname`);
  return (rows as { name: string }[]).map(({ name }) => name);
}

/** Runs a statement that sees the rows of all companies. */
type Ask = (sql: string) => Promise<object[]>;

/** The memory that a transaction sets first which checks a large database: sums over whole tables then have room in memory. */
const WORK_MEM = '128MB';
const ROOM_TO_CHECK = `set local work_mem = '${WORK_MEM}'`;

/** The same for a request, with what is left of its time for the statement. @param milliseconds at least 1 */
export const roomInRequest = (milliseconds: number): string =>
  `select set_config('work_mem', '${WORK_MEM}', true), set_config('statement_timeout', '${Math.ceil(milliseconds)}ms', true)`;

/**
 * Begins a transaction on each of some connections, all of which see the same moment, while the product goes on. With two of them a machine with two
 * cores checks a large database in half the time: PostgreSQL itself shares out few of these statements.
 */
export async function seeOneMoment(asks: readonly Ask[]): Promise<void> {
  const [first, ...others] = asks;
  for (const ask of asks) await ask('begin isolation level repeatable read read only');
  const [moment] = (await first!('select pg_export_snapshot() as id')) as { id: string }[];
  for (const ask of others) await ask(`set transaction snapshot '${moment!.id}'`);
  for (const ask of asks) await ask(ROOM_TO_CHECK);
}

/** Asks the database of each invariant what breaks it in real companies. @param asks one for each connection that may be asked at the same time */
export async function checkInvariants(...asks: readonly [Ask, ...Ask[]]): Promise<Checked[]> {
  const checked = new Map<Invariant, Checked>();
  const waiting = [...Map.groupBy(INVARIANTS, ({ name, reads }) => reads ?? name).values()];
  const askAll = async (ask: Ask): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      try {
        const found = await checkTogether(ask, next);
        for (const [at, invariant] of next.entries()) checked.set(invariant, found[at]!);
      } catch (error) {
        waiting.length = 0;
        throw error;
      }
    }
  };
  // The others have ended, too, before the first error is said: whoever asked gives their connections back.
  for (const end of await Promise.allSettled(asks.map(askAll))) if (end.status === 'rejected') throw end.reason;
  return INVARIANTS.map((invariant) => checked.get(invariant)!);
}

/** Checks invariants that read the same rows, if they read any, in one statement: each of them took the time of all. */
async function checkTogether(ask: Ask, invariants: readonly Invariant[]): Promise<Checked[]> {
  const began = performance.now();
  const { reads } = invariants[0]!;
  const shared = reads ? `with ${reads.name} as materialized (${reads.sql}) ` : '';
  const found = (await ask(
    `${shared}select * from (${invariants.map(violationsOf).join(' union all ')}) v order by place, id`,
  )) as (Violation & { count: number; place: number })[];
  const milliseconds = Math.round(performance.now() - began);
  const rowsAt = Map.groupBy(found, ({ place }) => place);
  return invariants.map(({ name, meaning }, place) => {
    const rows = rowsAt.get(place) ?? [];
    const violations = rows.map(({ id, company_id, what }) => ({ id, company_id, what }));
    return { name, meaning, count: rows[0]?.count ?? 0, violations, milliseconds };
  });
}

/** SQL: the first records that break an invariant, with its place among those of the statement, and how many there are. */
const violationsOf = ({ sql }: Invariant, place: number): string =>
  `(select ${place} as place, id, company_id, what, count(*) over ()::int as count from (${sql}) v where is_sandbox(company_id) is not true order by id limit ${MOST})`;

/** Writes what was found as lines for people. */
export function describeChecked(checked: readonly Checked[]): string {
  const lines = checked.flatMap(({ name, meaning, count, violations, milliseconds }) => [
    `${count === 0 ? 'holds ' : 'BROKEN'} ${name} (${milliseconds} ms)`,
    ...(count === 0 ? [] : [`       ${meaning}`, `       ${count} records, such as:`]),
    ...violations.slice(0, 10).map(({ id, company_id, what }) => `       ${id} of company ${company_id}: ${what}`),
  ]);
  const broken = checked.filter(({ count }) => count > 0).length;
  const end =
    broken === 0
      ? `all ${checked.length} hold`
      : `${broken} of ${checked.length} are broken: docs/reporting.md, "Do books and events agree", says what to do. Nothing was changed.`;
  return `${[...lines, end].join('\n')}\n`;
}
