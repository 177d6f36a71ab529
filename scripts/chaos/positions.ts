import 'reflect-metadata';
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import { makeRoads, positionAt, send, type Truck } from '../road/roads.ts';
import { type Arena, startWeb } from './arena.ts';

/** Trucks whose positions come in any order, in parts and twice, while the worker is killed; as many others send the same in order, in one request. */
const TRUCKS = 10;
/** Minutes that the way of a truck takes, and seconds between two of its positions. */
const MINUTES = 150;
const SECONDS = 10;
/** Positions that are between two kills on average, milliseconds. */
const PACE = 900;
/** Milliseconds in which the workers get everything done after the last kill. */
const PATIENCE = 300_000;

interface Visit {
  truck: number;
  what: string;
}

/**
 * Kills the product's worker while positions come, and compares what it believes of geofences with what it believes of trucks whose positions
 * came in order and at once. @returns whether both are the same
 */
export async function positionsUnderKills(arena: Arena, orm: MikroORM, kills: number): Promise<boolean> {
  const running: { web: ChildProcess; worker?: ChildProcess } = { web: startWeb(arena) };
  try {
    await new Promise<void>((ready) => running.web.once('message', () => ready()));
    return await compare(arena, orm, kills, running);
  } finally {
    running.worker?.kill('SIGKILL');
    running.web.kill('SIGKILL');
  }
}

async function compare(arena: Arena, orm: MikroORM, kills: number, running: { worker?: ChildProcess }): Promise<boolean> {
  const began = Date.now() - (MINUTES + 5) * 60_000;
  const trucks = await makeRoads(orm, arena.webUrl, 2 * TRUCKS, MINUTES + 10);
  const ways = Array.from({ length: TRUCKS }, (_, i) => wayOf(i + 1));
  const pending = ways
    .flatMap((way, i) => partsOf(way, i + 1).map((part) => ({ truck: trucks[i]!, part })))
    .sort((a, b) => ((a.part[0]! * 7_919) % 10_007) - ((b.part[0]! * 7_919) % 10_007));
  const place = (truck: Truck, i: number, way: readonly number[]) => positionAt(truck, began + i * SECONDS * 1000, way[i]!);
  const total = pending.length;
  running.worker = await startWorker(arena);
  for (let done = 0; done < kills; done++) {
    const until = Math.ceil((total * (done + 1)) / kills);
    const sending = (async () => {
      while (total - pending.length < until) {
        const { truck, part } = pending.shift()!;
        const way = ways[trucks.indexOf(truck)]!;
        if (
          (await send(
            arena.webUrl,
            truck,
            part.map((i) => place(truck, i, way)),
          )) !== 204
        )
          throw new Error('positions were refused');
      }
    })();
    await sleep(PACE * (0.3 + ((done * 37) % 100) / 71));
    running.worker.kill('SIGKILL');
    await sending;
    // Nobody else is there who could have claimed them: their leases end now, not in two minutes.
    await orm.em.getConnection().execute(`update position_task set due_at = least(due_at, now()) where attempts > 0 and kind = 'fences'`);
    running.worker = await startWorker(arena);
  }
  for (let i = 0; i < TRUCKS; i++) {
    const truck = trucks[TRUCKS + i]!;
    const way = ways[i]!;
    const all = way.map((_, n) => place(truck, n, way));
    if ((await send(arena.webUrl, truck, all)) !== 204) throw new Error('positions were refused');
  }
  for (const end = Date.now() + PATIENCE; (await openTasks(orm)) > 0; await sleep(200))
    if (Date.now() > end) throw new Error('the worker does not end');
  const [stormy, calm] = [await visitsOf(orm, trucks.slice(0, TRUCKS), began), await visitsOf(orm, trucks.slice(TRUCKS), began)];
  const differ = [...new Set([...stormy, ...calm].map(textOf))].filter(
    (one) => stormy.map(textOf).includes(one) !== calm.map(textOf).includes(one),
  );
  console.log(
    `${total} parts of ${TRUCKS} ways, ${kills} kills of the worker: ${stormy.length} crossings; in order and at once: ${calm.length}`,
  );
  for (const one of differ) console.log(`  different: ${one}`);
  console.log(differ.length === 0 ? 'the same crossings' : `${differ.length} crossings differ`);
  return differ.length === 0 && calm.length > TRUCKS;
}

const textOf = ({ truck, what }: Visit): string => `truck ${truck}: ${what}`;

/** Metres from the pit, every ten seconds: to and fro, with positions that drift over the edges of both geofences. */
function wayOf(seed: number): number[] {
  const draw = drawn(seed);
  return Array.from({ length: (MINUTES * 60) / SECONDS }, (_, i) => {
    const swing = 2_500 - 2_500 * Math.cos((i / 90 + seed) * Math.PI * 0.9);
    return Math.round(swing + (draw() - 0.5) * 160);
  });
}

/** Indexes of positions in parts of one to forty, every eighth of which comes twice. */
function partsOf(way: readonly number[], seed: number): number[][] {
  const draw = drawn(seed * 31);
  const parts: number[][] = [];
  for (let at = 0; at < way.length; ) {
    const size = 1 + Math.floor(draw() * 40);
    const part = way.slice(at, at + size).map((_, i) => at + i);
    parts.push(part);
    if (draw() < 1 / 8) parts.push(part.toReversed());
    at += size;
  }
  return parts
    .map((part) => ({ part, by: draw() }))
    .sort((a, b) => a.by - b.by)
    .map(({ part }) => part);
}

/** Numbers from 0 to 1, the same in every run (a linear congruence). */
function drawn(seed: number): () => number {
  let state = (seed * 2_654_435_761) % 2 ** 31;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** Starts the product itself in the role `worker`, as built. */
async function startWorker(arena: Arena): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['dist/src/main.js'], {
    env: { ...process.env, DATABASE_URL: arena.url, HAULGATE_ROLE: 'worker', HAULGATE_DEMO: 'off', HAULGATE_DATA: arena.filesDir },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await new Promise<void>((ready, fail) => {
    child.stdout.on('data', (chunk: Buffer) => chunk.toString().includes('"msg":"ready"') && ready());
    child.once('exit', () => fail(new Error('the worker does not start')));
  });
  child.removeAllListeners('exit');
  return child;
}

async function openTasks(orm: MikroORM): Promise<number> {
  const [row] = await orm.em
    .getConnection()
    .execute<{ open: number }[]>(`select count(*)::int as open from position_task where kind = 'fences'`);
  return row!.open;
}

async function visitsOf(orm: MikroORM, trucks: readonly Truck[], began: number): Promise<Visit[]> {
  const rows = await orm.em.getConnection().execute<{ asset_id: string; what: string; at: Date }[]>(
    `select asset_id, waypoint_type || ' ' || geofence_trigger_type || case when skip_reason = 'crossed' then ' (past it)' else '' end as what, occurred_at as at
       from geofence_trigger where state <> 'superseded' order by occurred_at`,
  );
  const numbers = new Map(trucks.map(({ driverId }, i) => [driverId, i + 1]));
  return rows.flatMap(({ asset_id, what, at }) => {
    const truck = numbers.get(asset_id);
    return truck ? { truck, what: `${what} after ${Math.round((new Date(at).getTime() - began) / 1000)} s` } : [];
  });
}
