import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { Company } from '../../src/directory/companies/company.entity.ts';
import { PERMISSIONS } from '../../src/identity/access/permissions.ts';
import { makeMachineClient } from '../../src/identity/machine-clients/machine-clients.ts';
import type { createOrm } from '../../src/platform/database/orm.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import { COUNTED, countStatements, sayStatements } from '../chaos/statements.ts';
import { makeTenants, type Tenant } from '../chaos/world.ts';
import { generate, SIZE } from './data.ts';
import { openBenchDatabase } from './database.ts';
import { callersOf, follow, followMany } from './live/follow.ts';
import { measureFollowed } from './live/followed-reads.ts';
import { backendsOf, processorTime } from './reports/processor-time.ts';
import { closing, startFromSource, startProduct, tokenOf } from './start.ts';
import { workloadsOf } from './workloads.ts';
import { makeClient } from './world/clients.ts';
import { deepPages } from './world/deep-pages.ts';

/**
 * Measures after how long a change is in a stream of the feed, at a subscriber and at an endpoint of webhooks, from sending the request that makes it;
 * how many events one endpoint gets in a second when all of them are replayed; and what memory open subscriptions take.
 * `npm run bench:live [-- --writes 200 --seconds 30 --subscriptions 1000]`; `--statements` says which statements took most of PostgreSQL's time, and no memory is
 * measured with 0 subscriptions. With `--reads [--rounds 3] [--seconds 5] [--scale 1]` it measures instead by how
 * much open subscriptions slow reads (w1 to w4 of `npm run bench`, of 500,000 loads). To try it: `--reads --scale 0.05 --subscriptions 100 --rounds 1 --seconds 2`.
 */
const { values: options } = parseArgs({
  options: {
    writes: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '30' },
    subscriptions: { type: 'string', default: '1000' },
    // Measures how long reads take next to open subscriptions, in place of the rest.
    reads: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '3' },
    statements: { type: 'boolean', default: false },
    // Starts the product from its source, which need not be built then.
    source: { type: 'boolean', default: false },
    // Read by data.ts, for `--reads`.
    scale: { type: 'string' },
  },
});
const [rate, seconds, subscriptions] = [Number(options.writes), Number(options.seconds), Number(options.subscriptions)];
/** Orders of which each is changed in its turn, so that no two changes of one are pending. */
const ORDERS = 500;
const MARK = /"notes":"mark (\d+)"/g;

type Door = 'feed' | 'subscriber' | 'webhook';

