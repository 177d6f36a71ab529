import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchTx, ImportKind } from '../importer.ts';

/** Milliseconds between two looks whether earlier elements are done. */
const LOOK_EVERY = 20;
/** Milliseconds for which a batch waits within its transaction: longer than another one usually takes. */
const PATIENCE_WITHIN = 500;
/** Milliseconds after which earlier elements are no longer waited for. */
const PATIENCE = 10_000;

/** A batch waits for earlier elements: it is rolled back, waits without holding anything, and runs again. */
export class GaveWay extends Error {
  readonly code = '40001';
}

/**
 * Waits until the elements before these of the same request are done, if another worker has them: what several elements name and nobody has is
 * made as the first of them says, as in a dry run. Only whoever makes something waits. Nobody waits in a circle, because batches wait for those
 * that begin before them; nor for elements of the own batch, which failed before this or are applied apart from these.
 * @throws GaveWay if it takes longer, or somebody waits for this transaction meanwhile: perhaps a person, or those elements themselves
 */
export async function earlierElements(tx: BatchTx, kind: ImportKind): Promise<void> {
  for (const until = performance.now() + PATIENCE_WITHIN; performance.now() < until; await sleep(LOOK_EVERY)) {
    const [found] = await tx.query(EARLIER, [tx.claimed, tx.company.id, kind]);
    if (!found) return;
    const [look] = await tx.query<{ wanted: boolean }>(WANTED);
    if (look!.wanted) break;
  }
  throw new GaveWay('an import gave way to the one before it');
}

/** The same for a batch that gave way: it holds nothing meanwhile. @param claimed the ids of its records */
export async function earlierElementsOf(
  query: (sql: string, parameters: unknown[]) => Promise<{ rows: object[] }>,
  claimed: readonly string[],
  companyId: string,
  kind: ImportKind,
): Promise<void> {
  for (const until = performance.now() + PATIENCE; performance.now() < until; await sleep(LOOK_EVERY)) {
    const { rows } = await query(EARLIER, [claimed, companyId, kind]);
    if (rows.length === 0) return;
  }
}

const WANTED = 'select exists (select from pg_locks w where not w.granted and pg_backend_pid() = any (pg_blocking_pids(w.pid))) as wanted';
const EARLIER = `
with mine as materialized (
  select r.batch_id, min(r.sequence) as first from unnest($1::uuid[]) m(id), lateral (select batch_id, sequence from imported_record where id = m.id offset 0) r group by 1
)
select from import_task t, lateral (select batch_id from imported_record where id = t.id offset 0) r, mine
where t.lease_until > now() and t.company_id = $2 and t.kind = $3 and t.id <> all($1::uuid[])
  and mine.batch_id = r.batch_id and t.sequence < mine.first limit 1`;
