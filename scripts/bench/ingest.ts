import type { Pool, PoolClient } from 'pg';
import { median, shoot } from './drive.ts';

export interface Ingest {
  base: URL;
  token: string;
  companyId: string;
  pool: Pool;
  rounds: number;
  say(line: string): void;
}

/** A kind of payload: its elements, and the rows that they leave. */
export interface Flow {
  name: string;
  kind: 'order' | 'ticket';
  /** Tables to which the import writes rows, and COPY in comparison. */
  tables: string[];
  /** The i-th element of this tag; a tag and i name one key. */
  element(tag: string, i: number): Record<string, unknown>;
}

/** Batches of a round. */
export const BATCHES = 20;
const PER_BATCH = 100;
const LEDGER = ['transition', 'audit_entry', 'outbox_event', 'change_entry', 'imported_record', 'import_key', 'import_batch'];
/** Rows of these tables are written and deleted again, or one for each company, so that none is left to copy. */
const NOT_COPIED = ['import_task', 'change_pending', 'change_feed'];
/**
 * Tasks that an import leaves for other workers: to invoice and match what it delivered, at most one for each job. The import writes them, COPY does not; what
 * the workers do with them is no part of it.
 */
const FOLLOW_UPS = ['invoice_task', 'day_invoice_task', 'load_review_task', 'ticket_chase_task', 'ticket_match_task'];
/** The column with the time of writing, for tables that do not call it `created_at`. */
const WRITTEN: Record<string, string> = {
  change_entry: 'moved_at',
  ticket_history: 'written_at',
  imported_record: 'import_received_at',
  import_key: 'applied_at',
  import_batch: 'received_at',
};

export const orderFlow: Flow = {
  name: 'w5',
  kind: 'order',
  tables: ['orders', 'waypoint', 'job', 'load', 'job_event', ...LEDGER],
  element: (tag, i) => ({
    external_id: `${tag}-${i}`,
    load_at: '2026-12-01T07:00:00',
    customer: { external_id: `C${1 + (i % 20)}` },
    material: { name: `material ${1 + (i % 10)}` },
    sites: [
      { waypoint: 'pickup', external_id: `S${1 + (i % 40)}` },
      { waypoint: 'drop_off', external_id: `S${1 + ((i + 7) % 40)}` },
    ],
    name: `Order ${tag}-${i}`,
    notes: 'Call before arrival',
    quantity: 110.5,
    unit_of_measure: 'Ton',
    truck_count: 5,
    loads_per_truck: 5,
  }),
};

/** The number of loads of a generated order; its tickets prove all of them. */
const LOADS = 25;
let ticketed = 0;
/** Each tag has orders of its own for its tickets. */
const firstOrders = new Map<string, number>();

export const ticketFlow: Flow = {
  name: 'w6',
  kind: 'ticket',
  tables: ['ticket', 'ticket_history', ...LEDGER],
  element(tag, i) {
    const first = firstOrders.get(tag) ?? ticketed;
    firstOrders.set(tag, first);
    const order = first + 1 + Math.floor(i / LOADS);
    ticketed = Math.max(ticketed, order);
    const truck = 1 + ((order + 1 + Math.floor((i % LOADS) / 5)) % 50);
    return {
      ticket_number: `${tag}-${i}`,
      service_date: '2026-12-01T09:30:00',
      quantity: 22.47,
      unit_of_measure: 'Ton',
      truck_id: `T${truck}`,
      platform_order_id: String(order),
      material: `material ${1 + (order % 10)}`,
      customer: `Customer ${1 + (order % 20)}`,
      site: { external_id: `S${1 + (i % 40)}` },
    };
  },
};

/**
 * Measures payloads of 100 elements, accepted and fully processed, against COPY of the same rows into tables with the same columns and
 * indexes. Master data exists already, as for every sender but the first.
 */
export async function measureIngest(flow: Flow, ingest: Ingest): Promise<number> {
  const letGo = await holdTasks(ingest.pool, FOLLOW_UPS);
  try {
    return await measureRounds(flow, ingest);
  } finally {
    await letGo();
    for (const table of FOLLOW_UPS) await ingest.pool.query(`update ${table} set due_at = now() where due_at = 'infinity'`);
  }
}

