import type { Pool, PoolClient } from 'pg';
import { forgetViewers } from '../../../src/identity/access/viewer.ts';
import { readReplicas } from '../../../src/platform/database/replicas/open-replicas.ts';
import { currentScope } from '../../../src/platform/database/scope.ts';
import { poolOf } from '../../../src/platform/database/sql.ts';
import type { TestApp } from '../app.ts';

/** Compares a column that names a company, or several ids, with a parameter of the request: `t0.company_id = $1::uuid`. */
const VALUE = String.raw`(?:\$\d+|'[^']*')(?:::\w+(?:\[\])?)?`;
const NAME = String.raw`(?<![\w".])(?:"?\w+"?\.)?`;
const CONDITIONS = new RegExp(
  String.raw`${NAME}"?\w*company_id"? = (?:any\(${VALUE}\)|${VALUE})|${NAME}"?(?:\w*company_id|id)"? (?:= any\(${VALUE}\)|in \(${VALUE}(?:, ?${VALUE})*\))`,
  'g',
);
const WRITES = /\b(insert into|update|delete from)\b/i;

/** The companies of a viewer, which include every company. */
class EveryCompany extends Array<string> {
  override includes(): boolean {
    return true;
  }
}

/** How many conditions were removed. */
export interface Removed {
  atPrimary: number;
  atReplicas: number;
}

/**
 * Removes the application's conditions on companies from every statement that reads, at the primary and at replicas, and makes every company count as
 * the caller's, from here to the end of this app. It happens between the application and its connections: the product has no such switch.
 * @returns what counts further
 */
export async function removeTenantConditions(app: TestApp): Promise<Readonly<Removed>> {
  const removed: Removed = { atPrimary: 0, atReplicas: 0 };
  removeIn(await poolOf(app.productOrm.em), () => removed.atPrimary++);
  for (const { reads } of readReplicas.of(app.application)?.all ?? []) removeIn(reads, () => removed.atReplicas++);
  forgetViewers(app.application);
  return removed;
}

function removeIn(pool: Pool, note: () => void): void {
  const open = (sql: string): string => {
    // The sign-in is not limited to companies.
    if (currentScope().purpose || WRITES.test(sql)) return sql;
    return sql.replace(CONDITIONS, (condition) => {
      note();
      return `(${condition} or true)`;
    });
  };
  const met = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => {
    if (met.has(client)) return;
    met.add(client);
    const query = client.query.bind(client) as unknown as (...args: unknown[]) => unknown;
    const ask = (...[first, ...more]: unknown[]): unknown => {
      const { text, name, ...rest } = (typeof first === 'string' ? { text: first } : first) as { text?: string; name?: string };
      if (text === undefined) return query(first, ...more);
      const config = { ...rest, text: open(text), ...(name ? { name: `${name}_` } : {}) };
      const answer = query(typeof first === 'string' ? config.text : config, ...more);
      return /recursive principal/.test(text) ? claimed(answer) : answer;
    };
    Object.assign(client, { query: ask });
  });
}

interface Rows {
  rows: { company_ids: string[] }[];
}

/** Returns the viewers that were found, with companies that include every company. */
async function claimed(answer: unknown): Promise<unknown> {
  const { rows, ...rest } = (await answer) as Rows;
  return { ...rest, rows: rows.map((row) => ({ ...row, company_ids: EveryCompany.from(row.company_ids) })) };
}
