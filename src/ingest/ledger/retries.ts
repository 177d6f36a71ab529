import { STALE_PLAN } from '../../platform/database/connection/wire.ts';

/** Seconds until the retry after the first, second, ... failed attempt. A failure beyond the list exhausts the record. */
export interface RetryRules {
  /** Causes outside the payload: database, locks, a geocoder. */
  transient: number[];
  /** The payload is wrong, or refers to a record that may still arrive. */
  deterministic: number[];
  /** Claims that may end without an outcome (process killed, never returned) before the record is parked. */
  lostClaims: number;
}

/** DOMAIN section 5. */
export const RETRIES: RetryRules = {
  transient: [30, 120, 600, 3600, 21_600],
  deterministic: [120, 600],
  // From the third on a row is tried alone. An innocent one would have to meet a dying process six more times within a few milliseconds.
  lostClaims: 8,
};

/** Returns the seconds until the next attempt, or undefined if all are used. A jitter of a fifth spreads the retries of a failed batch. */
export function retryDelay(rules: RetryRules, attempt: number, transient: boolean): number | undefined {
  const seconds = (transient ? rules.transient : rules.deterministic)[attempt - 1];
  return seconds === undefined ? undefined : seconds * (0.8 + Math.random() * 0.4);
}

/** The meaning of an error of the database for the batch. */
export type Fault = 'lost-connection' | 'lost-race' | 'transient' | 'deterministic';

/**
 * Returns the kind of an error. Classes of SQLSTATE (PostgreSQL, appendix A): 08 connection, 57P operator intervention, 40 rollback because
 * of a concurrent transaction, 53 resources, 55P03 lock not available, 57014 canceled, 58 system.
 */
export function faultOf(error: unknown): Fault {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const state = typeof code === 'string' ? code : '';
  if (/^(08|57P|ECONN|EPIPE|ETIMEDOUT|ENOENT|EAI_)/.test(state)) return 'lost-connection';
  // node-postgres has no code for a socket that closed during a query.
  if (/^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/.test(String(message)))
    return 'lost-connection';
  // A migration changed a table meanwhile, and the statement is prepared anew the next time.
  if (state === '40001' || state === '40P01' || state === STALE_PLAN) return 'lost-race';
  if (/^(53|55P03|57014|58)/.test(state)) return 'transient';
  return 'deterministic';
}
