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
import { Caller } from './copy.ts';
import { keepUp, type Processes } from './keep-up.ts';
import { makeTenants, type Tenant } from './world.ts';

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
/** Milliseconds that a client waits for what it has exported, so that some of it is voided afterwards. */
const EXPORTING = 3_000;
/** Milliseconds in which the workers get everything done. */
const PATIENCE = 300_000;
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
}

interface Made {
  id: string;
  state: string;
}

/** A company, with the calls of its clients. */
interface Books {
  tenant: Tenant;
  caller: Caller;
  names: string[];
}

/**
 * Kills web, worker and PostgreSQL while clients settle, pay, void, correct, bill anew and export the same work at once. @returns whether nothing was lost
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
  try {
    const books = tenants.map((tenant, i): Books => ({ tenant, caller: new Caller(arena.webUrl, tenant), names: names[i]! }));
    const pieces = Math.ceil(settlements / EACH / tenants.length);
    const seconds = clock();
    const work = await Promise.all(books.map((one) => makeWork(orm, arena, one, pieces, server)));
    console.log(`${pieces * books.length * INVOICES} invoices have a price after ${seconds()} s`);
    const progress: Progress = { pieces: 0, made: new Set(), taken: new Map() };
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
    return await compare(orm, books, work.flat(), system, progress.made);
  } finally {
    web.stop();
    worker.stop();
    system.stop();
  }
}

function clock(): () => number {
  const began = performance.now();
  return () => Math.round((performance.now() - began) / 1_000);
}

const pathOf = ({ tenant }: Books, rest: string): string => `/v1/companies/${tenant.companyId}${rest}`;

/** @throws Error for an answer that says what is wrong */
async function must<T>({ caller }: Books, method: string, path: string, body?: object): Promise<T> {
  const text = await caller.call(method, path, body, method === 'GET' ? undefined : randomUUID());
  if (typeof text === 'number') throw new Error(`${method} ${path} is answered ${text}`);
  return text === '' ? (undefined as T) : (JSON.parse(text).data as T);
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
  const days = Array.from({ length: pieces * INVOICES }, (_, n) => ({
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
  const { rows } = await pool.query<{ id: string }>(
    `select i.id from invoice i join job j on j.id = i.job_id join orders o on o.id = i.order_id
     where i.company_id = $1 and i.side = 'receivable' and i.state = 'pending' order by o.number`,
    [companyId],
  );
  if (rows.length !== pieces * INVOICES) throw new Error(`${rows.length} invoices of ${pieces * INVOICES} have a price`);
  const ids = rows.map(({ id }) => id);
  return Array.from({ length: pieces }, (_, i) => ({ invoices: ids.slice(i * INVOICES, (i + 1) * INVOICES) }));
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

interface Progress {
  pieces: number;
  /** Ids that clients were answered. */
  made: Set<string>;
  /** How often each step was not refused. */
  taken: Map<Step, number>;
}

/** Does all work of a company: several pieces at a time, each by two clients at once, and then to its end. */
async function doWork(books: Books, work: Work[], progress: Progress): Promise<void> {
  const one = async () => {
    for (let piece = work.pop(); piece; piece = work.pop()) {
      const doing = piece;
      for (const id of doing.invoices) await must(books, 'PUT', pathOf(books, `/invoices/${id}/approve`));
      await Promise.all([0, 1].map(() => follow(books, doing, progress)));
      await finish(books, doing, progress);
      progress.pieces++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

async function follow(books: Books, work: Work, progress: Progress): Promise<void> {
  for (const step of PLAN) await take(books, work, step === 'whim' ? WHIMS[Math.floor(Math.random() * WHIMS.length)]! : step, progress);
}

/** Takes a step. That it is refused because the other one was faster is an answer like others. */
async function take(books: Books, work: Work, step: Step, progress: Progress): Promise<void> {
  const { caller } = books;
  const { settlement } = work;
  const at = (rest: string) => pathOf(books, `/settlements/${settlement}${rest}`);
  const taken = (answer: string | number) =>
    void (typeof answer === 'string' && progress.taken.set(step, (progress.taken.get(step) ?? 0) + 1));
  const making = async (method: string, path: string, body: object) => {
    const text = await caller.call(method, path, body, randomUUID());
    taken(text);
    if (typeof text === 'number') return;
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
    for (const end = Date.now() + EXPORTING; Date.now() < end; await sleep(200)) {
      const found = await must<{ integration_settlement_export?: { state: string } }>(books, 'GET', at(''));
      if (found.integration_settlement_export?.state !== 'pending') return;
    }
    return;
  }
  taken(await caller.call('PUT', at(`/${step}`), step === 'void' ? { void_reason: 'chaos' } : {}, randomUUID()));
}

/** Brings work to its end: it is settled, and paid. */
async function finish(books: Books, work: Work, progress: Progress): Promise<void> {
  for (const end = Date.now() + PATIENCE; ; await sleep(50)) {
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
  /** How much of the work is done, from 0 to 1. */
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

/** Makes due now the work that a process had claimed which died, and that a system did not answer: nobody waits for minutes. */
const hurry = (orm: MikroORM): Promise<unknown> =>
  orm.em.getConnection().execute('update settlement_export set next_at = least(next_at, now()) where next_at is not null');

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

interface Settled {
  id: string;
  state: string;
  total: string;
  invoices: number;
  sum: string;
  exported: string | null;
  export_state: string | null;
}
// The totals of a settlement, and those of its invoices and charges.
const SETTLED = `select s.id, s.state, coalesce(s.rebill_total_amount, s.total_amount)::text as total, count(x.invoice_id)::int as invoices,
    (sum(coalesce(x.rebill_total_amount, i.total_amount)) + coalesce((select sum(coalesce(case when s.rebill_total_amount is not null then c.rebill_amount end, c.amount, 0))
      from add_on_charge c where c.add_on_applicable_id = s.id), 0))::text as sum, e.integration_invoice_id as exported, e.state as export_state
  from settlement s join settlement_invoice x on x.settlement_id = s.id join invoice i on i.id = x.invoice_id
    left join settlement_export e on e.settlement_id = s.id and not e.reverses
  group by s.id, e.integration_invoice_id, e.state`;
const REVERSED = `select id, settlement_id, integration_invoice_id as exported, state from settlement_export where reverses`;
const LINES = `select count(*)::int as wrong from invoice_line_item li join invoice i on i.id = li.invoice_id
  where i.state <> 'voided' and li.corrects_id is null and li.total_amount <> round(li.quantity * li.rate, 2)`;
const INSTALLMENTS_SQL = `select sum(auto_add_on_installments_count)::int as charged, sum(total_installments)::int as all
  from auto_add_on_assignment where total_installments > 0`;

async function compare(
  orm: MikroORM,
  books: readonly Books[],
  work: readonly Work[],
  system: AccountingSystem,
  made: ReadonlySet<string>,
): Promise<boolean> {
  const ask = <R extends object>(sql: string) => orm.em.getConnection().execute<R[]>(sql);
  const settled = await ask<Settled>(SETTLED);
  const reversed = await ask<{ id: string; settlement_id: string; exported: string | null; state: string }>(REVERSED);
  const wrong: string[] = [];
  const note = (problem: boolean, what: string) => void (problem && wrong.push(what));
  const known = new Map(settled.map((one) => [one.id, one]));
  for (const id of made) note(!known.has(id), `settlement ${id} was answered and is not there`);
  const live = settled.filter(({ state }) => state !== 'voided');
  note(live.length !== work.length, `${live.length} live settlements of ${work.length} pieces of work`);
  for (const { id, state, total, sum, invoices } of live) {
    note(!new Decimal(total).eq(sum), `settlement ${id} says ${total} and is ${sum}`);
    note(state !== 'paid' || invoices !== INVOICES, `settlement ${id} is ${state} and has ${invoices} invoices`);
  }
  const [lines] = await ask<{ wrong: number }>(LINES);
  note(lines!.wrong > 0, `${lines!.wrong} lines are not their quantity times their rate`);
  // There is more work than installments, and what was voided has given its own back.
  const [installments] = await ask<{ charged: number; all: number }>(INSTALLMENTS_SQL);
  note(installments!.charged > installments!.all, `fees of ${installments!.all} installments have charged ${installments!.charged}`);

  // Each document is in the accounting system once, and what both say of it is the same.
  const keys = new Map<string, string[]>();
  for (const [key, { id }] of system.taken) keys.set(id, [...(keys.get(id) ?? []), key]);
  for (const [id, of] of keys) note(of.length > 1, `${id} is in the accounting system as ${of.join(', ')}`);
  const documents = new Map([...system.taken.values()].map((one) => [one.id, one]));
  const exports = [
    ...settled.flatMap((one) =>
      one.export_state === null ? [] : [{ id: one.id, total: one.total, exported: one.exported, state: one.export_state }],
    ),
    ...reversed.map(({ id, settlement_id, exported, state }) => ({
      ...{ id, exported, state },
      total: new Decimal(known.get(settlement_id)!.total).negated().toFixed(),
    })),
  ];
  for (const { id, total, exported, state } of exports) {
    const document = documents.get(id);
    documents.delete(id);
    note(
      (document?.invoiceId ?? null) !== exported,
      `${id} (${state}) is ${exported} here and ${document?.invoiceId} in the accounting system`,
    );
    // The contents of a voided settlement are no longer computed from its invoices.
    if (document && known.get(id)?.state !== 'voided')
      note(!new Decimal(document.total).eq(total), `${id} is ${total} here and ${document.total} there`);
  }
  for (const id of documents.keys()) note(true, `${id} is in the accounting system and nobody has sent it`);

  const states = Object.entries(Object.groupBy(settled, ({ state }) => state)).map(([state, of]) => `${of!.length} ${state}`);
  console.log(
    `settlements: ${states.join(', ')} in ${books.length} companies; ${installments!.charged} of ${installments!.all} installments of fees are charged`,
  );
  console.log(
    `documents: ${system.taken.size} in the accounting system after ${system.asked} requests, ${reversed.length} of them take one back`,
  );
  for (const line of wrong.slice(0, 20)) console.log(`  ${line}`);
  console.log(wrong.length === 0 ? 'nothing is lost, and nothing was done twice' : `${wrong.length} problems`);
  return wrong.length === 0 && live.length > 0;
}
