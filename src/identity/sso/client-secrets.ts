import type { EntityManager } from '@mikro-orm/postgresql';
import type { TxContext } from '../../platform/commands/transact.ts';
import { definePurpose, reserveForPurposes, runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf, queryIn } from '../../platform/database/sql.ts';
import { seal, unseal } from '../tokens/sealing.ts';

/** Stores and reads the secret for a provider, apart from its connection, which everybody reads who manages it. */
export const SSO_SECRETS = definePurpose('sso_secrets', { sso_secret: ['select', 'insert', 'update', 'delete'] });
export const ssoSecretReserved = reserveForPurposes('sso_secret');

/** Keeps a connection's client secret, sealed; null forgets it. */
export async function keepClientSecret(tx: TxContext, connectionId: string, secret: string | null): Promise<void> {
  const sealed = secret === null ? null : await seal(tx.em, secret, connectionId);
  await runAsPurpose(SSO_SECRETS, () =>
    sealed === null
      ? queryIn(tx.em, 'delete from sso_secret where connection_id = $1', [connectionId])
      : queryIn(
          tx.em,
          `insert into sso_secret (connection_id, sealed) values ($1, $2) on conflict (connection_id) do update set sealed = excluded.sealed`,
          [connectionId, sealed],
        ),
  );
}

/** The client secret of a connection, if it has one. @throws Error when its key is no longer configured */
export async function clientSecretOf(em: EntityManager, connectionId: string): Promise<string | undefined> {
  const pool = await poolOf(em);
  const { rows } = await runAsPurpose(SSO_SECRETS, () =>
    pool.query<{ sealed: string }>('select sealed from sso_secret where connection_id = $1', [connectionId]),
  );
  return rows[0] && unseal(em, rows[0].sealed, connectionId);
}
