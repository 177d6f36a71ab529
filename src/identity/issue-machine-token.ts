import type { EntityManager } from '@mikro-orm/postgresql';
import { writeRecords } from '../platform/commands/records.ts';
import { queryIn } from '../platform/database/sql.ts';
import { tokenSecondsOf } from './machine-client.entity.ts';
import type { Authenticated } from './machine-clients.ts';
import { type IssuedToken, issueToken } from './tokens.ts';

export interface MachineTokenRequest extends Authenticated {
  scope?: readonly string[];
  audience: string;
  requestId: string;
}

const USED = 'update machine_client set last_used_at = now() where id = $1 and discarded_at is null returning last_used_at';

/** A token for a client that has shown its secret, and the audit row that says so; undefined when the client was revoked meanwhile. */
export function issueMachineToken(em: EntityManager, request: MachineTokenRequest): Promise<IssuedToken | undefined> {
  const { client, secret, scope, audience, requestId } = request;
  return em.fork().transactional(async (tx) => {
    const [used] = await queryIn<{ last_used_at: string | Date }>(tx, USED, [client.id]);
    if (!used) return undefined;
    const issued = await issueToken(tx, 'machine', client.id, scope, {
      seconds: tokenSecondsOf(client),
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
    const audits = [{ event: 'create' as const, type: 'AccessToken', id: issued.id, companyId: client.company.id, changes }];
    const actor = { type: 'M2MClient' as const, id: client.id, name: client.name };
    await writeRecords(tx, { events: [], audits, transitions: [] }, { actor, requestId, now: new Date(used.last_used_at) });
    return issued;
  });
}