/** Lets tasks of these tables be written, and none be due: their workers are in the measured process. @returns what ends that; those that wait stay so */
export async function holdTasks(pool: Pool, tables: readonly string[]): Promise<() => Promise<void>> {
  await pool.query(
    `create function bench_hold() returns trigger language plpgsql as $$ begin new.due_at := 'infinity'; return new; end $$`,
  );
  for (const table of tables)
    await pool.query(`create trigger bench_hold before insert or update on ${table} for each row execute function bench_hold()`);
  return async () => void (await pool.query('drop function bench_hold cascade'));
}

async function measureRounds(flow: Flow, ingest: Ingest): Promise<number> {
  const { pool, rounds, say } = ingest;
  const ratios: number[] = [];
  const keyed: number[] = [];
  // Two rounds without measurement, in which the product's code is compiled, as in the seconds before the reads are measured.
  await send(flow, ingest, `${flow.name}-warm`, 2 * BATCHES);
  await moveToFeeds(pool);
  const before = await insertedInto(pool);
  for (let round = 0; round < rounds; round++) {
    // When COPY's tables are created and dropped, the product's connections lose their cached plans and plan every statement again.
    await send(flow, ingest, `${flow.name}-again${round}`, BATCHES);
    await moveToFeeds(pool);
    const mark = await now(pool);
    const product = await send(flow, ingest, `${flow.name}-r${round}`, BATCHES);
    await moveToFeeds(pool);
    const copy = await copyOf(flow, pool, mark);
    ratios.push(product / copy.ms);
    keyed.push(product / copy.keyedMs);
    say(
      `${flow.name} round ${round + 1}: ${BATCHES * PER_BATCH} ${flow.kind}s in ${product.toFixed(0)} ms; COPY of their ${copy.rows} rows ${copy.ms.toFixed(0)} ms (with foreign keys ${copy.keyedMs.toFixed(0)} ms); ratio ${(product / copy.ms).toFixed(2)}`,
    );
  }
  await requireComplete(flow, before, pool);
  const ratio = median(ratios);
  say(
    `${flow.name} payloads of 100 ${flow.kind}s accepted and fully processed, against a bare COPY: ratio ${ratio.toFixed(2)}; against a COPY that checks the same foreign keys: ${median(keyed).toFixed(2)}`,
  );
  return ratio;
}

/** Moves what was noted into the feeds of companies, so that a round is compared with all entries that it leaves, and with no others. */
async function moveToFeeds(pool: Pool): Promise<void> {
  const MOVE = 'select move_changes(10000) as more';
  while ((await pool.query<{ more: number }>(MOVE)).rows[0]?.more);
}

const now = async (pool: Pool): Promise<string> =>
  (await pool.query<{ now: string }>('select clock_timestamp()::text as now')).rows[0]!.now;

/** Returns the bodies of requests that send `batches` times 100 elements. */
export function bodiesOf(flow: Flow, tag: string, batches: number, perBatch = PER_BATCH): string[] {
  return Array.from({ length: batches }, (_, batch) =>
    JSON.stringify({ [`${flow.kind}s`]: Array.from({ length: perBatch }, (_, i) => flow.element(tag, batch * perBatch + i)) }),
  );
}

/** Returns the milliseconds from the first request until the last record is settled. */
export async function send(
  flow: Flow,
  { base, token, companyId, pool }: Pick<Ingest, 'base' | 'token' | 'companyId' | 'pool'>,
  tag: string,
  batches: number,
): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const bodies = bodiesOf(flow, tag, batches);
  const started = performance.now();
  await Promise.all(bodies.map((body) => shoot(base, { method: 'POST', path: `/ingest/${flow.kind}s`, headers, body })));
  await settled(pool, companyId);
  const took = performance.now() - started;
  await requireDone(pool, tag);
  return took;
}

/** Waits until the company has no open record. It asks rarely, because asking takes time from what is measured. */
export async function settled(pool: Pool, companyId: string): Promise<void> {
  const open = { name: 'open', text: 'select from import_task where company_id = $1 limit 1', values: [companyId] };
  while ((await pool.query(open)).rowCount) await new Promise((wake) => setTimeout(wake, 10));
}

