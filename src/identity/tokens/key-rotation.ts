import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { runAsPurpose } from '../../platform/database/scope.ts';
import { type IdentitySettings, identitySettings } from '../settings.ts';
import { seal } from './sealing.ts';
import { type KeyAlgorithm, SIGNING, SigningKey } from './signing-key.entity.ts';

const LOCK = 'haulgate.signing_key';
/** Milliseconds a key is published before it signs: twice what the JWKS may be kept. */
export const LEAD = 600_000;
/** Milliseconds a key is kept beyond the life of its last token: clocks differ. */
const GRACE = 3_600_000;
const DAY = 86_400_000;

export interface KeyChanges {
  made: string[];
  removed: string[];
}

/**
 * Does what is due with the keys, under an advisory lock so that processes agree; safe to call at any time:
 * - makes the first key, and one that signs at once when no other can;
 * - makes the next key when the newest one is too old (`keyDays`), was made before `rotateKeysBefore`, or is of another algorithm
 *   than configured: it signs after `LEAD`, when everybody who verifies has had time to learn of it;
 * - removes keys whose last token has expired, and at once those made before `dropKeysBefore`, with everything they signed.
 * @param found kids whose private half cannot be opened
 */
export function keepSigningKeys(em: EntityManager, found: { unusable?: readonly string[] } = {}): Promise<KeyChanges> {
  return runAsPurpose(SIGNING, () => keep(em, found.unusable ?? []));
}

function keep(em: EntityManager, unusable: readonly string[]): Promise<KeyChanges> {
  return em.fork({ clear: true }).transactional(async (fork) => {
    await fork.getConnection('write').execute('select pg_advisory_xact_lock(hashtext(?))', [LOCK], 'all', fork.getTransactionContext());
    const now = Date.now();
    const settings = identitySettings.of(em);
    const dropped = come(settings.dropKeysBefore, now);
    const rows = await fork.find(SigningKey, {}, { orderBy: { signsFrom: 'desc', id: 'desc' } });
    const kept = rows.filter((row) => row.createdAt.getTime() >= dropped);
    const signing = kept.filter((row) => !unusable.includes(row.kid));
    const made: SigningKey[] = [];
    if (!signing.some((row) => row.signsFrom.getTime() <= now)) made.push(await makeKey(em, new Date(now)));
    else if (isDue(settings, signing[0] as SigningKey, now)) made.push(await makeKey(em, new Date(now + LEAD)));
    const longest = Math.max(settings.sessionSeconds, settings.machineSeconds) * 1000 + GRACE;
    // It has signed until the one after it began to.
    const isOver = (row: SigningKey) => (kept[kept.indexOf(row) - 1]?.signsFrom.getTime() ?? now) + longest < now;
    const removed = rows.filter((row) => !kept.includes(row) || isOver(row));
    fork.persist(made);
    for (const row of removed) fork.remove(row);
    return { made: made.map((row) => row.kid), removed: removed.map((row) => row.kid) };
  });
}

/** True when the newest key should have a successor. One that does not sign yet is the successor. */
function isDue({ keyDays, keyAlgorithm, rotateKeysBefore }: IdentitySettings, newest: SigningKey, now: number): boolean {
  if (newest.signsFrom.getTime() > now) return false;
  const tooOld = keyDays > 0 && now - newest.signsFrom.getTime() >= keyDays * DAY;
  return tooOld || newest.createdAt.getTime() < come(rotateKeysBefore, now) || newest.algorithm !== keyAlgorithm;
}

/** A time once it has come: until then every key would be older, the one just made too. */
const come = (time: number | undefined, now: number): number => (time !== undefined && time <= now ? time : 0);

async function makeKey(em: EntityManager, signsFrom: Date): Promise<SigningKey> {
  const key = new SigningKey();
  const algorithm = identitySettings.of(em).keyAlgorithm;
  const { publicKey, privateKey } = PAIRS[algorithm]();
  return Object.assign(key, {
    kid: randomUUID(),
    algorithm,
    publicJwk: publicKey.export({ format: 'jwk' }),
    privateJwk: { sealed: await seal(em, JSON.stringify(privateKey.export({ format: 'jwk' })), key.id) },
    signsFrom,
  });
}

const PAIRS: Record<KeyAlgorithm, () => ReturnType<typeof generateKeyPairSync>> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 3072 }),
};
