import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import 'reflect-metadata';
import type { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import type { EmbeddedPostgres } from '../src/platform/database/embedded.ts';
import { measureAgainst, serve } from './bench/against.ts';
import { ACKNOWLEDGED_TARGET, measureBacklog, NEIGHBOUR_TARGET } from './bench/backlog.ts';
import { BULK_TARGET, measureApproval, measureBulk } from './bench/bulk.ts';
import { compare } from './bench/compare.ts';
import { generate, SIZE } from './bench/data.ts';
import { openBenchDatabase } from './bench/database.ts';
import { shoot } from './bench/drive.ts';
import { cpuOf, measureInTurns } from './bench/in-turns.ts';
import { measureIngest, orderFlow, ticketFlow } from './bench/ingest.ts';
import { answeredBy, measurePeer } from './bench/peer.ts';
import { positionWorkloads, preparePositions } from './bench/position-workloads.ts';
import { loginWithoutRowPolicies } from './bench/row-level-security.ts';
import { closing, startLimit, startProduct, stop, tokenOf } from './bench/start.ts';
import { differentDocument, workloadsOf } from './bench/workloads.ts';
import { makeClient } from './bench/world/clients.ts';
import { deepPages as pagesFarDown } from './bench/world/deep-pages.ts';
import { installPgBouncer } from './pooler/install.ts';
import { startPgBouncer } from './pooler/pgbouncer.ts';

/**
 * Measures what the product costs compared with a hand-written limit on the same machine, in one run, in turns. `npm run bench [-- --json
 * FILE] [--only w1,w2] [--rounds 5] [--seconds 4] [--clients 16]`. With `--rls` it measures the cost of row-level security: the product
 * with and without it. With `--pooler` it measures what PgBouncer costs between product and PostgreSQL. With `--processes 2` it compares several processes behind one port with one. With `--against FOLDER` it compares this commit with the built checkout of another one in that folder.
 * `--role web` leaves the workers out, which otherwise follow what writes have changed in the same process.
 * `--scale 10` measures with ten times the orders, jobs and loads: 200,000 orders and 5,000,000 loads, of which those beyond the usual ones are older.
 * With `--peer postgraphile` it measures the product and PostGraphile 5 in turns, on the same database.
 */
const { values: options } = parseArgs({
  options: {
    json: { type: 'string' },
    only: { type: 'string', default: 'w1,w2,w3,w4,w5,w6,w7,w9,w10,w11,w12,w13,w14,w15,w16,w17,w18,w19,w20,w21,w23,documents' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '16' },
    rls: { type: 'boolean', default: false },
    pooler: { type: 'boolean', default: false },
    processes: { type: 'string' },
    role: { type: 'string', default: 'all' },
    // Read by data.ts, before anything is made of it.
    scale: { type: 'string' },
    against: { type: 'string' },
    peer: { type: 'string' },
    // For `--against`: prepares a product and prints where it is, until its standard input ends.
    serve: { type: 'boolean', default: false },
  },
});
const only = new Set(options.only.split(',').filter((name) => !options.peer || answeredBy(options.peer).includes(name)));
const say = (line: string) => void process.stdout.write(`${line}\n`);

const turns = { rounds: Number(options.rounds), seconds: Number(options.seconds), clients: Number(options.clients), say };

async function main(): Promise<void> {
  if (options.against) {
    const against = await measureAgainst(options.against, only, turns);
    if (options.json) writeFileSync(options.json, `${JSON.stringify({ against }, null, 2)}\n`);
    return;
  }
  const { data, postgres, orm } = await openBenchDatabase('bench', { shared_buffers: '1GB', max_wal_size: '4GB' });
  const pool = new pg.Pool({ connectionString: postgres.url, max: 4 });
  closing.push(() => pool.end());
  say(
    `generating ${SIZE.companies} companies, ${SIZE.orders} orders, ${SIZE.orders * SIZE.jobsPerOrder} jobs, ${SIZE.orders * SIZE.jobsPerOrder * SIZE.loadsPerJob} loads`,
  );
  await generate(pool, say);
  const { clientId, clientSecret, companyId } = await makeClient(orm, 'Company 1');
  const product = await startProduct(postgres.url, data, options.role as 'all' | 'web');
  const base = new URL(product.url!);
  const token = await tokenOf(base, clientId, clientSecret);
  if (options.serve)
    return serve({
      url: base.href,
      pid: product.child.pid!,
      database: postgres.url,
      token,
      companyId,
      pages: await deepPages(base, token, pool, companyId),
    });
  if (options.peer) {
    const peer = await measurePeer({
      databaseUrl: postgres.url,
      pages: await deepPages(base, token, pool, companyId),
      product: { base, pid: product.child.pid!, token, companyId, pool },
      only,
      ...turns,
    });
    if (options.json) writeFileSync(options.json, `${JSON.stringify({ peer }, null, 2)}\n`);
    return;
  }
  if (options.rls || options.processes || options.pooler) {
    const kind = options.rls ? 'rls' : options.pooler ? 'pooler' : 'processes';
    const other = await otherSide(kind, pool, postgres);
    const open = await startProduct(postgres.url, data, 'all', other.env);
    const pages = await deepPages(base, token, pool, companyId);
    // Each side has its own tokens, because a token names the address of its server.
    const side = (name: string, child: ChildProcess, at: URL, as: string, helperPid?: number) => ({
      name,
      pid: child.pid!,
      helperPid,
      base: at,
      token: as,
      companyId,
      pool,
      workloads: workloadsOf(as, pages),
    });
    const openBase = new URL(open.url!);
    const plain = side(other.names[0], product.child, base, token);
    const compared = side(other.names[1], open.child, openBase, await tokenOf(openBase, clientId, clientSecret), other.helperPid);
    const measured = await measureInTurns({
      // The side that costs more comes first.
      sides: kind === 'pooler' ? [compared, plain] : [plain, compared],
      only,
      ...turns,
    });
    if (options.json) writeFileSync(options.json, `${JSON.stringify({ [kind]: measured }, null, 2)}\n`);
    return;
  }
  const limit = await startLimit(postgres.url, companyId);
  const results: Record<string, { ratio: number; target: number; cpu?: number }> = {};
  const deep = await deepPages(base, token, pool, companyId);
  const senders = only.has('w20') || only.has('w21') ? await preparePositions(orm, base, pool) : [];
  const comparing = { product: { base, pid: product.child.pid! }, limit, pool, ...turns };
  for (const workload of [...workloadsOf(token, deep), ...positionWorkloads(token, senders, pool)])
    if (only.has(workload.name)) results[workload.name] = await compare(workload, comparing);
  const cpu = async () => (await cpuOf({ pid: product.child.pid!, pool })).product;
  const ingest = { base, token, companyId, pool, rounds: Number(options.rounds), say };
  for (const flow of [orderFlow, ticketFlow])
    if (only.has(flow.name)) results[flow.name] = { ratio: await measureIngest(flow, ingest), target: 3 };
  const bulk = only.has('w12') ? await measureBulk({ ...ingest, cpu }) : undefined;
  if (bulk !== undefined) say(`w12 median ${bulk.toFixed(0)} ms (target ${BULK_TARGET})`);
  const approval = only.has('w23') ? await measureApproval({ ...ingest, cpu }) : undefined;
  if (approval !== undefined) say(`w23 median ${approval.toFixed(0)} ms (target ${BULK_TARGET})`);
  if (only.has('documents')) await askDocuments(base, token, pool);
  const rss = megabytes(peakOf(product.child));
  say(`peak memory of the server: ${rss} MB (target under 400)`);
  const backlog = only.has('w7') ? await besideBacklog(orm, postgres.url, data, product.child) : undefined;
  say('workload  ratio  target');
  for (const [name, { ratio, target }] of Object.entries(results))
    say(`${name.padEnd(8)} ${ratio.toFixed(2).padStart(6)} ${target.toFixed(1).padStart(7)}`);
  if (options.json) {
    const workloads = Object.fromEntries(Object.entries(results).map(([name, { ratio }]) => [name, { ratio: Number(ratio.toFixed(3)) }]));
    writeFileSync(
      options.json,
      `${JSON.stringify({ workloads, rss_mb: rss, bulk_assign_ms: bulk && Math.round(bulk), bulk_approve_ms: approval && Math.round(approval), ...backlog }, null, 2)}\n`,
    );
  }
}

/** A product against which, or with which, ours is measured. */
interface Other {
  names: [string, string];
  env: Record<string, string>;
  helperPid?: number;
}

async function otherSide(kind: 'rls' | 'processes' | 'pooler', pool: pg.Pool, postgres: EmbeddedPostgres): Promise<Other> {
  const { url, appUrl } = postgres;
  if (kind === 'rls')
    return {
      names: ['with row-level security', 'without'],
      env: { DATABASE_URL: await loginWithoutRowPolicies(pool, url), DATABASE_OWNER_URL: url },
    };
  if (kind === 'processes')
    return { names: ['one process', `HAULGATE_PROCESSES=${options.processes}`], env: { HAULGATE_PROCESSES: options.processes! } };
  const binary = installPgBouncer(say);
  if (!binary) throw new Error('no PgBouncer is here');
  // As docs/operations.md sets it up.
  const bouncer = await startPgBouncer(binary, url, [url, appUrl], { default_pool_size: 20 });
  closing.push(() => bouncer.stop());
  return {
    names: ['PostgreSQL itself', `PgBouncer ${binary.version}`],
    env: { DATABASE_URL: bouncer.through(appUrl), DATABASE_OWNER_URL: url },
    helperPid: bouncer.pid,
  };
}

/**
 * Sends 1,000 different documents three times each, so that everything is cached that is cached for documents: parsed, compiled, planned
 * and prepared.
 */
async function askDocuments(base: URL, token: string, pool: pg.Pool): Promise<void> {
  for (let i = 0; i < 1_000; i++) for (let round = 0; round < 3; round++) await shoot(base, differentDocument(token, i));
  const { rows } = await pool.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()",
  );
  const sizes = rows.map(({ pid }) => privateOf(pid));
  say(
    `after 1,000 different documents ${rows.length} connections of PostgreSQL take ${megabytes(sizes.reduce((sum, size) => sum + size, 0))} MB, the largest ${megabytes(Math.max(...sizes))} MB`,
  );
}

