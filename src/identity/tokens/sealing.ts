import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { perApplication } from '../../platform/application.ts';
import { definePurpose, reserveForPurposes, runAsPurpose } from '../../platform/database/scope.ts';
import { newId } from '../../platform/ids.ts';
import { identitySettings } from '../settings.ts';

/** Reading and making the key that the database keeps for itself. */
export const SEALING = definePurpose('sealing', { sealing_key: ['select', 'insert'] });
export const sealingKeyReserved = reserveForPurposes('sealing_key');

const LOCK = 'haulgate.sealing_key';
const ALGORITHM = 'aes-256-gcm';
/** The keys that the database keeps, once they were asked for. */
const generated = perApplication<{ keys?: Promise<Buffer[]> }>('sealing keys', () => ({}));

/**
 * Encrypts a secret that must be readable again, such as the one of an identity provider. `owner` is the id of the record to which it
 * belongs: the text cannot be decrypted for another one. Shape: `v1.<key id>.<iv>.<ciphertext>.<tag>`.
 */
export async function seal(em: EntityManager, secret: string, owner: string): Promise<string> {
  const [key] = await keysOf(em);
  if (!key) throw new Error('there is no key to seal with');
  const iv = randomBytes(12);
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(owner));
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return ['v1', idOf(key), ...[iv, text, cipher.getAuthTag()].map((part) => part.toString('base64url'))].join('.');
}

/** The secret again. @throws Error when its key is no longer configured, or the text is not as it was sealed */
export async function unseal(em: EntityManager, sealed: string, owner: string): Promise<string> {
  const [version, kid, ...parts] = sealed.split('.');
  const [iv, text, tag] = parts.map((part) => Buffer.from(part, 'base64url'));
  const key = version === 'v1' ? (await keysOf(em)).find((one) => idOf(one) === kid) : undefined;
  if (!key || !iv || !text || tag?.length !== 16) throw new Error('a secret cannot be opened: its key is not in HAULGATE_SECRETS_KEY');
  const decipher = createDecipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(owner)).setAuthTag(tag);
  return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
}

/**
 * Secrets that every process of this database has, others for each purpose, one for each configured key. The first one signs, and what any of them has signed is
 * good, so that a key can be replaced while it is in use. The database's own key counts only without a configured one: copies of the database have it.
 */
export async function sharedSecrets(em: EntityManager, purpose: string): Promise<Buffer[]> {
  const all = await keysOf(em);
  const keys = all.slice(0, Math.max(identitySettings.of(em).secretsKeys.length, 1));
  if (keys.length === 0) throw new Error('there is no key to derive from');
  return keys.map((key) => createHmac('sha256', key).update(purpose).digest());
}

/** Configured keys first; the database's own key still decrypts what was encrypted before one was configured. */
async function keysOf(em: EntityManager): Promise<Buffer[]> {
  const configured = identitySettings.of(em).secretsKeys.map((key) => Buffer.from(key, 'base64'));
  return [...configured, ...(await generatedKeys(em, configured.length === 0))];
}

function generatedKeys(em: EntityManager, needed: boolean): Promise<Buffer[]> {
  const remembered = generated.of(em);
  if (remembered.keys) return remembered.keys;
  const keys = runAsPurpose(SEALING, () => read(em, needed));
  remembered.keys = keys;
  // A failed or empty read must not be remembered.
  const forget = () => {
    remembered.keys = undefined;
  };
  keys.then((found) => void (found.length === 0 && forget()), forget);
  return keys;
}

/** Under an advisory lock, so that processes that start together agree on one; in a separate transaction, whatever the caller's does. */
function read(em: EntityManager, needed: boolean): Promise<Buffer[]> {
  return em.fork({ clear: true }).transactional(async (fork) => {
    const run = (sql: string, params: unknown[] = []) =>
      fork.getConnection('write').execute<{ secret: string }[]>(sql, params, 'all', fork.getTransactionContext());
    const all = () => run('select secret from sealing_key order by created_at desc');
    let rows = await all();
    if (rows.length === 0 && needed) {
      await run('select pg_advisory_xact_lock(hashtext(?))', [LOCK]);
      rows = await all();
      if (rows.length === 0)
        rows = await run('insert into sealing_key (id, secret) values (?, ?) returning secret', [
          newId(),
          randomBytes(32).toString('base64'),
        ]);
    }
    return rows.map(({ secret }) => Buffer.from(secret, 'base64'));
  });
}

function idOf(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}
