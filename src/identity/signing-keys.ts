import { createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject, randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { SigningKey } from './signing-key.entity.ts';

export interface Keys {
  /** Signs. */
  current: { kid: string; key: KeyObject };
  /** Verify, by key id. */
  public: Map<string, KeyObject>;
  jwks: { keys: JsonWebKey[] };
}

interface Cached {
  keys: Promise<Keys>;
  at: number;
}

const caches = new WeakMap<object, Cached>();
/** An unknown key id may be a key another process has just made; asked no more often than this (milliseconds). */
const RELOAD_AFTER = 5_000;
const LOCK = 'haulgate.signing_key';

/** The keys of this database; made on first use, under an advisory lock so that processes booting together agree on one. */
export function signingKeys(em: EntityManager): Promise<Keys> {
  const cached = caches.get(em.getDriver());
  return cached?.keys ?? load(em);
}

/** The public key of a key id; undefined when there is none, even after looking again. */
export async function publicKey(em: EntityManager, kid: string): Promise<KeyObject | undefined> {
  const known = (await signingKeys(em)).public.get(kid);
  if (known) return known;
  const cached = caches.get(em.getDriver());
  if (cached && Date.now() - cached.at < RELOAD_AFTER) return undefined;
  return (await load(em)).public.get(kid);
}

/** Makes a new current key; tokens of the old ones stay valid until their rows are deleted. */
export async function rotateSigningKey(em: EntityManager): Promise<void> {
  await inLock(em, async (fork) => {
    await fork.nativeUpdate(SigningKey, { retiredAt: null }, { retiredAt: new Date() });
    fork.persist(makeKey());
  });
  caches.delete(em.getDriver());
}

function load(em: EntityManager): Promise<Keys> {
  const keys = read(em);
  caches.set(em.getDriver(), { keys, at: Date.now() });
  // A failed load must not be remembered; the caller gets the error.
  keys.catch(() => caches.delete(em.getDriver()));
  return keys;
}

async function read(em: EntityManager): Promise<Keys> {
  const all = () => em.fork().find(SigningKey, {}, { orderBy: { createdAt: 'desc', id: 'desc' } });
  let rows = await all();
  if (!rows.some((row) => !row.retiredAt)) {
    await inLock(em, async (fork) => {
      if ((await fork.count(SigningKey, { retiredAt: null })) === 0) fork.persist(makeKey());
    });
    rows = await all();
  }
  const current = rows.find((row) => !row.retiredAt);
  if (!current) throw new Error('there is no signing key');
  return {
    current: { kid: current.kid, key: createPrivateKey({ key: current.privateJwk, format: 'jwk' }) },
    public: new Map(rows.map((row) => [row.kid, createPublicKey({ key: row.publicJwk, format: 'jwk' })])),
    jwks: { keys: rows.map((row) => ({ ...row.publicJwk, kid: row.kid, alg: row.algorithm, use: 'sig' })) },
  };
}

function inLock(em: EntityManager, work: (fork: EntityManager) => Promise<void>): Promise<void> {
  return em.fork().transactional(async (fork) => {
    await fork.getConnection('write').execute('select pg_advisory_xact_lock(hashtext(?))', [LOCK], 'all', fork.getTransactionContext());
    await work(fork);
  });
}

function makeKey(): SigningKey {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = new SigningKey();
  key.kid = randomUUID();
  key.publicJwk = pair.publicKey.export({ format: 'jwk' });
  key.privateJwk = pair.privateKey.export({ format: 'jwk' });
  return key;
}