/** Returns the memory that a process shares with no other, in kB. */
const privateOf = (pid: number): number =>
  [...readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').matchAll(/Private_\w+:\s+(\d+)/g)].reduce((sum, [, size]) => sum + Number(size), 0);

/** Runs the product as two processes, web and worker, with a backlog between them, in place of the single one, which is ended. */
async function besideBacklog(orm: MikroORM, databaseUrl: string, data: string, all: ChildProcess) {
  await stop(all);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  closing.push(() => pool.end());
  const web = await startProduct(databaseUrl, data, 'web');
  const worker = await startProduct(databaseUrl, data, 'worker');
  const base = new URL(web.url!);
  const senderOf = async (name: string) => {
    const { clientId, clientSecret, companyId } = await makeClient(orm, name);
    return { companyId, token: await tokenOf(base, clientId, clientSecret) };
  };
  const crowd = await senderOf('Company 1');
  const neighbour = await senderOf('Company 2');
  const { acknowledged, nextTo } = await measureBacklog({ web: base, crowd, neighbour, pool, rounds: Number(options.rounds), say });
  const memory = megabytes(peakOf(worker.child));
  say(`w7 1,000 orders acknowledged in ${acknowledged.toFixed(0)} ms (target ${ACKNOWLEDGED_TARGET})`);
  say(`w8 100 orders done next to 200,000 of another company in ${nextTo.toFixed(0)} ms (target ${NEIGHBOUR_TARGET})`);
  say(`peak memory of a worker at that backlog: ${memory} MB (target under 300)`);
  return { acknowledged_ms: Math.round(acknowledged), beside_backlog_ms: Math.round(nextTo), worker_mb: memory };
}

/** Nothing, if they are not asked for. */
const deepPages: typeof pagesFarDown = async (...of) => (only.has('w4') ? pagesFarDown(...of) : []);

const megabytes = (kilobytes: number): number => Math.round(kilobytes / 1024);

/** Returns the peak resident memory, in kB. */
const peakOf = (child: ChildProcess): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]);

try {
  await main();
} finally {
  // A part that does not close is given up: it ends with the process.
  for (const close of closing.reverse()) await Promise.race([close(), new Promise((late) => setTimeout(late, 15_000))]);
}
process.exit(0);
