import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type InApplication, perApplication } from '../../platform/application.ts';
import { runAsPurpose } from '../../platform/database/scope.ts';
import { keepSigningKeys } from './key-rotation.ts';
import { unseal } from './sealing.ts';
import { type KeyAlgorithm, SIGNING, SigningKey } from './signing-key.entity.ts';

/** A key and the only algorithm it is used with. */
export interface Key {
  kid: string;
  algorithm: KeyAlgorithm;
  key: KeyObject;
}

export interface Keys {
  /** Signs now. */
  current(): Key;
  /** Keys that verify, by key id; the next one is among them. */
  public: ReadonlyMap<string, Key>;
  jwks: { keys: JsonWebKey[] };
}

interface Cached {
  keys: Promise<Keys>;
  at: number;
}

const cache = perApplication<{ cached?: Cached }>('signing keys', () => ({}));
/** Milliseconds that keys are remembered: how long a removed key may still verify. */
const REMEMBERED = 4_000;
/** An unknown key id may be that of a key which another process has just made; the table is read no more often than this (milliseconds). */
const LOOK_AGAIN = 1_000;

/** The keys of this database; made on first use. */
export function signingKeys(em: EntityManager): Promise<Keys> {
  const { cached } = cache.of(em);
  return cached && Date.now() - cached.at < REMEMBERED ? cached.keys : load(em);
}

/** The public key of a key id; undefined when there is none, even after looking again. */
export async function publicKey(em: EntityManager, kid: string): Promise<Key | undefined> {
  const known = (await signingKeys(em)).public.get(kid);
  if (known) return known;
  const { cached } = cache.of(em);
  if (cached && Date.now() - cached.at < LOOK_AGAIN) return undefined;
  return (await load(em)).public.get(kid);
}

/** Reads the keys anew when they are next asked for. */
export function forgetSigningKeys(application: InApplication): void {
  cache.of(application).cached = undefined;
}

function load(em: EntityManager): Promise<Keys> {
  const keys = read(em);
  const kept = cache.of(em);
  const cached = { keys, at: Date.now() };
  kept.cached = cached;
  // A failed load must not be remembered; the caller gets the error.
  keys.catch(() => {
    if (kept.cached === cached) kept.cached = undefined;
  });
  return keys;
}

async function read(em: EntityManager): Promise<Keys> {
  let { rows, signers } = await all(em);
  if (signers.every(({ from }) => from > Date.now())) {
    await keepSigningKeys(em, { unusable: rows.map(({ kid }) => kid) });
    ({ rows, signers } = await all(em));
  }
  return {
    current() {
      const now = Date.now();
      const key = signers.find(({ from }) => from <= now);
      if (!key) throw new Error('there is no signing key');
      return key;
    },
    public: new Map(
      rows.map(({ kid, algorithm, publicJwk }) => [kid, { kid, algorithm, key: createPublicKey({ key: publicJwk, format: 'jwk' }) }]),
    ),
    jwks: { keys: rows.map((row) => ({ ...row.publicJwk, kid: row.kid, alg: row.algorithm, use: 'sig' })) },
  };
}

/** Newest first, and those of them that can sign: a private key whose sealing key is no longer configured cannot. */
async function all(em: EntityManager): Promise<{ rows: SigningKey[]; signers: (Key & { from: number })[] }> {
  const rows = await runAsPurpose(SIGNING, () =>
    em.fork({ clear: true }).find(SigningKey, {}, { orderBy: { signsFrom: 'desc', id: 'desc' } }),
  );
  const signers = await Promise.all(
    rows.map(async (row) => {
      const jwk = 'sealed' in row.privateJwk ? await opened(em, String(row.privateJwk.sealed), row.id) : (row.privateJwk as JsonWebKey);
      const key = jwk && createPrivateKey({ key: jwk, format: 'jwk' });
      return key ? [{ kid: row.kid, algorithm: row.algorithm, key, from: row.signsFrom.getTime() }] : [];
    }),
  );
  return { rows, signers: signers.flat() };
}

async function opened(em: EntityManager, sealed: string, owner: string): Promise<JsonWebKey | undefined> {
  try {
    return JSON.parse(await unseal(em, sealed, owner)) as JsonWebKey;
  } catch {
    // It still verifies; another key signs.
    return undefined;
  }
}
