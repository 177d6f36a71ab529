import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { poolOf } from '../../src/platform/database/sql.ts';
import { COUNTED, countStatements, sayStatements } from '../chaos/statements.ts';
import { DayPage } from '../road/day-page.ts';
import { administratorOf, BRIDGE, makeRoads, positionAt, send, type Truck } from '../road/roads.ts';
import { openBenchDatabase } from './database.ts';
import { cpuOf } from './in-turns.ts';
import { closing, startProduct } from './start.ts';

/**
 * Measures after how long the effect of a position is visible: trucks send one every ten seconds, and drive to and fro between a pit and a
 * bridge; what counts is the time from sending the first position inside or outside until the crossing can be read. Meanwhile an office asks for its day
 * each second. `npm run bench:road
 * [-- --trucks 2000 --seconds 60]`, after `npm run build`. `--processes 2`: requests and the work that follows in a process each. `--statements` says
 * which statements took most of PostgreSQL's time.
 */
const { values: options } = parseArgs({
  options: {
    trucks: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '60' },
    processes: { type: 'string', default: '1' },
    statements: { type: 'boolean', default: false },
  },
});
const [count, seconds] = [Number(options.trucks), Number(options.seconds)];
/** Seconds between two positions of a truck, and those of a round trip, in which it crosses four times. */
const EVERY = 10;
const ROUND_TRIP = 1_800;
/** Seconds in which all trucks are seen for the first time, a quarter of them within a geofence; and in which what follows from that is done. */
const RUSH = 20;
/** Milliseconds in which 95 of 100 pages of the day are to be answered: before the next one is asked for. */
const PAGE_IN_TIME = 1_000;
/** Milliseconds after the last position in which all crossings are to be visible. */
const PATIENCE = 60_000;

