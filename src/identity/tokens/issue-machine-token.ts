import type { EntityManager } from '@mikro-orm/postgresql';
import { transact } from '../../platform/commands/transact.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { tokenSecondsOf } from '../machine-clients/machine-client.entity.ts';
import type { Authenticated } from '../machine-clients/machine-clients.ts';
import { noteSignIn } from '../sign-in/first-sign-in.ts';
import { type IssuedToken, issueToken } from './tokens.ts';

export interface MachineTokenRequest extends Authenticated {
  scope?: readonly string[];
  audience: string;
  requestId: string;
}

const USED = 'update machine_client set last_used_at = now() where id = $1 and discarded_at is null returning 1';

/** A token for a client that has shown its secret, and the audit row that says so; undefined when the client was revoked meanwhile. */
export function issueMachineToken(em: EntityManager, request: MachineTokenRequest): Promise<IssuedToken | undefined> {
  const { client, secret, scope, audience, requestId } = request;
  const companyId = client.company.id;
  const viewer: Viewer = {
    ...{ type: 'M2MClient', id: client.id, name: client.name, companyId, companyIds: [companyId] },
    ...{ receivesWork: false, roles: [], can: () => false },
  };
  const ctx: Partial<Context> = { em, requestId, language: 'en', memo: new Map(), viewer };
  return transact(ctx as Context, async (tx) => {
    // The company is locked before its client, as where managing it begins.
    await noteSignIn(tx, companyId);
    const used = await queryIn(tx.em, USED, [client.id]);
    // Nothing was done, and so nobody came in.
    if (used.length === 0) throw new Revoked();
    const issued = await issueToken(tx.em, 'machine', client.id, scope, {
      seconds: tokenSecondsOf(tx.em, client),
      audience,
      clientId: client.clientId,
    });
    const changes: Record<string, [unknown, unknown]> = {
      client_id: [null, client.clientId],
      secret: [null, secret],
      scope: [null, scope?.join(' ') ?? 'all'],
      audience: [null, audience],
      expires_at: [null, issued.expiresAt.toISOString()],
    };
    tx.tx.audits.push({ event: 'create', type: 'AccessToken', id: issued.id, companyId, changes });
    return issued;
  }).catch((error) => {
    if (error instanceof Revoked) return undefined;
    throw error;
  });
}

class Revoked extends Error {}
