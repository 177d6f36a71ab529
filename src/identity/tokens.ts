import type { EntityManager } from '@mikro-orm/postgresql';
import jwt, { type JwtPayload } from 'jsonwebtoken';
import { Unauthenticated } from '../platform/errors.ts';
import { isUuid, newId } from '../platform/ids.ts';
import { identitySettings } from './settings.ts';
import { publicKey, signingKeys } from './signing-keys.ts';

/** Kinds of token that open the API. Others (magic links, uploads) will carry another `token_use` and are refused here. */
export type TokenUse = 'session' | 'machine';

export interface Claims {
  tokenUse: TokenUse;
  /** Id of the user or machine client. */
  subject: string;
  /** Permissions a machine token was narrowed to; undefined means all of the client's. */
  scope?: string[];
  /** The `user_session` of a session token: it opens nothing once that has ended. */
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

const ALGORITHM = 'ES256';
const LONGEST = 4096;
const REMEMBERED = 5_000;
const verified = new WeakMap<object, Map<string, Claims>>();

/** What a token has beyond the installation's settings. */
export interface TokenLimits {
  /** Seconds it lives. */
  seconds?: number;
  audience?: string;
  /** The `user_session` it belongs to. */
  sessionId?: string;
}

/** Signs a token with the current key of this database. People's come from `startSession`, which knows their session. */
export async function issueToken(
  em: EntityManager,
  use: TokenUse,
  subject: string,
  scope?: readonly string[],
  limits: TokenLimits = {},
): Promise<IssuedToken> {
  const settings = identitySettings();
  const { current } = await signingKeys(em);
  const expiresIn = limits.seconds ?? (use === 'session' ? settings.sessionSeconds : settings.machineSeconds);
  const id = newId();
  const token = jwt.sign(
    { token_use: use, ...(scope ? { scope: scope.join(' ') } : {}), ...(limits.sessionId ? { sid: limits.sessionId } : {}) },
    current.key,
    {
      algorithm: ALGORITHM,
      keyid: current.kid,
      issuer: settings.issuer,
      audience: limits.audience ?? settings.audience,
      subject,
      jwtid: id,
      expiresIn,
    },
  );
  const { exp } = jwt.decode(token) as JwtPayload;
  return { id, token, expiresIn, expiresAt: new Date((exp as number) * 1000) };
}

/**
 * Checks signature, algorithm, key, issuer, audience, expiry and kind of a token.
 * @throws Unauthenticated `expired_token` for an otherwise good one, `invalid_token` for anything else
 */
export async function verifyToken(em: EntityManager, token: string): Promise<Claims> {
  const known = remembered(em).get(token);
  if (known) {
    if (known.expiresAt.getTime() <= Date.now()) throw new Unauthenticated('expired_token');
    return known;
  }
  const claims = await check(em, token);
  const memory = remembered(em);
  if (memory.size >= REMEMBERED) memory.clear();
  memory.set(token, claims);
  return claims;
}

async function check(em: EntityManager, token: string): Promise<Claims> {
  if (token.length > LONGEST) throw new Unauthenticated('invalid_token');
  const header = jwt.decode(token, { complete: true })?.header;
  const key = header?.alg === ALGORITHM && typeof header.kid === 'string' ? await publicKey(em, header.kid) : undefined;
  if (!key) throw new Unauthenticated('invalid_token');
  const { issuer, audience } = identitySettings();
  const payload = verify(token, key, issuer, audience);
  const { sub, exp, token_use: use, scope, sid } = payload as JwtPayload & { token_use?: unknown; scope?: unknown; sid?: unknown };
  if (typeof exp !== 'number' || !isUuid(sub) || (use !== 'session' && use !== 'machine')) throw new Unauthenticated('invalid_token');
  return {
    tokenUse: use,
    subject: sub,
    scope: typeof scope === 'string' ? scope.split(' ') : undefined,
    sessionId: isUuid(sid) ? sid : undefined,
    expiresAt: new Date(exp * 1000),
  };
}

function verify(token: string, key: Parameters<typeof jwt.verify>[1], issuer: string, audience: string): JwtPayload {
  try {
    return jwt.verify(token, key as jwt.PublicKey, { algorithms: [ALGORITHM], issuer, audience }) as JwtPayload;
  } catch (error) {
    throw new Unauthenticated(error instanceof jwt.TokenExpiredError ? 'expired_token' : 'invalid_token');
  }
}

/** Signatures are checked once per token and database: an elliptic curve check costs as much as a small read. */
function remembered(em: EntityManager): Map<string, Claims> {
  const driver = em.getDriver();
  const memory = verified.get(driver) ?? new Map<string, Claims>();
  verified.set(driver, memory);
  return memory;
}
