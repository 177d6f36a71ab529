import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type Drive, drive, median } from './drive.ts';
import { cpuOf } from './in-turns.ts';
import { holdTasks } from './ingest.ts';
import { requireSame, requireSameRows } from './same.ts';
import type { Workload } from './workloads.ts';

/** A server that is measured. */
export interface Served {
  base: URL;
  pid: number;
}

export interface Comparing {
  product: Served;
  limit: Served;
  pool: Pool;
  rounds: number;
  seconds: number;
  clients: number;
  say(line: string): void;
}

/** A round, and the milliseconds of processor time for each of its answers. */
interface Round extends Drive {
  node: number;
  postgres: number;
}

/**
 * Measures product and limit in turns, so that a machine that slows down slows both. The ratio is the median of the rounds' ratios. The ratio of processor
 * times, which says more on a machine that does other things at the same time, is printed next to it.
 */
export async function compare(workload: Workload, comparing: Comparing): Promise<{ ratio: number; target: number; cpu: number }> {
  const { product, limit, pool, clients, say } = comparing;
  if (workload.same) await requireSame(workload, product.base, limit.base);
  if (workload.trial) await requireSameRows(workload, workload.trial, product.base, limit.base, pool);
  const letGo = workload.tasks && (await holdTasks(pool, [workload.tasks.table]));
  const rounds: { product: Round; limit: Round }[] = [];
  try {
    await drive(product.base, workload.product, clients, 5);
    await drive(limit.base, workload.limit, clients, 5);
    await workload.check?.();
    for (let i = 0; i < comparing.rounds; i++)
      rounds.push({
        product: await roundOf(product, workload.product, comparing),
        limit: await roundOf(limit, workload.limit, comparing),
      });
  } finally {
    await letGo?.();
  }
  const of = (side: 'product' | 'limit') => {
    const all = rounds.map((round) => round[side]);
    const mid = (measure: keyof Round) => median(all.map((one) => one[measure]));
    return `${mid('rate').toFixed(0)}/s p50 ${mid('p50').toFixed(1)} ms p95 ${mid('p95').toFixed(1)} ms ${(all[0]!.bytes / 1024).toFixed(0)} KB; processor time of an answer ${mid('node').toFixed(2)} ms of Node, ${mid('postgres').toFixed(2)} ms of PostgreSQL`;
  };
  const ratios = rounds.map((round) => round.limit.rate / round.product.rate);
  const used = ({ node, postgres }: Round) => node + postgres;
  const byCpu = rounds.map((round) => used(round.product) / used(round.limit));
  const listed = (all: number[]) => `${median(all).toFixed(2)} (${all.map((one) => one.toFixed(2)).join(' ')})`;
  say(`${workload.name} ${workload.what}`);
  say(`  product ${of('product')}`);
  say(`  limit   ${of('limit')}`);
  say(`  ratio ${listed(ratios)}; by processor time without the clients' ${listed(byCpu)}`);
  if (workload.tasks) await measureTasks(workload, workload.tasks, comparing);
  return { ratio: median(ratios), target: workload.target, cpu: median(rounds.map((round) => round.product.node)) };
}

async function roundOf(served: Served, next: Workload['product'], { pool, clients, seconds }: Comparing): Promise<Round> {
  const before = await cpuOf({ pid: served.pid, pool });
  const driven = await drive(served.base, next, clients, seconds);
  const after = await cpuOf({ pid: served.pid, pool });
  const answers = driven.rate * seconds;
  const each = (measure: 'product' | 'postgres') => ((after[measure] - before[measure]) * 1000) / answers;
  return { ...driven, node: each('product'), postgres: each('postgres') };
}

/** Milliseconds after which workers have surely begun what is due. */
const SURELY_BEGUN = 1_500;

/**
 * Says what the workers of the product take for the tasks that were held while it was compared: first once for each task, then while further requests
 * come, each of which adds to the tasks.
 */
async function measureTasks({ name, product: next }: Workload, { table, kinds }: NonNullable<Workload['tasks']>, comparing: Comparing) {
  const { product, pool, clients, seconds, rounds, say } = comparing;
  const of = { pid: product.pid, pool };
  const left = async (kind: string) => (await pool.query(`select from ${table} where kind = $1`, [kind])).rowCount ?? 0;
  for (const kind of kinds) {
    const tasks = await left(kind);
    if (tasks === 0) throw new Error(`${name} has left no task (${kind})`);
    const before = await cpuOf(of);
    await pool.query(`update ${table} set due_at = now() where kind = $1`, [kind]);
    while ((await left(kind)) > 0) await wait(50);
    const after = await cpuOf(of);
    const each = (measure: 'product' | 'postgres') => (((after[measure] - before[measure]) * 1000) / tasks).toFixed(1);
    say(`  ${tasks} tasks of ${name} (${kind}), each once: ${each('product')} ms of Node, ${each('postgres')} ms of PostgreSQL`);
  }
  const done: Round[] = [];
  for (let i = 0; i < rounds; i++) {
    const before = await cpuOf(of);
    const driven = await drive(product.base, next, clients, seconds);
    await wait(SURELY_BEGUN);
    while ((await left(kinds[0]!)) > 0) await wait(50);
    const after = await cpuOf(of);
    const each = (measure: 'product' | 'postgres') => ((after[measure] - before[measure]) * 1000) / (driven.rate * seconds);
    done.push({ ...driven, node: each('product'), postgres: each('postgres') });
  }
  const mid = (measure: keyof Round) => median(done.map((one) => one[measure])).toFixed(2);
  say(
    `  ${name} with its tasks (${kinds[0]}) done in the same process: ${mid('rate')}/s, ${mid('node')} ms of Node, ${mid('postgres')} ms of PostgreSQL for an answer`,
  );
}
