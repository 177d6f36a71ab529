import { transact } from '../../../platform/commands/transact.ts';
import type { Context } from '../../../platform/context.ts';
import type { SsoConnection } from '../sso-connection.entity.ts';
import type { SsoFailure } from './sso-failure.ts';

/**
 * An audit row about a sign-in that a company's provider sent us and that did not hold, so that its admins can find out why. Only of
 * attempts that began here: strangers cannot fill the log with the rest.
 */
export async function recordRefusal(ctx: Context, connection: SsoConnection, failure: SsoFailure): Promise<void> {
  await transact({ ...ctx, viewer: undefined }, async (tx) => {
    tx.tx.audits.push({
      event: 'sign_in_failed',
      type: 'SsoConnection',
      id: connection.id,
      companyId: connection.company.id,
      changes: {
        method: [null, 'sso'],
        reason: [null, failure.reason],
        detail: [null, failure.message],
        address: [null, tx.client?.address ?? null],
      },
    });
  });
}
