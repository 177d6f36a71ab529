import type { Pool } from 'pg';
import { median, shoot } from './drive.ts';

interface Ingest {
  base: URL;
  token: string;
  pool: Pool;
  rounds: number;
  say(line: string): void;
}

const BATCHES = 20;
const PER_BATCH = 100;
/** What one order leaves behind; what COPY writes in comparison. */
const TABLES = ['orders', 'waypoint', 'job', 'load', 'job_event', 'audit_entry', 'outbox_event', 'imported_record'];

/**
 * w5: payloads of 100 orders accepted and fully processed, against COPY of the very rows they left behind into tables of the same
 * columns and indexes. Master data exists already, as it does for every sender but the first.
 */
export async function measureIngest({ base, token, pool, rounds, say }: Ingest): Promise<{ ratio: number }> {
  const headers = { authorization: `Bearer ${token}` };
  const ratios: number[] = [];
  await send(base, headers, pool, 'warm', 2);
  for (let round = 0; round < rounds; round++) {
    const mark = await now(pool);
    const product = await send(base, headers, pool, `r${round}`, BATCHES);
    const copy = await copyOf(pool, mark);
    ratios.push(product / copy.ms);
    say(
      `w5 round ${round + 1}: ${BATCHES * PER_BATCH} orders in ${product.toFixed(0)} ms; COPY of their ${copy.rows} rows ${copy.ms.toFixed(0)} ms; ratio ${(product / copy.ms).toFixed(2)}`,
    );
  }
  const ratio = median(ratios);
  say(`w5 100-order payloads accepted and fully processed, against a bare COPY: ratio ${ratio.toFixed(2)}`);
  return { ratio };
}

const now = async (pool: Pool): Promise<string> =>
  (await pool.query<{ now: string }>('select clock_timestamp()::text as now')).rows[0]!.now;

/** Milliseconds from the first request until the last record is settled. */
async function send(base: URL, headers: Record<string, string>, pool: Pool, tag: string, batches: number): Promise<number> {
  const bodies = Array.from({ length: batches }, (_, batch) =>
    JSON.stringify({ orders: Array.from({ length: PER_BATCH }, (_, i) => order(`${tag}-${batch}-${i}`, i)) }),
  );
  const started = performance.now();
  await Promise.all(bodies.map((body) => shoot(base, { method: 'POST', path: '/ingest/orders', headers, body })));
  for (;;) {
    const { rows } = await pool.query<{ open: number; failed: number }>(
      `select count(*) filter (where state = 'created')::int as open, count(*) filter (where state in ('failed', 'exhausted'))::int as failed
       from imported_record where imported_for like $1`,
      [`${tag}-%`],
    );
    if (rows[0]!.failed > 0) throw new Error(`${rows[0]!.failed} records failed`);
    if (rows[0]!.open === 0) return performance.now() - started;
    await new Promise((wake) => setTimeout(wake, 5));
  }
}

const order = (externalId: string, i: number) => ({
  external_id: externalId,
  load_at: '2026-12-01T07:00:00',
  customer: { external_id: `C${1 + (i % 20)}` },
  material: { name: `material ${1 + (i % 10)}` },
  sites: [
    { waypoint: 'pickup', external_id: `S${1 + (i % 40)}` },
    { waypoint: 'drop_off', external_id: `S${1 + ((i + 7) % 40)}` },
  ],
  name: `Order ${externalId}`,
  notes: 'Call before arrival',
  quantity: 110.5,
  unit_of_measure: 'Ton',
  truck_count: 5,
  loads_per_truck: 5,
});

/** COPY of all rows written since `mark` into twins of their tables: same columns, same indexes, no foreign keys. */
async function copyOf(pool: Pool, mark: string): Promise<{ ms: number; rows: number }> {
  const client = await pool.connect();
  try {
    let ms = 0;
    let rows = 0;
    for (const table of TABLES) {
      const since = table === 'imported_record' ? 'import_received_at' : 'created_at';
      await client.query(`create table bench_source as select * from ${table} where ${since} >= $1`.replace('$1', `'${mark}'`));
      await client.query(`create table bench_copy (like ${table} including indexes including defaults)`);
      await client.query(`copy bench_source to '/tmp/haulgate-bench.copy'`);
      await client.query('begin');
      const started = performance.now();
      const { rowCount } = await client.query(`copy bench_copy from '/tmp/haulgate-bench.copy'`);
      await client.query('commit');
      ms += performance.now() - started;
      rows += rowCount ?? 0;
      await client.query('drop table bench_source, bench_copy');
    }
    return { ms, rows };
  } finally {
    client.release();
  }
}
