import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ref } from '@mikro-orm/core';
import type { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { entities, registerRooms } from '../../src/app/rooms.ts';
import { booksOf } from '../../src/billing/invoices/books-of-job.ts';
import type { JobFacts } from '../../src/billing/invoices/facts/job-facts.ts';
import { factsOfJob, factsOfJobs } from '../../src/billing/invoices/facts/read-job-facts.ts';
import { priceEntry } from '../../src/billing/invoices/price-entry.ts';
import { Company } from '../../src/directory/companies/company.entity.ts';
import { Service } from '../../src/directory/master-data/named.entities.ts';
import { PERMISSIONS } from '../../src/identity/access/permissions.ts';
import { makeMachineClient } from '../../src/identity/machine-clients/machine-clients.ts';
import { createOrm } from '../../src/platform/database/orm.ts';
import { APP_ROLE } from '../../src/platform/database/roles.ts';
import { asCompanies } from '../../src/platform/database/scope.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import { Decimal } from '../../src/platform/decimal.ts';
import { newId } from '../../src/platform/ids.ts';
import { COUNTED, countStatements, sayStatements } from '../chaos/statements.ts';
import { BY_TON } from '../real/billing/terms.ts';
import { workOfDays, writeWork } from '../real/billing/work.ts';
import { openBenchDatabase } from './database.ts';
import { median } from './drive.ts';
import { cpuOf } from './in-turns.ts';
import { closing, startProduct, tokenOf } from './start.ts';

/**
 * Measures what billing costs: invoicing finished jobs, previewing 100,000 of them over REST, settling 10,000 loads against hand-written statements over sets with the same result, the first level of its
 * explanation, its PDF, and how many lines are priced in a second, also with what they depend on read from the database as requests read it. `npm run bench:billing [-- --loads 10000 --rounds 5 --statements --json FILE]`
 *
 * Web and worker are two processes. The web process settles once before anybody asks it for previews, and again afterwards.
 */
const { values: options } = parseArgs({
  options: {
    loads: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    previews: { type: 'string', default: '100000' },
    json: { type: 'string' },
    /** Also says which statements took longest until the previews were answered. */
    statements: { type: 'boolean', default: false },
  },
});
const [loads, rounds, previews] = [Number(options.loads), Number(options.rounds), Number(options.previews)];
/** Loads of a job. */
const LOADS = 5;
/** Rounds without measurement. */
const WARM = 2;
const say = (line: string) => void process.stdout.write(`${line}\n`);
const load = () => loadavg()[0]!.toFixed(1);
const between = (from: number) => performance.now() - from;

/** The aims (docs/benchmarks.md). */
const AIMS = { settle: 1.3, memory: 300, lines: 20_000, explain: 200, pdf: 3_000, pages: 200 } as const;

async function main(): Promise<void> {
  const { data, postgres, orm } = await openBenchDatabase('bench-billing', {
    shared_buffers: '512MB',
    ...(options.statements ? COUNTED : {}),
  });
  if (options.statements) await countStatements(orm);
  const pool = new pg.Pool({ connectionString: postgres.url, max: 4 });
  closing.push(() => pool.end());
  const web = await startProduct(postgres.url, data, 'web');
  const pid = web.child.pid!;
  const product = await companyOf(orm, new URL(web.url!));
  const { child: worker } = await startProduct(postgres.url, data, 'worker');
  const invoiced = await invoicedWork(product, pool, worker.pid!);
  const memory = memoryOf(pid);
  const invoices = await approvedInvoices(product, pool);
  const before = await settledBy('before previews', () => measureSettling(product, pool, invoices, memory), memory);
  await openInvoices(product, pool, before.id);
  const previewed = await measurePreviews(product, pool, pid);
  if (options.statements) await sayStatements(orm);
  await approvedInvoices(product, pool);
  const settled = await settledBy('after previews', () => measureSettling(product, pool, invoices, memory), memory);
  const explained = await measureExplaining(product, settled.id, memory);
  const printed = await measurePrinting(product, settled.id, memory, { pid, pool });
  registerRooms();
  const app = await createOrm({ url: postgres.url, entities, actAs: APP_ROLE });
  closing.push(() => app.close(true));
  const priced = await asCompanies([product.companyId], async () => measurePricing(await poolOf(app.em), product.companyId));
  if (options.json)
    writeFileSync(
      options.json,
      `${JSON.stringify({ invoiced, before, previewed, settled, explained, printed, priced, load: load() }, null, 2)}\n`,
    );
}

/** Measures settling, and says what the web process had before and what it has at most meanwhile. */
async function settledBy(when: string, settle: () => Promise<Settling>, memory: () => number): Promise<Settling & { had: number }> {
  const had = memory();
  say(`${when} the web process has ${had} MB at most; load ${load()}`);
  return { ...(await settle()), had };
}

/** Voids a settlement, and takes the approval of its invoices back, so that their work is previewed as that of any pending invoice. */
async function openInvoices(product: Product, pool: pg.Pool, settlementId: string): Promise<void> {
  await ask(product, 'PUT', atOf(product, `/settlements/${settlementId}/void`), { void_reason: 'bench' });
  await pool.query(
    `update invoice set state = 'pending', billing_approved_at = null, posting_date = null where company_id = $1 and state = 'approved'`,
    [product.companyId],
  );
  await pool.query('analyze');
}

interface Product {
  base: URL;
  token: string;
  companyId: string;
  accountId: string;
  rateId: string;
  serviceId: string;
}

async function ask(product: Pick<Product, 'base' | 'token'>, method: string, path: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${product.token}`, 'content-type': 'application/json' };
  const response = await fetch(new URL(path, product.base), { method, headers, body: body && JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${(await response.text()).slice(0, 500)}`);
  return response;
}
const dataOf = async <T>(response: Promise<Response>): Promise<T> => ((await (await response).json()) as { data: T }).data;
const atOf = ({ companyId }: Product, path: string) => `/v1/companies/${companyId}${path}`;

