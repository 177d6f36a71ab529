import type { Pool } from 'pg';

const LOGIN = 'haulgate_bench_open';

/**
 * Creates a login that row-level security does not bind and that may not take the application's role: a product with this login sets no
 * scope and warns about it in its log. @returns its URL
 */
export async function loginWithoutRowPolicies(pool: Pool, url: string): Promise<string> {
  await pool.query(`create role ${LOGIN} login bypassrls password '${LOGIN}'`);
  await pool.query(`grant usage on schema public to ${LOGIN}`);
  await pool.query(`grant select, insert, update, delete on all tables in schema public to ${LOGIN}`);
  await pool.query(`grant usage on all sequences in schema public to ${LOGIN}`);
  const open = new URL(url);
  Object.assign(open, { username: LOGIN, password: LOGIN });
  return open.href;
}
