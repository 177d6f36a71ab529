import type { Pool } from 'pg';
import { median, shoot } from './drive.ts';
import { bodiesOf, orderFlow, requireDone, settled } from './ingest.ts';

export interface Sender {
  companyId: string;
  token: string;
}

interface Backlog {
  web: URL;
  /** Has more open records than any other company; the importer's limit is a little higher. */
  crowd: Sender;
  /** Sends a hundred records at the same time. */
  neighbour: Sender;
  pool: Pool;
  rounds: number;
  say(line: string): void;
}

const OPEN = 200_000;
const PER_REQUEST = 1_000;
const PER_NEIGHBOUR = 100;
/** Milliseconds: the target for a neighbour's hundred records, and for the acknowledgement of a thousand. */
export const NEIGHBOUR_TARGET = 2_000;
export const ACKNOWLEDGED_TARGET = 150;

/**
 * w7: how long a request of 1,000 elements waits for its 202 while the workers process earlier ones. w8: how long 100 orders of one company
 * take from the request to the last record while another company has 200,000 open ones.
 * @returns milliseconds, medians
 */
export async function measureBacklog({
  web,
  crowd,
  neighbour,
  pool,
  rounds,
  say,
}: Backlog): Promise<{ acknowledged: number; nextTo: number }> {
  const headers = ({ token }: Sender) => ({ authorization: `Bearer ${token}` });
  const took: number[] = [];
  let sent = 0;
  while ((await openOf(pool, crowd)) < OPEN) {
    for (const body of bodiesOf(orderFlow, `w8-crowd-${sent}`, 10, PER_REQUEST)) {
      const started = performance.now();
      await shoot(web, { method: 'POST', path: '/ingest/orders', headers: headers(crowd), body });
      took.push(performance.now() - started);
    }
    sent += 10;
  }
  const acknowledged = median(took);
  say(
    `w7 ${took.length} requests of ${PER_REQUEST} orders acknowledged in ${acknowledged.toFixed(0)} ms (median; worst ${Math.max(...took).toFixed(0)} ms) while the worker imports`,
  );
  const nextTo: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const open = await openOf(pool, crowd);
    const tag = `w8-next-to-${round}`;
    const started = performance.now();
    const [body] = bodiesOf(orderFlow, tag, 1, PER_NEIGHBOUR);
    await shoot(web, { method: 'POST', path: '/ingest/orders', headers: headers(neighbour), body });
    await settled(pool, neighbour.companyId);
    nextTo.push(performance.now() - started);
    await requireDone(pool, tag);
    say(
      `w8 round ${round + 1}: ${PER_NEIGHBOUR} orders done in ${nextTo.at(-1)!.toFixed(0)} ms next to ${open} open records of another company`,
    );
  }
  return { acknowledged, nextTo: median(nextTo) };
}

async function openOf(pool: Pool, { companyId }: Sender): Promise<number> {
  const { rows } = await pool.query<{ n: number }>('select count(*)::int as n from import_task where company_id = $1', [companyId]);
  return rows[0]!.n;
}