async function companyOf(orm: MikroORM, base: URL): Promise<Product> {
  const em = orm.em.fork();
  const company = Object.assign(new Company(), { legalName: 'Bench', platformId: 'BE4C40', timeZone: 'America/Chicago', currency: 'USD' });
  const service = Object.assign(new Service(), { company: ref(company), name: 'Haulage' });
  em.persist([company, service]);
  const { client, clientSecret } = makeMachineClient(em, company, { name: 'Bench', permissions: PERMISSIONS });
  await em.flush();
  const token = await tokenOf(base, client.clientId, clientSecret);
  const post = (path: string, body: object) => dataOf<{ id: string }>(ask({ base, token }, 'POST', path, body));
  const { id: accountId } = await post('/v1/accounts', { name: 'Lakeline Concrete', account_types: ['customer'] });
  const rateCard = { name: 'By the ton', owner_type: 'customer', type: 'RatePerTon', unit_rate: BY_TON.rate, unit_minimum: BY_TON.minimum };
  const { id: rateId } = await post('/v1/rates', { ...rateCard, unit_increment: '0' });
  return { base, token, companyId: company.id, accountId, rateId, serviceId: service.id };
}

/** Finished work, whose invoices the worker writes. @returns how long that takes */
async function invoicedWork(product: Product, pool: pg.Pool, pid: number): Promise<Invoicing> {
  const jobs = Math.ceil(loads / LOADS);
  const days = Array.from({ length: jobs }, (_, n) => ({
    ...{ date: '2026-11-16', site: 'one', unweighed: 0 },
    loads: Array.from({ length: LOADS }, (_one, i) => ({ number: `T-${n}-${i}`, tons: new Decimal(2_000 + i * 11).div(100) })),
  }));
  await writeWork(pool, product.companyId, product.serviceId, workOfDays(days, new Map([['one', product.accountId]]), product.rateId));
  const open = async () => (await pool.query<{ open: number }>('select count(*)::int as open from invoice_task')).rows[0]!.open;
  const [from, used, before] = [performance.now(), await cpuOf({ pid, pool }), await open()];
  while ((await open()) > 0) await sleep(100);
  const cpu = await usedSince(used, { pid, pool });
  const each = between(from) / before;
  say(
    `${before} jobs invoiced by the worker: ${each.toFixed(1)} ms each, of processor time ${((cpu.product * 1_000) / before).toFixed(1)} ms of the product and ${((cpu.postgres * 1_000) / before).toFixed(1)} ms of PostgreSQL; load ${load()}`,
  );
  await pool.query('analyze');
  return { jobs: before, each, cpu };
}

type Cpu = Awaited<ReturnType<typeof cpuOf>>;
interface Invoicing {
  jobs: number;
  /** Milliseconds. */
  each: number;
  cpu: Cpu;
}

async function usedSince(before: Cpu, of: Parameters<typeof cpuOf>[0]): Promise<Cpu> {
  const now = await cpuOf(of);
  return { product: now.product - before.product, postgres: now.postgres - before.postgres };
}

