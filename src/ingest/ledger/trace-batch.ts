import type { EntityManager } from '@mikro-orm/postgresql';
import { poolOf } from '../../platform/database/sql.ts';
import { inTask, type Origin, type Tracing } from '../../platform/tracing/spans.ts';
import type { Batch } from './batch.ts';

/** Requests that the span of a batch links to at most: of thousands nobody follows each. */
const MOST = 32;

const SENDERS = `select distinct b.request_id as "requestId", b.trace_parent as "traceParent"
  from imported_record r join import_batch b on b.id = r.batch_id where r.id = any($1::uuid[]) limit ${MOST + 1}`;

/**
 * Runs a batch in a span, if batches are traced. Records of one request are part of that request's trace. Records of several are a trace of their own,
 * which links to theirs.
 */
export async function traceBatch(how: Tracing | undefined, batch: Batch, run: () => Promise<void>): Promise<void> {
  if (!how) return run();
  const { companyId, kind, rows } = batch.claim;
  const attributes = { 'haulgate.import.kind': kind, 'haulgate.import.records': rows.length };
  return inTask(how, 'import batch', { companyId, ...(await originOf(batch)) }, () => ({ attributes }), run);
}

async function originOf({ em, claim, log }: Batch): Promise<Origin> {
  const senders = await sendersOf(
    em,
    claim.rows.map(({ id }) => id),
  ).catch((error: unknown): Sender[] => {
    // The records matter more than where the trace says that they come from.
    log.warn({ err: error }, 'the trace of an import batch does not name its requests');
    return [];
  });
  const [first, second] = senders;
  if (first && !second) return first;
  return { links: senders.slice(0, MOST).flatMap(({ traceParent }) => traceParent ?? []) };
}

interface Sender {
  requestId: string;
  traceParent: string | null;
}

const sendersOf = async (em: EntityManager, ids: readonly string[]): Promise<Sender[]> =>
  (await (await poolOf(em)).query<Sender>(SENDERS, [ids])).rows;