async function main(): Promise<void> {
  const { data, postgres, orm } = await openBenchDatabase('road', { shared_buffers: '512MB', ...(options.statements ? COUNTED : {}) });
  if (options.statements) await countStatements(orm);
  const apart = options.processes !== '1';
  const { url, child } = await startProduct(postgres.url, data, apart ? 'web' : 'all');
  const worker = apart ? (await startProduct(postgres.url, data, 'worker')).child : undefined;
  const trucks = await makeRoads(orm, new URL(url!).origin, count, 60);
  const office = await administratorOf(orm);
  const day = new DayPage();
  const pool = await poolOf(orm.em);
  await pool.query('analyze');
  // When a position was sent, by driver and moment; and how long it took until its effect was visible, and whether all trucks were new then.
  const sent = new Map<string, number>();
  const took: { rush: boolean; ms: number }[] = [];
  let [requests, late] = [0, 0];
  const refused = new Map<number, number>();
  const began = Date.now();
  const end = began + seconds * 1000;
  const isOver = async () => {
    if (Date.now() < end + 2_000) return false;
    const { rows } = await pool.query(`select from position_task where kind = 'fences' limit 1`);
    return rows.length === 0 || Date.now() > end + PATIENCE;
  };
  // Requests that come late count, too.
  const reading = (async () => {
    for (let since = new Date(0), over = false; !over; await sleep(50)) {
      over = await isOver();
      const { rows } = await pool.query<{ asset_id: string; at: number; created: number }>(
        `select asset_id, (extract(epoch from occurred_at) * 1000)::float8 as at, (extract(epoch from created_at) * 1000)::float8 as created
         from geofence_trigger where created_at > $1`,
        [since],
      );
      const now = performance.now();
      for (const { asset_id, at, created } of rows) {
        // A row is visible when its transaction ends, some time after it was made.
        since = new Date(Math.max(since.getTime(), created - 10_000));
        const key = `${asset_id} ${at}`;
        const start = sent.get(key);
        if (start !== undefined) took.push({ rush: at < began + RUSH * 1000, ms: now - start });
        sent.delete(key);
      }
    }
  })();
  const drive = async (truck: Truck, n: number) => {
    await sleep((n / count) * EVERY * 1000);
    for (let next = Date.now(); next < end; next += EVERY * 1000) {
      const wait = next - Date.now();
      if (wait > 0) await sleep(wait);
      else if (wait < -1_000) late++;
      const at = Date.now();
      sent.set(`${truck.driverId} ${at}`, performance.now());
      const status = await send(url!, truck, [positionAt(truck, at, metresAt((at - began) / 1000 + (n * ROUND_TRIP) / count))]);
      requests++;
      if (status !== 204) refused.set(status, (refused.get(status) ?? 0) + 1);
    }
  };
  const before = process.cpuUsage();
  const side = { pid: child.pid!, helperPid: worker?.pid, pool };
  const used = await cpuOf(side);
  await Promise.all([...trucks.map(drive), reading, day.watch(url!, office.token, end)]);
  const own = process.cpuUsage(before);
  const now = await cpuOf(side);
  const perRequest = (name: 'product' | 'postgres') => (((now[name] - used[name]) * 1000) / requests).toFixed(1);
  const partOf = (ones: readonly { ms: number }[], part: number) => {
    const sorted = ones.map(({ ms }) => ms).toSorted((a, b) => a - b);
    return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN);
  };
  const sharesOf = (ones: readonly { ms: number }[]) => [0.5, 0.95, 1].map((part) => partOf(ones, part)).join(', ');
  const after = took.filter(({ rush }) => !rush);
  const say = (what: string, ones: readonly { ms: number }[]) =>
    console.log(`${what} ${ones.length}: visible after ${sharesOf(ones)} ms (p50, p95, at most)`);
  const { rows } = await pool.query<{ waiting: number; oldest: number }>(
    `select count(*)::int as waiting, coalesce(extract(epoch from now() - min(due_at)), 0)::int as oldest from position_task where kind = 'fences' and due_at < now()`,
  );
  const statuses = [...refused].map(([status, times]) => `${times} with ${status}`).join(', ') || 'none';
  console.log(`${count} trucks, ${requests} requests in ${seconds} s, refused: ${statuses}; ${late} more than a second late`);
  console.log(`processor time for each position: ${perRequest('product')} ms of the product, ${perRequest('postgres')} ms of PostgreSQL`);
  say(
    `crossings of the first ${RUSH} s, in which all trucks are new:`,
    took.filter(({ rush }) => rush),
  );
  say('crossings after that (p95: target 2000):', after);
  console.log(
    `tasks that wait ${rows[0]!.waiting}, the oldest for ${rows[0]!.oldest} s; the sender itself took ${Math.round((own.user + own.system) / 1e4 / seconds)} % of a core`,
  );
  const isRush = ({ at }: { at: number }) => at < began + RUSH * 1000;
  const pages = day.took.filter((page) => !isRush(page));
  const sayPages = (what: string, ones: readonly { ms: number }[]) =>
    console.log(`pages of the day ${what} ${ones.length}: answered after ${sharesOf(ones)} ms (p50, p95, at most)`);
  sayPages(`of the first ${RUSH} s:`, day.took.filter(isRush));
  sayPages(`after that (p95: target ${PAGE_IN_TIME}), ${day.failures.length} failed:`, pages);
  for (const failure of day.failures.slice(0, 3)) console.log(`failed: ${failure}`);
  if (options.statements) await sayStatements(orm);
  if (day.failures.length > 0 || !(partOf(pages, 0.95) <= PAGE_IN_TIME)) process.exitCode = 1;
  if (!(partOf(after, 0.95) <= 2_000)) process.exitCode = 1;
}

/** Metres from the pit at a second of the round trip: two minutes at each end, the rest on the road. */
function metresAt(second: number): number {
  const [half, stay] = [ROUND_TRIP / 2, 120];
  const at = second % ROUND_TRIP;
  const out = Math.min(1, Math.max(0, ((at % half) - stay) / (half - stay)));
  return at < half ? out * BRIDGE : (1 - out) * BRIDGE;
}

try {
  await main();
} finally {
  for (const close of closing.reverse()) await close();
}
process.exit();
