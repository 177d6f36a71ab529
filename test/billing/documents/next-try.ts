import type { TestApp } from '../../helpers/app.ts';

/** Seconds after which the worker tries a document again (`DELAYS` of `export-worker.ts`). */
const DELAYS = [30, 60, 300, 900, 3_600];
/**
 * SQL: an export waits for its next try. Whoever postpones it writes both times in one statement. One that is under way has another distance between
 * them: its lease counts from when it was claimed, which does not note the time of change.
 */
const WAITS = `extract(epoch from next_at - updated_at) in (${DELAYS.join(', ')})`;

/**
 * Has exports that wait for their next try be tried now, and leaves those that are under way their lease. Without it a second try would run beside the first
 * one, and go on after an export has failed: it would send what the test expects nobody to send any more.
 * @param attempts tries that count as made; by default those that were
 */
export const nextTry = ({ orm }: Pick<TestApp, 'orm'>, { companyId, attempts }: { companyId?: string; attempts?: number } = {}) =>
  orm.em
    .fork()
    .execute(
      `update settlement_export set next_at = now(), attempts = coalesce(?::int, attempts) where ${WAITS} and company_id = coalesce(?::uuid, company_id)`,
      [attempts ?? null, companyId ?? null],
    );
