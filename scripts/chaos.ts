import 'reflect-metadata';
import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { migrations } from '../migrations/index.ts';
import { createOrm, migrate } from '../src/platform/database/orm.ts';
import { entities } from '../src/rooms.ts';
import { type Arena, openArena, startProcess } from './chaos/arena.ts';
import { count } from './chaos/count.ts';
import { addTables, LEASE_SECONDS } from './chaos/probe.ts';
import type { Acknowledged } from './chaos/sender.ts';

const { values: args } = parseArgs({
  options: {
    payloads: { type: 'string', default: '20000' },
    kills: { type: 'string', default: '150' },
    workers: { type: 'string', default: '3' },
    json: { type: 'string' },
    redis: { type: 'boolean', default: false },
  },
});
const payloads = Number(args.payloads);
const kills = Number(args.kills);
/** Milliseconds between two kills on average. */
const PACE = 500;
/** One in so many kills is preceded by a freeze longer than the lease: the worker wakes up to find its rows given away. */
const FREEZE_EVERY = 15;
const REDIS_EVERY = 7;
const POSTGRES_EVERY = 25;
/** Minutes the workers get to finish in peace after the last kill. */
const PATIENCE = 5;

const arena = await openArena(args.redis);
const began = Date.now();
try {
  await main(arena);
} finally {
  await arena.close();
}

async function main(arena: Arena): Promise<void> {
  const orm = await createOrm({ url: arena.url, entities, migrations, poolSize: 2 });
  await migrate(orm);
  const companyIds = await addTables(orm);
  const file = join(arena.dataDir, 'acknowledged.json');
  const env = {
    CHAOS_DATABASE: arena.url,
    CHAOS_COMPANIES: companyIds.join(','),
    CHAOS_PAYLOADS: String(payloads),
    CHAOS_ACKNOWLEDGED: file,
    ...(arena.redisUrl ? { CHAOS_REDIS: arena.redisUrl } : {}),
  };
  const workers = keepWorkers(Number(args.workers), env);
  const sender = startProcess('sender', env);
  const sent = new Promise<void>((resolve, reject) => {
    sender.once('message', () => resolve());
    sender.once('exit', (code) => reject(new Error(`the sender ended with ${code}`)));
  });
  const done = await wreak(arena, workers, (fraction) => sender.send(fraction));
  await sent;
  const open = await drained(orm);
  const acknowledged = JSON.parse(readFileSync(file, 'utf8')) as Acknowledged;
  const figures = await count(orm, acknowledged);
  workers.stop();
  sender.disconnect();
  await orm.close(true);
  report(acknowledged, done, figures, open);
}

interface Wreckage {
  kills: number;
  freezes: number;
  redis: number;
  postgres: number;
}

/** Kills, freezes, flushes and crashes, while the sender sends in step with it. */
async function wreak(arena: Arena, workers: Workers, progress: (fraction: number) => void): Promise<Wreckage> {
  const done: Wreckage = { kills: 0, freezes: 0, redis: 0, postgres: 0 };
  // Sending goes on while something is down: a little more in every moment between two kills.
  let sinceKill = Date.now();
  const sending = setInterval(() => progress((done.kills + Math.min(1, (Date.now() - sinceKill) / PACE)) / (kills + 1)), 20);
  while (done.kills < kills) {
    await sleep(PACE * (0.3 + Math.random() * 1.4));
    const victim = workers.any();
    if (!victim) continue;
    if (done.kills % FREEZE_EVERY === FREEZE_EVERY - 1) {
      victim.kill('SIGSTOP');
      await sleep((LEASE_SECONDS + 1) * 1000);
      victim.kill('SIGCONT');
      await sleep(200);
      done.freezes++;
    }
    victim.kill('SIGKILL');
    done.kills++;
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

interface Workers {
  /** A worker that is up, or undefined while all of them start. */
  any(): ChildProcess | undefined;
  stop(): void;
}

/** Starts a new worker wherever one ended, as a supervisor does. */
function keepWorkers(many: number, env: Record<string, string>): Workers {
  const up = new Set<ChildProcess>();
  const all = new Set<ChildProcess>();
  let stopped = false;
  const start = () => {
    if (stopped) return;
    const child = startProcess('worker', env);
    all.add(child);
    child.once('message', () => up.add(child));
    child.once('exit', (_, signal) => {
      up.delete(child);
      all.delete(child);
      // One that could not start (no database) tries again a little later.
      setTimeout(start, signal ? 0 : 500);
    });
  };
  for (let i = 0; i < many; i++) start();
  return {
    any: () => [...up][Math.floor(Math.random() * up.size)],
    stop() {
      stopped = true;
      for (const child of all) child.kill('SIGKILL');
    },
  };
}

async function drained(orm: Awaited<ReturnType<typeof createOrm>>): Promise<number> {
  for (const end = Date.now() + PATIENCE * 60_000; ; await sleep(200)) {
    const [row] = await orm.em.getConnection().execute<{ open: number }[]>('select count(*)::int as open from import_task');
    if (row!.open === 0 || Date.now() > end) return row!.open;
  }
}

function report(acknowledged: Acknowledged, done: Wreckage, figures: Awaited<ReturnType<typeof count>>, open: number): void {
  const seconds = Math.round((Date.now() - began) / 1000);
  console.log(
    `payloads acknowledged ${acknowledged.records.length} (${acknowledged.repeated} requests repeated), keys ${Object.keys(acknowledged.versions).length}`,
  );
  console.log(
    `workers killed ${done.kills}, frozen ${done.freezes}; PostgreSQL crashed ${done.postgres}; Redis flushed or restarted ${args.redis ? done.redis : 'not used'}`,
  );
  console.log(
    `records ${JSON.stringify(figures.states)}, effects ${figures.effects}, tried more than once ${figures.again}, still open ${open}, ${seconds} s`,
    ...Object.entries(figures.reasons).map(([reason, n]) => `  ${n} x ${reason}`),
  );
  console.log(`lost ${figures.lost}, doubled ${figures.doubled}, out of order ${figures.out_of_order}`);
  const { lost, doubled, out_of_order } = figures;
  const json = { sent: acknowledged.records.length, kills: done.kills, lost, doubled, out_of_order };
  if (args.json) writeFileSync(args.json, `${JSON.stringify(json)}\n`);
  if (lost + doubled + out_of_order + open > 0) process.exitCode = 1;
}
