import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Company } from '../directory/company.entity.ts';
import { MachineClient } from './machine-client.entity.ts';
import type { Permission } from './permissions.ts';

export interface NewMachineClient {
  name: string;
  permissions: readonly Permission[];
}

/** Makes a client and its secret; the secret is told once and kept only as a hash. The caller persists and flushes. */
export function makeMachineClient(
  em: EntityManager,
  company: Company,
  input: NewMachineClient,
): { client: MachineClient; clientSecret: string } {
  const clientSecret = randomBytes(32).toString('base64url');
  const client = em.create(MachineClient, {
    company,
    name: input.name,
    clientId: `hg_${randomBytes(12).toString('hex')}`,
    secretHash: hashSecret(clientSecret),
    permissions: [...input.permissions],
  } as never);
  em.persist(client);
  return { client, clientSecret };
}

/** The client of these credentials; undefined when id or secret is wrong or the client was discarded, at the same cost. */
export async function authenticateClient(em: EntityManager, clientId: string, secret: string): Promise<MachineClient | undefined> {
  const client = clientId.includes('\0') ? null : await em.fork().findOne(MachineClient, { clientId }, { filters: { tenant: false } });
  const expected = Buffer.from(client?.secretHash ?? hashSecret(''), 'hex');
  const fits = timingSafeEqual(expected, Buffer.from(hashSecret(secret), 'hex'));
  return fits && client && !client.discardedAt ? client : undefined;
}

function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