/** @throws Error if a record of the tag failed, or did more or less than expected */
export async function requireDone(pool: Pool, tag: string): Promise<void> {
  const { rows } = await pool.query<{ all: number; processed: number; warned: number }>(
    `select count(*)::int as all, count(*) filter (where state = 'processed')::int as processed,
       count(*) filter (where jsonb_array_length(warnings::jsonb) > 0)::int as warned
     from imported_record where imported_for like $1`,
    [`${tag}-%`],
  );
  const { all, processed, warned } = rows[0]!;
  if (processed < all) throw new Error(`${all - processed} of ${all} records were not processed`);
  if (warned > 0) throw new Error(`${warned} records came with warnings: the workload is not what it says`);
}

/** Returns the rows inserted so far, by table; partitions count as their table. */
async function insertedInto(pool: Pool): Promise<Map<string, number>> {
  // A backend reports what it wrote ten seconds after it became idle at the latest (PGSTAT_IDLE_INTERVAL).
  await new Promise((reported) => setTimeout(reported, 11_000));
  const { rows } = await pool.query<{ name: string; inserted: number }>(
    `select coalesce(pg_partition_root(relid), relid)::regclass::text as name, sum(n_tup_ins)::float8 as inserted
     from pg_stat_user_tables group by 1`,
  );
  return new Map(rows.map(({ name, inserted }) => [name, inserted]));
}

/** @throws Error if a table without a COPY measurement got rows: the comparison would not be of the same rows */
async function requireComplete(flow: Flow, before: Map<string, number>, pool: Pool): Promise<void> {
  const grown = [...(await insertedInto(pool))].flatMap(([name, inserted]) => (inserted > (before.get(name) ?? 0) ? [name] : []));
  const missed = grown.filter(
    (name) => ![...NOT_COPIED, ...FOLLOW_UPS].includes(name) && !flow.tables.includes(name) && !name.startsWith('bench_'),
  );
  if (missed.length > 0) throw new Error(`${flow.kind}s are written to ${missed.join(', ')} too, which COPY is not measured for`);
}

/**
 * Measures COPY of all rows written since `mark` into copies of their tables with the same columns and indexes: once without foreign keys,
 * with which the product is compared, and once with them.
 */
async function copyOf(flow: Flow, pool: Pool, mark: string): Promise<{ ms: number; keyedMs: number; rows: number }> {
  const client = await pool.connect();
  try {
    const all = { ms: 0, keyedMs: 0, rows: 0 };
    // In the cluster's own folder, which is removed with it; in a shared folder, the file of another user's run would be in the way.
    const { rows: found } = await client.query<{ folder: string }>(`select current_setting('data_directory') as folder`);
    const file = `${found[0]!.folder}/haulgate-bench.copy`;
    for (const table of flow.tables) {
      const since = WRITTEN[table] ?? 'created_at';
      await client.query(`create table bench_source as select * from ${table} where ${since} >= '${mark}'`);
      await client.query(`copy bench_source to '${file}'`);
      const { rows: keys } = await client.query<{ key: string }>(
        `select pg_get_constraintdef(oid) as key from pg_constraint where conrelid = $1::regclass and contype = 'f' and conparentid = 0`,
        [table],
      );
      const bare = await timeCopy(client, table, file, []);
      all.rows += bare.rows;
      all.ms += bare.ms;
      all.keyedMs += (await timeCopy(client, table, file, keys)).ms;
      await client.query('drop table bench_source');
    }
    return all;
  } finally {
    client.release();
  }
}

async function timeCopy(client: PoolClient, table: string, file: string, keys: { key: string }[]): Promise<{ ms: number; rows: number }> {
  await client.query(`create table bench_copy (like ${table} including indexes including defaults)`);
  for (const { key } of keys) await client.query(`alter table bench_copy add ${key}`);
  await client.query('begin');
  const started = performance.now();
  const { rowCount } = await client.query(`copy bench_copy from '${file}'`);
  await client.query('commit');
  const ms = performance.now() - started;
  await dropCopy(client);
  return { ms, rows: rowCount ?? 0 };
}

/** PostgreSQL locks the tables to which the foreign keys point, which the product may hold in another order. */
async function dropCopy(client: PoolClient): Promise<void> {
  const DEADLOCK = '40P01';
  try {
    await client.query('drop table bench_copy');
  } catch (error) {
    if ((error as { code?: string }).code !== DEADLOCK) throw error;
    await dropCopy(client);
  }
}
