import { existsSync, readFileSync } from 'node:fs';
import type { Pool } from 'pg';
import { drive, median } from './drive.ts';
import { BATCHES, orderFlow, send, ticketFlow } from './ingest.ts';
import type { Workload } from './workloads.ts';

/** One of two products that are measured in turns. */
export interface Side {
  /** Its name in the output. */
  name: string;
  base: URL;
  pid: number;
  /** Of another process that works for it, such as a pooler. */
  helperPid?: number;
  token: string;
  companyId: string;
  /** Connected to its database; both sides may share one. */
  pool: Pool;
  workloads: readonly Workload[];
}

export interface InTurns {
  /** The measured side first: a ratio above 1 means that it takes more than the second. */
  sides: readonly [Side, Side];
  /** Names of the workloads. */
  only: ReadonlySet<string>;
  rounds: number;
  seconds: number;
  clients: number;
  say(line: string): void;
}

/** The ratio of the time of an answer of the first side to one of the second; medians of the rounds. */
export interface Ratio {
  /** By the clock. */
  ratio: number;
  /** By the processor time of product and PostgreSQL. It is more reliable on a machine that does other things at the same time. */
  cpu: number;
}

/** Returns the seconds of processor time used so far by the product, and by all of PostgreSQL's backends, including those that have ended. */
export async function cpuOf({
  pid,
  helperPid,
  pool,
}: Pick<Side, 'pid' | 'helperPid' | 'pool'>): Promise<{ product: number; postgres: number }> {
  const { rows } = await pool.query<{ pid: number }>('select pid from pg_stat_activity');
  const live = rows.map((row) => timesOf(row.pid)).filter((times) => times !== undefined);
  const ended = timesOf(live[0]!.parent)!.ended;
  const product = [...familyOf(pid), ...(helperPid ? [helperPid] : [])].reduce((sum, one) => sum + (timesOf(one)?.used ?? 0), 0);
  return { product, postgres: ended + live.reduce((sum, { used }) => sum + used, 0) };
}

/** Returns a process and those that it has started. */
function familyOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  const children = existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number) : [];
  return [pid, ...children.flatMap(familyOf)];
}

/** @returns undefined for a process that has ended meanwhile */
function timesOf(pid: number): { parent: number; used: number; ended: number } | undefined {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return undefined;
  const fields = readFileSync(file, 'utf8').split(') ')[1]!.split(' ').map(Number);
  const [user, system, endedUser, endedSystem] = fields.slice(11, 15) as [number, number, number, number];
  return { parent: fields[1]!, used: (user + system) / 100, ended: (endedUser + endedSystem) / 100 };
}

/** Measures both sides in turns, round by round, while the side that is not measured is stopped. @returns ratios by the names of workloads */
export async function measureInTurns(options: InTurns): Promise<Record<string, Ratio>> {
  const { sides, only, seconds, clients } = options;
  const ratios: Record<string, Ratio> = {};
  for (const [at, { name, what }] of sides[0].workloads.entries()) {
    if (!only.has(name)) continue;
    const once = (side: Side, time: number) => drive(side.base, side.workloads[at]!.product, clients, time);
    for (const side of sides) await alone(side, sides, () => once(side, 3));
    ratios[name] = await inTurns(options, name, what, async (side) => ({
      count: (await once(side, seconds)).rate * seconds,
      ms: seconds * 1000,
    }));
  }
  for (const flow of [orderFlow, ticketFlow]) {
    if (!only.has(flow.name)) continue;
    let sent = 0;
    const once = (side: Side, batches: number) => send(flow, side, `${flow.name}-turn${sent++}`, batches);
    for (const side of sides) await alone(side, sides, () => once(side, 2 * BATCHES));
    ratios[flow.name] = await inTurns(options, flow.name, `100 ${flow.kind}s imported`, async (side) => ({
      count: BATCHES,
      ms: await once(side, BATCHES),
    }));
  }
  return ratios;
}

interface Turn {
  took: number;
  product: number;
  postgres: number;
  cpu: number;
}

/** @param once drives a side, and returns how many answers or batches came in how many milliseconds */
async function inTurns(
  { sides, rounds, say }: InTurns,
  name: string,
  what: string,
  once: (side: Side) => Promise<{ count: number; ms: number }>,
): Promise<Ratio> {
  const turn = async (side: Side): Promise<Turn> => {
    const before = await cpuOf(side);
    const { count, ms } = await alone(side, sides, () => once(side));
    const after = await cpuOf(side);
    const product = (after.product - before.product) * (1000 / count);
    const postgres = (after.postgres - before.postgres) * (1000 / count);
    return { took: ms / count, product, postgres, cpu: product + postgres };
  };
  const all: [Turn, Turn][] = [];
  for (let round = 0; round < rounds; round++) {
    // Each side begins every other round, so that a machine that slows down slows both equally.
    const early = await turn(sides[round % 2]!);
    const late = await turn(sides[1 - (round % 2)]!);
    all.push(round % 2 ? [late, early] : [early, late]);
  }
  const ratioOf = (measure: keyof Turn) => Number(median(all.map(([first, second]) => first[measure] / second[measure])).toFixed(3));
  const msOf = (side: 0 | 1, measure: keyof Turn) => median(all.map((pair) => pair[side][measure])).toFixed(2);
  const ratio = { ratio: ratioOf('took'), cpu: ratioOf('cpu') };
  say(`${name} ${what}: ${msOf(0, 'took')} ms ${sides[0].name}, ${msOf(1, 'took')} ${sides[1].name}; ratio ${ratio.ratio}`);
  for (const measure of ['cpu', 'product', 'postgres'] as const)
    say(`  ${measure === 'cpu' ? 'processor' : `of ${measure}`} ${msOf(0, measure)} ms and ${msOf(1, measure)}; ratio ${ratioOf(measure)}`);
  say(`  rounds ${all.map(([a, b]) => `${(a.took / b.took).toFixed(2)} (${(a.cpu / b.cpu).toFixed(2)})`).join(' ')}`);
  return ratio;
}

/** Runs `work` while the processes of the other side are stopped, which would otherwise take part of the importer's work and of the processor. */
async function alone<T>(side: Side, sides: readonly Side[], work: () => Promise<T>): Promise<T> {
  const others = sides.filter((one) => one !== side);
  const signal = (to: Side, name: NodeJS.Signals) => familyOf(to.pid).forEach((pid) => void process.kill(pid, name));
  for (const other of others) signal(other, 'SIGSTOP');
  signal(side, 'SIGCONT');
  try {
    return await work();
  } finally {
    for (const other of others) signal(other, 'SIGCONT');
  }
}
