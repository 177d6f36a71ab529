import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { MikroORM } from '@mikro-orm/postgresql';
import { entities, published, registerRooms } from '../src/app/rooms.ts';
import { applicationOf } from '../src/platform/application.ts';
import { createOrm, migrate } from '../src/platform/database/orm.ts';
import { poolOf } from '../src/platform/database/sql.ts';
import { incomingFolder, openIncoming } from '../src/platform/storage/incoming.ts';
import { fileStorage, localStorage } from '../src/platform/storage/storage.ts';
import { checkInvariants, describeChecked } from '../src/reporting/invariants/check-invariants.ts';
import { type Arena, openArena, startProcess, startWeb } from './chaos/arena.ts';
import { billingUnderKills } from './chaos/billing.ts';
import { count, type Figures } from './chaos/count.ts';
import { FULL, feedUnderKills, SMALL } from './chaos/feed.ts';
import { keepUp, type Processes } from './chaos/keep-up.ts';
import { positionsUnderKills } from './chaos/positions.ts';
import { addEffectsLog, LEASE_SECONDS } from './chaos/probe.ts';
import type { Acknowledged } from './chaos/sender.ts';
import { countStatements, sayStatements } from './chaos/statements.ts';
import { webhooksUnderKills } from './chaos/webhooks.ts';
import { makeTenants } from './chaos/world.ts';

const { values: args } = parseArgs({
  options: {
    payloads: { type: 'string', default: '50000' },
    kills: { type: 'string', default: '200' },
    workers: { type: 'string', default: '3' },
    json: { type: 'string' },
    redis: { type: 'boolean', default: false },
    /** No kills from outside, but payloads that throw, kill and hang. */
    poison: { type: 'boolean', default: false },
    /** Only the worker of positions, killed 50 times unless `kills` says otherwise; a few minutes. */
    positions: { type: 'boolean', default: false },
    /** Copies of companies that follow the feed while web, worker and PostgreSQL are killed; a few minutes, with `full` an hour. */
    feed: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    /** Settlements that clients make, pay, void, bill anew and export at once, with 20 kills unless `kills` says otherwise; some minutes. */
    billing: { type: 'boolean', default: false },
    settlements: { type: 'string', default: '500' },
    /** Also says which statements took longest since PostgreSQL was killed last; best with `--kills 0`. */
    statements: { type: 'boolean', default: false },
    /** Endpoints of webhooks, some of which fail, while web, worker and PostgreSQL are killed; a few minutes, with `full` hours. */
    webhooks: { type: 'boolean', default: false },
  },
});
const payloads = Number(args.payloads);
const kills = args.poison ? 0 : Number(args.kills);
/** Milliseconds between two kills on average. */
const PACE = 500;
/** One in so many kills comes after a freeze longer than the lease: the worker wakes up after its rows went to another one. */
const FREEZE_EVERY = 15;
/** One in so many kills hits the web process, in the middle of requests. */
const WEB_EVERY = 6;
const REDIS_EVERY = 7;
const POSTGRES_EVERY = 20;
/** Minutes that the workers get to finish undisturbed after the last kill. */
const PATIENCE = 10;

interface Wreckage {
  kills: number;
  webKills: number;
  freezes: number;
  redis: number;
  postgres: number;
}
const NOTHING_DONE: Wreckage = { kills: 0, webKills: 0, freezes: 0, redis: 0, postgres: 0 };

/** Runs one kind of chaos on a migrated database, and judges its books. @param verdict what is said if all is there, and if not */
async function judged(arena: Arena, run: (orm: MikroORM) => Promise<boolean>, [good, bad]: [string, string]): Promise<void> {
  registerRooms();
  const orm = await createOrm({ url: arena.url, entities, poolSize: 2 });
  await migrate(orm, published);
  if (args.statements) await countStatements(orm);
  const isComplete = await run(orm);
  if (args.statements) await sayStatements(orm);
  await judge(orm);
  await orm.close(true);
  console.log(`${Math.round((Date.now() - began) / 1000)} s: ${isComplete ? good : bad}`);
  if (!isComplete) process.exitCode = 1;
}

