import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ref } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Company } from '../../directory/companies/company.entity.ts';
import type { Permission } from '../access/permissions.ts';
import { M2MClient } from './machine-client.entity.ts';

export interface NewMachineClient {
  name: string;
  permissions: readonly Permission[];
}

/** Makes a client and its secret; the secret is shown once and kept only as a hash. The caller flushes. */
export function makeMachineClient(
  em: EntityManager,
  company: Company,
  input: NewMachineClient,
): { client: M2MClient; clientSecret: string } {
  const { secret, hash } = newSecret();
  const client = Object.assign(new M2MClient(), {
    company: ref(Company, company.id),
    name: input.name,
    clientId: `hg_${randomBytes(12).toString('hex')}`,
    secretHash: hash,
    scopes: [...input.permissions],
  });
  em.persist(client);
  return { client, clientSecret: secret };
}

/** Returns a random secret of 256 bits, and its hash, which is stored. */
export function newSecret(): { secret: string; hash: string } {
  const secret = randomBytes(32).toString('base64url');
  return { secret, hash: hashSecret(secret) };
}

export interface Authenticated {
  client: M2MClient;
  /** While a client is rotated it has two. */
  secret: 'newest' | 'previous';
}

/** The client of these credentials; undefined when id or secret is wrong, the client was revoked or its company discarded, at the same cost. */
export async function authenticateClient(em: EntityManager, clientId: string, secret: string): Promise<Authenticated | undefined> {
  const known = { clientId, company: { discardedAt: null } };
  const client = clientId.includes('\0') ? null : await em.fork().findOne(M2MClient, known, { filters: { tenant: false } });
  const given = Buffer.from(hashSecret(secret), 'hex');
  const newest = fits(given, client?.secretHash);
  const previous = fits(given, client?.previousSecretHash);
  const previousLives = (client?.previousSecretExpiresAt?.getTime() ?? 0) > Date.now();
  if (!client || client.discardedAt || !(newest || (previous && previousLives))) return undefined;
  return { client, secret: newest ? 'newest' : 'previous' };
}

function fits(given: Buffer, hash: string | null | undefined): boolean {
  return timingSafeEqual(given, Buffer.from(hash ?? hashSecret(''), 'hex')) && hash !== null && hash !== undefined;
}

function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
