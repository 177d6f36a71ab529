import 'reflect-metadata';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import { poolOf } from '../../src/platform/database/sql.ts';
import { Decimal } from '../../src/platform/decimal.ts';
import { newId } from '../../src/platform/ids.ts';
import { BY_TON } from '../real/billing/terms.ts';
import { workOfDays, writeWork } from '../real/billing/work.ts';
import { AccountingSystem } from './accounting-system.ts';
import { type Arena, startProduct } from './arena.ts';
import { type Books, count, EXPORTING, LOOKING, type Made, must, oneOf, PATIENCE, type Progress, pathOf } from './billing-books.ts';
import { compare } from './billing-verdict.ts';
import { Caller } from './copy.ts';
import { hurry, hurrying } from './hurry.ts';
import { keepUp, type Processes } from './keep-up.ts';
import { exportAlone } from './lone-invoices.ts';
import { makeTenants } from './world.ts';

export interface BillingStorm {
  /** At least so many are made: each piece of work is settled, and voided and billed anew twice. */
  settlements: number;
  kills: number;
}

/** Customers of each company, invoices of a settlement, and loads of an invoice. */
const [CUSTOMERS, INVOICES, LOADS] = [3, 2, 2];
/** Settlements of each piece of work at least. */
const EACH = 3;
/** Pieces of work of a company at a time, each of which two clients do at once: some always wait for an export or for a process that starts. */
const AT_ONCE = 6;
/** Workers: some of them price work that others were killed over. */
const WORKERS = 2;
/** Of the settlements of a customer, how many pay a fee before its installments end. */
const INSTALLMENTS = 0.5;
/** Milliseconds in which the workers price an invoice, on a busy machine. */
const PRICING = 1_000;
/** The acts that one of the two may do in between. */
const WHIMS = ['export', 'pay', 'undo_pay', 'correct', 'unapprove', 'look'] as const;
const AGAIN = ['void', 'rebill', 'rates', 'approve', 'whim'] as const;
const PLAN = ['create', 'approve', 'whim', ...AGAIN, ...AGAIN, 'pay', 'whim'] as const;
type Step = (typeof PLAN)[number] | (typeof WHIMS)[number];

/** Invoices that are settled together. */
interface Work {
  invoices: string[];
  /** Its settlement, the last one that somebody has made. */
  settlement?: string;
  /** A job beside them, the invoices of which are exported by themselves. */
  lone: string;
}

/**
 * Kills web, worker and PostgreSQL while clients settle, pay, void, correct, bill anew and export the same work at once, and export invoices by themselves. @returns whether nothing was lost
 * and nothing done twice
 */
export async function billingUnderKills(arena: Arena, orm: MikroORM, { settlements, kills }: BillingStorm): Promise<boolean> {
  const tenants = await makeTenants(orm);
  const names = tenants.map((_, company) => Array.from({ length: CUSTOMERS }, (_one, i) => `Customer ${company} ${i}`));
  const system = new AccountingSystem(names.flat());
  const server = await system.start();
  const env = { HAULGATE_ACCOUNTING_PRIVATE_HOSTS: 'on' };
  const web = keepUp(1, () => startProduct(arena, 'web', env));
  const worker = keepUp(WORKERS, () => startProduct(arena, 'worker', env));
  let impatient: { stop(): void } | undefined;
  try {
    const books = tenants.map((tenant, i): Books => ({ tenant, caller: new Caller(arena.webUrl, tenant), names: names[i]! }));
    const pieces = Math.ceil(settlements / EACH / tenants.length);
    const seconds = clock();
    const work = await Promise.all(books.map((one) => makeWork(orm, arena, one, pieces, server)));
    console.log(`${pieces * books.length * (INVOICES + 1)} invoices have a price after ${seconds()} s`);
    const progress: Progress = { pieces: 0, made: new Set(), taken: new Map() };
    impatient = hurrying(orm);
    const doing = Promise.all(books.map((one, i) => doWork(one, [...work[i]!], progress)));
    const postgres = await kill(arena, orm, { web, worker, kills, done: () => progress.pieces / (pieces * books.length) });
    await doing;
    console.log(`${progress.made.size} settlements are made after ${seconds()} s`);
    await drained(orm);
    console.log(`the workers are done after ${seconds()} s`);
    const repeated = books.reduce((sum, { caller }) => sum + caller.repeated, 0);
    console.log(
      `${progress.made.size} settlements made of ${pieces * books.length} pieces of work, ${kills} kills (${postgres} of PostgreSQL), ${repeated} requests repeated`,
    );
    console.log([...progress.taken].map(([step, times]) => `${step} ${times}`).join(', '));
    const lone = work.flat().map((one) => one.lone);
    return await compare(orm, books, system, { pieces: lone.length, invoices: INVOICES, made: progress.made, lone });
  } finally {
    impatient?.stop();
    web.stop();
    worker.stop();
    system.stop();
  }
}