async function main(): Promise<void> {
  const { data, postgres, orm } = await openBenchDatabase('live', { shared_buffers: '256MB', ...(options.statements ? COUNTED : {}) });
  if (options.statements) await countStatements(orm);
  const [tenant, crowd] = (await makeTenants(orm)) as [Tenant, Tenant];
  const { url, child } = await startProduct(postgres.url, data, 'all', {
    HAULGATE_WEBHOOK_PRIVATE_HOSTS: 'on',
    HAULGATE_STREAMS_PER_ADDRESS: '0',
  });
  const base = new URL(new URL(url!).origin);
  const token = await tokenOf(base, tenant.clientId, tenant.clientSecret);
  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(new URL(path, base), {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answers ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const orders = await makeOrders(orm, call, tenant.companyId);
  const sent = new Map<number, number>();
  const took: Record<Door, Map<number, number>> = { feed: new Map(), subscriber: new Map(), webhook: new Map() };
  const arrived = (door: Door, text: string) => {
    for (const [, mark] of text.matchAll(MARK)) {
      const at = Number(mark);
      if (!took[door].has(at)) took[door].set(at, performance.now() - (sent.get(at) ?? 0));
    }
  };
  const subscription = await openDoors(base, token, tenant, call, arrived);
  const change = (mark: number) => call('PATCH', `/v1/orders/${orders[mark % ORDERS]}`, { notes: `mark ${mark}` });
  await warmUp(change, took.webhook);
  for (const times of Object.values(took)) times.clear();
  const pool = await poolOf(orm.em);
  const backends = await backendsOf(pool);
  const used = [processorTime([child.pid!]), processorTime(backends)] as const;
  let slow = 0;
  const pending = new Set<Promise<void>>();
  const began = performance.now();
  const made = rate * seconds;
  for (let mark = 0; mark < made; mark++) {
    const wait = began + (mark * 1000) / rate - performance.now();
    if (wait > 0) await sleep(wait);
    else if (wait < -1_000) slow++;
    sent.set(mark, performance.now());
    const write: Promise<void> = change(mark).then(() => void pending.delete(write));
    pending.add(write);
  }
  await Promise.all(pending);
  const lasted = (performance.now() - began) / 1000;
  // Streams leave out a change that another one of the same order has followed before they read it; endpoints get all.
  for (let i = 0; i < 240 && took.webhook.size < made; i++) await sleep(250);
  await sleep(500);
  const each = (ms: number) => `${(ms / made).toFixed(1)} ms`;
  console.log(`${made} changes in ${lasted.toFixed(1)} s, ${slow} sent more than a second late; from sending a change until it is at`);
  for (const [door, times] of Object.entries(took)) {
    const sorted = [...times.values()].sort((a, b) => a - b);
    const share = (part: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN);
    console.log(
      `  ${door}: ${share(0.5)} ms (p50), ${share(0.95)} ms (p95), ${share(0.99)} ms (p99), ${share(1)} ms at most; ${sorted.length} of ${made}`,
    );
  }
  console.log(
    `  with all that followed, each took ${each(processorTime([child.pid!]) - used[0])} of the product's processor time and ${each(processorTime(backends) - used[1])} of PostgreSQL's`,
  );
  if (options.statements) await sayStatements(orm);
  await measureReplay(orm, call, subscription, child.pid!, WARM + made);
  if (subscriptions > 0) await measureMemory(orm, base, crowd, child.pid!);
}

/** Changes before those that are measured: until then code is compiled and each connection plans its statements, which is no matter of the rate. */
const WARM = 1_500;
/** Of these, as many at a time. */
const TOGETHER = 4;

/** Makes changes one after the other, and waits until the endpoint has them. */
async function warmUp(change: (mark: number) => Promise<unknown>, arrived: ReadonlyMap<number, number>): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < WARM) await change(next++);
  };
  await Promise.all(Array.from({ length: TOGETHER }, one));
  for (let i = 0; i < 240 && arrived.size < WARM; i++) await sleep(250);
  await sleep(500);
}

/** Requests that the endpoint of webhooks has got. */
let received = 0;

/** Has all events sent again to an endpoint that answers at once, and looks how fast they come and what each takes. */
async function measureReplay(orm: Orm, call: Call, subscription: string, product: number, made: number): Promise<void> {
  const postgres = await backendsOf(await poolOf(orm.em));
  const before = received;
  const used = [processorTime([product]), processorTime(postgres)] as const;
  const began = performance.now();
  await call('PUT', `/v1/webhook_subscriptions/${subscription}/replay`, { from: '2026-01-01T00:00:00Z' });
  while (received - before < made && performance.now() - began < 300_000) await sleep(50);
  const took = (performance.now() - began) / 1000;
  const each = (ms: number) => `${((ms / (received - before)) * 1000).toFixed(0)} us`;
  console.log(
    `${received - before} events to one endpoint in ${took.toFixed(1)} s: ${Math.round((received - before) / took)} a second (aim 500); each ${each(
      processorTime([product]) - used[0],
    )} of the product's processor time and ${each(processorTime(postgres) - used[1])} of PostgreSQL's`,
  );
}

type Call = (method: string, path: string, body?: object) => Promise<unknown>;
type Orm = Awaited<ReturnType<typeof createOrm>>;

async function makeOrders(orm: Orm, call: Call, companyId: string): Promise<string[]> {
  const customer = { external_id: 'BENCH', name: 'Bench Paving' };
  const orders = Array.from({ length: ORDERS }, (_, i) => ({
    external_id: `live-${i}`,
    load_at: '2026-11-20T07:00:00',
    customer,
    name: `Live ${i}`,
  }));
  await call('POST', '/ingest/orders', { orders });
  const find = `select id from orders where company_id = ? and external_id like 'live-%'`;
  for (let tries = 0; tries < 300; tries++) {
    const rows = await orm.em.getConnection().execute<{ id: string }[]>(find, [companyId]);
    if (rows.length === ORDERS) return rows.map(({ id }) => id);
    await sleep(500);
  }
  throw new Error('the orders were not imported');
}