const killsOr = (usual: number): number => (process.argv.includes('--kills') ? kills : usual);
const scale = args.full ? FULL : SMALL;
const storm = { ...scale, kills: killsOr(scale.kills) };

const positions = (on: Arena) =>
  judged(on, (orm) => positionsUnderKills(on, orm, killsOr(50)), ['the same triggers as in order', 'a trigger differs']);
const feed = (on: Arena) => judged(on, (orm) => feedUnderKills(on, orm, storm), ['the copies equal the database', 'a copy differs']);
const billing = (on: Arena) =>
  judged(on, (orm) => billingUnderKills(on, orm, { settlements: Number(args.settlements), kills: killsOr(20) }), [
    'nothing is lost or billed twice',
    'something is lost or billed twice',
  ]);
const webhooks = (on: Arena) =>
  judged(on, (orm) => webhooksUnderKills(on, orm, storm), ['every endpoint got every event', 'an endpoint lacks something']);

const arena = await openArena(args.redis, args.statements);
const began = Date.now();
try {
  const run = args.positions ? positions : args.feed ? feed : args.billing ? billing : args.webhooks ? webhooks : main;
  await run(arena);
} finally {
  await arena.close();
}

async function main(arena: Arena): Promise<void> {
  registerRooms();
  const orm = await createOrm({ url: arena.url, entities, poolSize: 2 });
  await migrate(orm, published);
  await addEffectsLog(orm);
  const tenants = await makeTenants(orm);
  const file = join(arena.dataDir, 'acknowledged.json');
  const env = {
    CHAOS_DATABASE: arena.url,
    CHAOS_URL: arena.webUrl,
    CHAOS_TENANTS: JSON.stringify(tenants),
    CHAOS_PAYLOADS: String(payloads),
    CHAOS_ACKNOWLEDGED: file,
    ...(args.poison ? { CHAOS_POISON: '1' } : {}),
    ...(arena.redisUrl ? { CHAOS_REDIS: arena.redisUrl } : {}),
  };
  const web = keepUp(1, () => startWeb(arena));
  const workers = keepUp(Number(args.workers), () => startProcess('worker', env));
  const sender = startProcess('sender', env);
  const sent = new Promise<void>((resolve, reject) => {
    sender.once('message', () => resolve());
    sender.once('exit', (code) => reject(new Error(`the sender ended with ${code}`)));
  });
  const done = await Promise.race([wreak(arena, workers, web, (fraction) => sender.send(fraction)), sent.then(() => NOTHING_DONE)]);
  await sent;
  const open = await drained(orm);
  workers.stop();
  web.stop();
  sender.disconnect();
  applicationOf(orm.em)
    .provide(incomingFolder, await openIncoming(join(arena.filesDir, 'incoming')))
    .provide(fileStorage, localStorage(join(arena.filesDir, 'files')));
  const acknowledged = JSON.parse(readFileSync(file, 'utf8')) as Acknowledged;
  const figures = await count(orm, acknowledged);
  const parked = await exhausted(orm);
  await judge(orm);
  await orm.close(true);
  report(acknowledged, done, figures, open, parked);
}

/** Books and events must agree, whatever was killed. */
async function judge(orm: Orm): Promise<void> {
  const pool = await poolOf(orm.em);
  const checked = await checkInvariants(async (sql) => (await pool.query<object>(sql)).rows);
  process.stdout.write(describeChecked(checked));
  if (checked.some((one) => one.count > 0)) process.exitCode = 1;
}