function clock(): () => number {
  const began = performance.now();
  return () => Math.round((performance.now() - began) / 1_000);
}

/** Customers with fees, a linked system that knows them, and finished work whose invoices have a price. */
async function makeWork(orm: MikroORM, arena: Arena, books: Books, pieces: number, server: string): Promise<Work[]> {
  const { companyId } = books.tenant;
  const accounts: string[] = [];
  for (const name of books.names) {
    const { id } = await must<Made>(books, 'POST', '/v1/accounts', { name, account_types: ['customer'] });
    accounts.push(id);
    const auto = `/v1/accounts/${id}/auto_add_on_assignments`;
    const fee = { account_type: 'customer', add_on_types: ['settlement'], quantity: '1' };
    await must(books, 'POST', auto, {
      ...fee,
      name: 'Fee',
      revenue_rate_value: 5,
      total_installments: Math.max(1, Math.floor((pieces / CUSTOMERS) * INSTALLMENTS)),
    });
    await must(books, 'POST', auto, { ...fee, name: 'Prompt pay', add_on_rate_type: 'RatePercentOfTotal', percentage: -2 });
  }
  const rateCard = { name: 'By the ton', owner_type: 'customer', type: 'RatePerTon', unit_rate: BY_TON.rate, unit_minimum: BY_TON.minimum };
  const { id: rate } = await must<Made>(books, 'POST', '/v1/rates', { ...rateCard, unit_increment: '0' });
  await link(arena, books, server);
  const service = newId();
  await orm.em.getConnection().execute('insert into service (id, company_id, name) values (?, ?, ?)', [service, companyId, 'Haulage']);
  const parties = new Map(accounts.map((id, i) => [String(i), id]));
  const days = Array.from({ length: pieces * (INVOICES + 1) }, (_, n) => ({
    date: '2026-11-16',
    // Invoices that are settled together have one customer.
    site: String(Math.floor(n / INVOICES) % CUSTOMERS),
    loads: Array.from({ length: LOADS }, (_one, i) => ({
      number: `T-${n}-${i}`,
      tons: new Decimal(2_000 + ((n * 37 + i * 11) % 500)).div(100),
    })),
    unweighed: 0,
  }));
  const pool = await poolOf(orm.em);
  await writeWork(pool, companyId, service, workOfDays(days, parties, rate));
  for (const end = Date.now() + PATIENCE + PRICING * days.length; ; await sleep(200)) {
    const { rows } = await pool.query<{ open: number }>('select count(*)::int as open from invoice_task where company_id = $1', [
      companyId,
    ]);
    if (rows[0]!.open === 0) break;
    if (Date.now() > end) throw new Error('the invoices get no price');
  }
  const { rows } = await pool.query<{ id: string; job: string }>(
    `select i.id, i.job_id as job from invoice i join job j on j.id = i.job_id join orders o on o.id = i.order_id
     where i.company_id = $1 and i.side = 'receivable' and i.state = 'pending' order by o.number`,
    [companyId],
  );
  if (rows.length !== days.length) throw new Error(`${rows.length} invoices of ${days.length} have a price`);
  const ids = rows.map(({ id }) => id);
  return Array.from({ length: pieces }, (_, i) => ({
    invoices: ids.slice(i * INVOICES, (i + 1) * INVOICES),
    lone: rows[pieces * INVOICES + i]!.job,
  }));
}

async function link(arena: Arena, books: Books, server: string): Promise<void> {
  const { link_token: token } = await must<{ link_token: string }>(books, 'POST', '/v1/integrations/link_tokens', {});
  const answer = await fetch(`${arena.webUrl}/accounting/setup/${token}`, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ system: 'http', name: 'Books', server: `${server}`, token: 'secret' }),
  });
  const { public_token } = (await answer.json()) as { public_token: string };
  const { id } = await must<Made>(books, 'POST', '/v1/integrations/linked_accounts', { public_token });
  for (const end = Date.now() + PATIENCE; ; await sleep(200)) {
    const [one] = await must<{ id: string; status: string }[]>(books, 'GET', '/v1/integrations/linked_accounts');
    if (one?.id === id && one.status === 'linked') return;
    if (Date.now() > end) throw new Error('the accounting system is not linked');
  }
}

