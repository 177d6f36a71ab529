import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import { sweepFiles } from '../../src/files/sweep-files.ts';
import { fileStorage } from '../../src/platform/storage/storage.ts';
import type { Acknowledged } from './sender.ts';

export interface Figures {
  lost: number;
  doubled: number;
  out_of_order: number;
  /** Attachments whose bytes are missing, truncated or wrong. */
  broken_files: number;
  states: Record<string, number>;
  /** Why records failed, by error. */
  reasons: Record<string, number>;
  effects: number;
  /** Records that took more than one attempt, after kills and for flaky payloads. */
  again: number;
  /** Attachments, and files that a killed process had left and the sweep removed. */
  attachments: number;
  swept: number;
}

type Run = <R>(sql: string, params?: unknown[]) => Promise<R[]>;

/** Compares what was acknowledged with what is in the database and the storage. */
export async function count(orm: MikroORM, acknowledged: Acknowledged): Promise<Figures> {
  const run: Run = (sql, params = []) => orm.em.getConnection().execute(sql, params) as never;
  const known = await run<{ id: string; state: string; attempts: number; last_error: string | null }>(
    'select id, state, attempts, last_error from imported_record',
  );
  const states = new Map(known.map((row) => [row.id, row.state]));
  const tally: Record<string, number> = {};
  for (const state of states.values()) tally[state] = (tally[state] ?? 0) + 1;
  const reasons: Record<string, number> = {};
  for (const { state, last_error } of known) {
    if (state === 'failed' || state === 'exhausted') reasons[String(last_error)] = (reasons[String(last_error)] ?? 0) + 1;
  }
  const effects = await countEffects(run, acknowledged);
  const work = await countWork(run, acknowledged);
  const files = await countFiles(orm, run, acknowledged);
  return {
    lost: acknowledged.records.filter((id) => !['processed', 'skipped'].includes(states.get(id) ?? '')).length + effects.lost + files.lost,
    doubled: effects.doubled + work.doubled + files.doubled,
    out_of_order: effects.outOfOrder + work.outOfOrder,
    broken_files: files.broken,
    states: tally,
    reasons,
    effects: effects.all,
    again: known.filter((row) => row.attempts > 1).length,
    attachments: files.all,
    swept: files.swept,
  };
}

/** Checks the log of effects: each version at most once, none after a newer one, and the last one of each key. */
async function countEffects(run: Run, { versions }: Acknowledged) {
  const log = await run<{ id: string; version: number }>("select kind || ' ' || key as id, version from chaos_effect order by n");
  const applied = Map.groupBy(log, (row) => row.id);
  let [lost, doubled, outOfOrder] = [0, 0, 0];
  for (const [id, last] of Object.entries(versions)) {
    const seen = (applied.get(id) ?? []).map((row) => row.version);
    doubled += seen.length - new Set(seen).size;
    outOfOrder += seen.filter((version, i) => i > 0 && version < seen[i - 1]!).length;
    if (!seen.includes(last)) lost++;
    else if (seen.at(-1) !== last) outOfOrder++;
  }
  return { lost, doubled, outOfOrder, all: log.length };
}

/** Checks the records: one for each key, in its last version, with the one truck, phase or load that it asks for. */
async function countWork(run: Run, { versions }: Acknowledged) {
  const orders = await run<{ key: string; said: string }>(
    "select 'order ' || external_id as key, name as said from orders where external_id is not null",
  );
  const projects = await run<{ key: string; said: string }>(
    "select 'project ' || external_id as key, notes as said from project where external_id is not null",
  );
  const made = [...orders, ...projects];
  const outOfOrder = made.filter(({ key, said }) => said !== `version ${versions[key]}`).length;
  const [extra] = await run<{ jobs: number; phases: number; tickets: number; loads: number }>(`select
    (select count(*)::int from (select from job j join orders o on o.id = j.order_id where o.external_id is not null group by o.id having count(*) <> 1) x) as jobs,
    (select count(*)::int from (select from phase where project_id is not null group by project_id having count(*) <> 1) x) as phases,
    (select count(*)::int - count(distinct ticket_number)::int from ticket) as tickets,
    (select abs(count(*)::int - (select count(*)::int from ticket)) from load l join orders o on o.id = l.order_id where o.external_id is null) as loads`);
  const doubled = made.length - new Set(made.map(({ key }) => key)).size + extra!.jobs + extra!.phases + extra!.tickets + extra!.loads;
  return { doubled, outOfOrder };
}

/**
 * Checks the files: every acknowledged one is attached once to its order, with the bytes that were sent; none waits any more, and none is
 * left over.
 */
async function countFiles(orm: MikroORM, run: Run, acknowledged: Acknowledged) {
  const swept = await sweepFiles(orm.em, 0);
  const rows = await run<{ id: string; key: string; sha256: string }>(
    `select f.id, o.company_id || ' ' || o.external_id || ' ' || f.sha256 as key, f.sha256
     from file_attachment f left join orders o on o.id = f.file_attachable_id`,
  );
  const attached = Map.groupBy(rows, (row) => row.key);
  let [lost, doubled, broken] = [0, 0, 0];
  for (const { companyId, externalId, sha256 } of acknowledged.files) {
    const found = attached.get(`${companyId} ${externalId} ${sha256}`)?.length ?? 0;
    if (found === 0) lost++;
    doubled += Math.max(0, found - 1);
  }
  const [waiting] = await run<{ n: number }>('select count(*)::int as n from parked_file');
  lost += waiting!.n;
  for (const { id, sha256 } of rows) if ((await hashOf(orm, id)) !== sha256) broken++;
  const ids = new Set(rows.map((row) => row.id));
  for await (const key of fileStorage.of(orm.em).keys()) if (!ids.has(key)) broken++;
  return { lost, doubled, broken, all: rows.length, swept };
}

/** Returns undefined if there are no bytes. */
async function hashOf(orm: MikroORM, key: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    await pipeline(await fileStorage.of(orm.em).read(key), hash);
  } catch (error) {
    if (!/ENOENT|cannot read/i.test(`${(error as Error).message} ${String((error as Error).cause)}`)) throw error;
    return undefined;
  }
  return hash.digest('hex');
}
