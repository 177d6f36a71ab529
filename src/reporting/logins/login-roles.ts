import type { EntityManager } from '@mikro-orm/postgresql';
import { PUBLISHED } from '../../platform/database/published.ts';
import { definePurpose, reserveForPurposes, runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf, queryIn } from '../../platform/database/sql.ts';
import { Conflict } from '../../platform/errors.ts';
import { scramVerifier } from './scram.ts';
import { reportingTrusted } from './settings.ts';

/** Making and ending logins of companies, by functions that act as the owner of the tables: the product itself may make no role. */
export const REPORTING_LOGINS = definePurpose('reporting_logins', {});
/** Passwords of logins that are closed until no session of the old one is left: only these functions read them. */
export const verifiersReserved = reserveForPurposes('reporting_login_verifier');

/** PostgreSQL's words for a function that is not there: the schema was not made, because the owner may not make it. */
const DENIED = '42501';
const NOT_THERE = new Set(['42883', '3F000', DENIED]);

const REASON = /^(?:(roles|elsewhere)|writes: (.*))$/s;

/**
 * Makes the role of a login in the running transaction. If it has one, that gets another password, by which it can sign in when the watch has ended
 * all of its sessions.
 * @throws Conflict that says why there can be no such role
 */
export async function makeRole(em: EntityManager, id: string, password: string): Promise<void> {
  const verifier = await scramVerifier(password);
  const sql = `select ${PUBLISHED}.make_login($1::uuid, $2, $3) as reason`;
  const refuse = (key: string, params?: Record<string, string>): never => {
    throw new Conflict([{ model: 'ReportingLogin', field: '', key: `reporting_login_${key}`, params }]);
  };
  let reason: string | null;
  try {
    const values = [id, verifier, reportingTrusted.of(em)];
    const [answer] = await runAsPurpose(REPORTING_LOGINS, () => queryIn<{ reason: string | null }>(em, sql, values));
    reason = answer!.reason;
  } catch (error) {
    if (NOT_THERE.has((error as { code?: string }).code ?? '')) return refuse('roles');
    throw error;
  }
  if (reason === null) return;
  const [, key, writes] = REASON.exec(reason)!;
  return key ? refuse(key) : refuse('writes', { writes: writes! });
}

/**
 * Ends sessions of logins that may have none any more, and that take more than they may, and opens logins whose password is another one now.
 * @returns how many were ended
 */
export async function watchReportingLogins(em: EntityManager): Promise<number> {
  const pool = await poolOf(em);
  try {
    const { rows } = await runAsPurpose(REPORTING_LOGINS, () =>
      pool.query<{ ended: number }>(`select ${PUBLISHED}.watch_logins() as ended`),
    );
    return rows[0]!.ended;
  } catch (error) {
    // Where no login can be made, none is watched. A right that the owner lacks is another matter, which somebody must hear of.
    const { code = '' } = error as { code?: string };
    if (NOT_THERE.has(code) && code !== DENIED) return 0;
    throw error;
  }
}

/**
 * Opens a login whose password is another one now, before its caller learns that one. A look waits for connections that are being opened only for a second,
 * which on a busy machine may be too short for them: it looks again, and leaves the rest to the watch.
 */
export async function openReportingLogin(em: EntityManager, username: string): Promise<void> {
  const pool = await poolOf(em);
  for (let look = 0; look < LOOKS; look++) {
    await watchReportingLogins(em);
    const { rows } = await runAsPurpose(REPORTING_LOGINS, () => pool.query<{ open: boolean }>(IS_OPEN, [username]));
    if (rows[0]?.open !== false) return;
  }
}

const IS_OPEN = 'select rolcanlogin as open from pg_roles where rolname = $1';
/** Two if nobody is in the way. They take ten seconds at most. */
const LOOKS = 10;
