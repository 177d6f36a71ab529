import 'reflect-metadata';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { generate, SIZE } from './data.ts';
import { openBenchDatabase } from './database.ts';
import { isExported, measureExport } from './reports/exports.ts';
import { INVOICES, ticketsSql } from './reports/fill.ts';
import { measureCommand, measureEndpoint } from './reports/invariants.ts';
import { measureMetric } from './reports/metrics.ts';
import { measureTurns } from './reports/turns.ts';
import { closing, startProduct, tokenOf } from './start.ts';
import { makeClient, signInAdministrator } from './world/clients.ts';

/**
 * Measures how long the invariants take, by the command and by `GET /ops/invariants`; what an export costs against `COPY ... TO STDOUT` of the same
 * columns, with its memory; and a metric by day and site against SQL that was written by hand. `--only turns` needs no database: it says for how long
 * writing a list holds the event loop.
 * `npm run bench:reports [-- --only invariants,exports,metrics,turns] [--scale 4] [--tickets 1000000] [--exported 200000] [--list tickets|loads] [--rounds 3]`.
 * The largest company has 250,000 loads times the scale: a million for exports of 1,000,000 with `--scale 4 --exported 1000000`, and 500,000 for metrics
 * with `--scale 2`. To try it: `--scale 0.02 --tickets 10000`.
 */
const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: 'invariants,exports,metrics' },
    // Read by data.ts.
    scale: { type: 'string' },
    tickets: { type: 'string', default: '1000000' },
    exported: { type: 'string' },
    list: { type: 'string', default: 'tickets' },
    rounds: { type: 'string', default: '3' },
  },
});
const only = new Set(options.only.split(','));
const loads = (SIZE.orders / 2) * SIZE.jobsPerOrder * SIZE.loadsPerJob;
const [tickets, rounds] = [Number(options.tickets), Number(options.rounds)];
/** Tickets of the largest company, each of a load. */
const exported = Math.min(Number(options.exported ?? 200_000), loads, tickets);
const { list } = options;
if (!isExported(list)) throw new Error('--list is tickets or loads');
/** On a busy machine a statement may take long: it is measured, and not ended. */
const BUSY = { HAULGATE_STATEMENT_SECONDS: '60' };
const say = (line: string) => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  if (only.has('turns')) await measureTurns(say);
  if (only.size === 1 && only.has('turns')) return;
  const { data, postgres, orm } = await openBenchDatabase('reports', { shared_buffers: '1GB', max_wal_size: '4GB', fsync: 'off' });
  const pool = new pg.Pool({ connectionString: postgres.url, max: 1 });
  closing.push(() => pool.end());
  say(`generating ${2 * loads} loads and ${tickets} tickets`);
  // Neither the feed nor the links of histories are measured, and without their triggers there are as many rows in a tenth of the time.
  const fill = async (sql: string) => {
    await pool.query(`set session_replication_role = ${/insert into (load|ticket|invoice)/.test(sql) ? 'replica' : 'origin'}`);
    return pool.query(sql);
  };
  await generate({ query: fill } as unknown as pg.Pool, say);
  for (const sql of [ticketsSql(tickets, exported), ...INVOICES, 'vacuum analyze']) await fill(sql);
  await pool.query('set session_replication_role = origin');
  const client = await makeClient(orm, 'Company 1');
  const { child, url } = await startProduct(postgres.url, data, 'web', BUSY);
  const base = new URL(new URL(url!).origin);
  const token = await tokenOf(base, client.clientId, client.clientSecret);
  const measuring = { pool, base, child, token, companyId: client.companyId, rounds, say };
  if (only.has('metrics')) await measureMetric(measuring);
  if (only.has('invariants')) {
    await measureCommand(postgres.url, rounds, say);
    await measureEndpoint(measuring, await signInAdministrator(orm, base));
  }
  // `list` is one of them.
  if (only.has('exports') && isExported(list)) {
    // The generator adds loads of its own days to no company, so the list of loads is what is there.
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::int as count from ${list === 'loads' ? 'load' : 'ticket'} where company_id = $1`,
      [client.companyId],
    );
    await measureExport(measuring, list, rows[0]!.count);
  }
}

try {
  await main();
} finally {
  for (const end of closing.reverse()) await end();
}
