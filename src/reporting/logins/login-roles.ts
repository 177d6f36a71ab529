import type { EntityManager } from '@mikro-orm/postgresql';
import { PUBLISHED } from '../../platform/database/published.ts';
import { definePurpose, runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf, queryIn } from '../../platform/database/sql.ts';
import { scramVerifier } from './scram.ts';

/** Making and ending logins of companies, by functions that act as the owner of the tables: the product itself may make no role. */
export const REPORTING_LOGINS = definePurpose('reporting_logins', {});

/** PostgreSQL's words for a function that is not there: the schema was not made, because the owner may not make it. */
const NOT_THERE = new Set(['42883', '3F000', '42501']);

/**
 * Makes the role of a login in the running transaction, or gives it another password.
 * @returns false if the owner of the tables may not make roles
 */
export async function makeRole(em: EntityManager, id: string, password: string): Promise<boolean> {
  const verifier = await scramVerifier(password);
  const sql = `select ${PUBLISHED}.make_login($1::uuid, $2) as made`;
  try {
    const [answer] = await runAsPurpose(REPORTING_LOGINS, () => queryIn<{ made: boolean }>(em, sql, [id, verifier]));
    return answer!.made;
  } catch (error) {
    if (NOT_THERE.has((error as { code?: string }).code ?? '')) return false;
    throw error;
  }
}

/**
 * Ends sessions of logins that may have none any more, and that take more than they may.
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
    // Where no login can be made, none is watched.
    if (NOT_THERE.has((error as { code?: string }).code ?? '')) return 0;
    throw error;
  }
}
