import 'reflect-metadata';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import { type Arena, startProduct } from './arena.ts';
import { Caller, Copy } from './copy.ts';
import { keepUp, type Processes } from './keep-up.ts';
import { payloadOf, TRUCKS } from './payloads.ts';
import { makeSeen, passAround } from './sight.ts';
import { makeTenants, type Tenant } from './world.ts';

/** The number of writes, and of kills. */
export interface Storm {
  writes: number;
  kills: number;
}
export const SMALL: Storm = { writes: 1_000, kills: 10 };
export const FULL: Storm = { writes: 100_000, kills: 100 };

/** Writers of each company, each of which waits for its answers. */
const WRITERS = 2;
/** Payloads of an import, each of which is a write. */
const PAYLOADS = 50;
/** Milliseconds in which the workers get everything done after the last kill. */
const PATIENCE = 300_000;

/**
 * Kills web, worker and PostgreSQL while commands and imports write, and compares a copy of each company, built from a snapshot and the feed, with a
 * new snapshot and with the rows of the database; and so a copy of somebody who is limited to a site, while work moves to it and away, and of a vendor, to
 * whom work is passed on and from whom it is taken back. @returns whether they are the same
 */
export async function feedUnderKills(arena: Arena, orm: MikroORM, { writes, kills }: Storm): Promise<boolean> {
  const tenants = await makeTenants(orm);
  const web = keepUp(1, () => startProduct(arena, 'web'));
  const worker = keepUp(1, () => startProduct(arena, 'worker'));
  try {
    const callers = tenants.map((tenant) => new Caller(arena.webUrl, tenant));
    const partners: [Tenant, Tenant] = [tenants[0]!, tenants[1]!];
    const seen = await makeSeen(orm, callers[0]!, partners);
    // A company with its first work of others has other rights than before: the copies begin after it.
    await passAround(callers[0]!, partners, seen, 1, { writes: 0 });
    const limited = new Caller(arena.webUrl, seen.limited);
    const readers = [
      ...callers.map((caller, i) => ({ caller, tenant: tenants[i]! })),
      { caller: limited, tenant: tenants[0]!, isLimited: true },
    ];
    const copies = await Promise.all(readers.map(({ caller, tenant }) => new Copy(caller, tenant.companyId).begin()));
    const progress = { writes: 0, done: false };
    const following = Promise.all(copies.map((copy) => followWhile(copy, progress)));
    const writing = Promise.all([
      ...callers.flatMap((caller, i) =>
        Array.from({ length: WRITERS }, (_, lane) => write(caller, tenants[i]!, `${i}-${lane}`, writes, progress)),
      ),
      passAround(callers[0]!, partners, seen, writes, progress),
    ]);
    const postgres = await killInStep(arena, { web, worker }, progress, { writes, kills });
    await writing;
    await drained(orm);
    progress.done = true;
    await following;
    const repeated = readers.reduce((sum, { caller }) => sum + caller.repeated, 0);
    console.log(`${progress.writes} writes, ${kills} kills (${postgres} of PostgreSQL), ${repeated} requests repeated`);
    let same = true;
    for (const [i, copy] of copies.entries()) same = (await compare(orm, copy, readers[i]!)) && same;
    return same;
  } finally {
    web.stop();
    worker.stop();
  }
}

/** Kills web, worker and PostgreSQL in turns, in step with what is written. @returns how often PostgreSQL was killed */
export async function killInStep(
  arena: Arena,
  { web, worker }: { web: Processes; worker: Processes },
  progress: { writes: number },
  { writes, kills }: Storm,
): Promise<number> {
  let postgres = 0;
  let before = 0;
  for (let killed = 0; killed < kills; killed++) {
    // A process that came up again does some work first: where a start takes long, requests would otherwise find nobody for minutes.
    const isIdle = () => progress.writes <= before && progress.writes < writes;
    while (progress.writes < ((killed + 0.5) * writes) / kills || isIdle()) await sleep(20);
    before = progress.writes;
    await sleep(Math.random() * 200);
    if (killed % 5 === 4) {
      await arena.crashPostgres();
      postgres++;
    } else (await upOf(killed % 2 ? web : worker)).kill('SIGKILL');
    if (killed % 10 === 9) console.log(`${killed + 1} kills, ${progress.writes} writes`);
  }
  return postgres;
}

/** One that is up: what is just starting has nothing to lose. */
async function upOf(processes: Processes): Promise<ChildProcess> {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(20)) {
    const one = processes.any();
    if (one) return one;
  }
  throw new Error('a killed process does not start again');
}

async function followWhile(copy: Copy, progress: { done: boolean }): Promise<void> {
  while (!progress.done) await copy.follow(1);
  await copy.follow(0);
}

