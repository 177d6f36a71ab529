import type { Pool } from 'pg';
import { TooMany } from '../../platform/errors.ts';

/** Open records a company may have; published in the sender's guide. */
export const BACKLOG_LIMIT = 250_000;
/** Seconds a refused sender is told to wait. */
const RETRY_AFTER = 30;
/** Milliseconds a count is believed. In between, what this process admits is added to it. */
const BELIEVED = 2_000;

interface Count {
  open: number;
  at: number;
}
const counts = new WeakMap<Pool, Map<string, Count>>();

/**
 * Admission control: a bounded backlog per company. The count is an index-only scan that stops at the limit, made at most once in
 * two seconds per process and company, so several processes together may overshoot by what they admit in that time.
 * @throws TooMany with Retry-After when `more` records would exceed `limit`
 */
export async function admitWithin(pool: Pool, companyId: string, more: number, limit = BACKLOG_LIMIT): Promise<void> {
  const known = counts.get(pool) ?? new Map<string, Count>();
  counts.set(pool, known);
  let count = known.get(companyId);
  if (!count || Date.now() - count.at > BELIEVED || count.open + more > limit) {
    count = { open: await countOpen(pool, companyId, limit), at: Date.now() };
    if (known.size > 10_000) known.clear();
    known.set(companyId, count);
  }
  if (count.open + more > limit) throw new TooMany(RETRY_AFTER);
  count.open += more;
}

async function countOpen(pool: Pool, companyId: string, limit: number): Promise<number> {
  const { rows } = await pool.query<{ open: number }>({
    text: 'select count(*)::integer as open from (select from import_task where company_id = $1 limit $2) t',
    values: [companyId, limit],
  });
  return rows[0]?.open ?? 0;
}