/** Requests for previews at a time, so that both cores have something to do. */
const LANES = 3;
/** Jobs of a page of previews, the most that there may be. */
const PAGE = 100;

/** The number of lines that the route of previews answers in a second: whole pages over HTTP, with all that is shown of a line. */
async function measurePreviews(product: Product, pool: pg.Pool, pid: number): Promise<object> {
  const { rows } = await pool.query<{ id: string }>('select id from job where company_id = $1 order by id', [product.companyId]);
  let [begun, lines, bytes] = [0, 0, 0];
  const lane = async () => {
    while (begun < previews) {
      const at = begun % rows.length;
      const ids = rows.slice(at, at + PAGE).map(({ id }) => `filter[ids][]=${id}`);
      begun += ids.length;
      const text = await (
        await ask(product, 'GET', atOf(product, `/billing/previews?page[limit]=${PAGE}&side=receivable&${ids.join('&')}`))
      ).text();
      bytes += text.length;
      for (const { invoices } of (JSON.parse(text) as { data: { invoices: { line_items: unknown[] }[] }[] }).data)
        for (const { line_items } of invoices) lines += line_items.length;
    }
  };
  const [from, used] = [performance.now(), await cpuOf({ pid, pool })];
  await Promise.all(Array.from({ length: LANES }, lane));
  const seconds = between(from) / 1_000;
  const cpu = await usedSince(used, { pid, pool });
  const [rate, most] = [lines / seconds, lines / Math.max(cpu.product, cpu.postgres)];
  say(
    `${begun} jobs previewed over REST by the ${PAGE}: ${lines} lines (${(bytes / 1_000_000).toFixed(0)} MB), ${rate.toFixed(0)} lines a second (aim ${AIMS.lines}); processor time ${cpu.product.toFixed(1)} s of the product and ${cpu.postgres.toFixed(1)} s of PostgreSQL, so ${most.toFixed(0)} where each has a core; load ${load()}`,
  );
  return { lines, rate, cpu };
}

/** The invoices of all work, approved as the product approves the first one. @returns their ids */
async function approvedInvoices(product: Product, pool: pg.Pool): Promise<string[]> {
  const pending = `from invoice where company_id = $1 and state = 'pending'`;
  const { rows: first } = await pool.query<{ id: string }>(`select id ${pending} order by number limit 1`, [product.companyId]);
  await ask(product, 'PUT', atOf(product, `/invoices/${first[0]!.id}/approve`), {});
  await pool.query(
    `update invoice i set state = 'approved', billing_approved_at = now(), posting_date = i.service_date where company_id = $1 and state = 'pending' and side = 'receivable'`,
    [product.companyId],
  );
  const { rows } = await pool.query<{ id: string }>(`select id from invoice where company_id = $1 and state = 'approved' order by number`, [
    product.companyId,
  ]);
  if (rows.length !== Math.ceil(loads / LOADS)) throw new Error(`${rows.length} invoices are approved`);
  await pool.query('analyze');
  return rows.map(({ id }) => id);
}

/** Megabytes of a process at most since it was last asked. */
function memoryOf(pid: number): () => number {
  const reset = () => writeFileSync(`/proc/${pid}/clear_refs`, '5');
  reset();
  return () => {
    const most = Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024;
    reset();
    return Math.round(most);
  };
}

