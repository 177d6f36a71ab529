import type { TxContext } from '../../platform/commands/transact.ts';
import { definePurpose, runAsPurpose } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';

/** Ends sign-ins that are under way at a provider, without reading one. */
export const ENDING = definePurpose('sso_attempts_end', {
  sso_attempt: ['select (connection_id)', 'delete'],
  sso_ticket: ['select (connection_id)', 'delete'],
});
const LOCK = (mode: '' | '_shared') => `select pg_advisory_xact_lock${mode}(hashtextextended('haulgate:sso_connection:' || $1, 0))`;

/** Keeps a provider from being replaced to the end of the transaction; waits for somebody who is replacing it. */
export async function holdProvider(tx: TxContext, connectionId: string): Promise<void> {
  await queryIn(tx.em, LOCK('_shared'), [connectionId]);
}

/**
 * Waits for sign-ins that end at the provider at this moment, and lets none end before the transaction does. Taken before the connection is
 * locked, because a ticket that is issued refers to it.
 */
export async function holdProviderAlone(tx: TxContext, connectionId: string): Promise<void> {
  await queryIn(tx.em, LOCK(''), [connectionId.toLowerCase()]);
}

/**
 * Ends the sign-ins that are under way at the provider of a connection, because another one vouches from now on. Those of a connection that
 * is removed go with it. The caller has called `holdProviderAlone`.
 */
export async function endAttempts(tx: TxContext, connectionId: string): Promise<void> {
  await runAsPurpose(ENDING, async () => {
    for (const table of ['sso_attempt', 'sso_ticket'])
      await queryIn(tx.em, `delete from ${table} where connection_id = $1`, [connectionId]);
  });
}
