import type { Pool } from 'pg';
import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { TooMany } from '../../platform/errors.ts';

/** The most open records of a company; published in the sender's guide. */
const BACKLOG_LIMIT = 250_000;
/** Seconds of `Retry-After` for a refused sender. */
const RETRY_AFTER = 30;
/** Milliseconds for which a count is used. What this process admits meanwhile is added to it. */
const BELIEVED = 2_000;

interface Backlog {
  open: number;
  /** When it was counted, in milliseconds of the epoch. */
  at: number;
  /** A running count, which concurrent requests share. */
  counting?: Promise<void>;
}
const backlogs = new WeakMap<Pool, Map<string, Backlog>>();

/**
 * Admission control: limits the backlog of each company. The count is an index-only scan that stops at the limit, made at most once in two
 * seconds for each process and company. The limit is soft, because with a lock every sender of a company would wait for the others. It can
 * be exceeded by what other processes admit within those two seconds, and by what this one is storing while it counts: at most 1,000
 * records a request. Concurrent requests of one process after a count do not exceed it.
 * @throws TooMany with Retry-After if `more` records would exceed `limit`
 */
export async function admitWithin(pool: Pool, companyId: string, more: number, limit = BACKLOG_LIMIT): Promise<void> {
  const known = backlogs.get(pool) ?? new Map<string, Backlog>();
  backlogs.set(pool, known);
  let backlog = known.get(companyId);
  if (!backlog) {
    if (known.size > 10_000) known.clear();
    backlog = { open: 0, at: Number.NEGATIVE_INFINITY };
    known.set(companyId, backlog);
  }
  if (Date.now() - backlog.at > BELIEVED || backlog.open + more > limit) {
    backlog.counting ??= count(backlog, pool, companyId, limit);
    await backlog.counting;
  }
  if (backlog.open + more > limit) throw new TooMany(RETRY_AFTER);
  backlog.open += more;
}

async function count(backlog: Backlog, pool: Pool, companyId: string, limit: number): Promise<void> {
  try {
    Object.assign(backlog, { open: await countOpen(pool, companyId, limit), at: Date.now() });
  } finally {
    backlog.counting = undefined;
  }
}

/** The same for a caller with an open transaction, which must not wait for the counts of others: it counts itself. */
export async function admitOneWithin(tx: TxContext, companyId: string, more: number, limit = BACKLOG_LIMIT): Promise<void> {
  const [counted] = await queryIn<{ open: number }>(tx.em, COUNT, [companyId, limit]);
  if (counted!.open + more > limit) throw new TooMany(RETRY_AFTER);
}

async function countOpen(pool: Pool, companyId: string, limit: number): Promise<number> {
  const { rows } = await pool.query<{ open: number }>({ text: COUNT, values: [companyId, limit] });
  return rows[0]?.open ?? 0;
}

const COUNT = 'select count(*)::integer as open from (select from import_task where company_id = $1 limit $2) t';