// The same result: the settlement with its sums, what was delivered, its number, its invoices, and the rows by which others learn of it.
const LIMIT = [
  'begin',
  'select from invoice where id = any($1::uuid[]) and company_id = $2 order by id for update',
  `select count(*) filter (where i.state = 'approved') as approved, count(x.invoice_id) as taken, count(distinct i.side || i.currency || i.customer_account_id) as kinds
     from invoice i left join settlement_invoice x on x.invoice_id = i.id and x.live where i.id = any($1::uuid[]) and i.company_id = $2`,
  `update company_counter set value = value + 1 where company_id = $2 and kind = 'invoice'`,
  `with t as materialized (select job_id, order_id, total_amount, tax_total_amount, adjustments_total_amount, service_date from invoice where id = any($1::uuid[])),
     l as materialized (select coalesce(k.quantity, l.quantity) as quantity, coalesce(k.unit_of_measure, l.unit_of_measure) as unit
       from t join load l on l.job_id = t.job_id left join ticket k on k.load_id = l.id and k.voided_at is null where l.state = 'completed'),
     f as (select sum(t.total_amount) as total, sum(t.tax_total_amount) as tax, sum(t.adjustments_total_amount) as adjustments, count(*) as jobs,
         min(service_date) as starts, max(service_date) as ends from t),
     o as (select array_agg(distinct o.order_id order by o.order_id) as ids from t join orders o on o.id = t.order_id),
     q as (select unit, sum(quantity) as quantity, count(*) as loads from l group by unit)
   insert into settlement select (jsonb_populate_record(s, jsonb_build_object('id', $4::uuid, 'number', s.number + $5::int, 'state', 'pending', 'created_at', now(),
       'updated_at', now(), 'voided_at', null, 'void_reason', null, 'invoices_total_amount', f.total, 'invoices_tax_total_amount', f.tax, 'total_amount', f.total,
       'adjustments_total_amount', f.adjustments, 'jobs_count', f.jobs, 'starts_on', f.starts, 'ends_on', f.ends, 'order_ids', to_jsonb(o.ids),
       'delivered_quantities', (select jsonb_agg(jsonb_build_object('unit_of_measure', unit, 'delivered', quantity, 'loads', loads)) from q)))).*
     from settlement s, f, o where s.id = $3`,
  'insert into settlement_invoice (settlement_id, company_id, invoice_id) select $4, $2, id from unnest($1::uuid[]) t (id)',
  `insert into audit_entry (id, company_id, subject_type, subject_id, event, object_changes, created_by_type, created_by_id, created_by_name, request_id, created_at)
     select gen_random_uuid(), company_id, 'Settlement', id, 'create', to_jsonb(s) - 'order_ids', 'System', id, 'bench', '', now() from settlement s where id = $4`,
  'commit',
];

interface Settling {
  id: string;
  product: number;
  limit: number;
  ratio: number;
  memory: number;
}

async function measureSettling(product: Product, pool: pg.Pool, invoices: readonly string[], memory: () => number): Promise<Settling> {
  const settle = () => dataOf<{ id: string }>(ask(product, 'POST', atOf(product, '/settlements'), { invoice_ids: invoices }));
  const free = (id: string) => ask(product, 'PUT', atOf(product, `/settlements/${id}/void`), { void_reason: 'bench' });
  let { id } = await settle();
  await free(id);
  const took: { product: number[]; limit: number[] } = { product: [], limit: [] };
  const client = await pool.connect();
  let most = 0;
  for (let round = -WARM; round < rounds; round++) {
    const other = newId();
    const values = [invoices, product.companyId, id, other, 1_000_000 + round];
    let from = performance.now();
    for (const sql of LIMIT) {
      const used = [...sql.matchAll(/\$(\d)/g)].map(([, n]) => Number(n));
      const parameters = [...new Set(used)].sort();
      const text = parameters.reduce((all, n, i) => all.replaceAll(`$${n}`, `$#${i + 1}`), sql).replaceAll('$#', '$');
      await client.query(
        text,
        parameters.map((n) => values[n - 1]),
      );
    }
    if (round >= 0) took.limit.push(between(from));
    await client.query('delete from settlement_invoice where settlement_id = $1', [other]);
    await client.query('delete from settlement where id = $1', [other]);
    memory();
    from = performance.now();
    ({ id } = await settle());
    if (round >= 0) took.product.push(between(from));
    most = Math.max(most, memory());
    if (round < rounds - 1) await free(id);
  }
  client.release();
  const [own, limit] = [median(took.product), median(took.limit)];
  const { rows } = await pool.query<{ total: string; loads: number }>(
    `select s.total_amount::text as total, (select count(*)::int from settlement_invoice x join invoice_line_item li on li.invoice_id = x.invoice_id where x.settlement_id = s.id) as loads
     from settlement s where s.id = $1`,
    [id],
  );
  const ratio = own / limit;
  say(
    `settling ${rows[0]!.loads} loads (${rows[0]!.total}): ${own.toFixed(0)} ms over REST, ${limit.toFixed(0)} ms by hand-written SQL: ${ratio.toFixed(2)} times (aim ${AIMS.settle}); ${most} MB at most (aim ${AIMS.memory}); load ${load()}`,
  );
  return { id, product: own, limit, ratio, memory: most };
}