/** A writer: imports of orders and tickets, and everything that a dispatcher does with an order. */
export async function write(
  caller: Caller,
  { companyId }: Tenant,
  lane: string,
  total: number,
  progress: { writes: number },
): Promise<void> {
  const path = (rest: string) => `/v1/companies/${companyId}${rest}`;
  const count = (writes: number) => {
    progress.writes += writes;
  };
  const once = async (method: string, at: string, body?: object): Promise<{ data?: { id: string } } | undefined> => {
    const text = await caller.call(method, at, body, randomUUID());
    count(1);
    return typeof text === 'string' && text !== '' ? JSON.parse(text) : undefined;
  };
  for (let turn = 0; progress.writes < total; turn++) {
    const kind = turn % 3 === 2 ? 'ticket' : 'order';
    const payloads = Array.from({ length: PAYLOADS }, (_, i) =>
      // Every third key comes again, so that records are changed, too.
      payloadOf({ kind, key: `${lane}-${kind}-${(turn % 9) * PAYLOADS + i}`, version: turn, truck: i % TRUCKS }),
    );
    await caller.call('POST', `/ingest/${kind}s`, { [`${kind}s`]: payloads });
    count(PAYLOADS);
    const made = await once('POST', path('/materials'), { name: `Material ${lane} ${turn}` });
    if (made?.data) await once('PATCH', `/v1/materials/${made.data.id}`, { external_id: `${lane}-${turn}` });
    const label = await once('POST', path('/labels'), { name: `Label ${lane} ${turn}`, color: '#112233' });
    if (label?.data && turn % 2) await once('DELETE', path(`/labels/${label.data.id}`));
    const listed = await caller.call('GET', path('/orders?page[limit]=5'));
    const orders: { id: string; state: string }[] = typeof listed === 'string' ? JSON.parse(listed).data : [];
    for (const { id, state } of orders) {
      await once('PATCH', path(`/orders/${id}`), { notes: `turn ${turn}` });
      if (state === 'created') await once('PUT', path(`/orders/${id}/accept`));
    }
  }
}

/** Waits until a statement counts nothing that is `open`. */
export async function drained(orm: MikroORM, open = 'select count(*)::int as open from import_task', patience = PATIENCE): Promise<void> {
  for (const end = Date.now() + patience; ; await sleep(200)) {
    const [row] = await orm.em.getConnection().execute<{ open: number }[]>(open);
    if (row!.open === 0) return;
    if (Date.now() > end) throw new Error(`the workers do not end: ${row!.open} are open`);
  }
}

/** Tables with the types of their records: what the database itself has, whatever the interface shows. */
const ROWS: readonly (readonly [type: string, table: string])[] = [
  ['Order', 'orders'],
  ['Job', 'job'],
  ['Load', 'load'],
  ['Ticket', 'ticket'],
  ['Material', 'material'],
  ['ImportedRecord', 'imported_record'],
];

/** Times that a copy is compared if it differs: something may still be going on. What the feed did not say stays different. */
const LOOKS = 10;

/** The owner of a copy. */
interface Reader {
  caller: Caller;
  tenant: Tenant;
  /** Sees some records of the company only, so that its tables have more. */
  isLimited?: boolean;
}

async function compare(orm: MikroORM, copy: Copy, reader: Reader): Promise<boolean> {
  for (let look = 1; ; look++) {
    await copy.follow(0);
    const wrong = await differences(orm, copy, reader);
    if (wrong.length > 0 && look < LOOKS) {
      await sleep(1_000);
      continue;
    }
    console.log(
      `${copy.records.size} records copied by ${copy.changes} changes, ${copy.removed} of them out of sight; ${wrong.length} differ`,
    );
    for (const line of wrong.slice(0, 20)) console.log(`  ${line}`);
    return wrong.length === 0 && copy.records.size > 0;
  }
}

async function differences(orm: MikroORM, copy: Copy, { caller, tenant: { companyId }, isLimited }: Reader): Promise<string[]> {
  const fresh = await new Copy(caller, companyId).begin();
  const wrong = copy.differences(fresh);
  if (isLimited) return wrong;
  for (const [type, table] of ROWS) {
    const rows = await orm.em.getConnection().execute<{ id: string }[]>(`select id from "${table}" where company_id = ?`, [companyId]);
    const ids = new Set(rows.map(({ id }) => id));
    const copied = [...copy.records.keys()].flatMap((key) => (key.startsWith(`${type} `) ? [key.slice(type.length + 1)] : []));
    // A vendor has records of others, too; whether it has those that it may see, the snapshot says.
    const others = copied.filter((id) => !ids.has(id));
    const there = await orm.em
      .getConnection()
      .execute<object[]>(`select from "${table}" where id = any(string_to_array(?, ',')::uuid[])`, [others.join()]);
    const own = copied.length - others.length;
    if (own !== ids.size || there.length !== others.length)
      wrong.push(`${type}: ${own} copied, ${ids.size} rows; ${others.length - there.length} of nobody`);
  }
  return wrong;
}
