import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { drive, median } from '../drive.ts';
import { cpuOf } from '../in-turns.ts';
import type { Workload } from '../workloads.ts';

interface Following {
  base: URL;
  child: ChildProcess;
  pool: pg.Pool;
  workloads: readonly Workload[];
  /** Opens the subscriptions. @returns what ends them */
  open(): Promise<() => void>;
  subscriptions: number;
  rounds: number;
  /** Of each workload in a round. */
  seconds: number;
}

/** Requests at a time. */
const CLIENTS = 8;

interface Turn {
  /** Milliseconds of an answer, by the clock of all clients together. */
  took: number;
  /** Milliseconds of processor time of an answer, of product and PostgreSQL. */
  cpu: number;
}

/**
 * Drives each workload without open subscriptions and with them, round by round, so that a machine that slows down slows both. Every other round begins with
 * them.
 */
export async function measureFollowed({ base, child, pool, workloads, open, subscriptions, rounds, seconds }: Following): Promise<void> {
  const turn = async ({ product }: Workload): Promise<Turn> => {
    const of = { pid: child.pid!, pool };
    const before = await cpuOf(of);
    const { rate } = await drive(base, product, CLIENTS, seconds);
    const after = await cpuOf(of);
    const used = after.product + after.postgres - before.product - before.postgres;
    return { took: 1000 / rate, cpu: (used * 1000) / (rate * seconds) };
  };
  const turns = async (): Promise<Turn[]> => {
    const all: Turn[] = [];
    for (const workload of workloads) all.push(await turn(workload));
    return all;
  };
  const followed = async (): Promise<Turn[]> => {
    const end = await open();
    // The work of opening them is over.
    await sleep(5_000);
    try {
      return await turns();
    } finally {
      end();
      await sleep(3_000);
    }
  };
  for (const { product } of workloads) await drive(base, product, CLIENTS, seconds);
  const pairs: { alone: Turn[]; with: Turn[] }[] = [];
  for (let round = 0; round < rounds; round++) {
    const first = round % 2 === 0 ? await turns() : await followed();
    const second = round % 2 === 0 ? await followed() : await turns();
    pairs.push(round % 2 === 0 ? { alone: first, with: second } : { alone: second, with: first });
  }
  for (const [at, { name, what }] of workloads.entries()) {
    const ratioOf = (measure: keyof Turn) => pairs.map((pair) => pair.with[at]![measure] / pair.alone[at]![measure]);
    const more = (measure: keyof Turn) => `${((median(ratioOf(measure)) - 1) * 100).toFixed(1)} %`;
    const shown = ratioOf('cpu').map((ratio) => ratio.toFixed(2));
    console.log(
      `${name} ${what}, next to ${subscriptions} subscriptions: ${more('cpu')} more processor time (aim 5), ${more('took')} by the clock; rounds ${shown.join(' ')}`,
    );
  }
}