/** Kills, freezes, flushes and crashes, while the sender sends in step with it. */
async function wreak(arena: Arena, workers: Processes, web: Processes, progress: (fraction: number) => void): Promise<Wreckage> {
  const done: Wreckage = { ...NOTHING_DONE };
  // Sending goes on while something is down: a little more in every moment between two kills.
  let sinceKill = Date.now();
  const sending = setInterval(() => progress((done.kills + Math.min(1, (Date.now() - sinceKill) / PACE)) / (kills + 1)), 20);
  while (done.kills < kills) {
    await sleep(PACE * (0.3 + Math.random() * 1.4));
    const ofWeb = done.kills % WEB_EVERY === WEB_EVERY - 1;
    const victim = (ofWeb ? web : workers).any();
    if (!victim) continue;
    if (!ofWeb && done.kills % FREEZE_EVERY === FREEZE_EVERY - 1) {
      victim.kill('SIGSTOP');
      await sleep((LEASE_SECONDS + 1) * 1000);
      victim.kill('SIGCONT');
      await sleep(200);
      done.freezes++;
    }
    victim.kill('SIGKILL');
    done.kills++;
    if (ofWeb) done.webKills++;
    sinceKill = Date.now();
    if (done.kills % POSTGRES_EVERY === 0) {
      await arena.crashPostgres();
      done.postgres++;
    }
    if (arena.redisUrl && done.kills % REDIS_EVERY === 0) {
      await (done.redis++ % 2 ? arena.restartRedis() : arena.flushRedis());
    }
    if (done.kills % 10 === 0) console.log(`${done.kills} kills, ${Math.round((Date.now() - began) / 1000)} s`);
  }
  clearInterval(sending);
  progress(1);
  return done;
}

type Orm = Awaited<ReturnType<typeof createOrm>>;

async function drained(orm: Orm): Promise<number> {
  for (const end = Date.now() + PATIENCE * 60_000; ; await sleep(200)) {
    const [row] = await orm.em.getConnection().execute<{ open: number }[]>('select count(*)::int as open from import_task');
    if (row!.open === 0 || Date.now() > end) return row!.open;
  }
}

async function exhausted(orm: Orm): Promise<Set<string>> {
  const rows = await orm.em.getConnection().execute<{ id: string }[]>("select id from imported_record where state = 'exhausted'");
  return new Set(rows.map(({ id }) => id));
}

function report(acknowledged: Acknowledged, done: Wreckage, figures: Figures, open: number, parked: Set<string>): void {
  const seconds = Math.round((Date.now() - began) / 1000);
  const { records, files, poisoned, versions } = acknowledged;
  const keys = Object.keys(versions).length;
  console.log(
    `payloads acknowledged ${records.length + poisoned.length} of ${keys} keys, files ${files.length}; ${acknowledged.repeated} requests repeated`,
  );
  const { kills, webKills, freezes, postgres, redis } = done;
  console.log(
    `killed ${kills} (web ${webKills}), frozen ${freezes}; PostgreSQL crashed ${postgres}; Redis flushed or restarted ${args.redis ? redis : 'not used'}`,
  );
  console.log(
    `records ${JSON.stringify(figures.states)}, effects ${figures.effects}, tried more than once ${figures.again}, still open ${open}, ${seconds} s`,
    ...Object.entries(figures.reasons).map(([reason, n]) => `\n  ${n} x ${reason}`),
  );
  console.log(`attachments ${figures.attachments}, bytes of nobody swept ${figures.swept}`);
  const { lost, doubled, out_of_order, broken_files } = figures;
  console.log(`lost ${lost}, doubled ${doubled}, out of order ${out_of_order}, files without their bytes ${broken_files}`);
  const through = poisoned.filter((id) => !parked.has(id)).length;
  if (args.poison) console.log(`poisonous ${poisoned.length}, of these not parked ${through}; parked in all ${parked.size}`);
  const json = { sent: records.length + poisoned.length, files: files.length, kills, lost, doubled, out_of_order, broken_files };
  if (args.json) writeFileSync(args.json, `${JSON.stringify(json)}\n`);
  if (lost + doubled + out_of_order + broken_files + open + through > 0) process.exitCode = 1;
}