async function measureExplaining(product: Product, id: string, memory: () => number): Promise<object> {
  const [first, last]: [number[], number[]] = [[], []];
  let bytes = 0;
  memory();
  for (let round = -WARM; round < rounds; round++) {
    const from = performance.now();
    const response = await ask(product, 'GET', atOf(product, `/settlements/${id}/explain`));
    const reader = response.body!.getReader();
    bytes = (await reader.read()).value!.length;
    const began = between(from);
    for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.length;
    if (round < 0) continue;
    first.push(began);
    last.push(between(from));
  }
  const most = memory();
  say(
    `explaining it: ${median(first).toFixed(0)} ms to the first byte, ${median(last).toFixed(0)} ms to the last of ${bytes} (aim ${AIMS.explain}); ${most} MB at most; load ${load()}`,
  );
  return { first: median(first), last: median(last), bytes, memory: most };
}

async function measurePrinting(product: Product, id: string, memory: () => number, of: Parameters<typeof cpuOf>[0]): Promise<object> {
  await ask(product, 'PATCH', `/v1/settlements/${id}`, { include_loads_in_pdf: true });
  const [took, used]: [number[], number[]] = [[], []];
  let pages = 0;
  memory();
  for (let round = -1; round < rounds; round++) {
    const [from, before] = [performance.now(), await cpuOf(of)];
    const pdf = Buffer.from(await (await ask(product, 'GET', atOf(product, `/settlements/${id}/pdf`))).arrayBuffer());
    const cpu = await usedSince(before, of);
    if (round >= 0) took.push(between(from));
    if (round >= 0) used.push((cpu.product + cpu.postgres) * 1_000);
    pages = pdf.toString('latin1').match(/\/Type \/Page\b(?!s)/g)!.length;
  }
  const most = memory();
  const [each, cpu] = [took, used].map((all) => (median(all) / pages) * AIMS.pages) as [number, number];
  say(
    `printing it: ${pages} pages in ${median(took).toFixed(0)} ms, ${AIMS.pages} pages in ${each.toFixed(0)} ms, of processor time ${cpu.toFixed(0)} ms (aim ${AIMS.pdf}); ${most} MB at most; load ${load()}`,
  );
  return { pages, took: median(took), of200: each, cpuOf200: cpu, memory: most };
}

/** Jobs that are read at once. */
const BATCH = 500;

/** The number of lines that are priced in a second: by the one computation that invoices and previews have, and together with reading what it depends on from the database. */
async function measurePricing(pool: Awaited<ReturnType<typeof poolOf>>, companyId: string): Promise<object> {
  const query = async <R extends object>(sql: string, values: unknown[]): Promise<R[]> => (await pool.query<R>(sql, values)).rows;
  const { rows } = await pool.query<{ id: string }>('select id from job where company_id = $1 order by id', [companyId]);
  const facts = (await factsOfJob(query as never, rows[0]!.id))!;
  const previewed = (job: JobFacts): number => {
    const entry = booksOf(job).find(({ side }) => side === 'receivable')!;
    return priceEntry(job, entry, {})!.lines.length;
  };
  let from = performance.now();
  let lines = 0;
  for (let n = 0; n < previews; n++) {
    for (const [i, one] of facts.loads.entries()) one.quantity = `${20 + ((n + i) % 5)}.${10 + ((n * 7 + i) % 90)}`;
    lines += previewed(facts);
  }
  const pure = lines / (between(from) / 1_000);
  say(
    `${previews} jobs priced: ${lines} lines, ${pure.toFixed(0)} lines a second in one thread (aim ${AIMS.lines} on two cores); load ${load()}`,
  );
  from = performance.now();
  const some = rows.slice(0, BATCH);
  let alone = 0;
  for (const { id } of some) alone += previewed((await factsOfJob(query as never, id))!);
  const apart = alone / (between(from) / 1_000);
  say(`${some.length} jobs read one by one and priced: ${alone} lines, ${apart.toFixed(0)} lines a second; load ${load()}`);
  from = performance.now();
  let [begun, found] = [0, 0];
  // While one of them prices its jobs, the database reads those of the other.
  const lane = async () => {
    while (begun < previews) {
      const at = begun % rows.length;
      const ids = rows.slice(at, at + BATCH).map(({ id }) => id);
      begun += ids.length;
      for (const job of (await factsOfJobs(query as never, ids)).values()) found += previewed(job);
    }
  };
  await Promise.all([lane(), lane()]);
  const read = found / (between(from) / 1_000);
  say(
    `${begun} jobs read by the ${BATCH} and priced: ${found} lines, ${read.toFixed(0)} lines a second (aim ${AIMS.lines}); load ${load()}`,
  );
  return { pure, apart, read };
}

try {
  await main();
} finally {
  for (const close of closing.reverse()) await close();
}