/** Does all work of a company: several pieces at a time, each by two clients at once, and then to its end. */
async function doWork(books: Books, work: Work[], progress: Progress): Promise<void> {
  const one = async () => {
    for (let piece = work.pop(); piece; piece = work.pop()) {
      const doing = piece;
      for (const id of doing.invoices) await must(books, 'PUT', pathOf(books, `/invoices/${id}/approve`));
      const settling = Promise.all([0, 1].map(() => follow(books, doing, progress))).then(() => finish(books, doing, progress));
      await Promise.all([settling, exportAlone(books, doing.lone, progress)]);
      progress.pieces++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

async function follow(books: Books, work: Work, progress: Progress): Promise<void> {
  for (const step of PLAN) await take(books, work, step === 'whim' ? oneOf(WHIMS) : step, progress);
}

/** Takes a step. That it is refused because the other one was faster is an answer like others. */
async function take(books: Books, work: Work, step: Step, progress: Progress): Promise<void> {
  const { caller } = books;
  const { settlement } = work;
  const at = (rest: string) => pathOf(books, `/settlements/${settlement}${rest}`);
  const taken = (answer: string | number) => void count(progress, step, answer);
  const making = async (method: string, path: string, body: object) => {
    const text = await caller.call(method, path, body, randomUUID());
    if (!count(progress, step, text)) return;
    const { id } = (JSON.parse(text) as { data: Made }).data;
    progress.made.add(id);
    work.settlement = id;
  };
  if (step === 'create') return making('POST', pathOf(books, '/settlements'), { invoice_ids: work.invoices });
  if (!settlement) return;
  if (step === 'rebill') return making('POST', at('/rebill'), {});
  if (step === 'correct')
    return making('POST', at('/correct'), {
      reason: 'chaos',
      changes: [{ invoice_id: work.invoices[0], rate_value: 4.5, rate_type: 'RatePerTon' }],
    });
  if (step === 'look') return void (await caller.call('GET', at('')));
  if (step === 'rates')
    return taken(
      await caller.call('PATCH', `/v1/settlements/${settlement}/invoices/rebill_rates`, {
        data: [{ invoice_id: work.invoices[0], rebill_rate_value: 4.4 }],
      }),
    );
  if (step === 'export') {
    taken(await caller.call('POST', at('/export'), undefined, randomUUID()));
    for (const end = Date.now() + EXPORTING; Date.now() < end; await sleep(LOOKING)) {
      const found = await must<{ integration_settlement_export?: { state: string } }>(books, 'GET', at(''));
      if (found.integration_settlement_export?.state !== 'pending') return;
    }
    return;
  }
  taken(await caller.call('PUT', at(`/${step}`), step === 'void' ? { void_reason: 'chaos' } : {}, randomUUID()));
}

/** Brings work to its end: it is settled, and paid. */
async function finish(books: Books, work: Work, progress: Progress): Promise<void> {
  for (const end = Date.now() + PATIENCE; ; await sleep(LOOKING)) {
    if (Date.now() > end) throw new Error(`settlement ${work.settlement} does not come to an end`);
    const state = work.settlement && (await must<Made>(books, 'GET', pathOf(books, `/settlements/${work.settlement}`))).state;
    if (state === 'paid') return;
    await take(books, work, !state ? 'create' : state === 'voided' ? 'rebill' : state === 'pending' ? 'approve' : 'pay', progress);
  }
}

interface Killing {
  web: Processes;
  worker: Processes;
  kills: number;
  /** The part of the work that is done, from 0 to 1. */
  done(): number;
}

/** @returns how often PostgreSQL was killed */
async function kill(arena: Arena, orm: MikroORM, { web, worker, kills, done }: Killing): Promise<number> {
  let postgres = 0;
  for (let killed = 0; killed < kills; killed++) {
    while (done() < (killed + 0.5) / kills) await sleep(20);
    await sleep(Math.random() * 200);
    if (killed % 5 === 4) {
      await arena.crashPostgres();
      postgres++;
    } else (await upOf(killed % 2 ? web : worker)).kill('SIGKILL');
    await hurry(orm).catch(() => undefined);
    if (killed % 10 === 9) console.log(`${killed + 1} kills, ${Math.round(done() * 100)} % of the work`);
  }
  return postgres;
}

async function upOf(processes: Processes): Promise<ChildProcess> {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(20)) {
    const one = processes.any();
    if (one) return one;
  }
  throw new Error('a killed process does not start again');
}

async function drained(orm: MikroORM): Promise<void> {
  for (const end = Date.now() + PATIENCE; ; await sleep(1_000)) {
    const [row] = await orm.em
      .getConnection()
      .execute<{ open: number }[]>(
        `select (select count(*) from invoice_task)::int + (select count(*) from settlement_export where state = 'pending' and next_at is not null)::int as open`,
      );
    if (row!.open === 0) return;
    if (Date.now() > end) throw new Error(`the workers do not end: ${row!.open}`);
    await hurry(orm);
  }
}
