import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import type { Pool } from 'pg';
import { drive, median } from './drive.ts';
import { BATCHES, orderFlow, send, ticketFlow } from './ingest.ts';
import type { Workload } from './workloads.ts';

interface Side {
  base: URL;
  child: ChildProcess;
  token: string;
  workloads: readonly Workload[];
}
/** With row-level security, and without. */
type Sides = Record<'on' | 'off', Side>;

interface Wall {
  sides: Sides;
  /** Names of what is measured. */
  only: ReadonlySet<string>;
  companyId: string;
  pool: Pool;
  rounds: number;
  seconds: number;
  clients: number;
  say(line: string): void;
}

/** How many times as much an answer takes with row-level security as without; medians of the rounds. */
interface Ratio {
  /** By the clock. */
  ratio: number;
  /** By the time of processor that product and PostgreSQL use: what to believe on a machine that does other things beside. */
  cpu: number;
}

const LOGIN = 'haulgate_bench_open';

/**
 * Makes a login that row-level security does not bind and that may not take the application's role: a product that is given it sets no
 * scope and says so in its log. @returns its URL
 */
export async function loginWithoutWall(pool: Pool, url: string): Promise<string> {
  await pool.query(`create role ${LOGIN} login bypassrls password '${LOGIN}'`);
  await pool.query(`grant usage on schema public to ${LOGIN}`);
  await pool.query(`grant select, insert, update, delete on all tables in schema public to ${LOGIN}`);
  await pool.query(`grant usage on all sequences in schema public to ${LOGIN}`);
  const open = new URL(url);
  Object.assign(open, { username: LOGIN, password: LOGIN });
  return open.href;
}

/** Seconds of processor that the product and all of PostgreSQL's backends have used so far. */
async function cpuOf({ child }: Side, pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>('select pid from pg_stat_activity');
  return [child.pid!, ...rows.map(({ pid }) => pid)].reduce((sum, pid) => sum + secondsOf(pid), 0);
}

/** A process that has ended meanwhile counts no more. */
function secondsOf(pid: number): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  const [user, system] = readFileSync(file, 'utf8').split(') ')[1]!.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) / 100;
}

/**
 * The same product with row-level security and without, in turns over the same rows; who is not measured stands still.
 */
export async function measureWall(wall: Wall): Promise<Record<string, Ratio>> {
  const { sides, only, companyId, pool, seconds, clients } = wall;
  const ratios: Record<string, Ratio> = {};
  for (const [at, { name, what }] of sides.on.workloads.entries()) {
    if (!only.has(name)) continue;
    const once = (side: Side, time: number) => drive(side.base, side.workloads[at]!.product, clients, time);
    for (const side of [sides.on, sides.off]) await alone(side, sides, () => once(side, 3));
    ratios[name] = await inTurns(wall, name, what, async (side) => ({
      count: (await once(side, seconds)).rate * seconds,
      ms: seconds * 1000,
    }));
  }
  for (const flow of [orderFlow, ticketFlow]) {
    if (!only.has(flow.name)) continue;
    let sent = 0;
    const once = ({ base, token }: Side, batches: number) =>
      send(flow, { base, token, companyId, pool }, `${flow.name}-wall${sent++}`, batches);
    for (const side of [sides.on, sides.off]) await alone(side, sides, () => once(side, 2));
    ratios[flow.name] = await inTurns(wall, flow.name, `100 ${flow.kind}s imported`, async (side) => ({
      count: BATCHES,
      ms: await once(side, BATCHES),
    }));
  }
  return ratios;
}

/** @param once drives a side, and tells how many answers or batches came in how many milliseconds */
async function inTurns(
  { sides, rounds, pool, say }: Wall,
  name: string,
  what: string,
  once: (side: Side) => Promise<{ count: number; ms: number }>,
): Promise<Ratio> {
  const turn = async (side: Side) => {
    const before = await cpuOf(side, pool);
    const { count, ms } = await alone(side, sides, () => once(side));
    return { took: ms / count, cpu: ((await cpuOf(side, pool)) - before) * (1000 / count) };
  };
  const all: Record<'on' | 'off', { took: number; cpu: number }>[] = [];
  for (let round = 0; round < rounds; round++) {
    const first = round % 2 ? 'on' : 'off';
    const one = await turn(sides[first]);
    const two = await turn(sides[first === 'on' ? 'off' : 'on']);
    all.push(first === 'on' ? { on: one, off: two } : { on: two, off: one });
  }
  const ratioOf = (measure: 'took' | 'cpu') => Number(median(all.map(({ on, off }) => on[measure] / off[measure])).toFixed(3));
  const msOf = (side: 'on' | 'off', measure: 'took' | 'cpu') => median(all.map((pair) => pair[side][measure])).toFixed(2);
  const ratio = { ratio: ratioOf('took'), cpu: ratioOf('cpu') };
  say(`${name} ${what}: ${msOf('on', 'took')} ms with row-level security, ${msOf('off', 'took')} without; ratio ${ratio.ratio}`);
  say(`  of processor ${msOf('on', 'cpu')} ms and ${msOf('off', 'cpu')}; ratio ${ratio.cpu}`);
  say(`  rounds ${all.map(({ on, off }) => `${(on.took / off.took).toFixed(2)} (${(on.cpu / off.cpu).toFixed(2)})`).join(' ')}`);
  return ratio;
}

/** Runs `work` while the other process stands still: it would take part of the importer's work, and of the processor. */
async function alone<T>(side: Side, { on, off }: Sides, work: () => Promise<T>): Promise<T> {
  const other = side === on ? off : on;
  other.child.kill('SIGSTOP');
  side.child.kill('SIGCONT');
  try {
    return await work();
  } finally {
    other.child.kill('SIGCONT');
  }
}