/** Opens a stream of the feed, a subscription, and an endpoint of webhooks. @returns the subscription of webhooks */
async function openDoors(
  base: URL,
  token: string,
  { companyId }: Tenant,
  call: Call,
  arrived: (door: Door, text: string) => void,
): Promise<string> {
  const left = new AbortController();
  closing.push(() => left.abort());
  const stream = await fetch(new URL(`/v1/companies/${companyId}/changes?types=Order`, base), {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    signal: left.signal,
  });
  void (async () => {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const bytes of stream.body!) {
      const events = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
      rest = events.pop()!;
      for (const event of events) arrived('feed', event);
    }
  })().catch((error: unknown) => {
    if (!left.signal.aborted) throw error;
  });
  closing.push(follow(base, token, (value) => arrived('subscriber', JSON.stringify(value))));
  const server = createServer((req, res) => {
    let text = '';
    req.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
    req.on('end', () => {
      received++;
      arrived('webhook', text);
      res.writeHead(204).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closing.push(() => void server.close());
  const { port } = server.address() as { port: number };
  const subscribed = await call('POST', '/v1/webhook_subscriptions', { url: `http://127.0.0.1:${port}/`, triggers: ['Order::update'] });
  // A subscription follows from its first look on.
  await sleep(2_000);
  return (subscribed as { data: { id: string } }).data.id;
}

/** Machine clients of a company, as many as the subscriptions take. @returns their tokens */
async function callers(orm: Orm, base: URL, companyId: string): Promise<string[]> {
  const em = orm.em.fork();
  const company = await em.findOneOrFail(Company, companyId, { filters: false });
  const clients = Array.from({ length: callersOf(subscriptions) }, (_, i) =>
    makeMachineClient(em, company, { name: `Bench ${i}`, permissions: PERMISSIONS }),
  );
  await em.flush();
  const tokens: string[] = [];
  for (const { client, clientSecret } of clients) tokens.push(await tokenOf(base, client.clientId, clientSecret));
  return tokens;
}

/** Opens subscriptions of a company that does nothing, each over a socket of its own, and looks at the memory of the process. */
async function measureMemory(orm: Orm, base: URL, { companyId }: Tenant, pid: number): Promise<void> {
  const tokens = await callers(orm, base, companyId);
  await sleep(10_000);
  const before = memoryOf(pid);
  closing.push(await followMany(base, tokens, subscriptions, sleep));
  await sleep(20_000);
  const after = memoryOf(pid);
  console.log(`${subscriptions} open subscriptions: ${after - before} MB more than ${before} MB (resident memory of the process)`);
}

/** Reads w1 to w4 of the largest of generated companies, with as many subscriptions of another one open and without, in turns. */
async function readBeside(): Promise<void> {
  const { data, postgres, orm } = await openBenchDatabase('followed', { shared_buffers: '1GB', max_wal_size: '4GB' });
  const pool = new pg.Pool({ connectionString: postgres.url, max: 4 });
  closing.push(() => pool.end());
  await generate(pool, console.log);
  const { clientId, clientSecret, companyId } = await makeClient(orm, 'Company 1');
  const other = await makeClient(orm, 'Company 2');
  const { url, child } = await startProduct(postgres.url, data, 'all', { HAULGATE_STREAMS_PER_ADDRESS: '0' });
  const base = new URL(new URL(url!).origin);
  const token = await tokenOf(base, clientId, clientSecret);
  const loads = (SIZE.orders / 2) * SIZE.jobsPerOrder * SIZE.loadsPerJob;
  const pages = await deepPages(base, token, pool, companyId, Math.min(400, Math.floor(loads / 100)));
  const workloads = workloadsOf(token, pages).filter(({ name }) => ['w1', 'w2', 'w3', 'w4'].includes(name));
  const tokens = await callers(orm, base, other.companyId);
  const open = () => followMany(base, tokens, subscriptions, sleep);
  await measureFollowed({ base, child, pool, workloads, open, subscriptions, rounds: Number(options.rounds), seconds });
}

/** Resident memory in MB. */
const memoryOf = (pid: number): number => Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024);

if (options.source) startFromSource();
try {
  if (options.reads) await readBeside();
  else await main();
} finally {
  for (const close of closing.reverse()) await close();
}
