import type { EntityManager } from '@mikro-orm/postgresql';
import jwt, { type JwtPayload } from 'jsonwebtoken';
import { perApplication } from '../../platform/application.ts';
import { Unauthenticated } from '../../platform/errors.ts';
import { isUuid, newId } from '../../platform/ids.ts';
import { identitySettings, issuerOf } from '../settings.ts';
import { type Key, publicKey, signingKeys } from './signing-keys.ts';

/** Kinds of token that open the API; any other `token_use` is refused here. */
export type TokenUse = 'session' | 'machine' | 'impersonation';

export interface Claims {
  tokenUse: TokenUse;
  /** Id of the user or machine client. */
  subject: string;
  /** Permissions a machine token was narrowed to; undefined means all of the client's. */
  scope?: string[];
  /**
   * The `user_session` of a session token, or the `impersonation` of a token to act as somebody: the token is not valid once that has
   * ended.
   */
  sessionId?: string;
  expiresAt: Date;
}
export interface IssuedToken {
  /** `jti`. */
  id: string;
  token: string;
  expiresAt: Date;
  /** Seconds. */
  expiresIn: number;
}

/** `typ` of access tokens (RFC 9068): a JWT that was signed for anything else does not have it. */
const TYPE = 'at+jwt';
const LONGEST = 4096;
const REMEMBERED = 5_000;
/** Signatures are checked once per token and application: an elliptic curve check costs as much as a small read. */
const verified = perApplication('verified tokens', () => new Map<string, { claims: Claims; kid: string }>());

/** The limits of a token in addition to the installation's settings. */
export interface TokenLimits {
  /** Seconds it lives. */
  seconds?: number;
  audience?: string;
  /** The `user_session` it belongs to. */
  sessionId?: string;
  /** The machine client's id (RFC 9068). */
  clientId?: string;
}

/** Signs a token with the current key of this database. People's come from `startSession`, which knows their session. */
export async function issueToken(
  em: EntityManager,
  use: TokenUse,
  subject: string,
  scope?: readonly string[],
  limits: TokenLimits = {},
): Promise<IssuedToken> {
  const settings = identitySettings.of(em);
  const { kid, algorithm, key } = (await signingKeys(em)).current();
  const expiresIn = limits.seconds ?? (use === 'session' ? settings.sessionSeconds : settings.machineSeconds);
  const id = newId();
  const claims = Object.entries({ token_use: use, scope: scope?.join(' '), client_id: limits.clientId, sid: limits.sessionId });
  const now = Math.floor(Date.now() / 1000);
  const token = jwt.sign({ ...Object.fromEntries(claims.filter(([, value]) => value !== undefined)), iat: now }, key, {
    algorithm,
    header: { alg: algorithm, typ: TYPE },
    keyid: kid,
    issuer: issuerOf(em),
    audience: limits.audience ?? settings.audience,
    subject,
    jwtid: id,
    expiresIn,
  });
  return { id, token, expiresIn, expiresAt: new Date((now + expiresIn) * 1000) };
}

/**
 * Checks signature, algorithm, key, type, issuer, audience, times and kind of a token.
 * @throws Unauthenticated `invalid_token`, whatever is wrong: somebody who tries tokens learns nothing from it
 */
export async function verifyToken(em: EntityManager, token: string): Promise<Claims> {
  const memory = verified.of(em);
  const known = memory.get(token);
  if (known && known.claims.expiresAt.getTime() > Date.now() && (await signingKeys(em)).public.has(known.kid)) return known.claims;
  memory.delete(token);
  const checked = await check(em, token);
  if (memory.size >= REMEMBERED) memory.clear();
  memory.set(token, checked);
  return checked.claims;
}

async function check(em: EntityManager, token: string): Promise<{ claims: Claims; kid: string }> {
  const kid = kidOf(token);
  const key = kid === undefined ? undefined : await publicKey(em, kid);
  if (!key) throw new Unauthenticated('invalid_token');
  const { sub, exp, token_use: use, scope, sid } = verify(em, token, key);
  if (typeof exp !== 'number' || !isUuid(sub) || !isUse(use)) throw new Unauthenticated('invalid_token');
  const claims: Claims = {
    tokenUse: use,
    subject: sub,
    scope: typeof scope === 'string' ? scope.split(' ') : undefined,
    sessionId: isUuid(sid) ? sid : undefined,
    expiresAt: new Date(exp * 1000),
  };
  return { claims, kid: key.kid };
}

const USES = new Set<unknown>(['session', 'machine', 'impersonation'] satisfies TokenUse[]);
const isUse = (use: unknown): use is TokenUse => USES.has(use);

/** The key id a token names; keys that it brings along (`jwk`, `jku`, `x5u`, `x5c`) are not looked at. */
function kidOf(token: string): string | undefined {
  if (token.length > LONGEST) return undefined;
  const kid = jwt.decode(token, { complete: true })?.header.kid;
  return typeof kid === 'string' ? kid : undefined;
}

function verify(
  em: EntityManager,
  token: string,
  { key, algorithm }: Key,
): JwtPayload & { token_use?: unknown; scope?: unknown; sid?: unknown } {
  const { audience } = identitySettings.of(em);
  try {
    // The key decides on the algorithm, never the token.
    const { header, payload } = jwt.verify(token, key, { algorithms: [algorithm], issuer: issuerOf(em), audience, complete: true });
    // RFC 7515 section 4.1.11: extensions that must be understood, and of which none is.
    if (header.typ === TYPE && !('crit' in header) && typeof payload === 'object') return payload;
  } catch {
    // The library throws errors of every kind over what tokens can be; key and options are ours, and right.
  }
  throw new Unauthenticated('invalid_token');
}
