import type { EntityManager } from '@mikro-orm/postgresql';
import { createRemoteJWKSet, decodeJwt, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { perApplication } from '../../platform/application.ts';
import { foldEmail } from '../../platform/email.ts';
import { Unauthenticated, Unavailable } from '../../platform/errors.ts';
import { isPermission } from '../access/permissions.ts';
import { type ExternalIssuer, identitySettings } from '../settings.ts';

/** The person or client that a token of the external issuer names. */
export interface ExternalClaims {
  /** A person by what e-mail addresses are compared by, or a machine client by its id there. */
  names: { email: string } | { clientId: string };
  /** The permissions among its scopes; undefined when there are none: scopes of another provider mean other things. */
  scope?: string[];
  expiresAt: Date;
}

/** Asymmetric ones only: a shared secret would make a verifier a forger. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
/** Seconds that the provider's clock may differ from ours. */
const SKEW = 30;
/** Milliseconds: keys are asked for anew when they are so old, or for an unknown key id, but not more often than the second. */
const FRESH = 600_000;
const COOL_DOWN = 5_000;
const PATIENCE = 3_000;
const REMEMBERED = 60_000;
const MOST = 5_000;
/** The keys of the provider, and the tokens that were checked. */
const memory = perApplication('what is known of the external issuer', () => ({
  tokens: new Map<string, { claims: ExternalClaims; until: number }>(),
  keySet: undefined as { url: string; keys: JWTVerifyGetKey } | undefined,
}));

/** The configured issuer when the token says that it is from there; what the token says is not yet proven. */
export function externalIssuerOf(em: EntityManager, token: string): ExternalIssuer | undefined {
  const { externalIssuer } = identitySettings.of(em);
  if (!externalIssuer) return undefined;
  try {
    return decodeJwt(token).iss === externalIssuer.issuer ? externalIssuer : undefined;
  } catch {
    return undefined;
  }
}

/** As `check`, once a minute for each token: a signature costs as much as a small read. */
export async function verifyExternal(em: EntityManager, token: string, external: ExternalIssuer): Promise<ExternalClaims> {
  const { tokens } = memory.of(em);
  const found = tokens.get(token);
  if (found && found.until > Date.now()) return found.claims;
  const claims = await check(em, token, external);
  if (tokens.size >= MOST) tokens.clear();
  tokens.set(token, { claims, until: Math.min(claims.expiresAt.getTime(), Date.now() + REMEMBERED) });
  return claims;
}

/**
 * Checks a token of the external issuer by the keys that it publishes.
 * @throws Unauthenticated `invalid_token`
 * @throws Unavailable when the keys are not known and cannot be had now
 */
async function check(em: EntityManager, token: string, external: ExternalIssuer): Promise<ExternalClaims> {
  const { issuer, audience } = external;
  const options = { issuer, audience, algorithms: ALGORITHMS, clockTolerance: SKEW, requiredClaims: ['exp'] };
  try {
    const { payload } = await jwtVerify(token, keysOf(em, external), options);
    const names = whoIn(payload, external);
    if (!names) throw new Unauthenticated('invalid_token');
    return { names, scope: scopeOf(payload), expiresAt: new Date((payload.exp as number) * 1000) };
  } catch (error) {
    if (error instanceof Unauthenticated) throw error;
    if (!isUnreachable(error)) throw new Unauthenticated('invalid_token');
    throw new Unavailable(Math.ceil(COOL_DOWN / 1000), error);
  }
}

function keysOf(em: EntityManager, { jwksUrl }: ExternalIssuer): JWTVerifyGetKey {
  const known = memory.of(em);
  if (known.keySet?.url !== jwksUrl) {
    const options = { cacheMaxAge: FRESH, cooldownDuration: COOL_DOWN, timeoutDuration: PATIENCE };
    known.keySet = { url: jwksUrl, keys: createRemoteJWKSet(new URL(jwksUrl), options) };
  }
  return known.keySet.keys;
}

/** A person when the token has an e-mail address, which machines have not. */
function whoIn(payload: JWTPayload, { userClaim, clientClaim }: ExternalIssuer): ExternalClaims['names'] | undefined {
  const [email, clientId] = [payload[userClaim], payload[clientClaim] ?? payload.azp];
  if (typeof email === 'string' && email !== '') return payload.email_verified === false ? undefined : { email: foldEmail(email) };
  return typeof clientId === 'string' && clientId !== '' ? { clientId } : undefined;
}

function scopeOf({ scope }: JWTPayload): string[] | undefined {
  const names = typeof scope === 'string' ? scope.split(' ').filter(isPermission) : [];
  return names.length > 0 ? names : undefined;
}

/** The provider does not answer, answers too late, or answers something that is not a key set: that is not the token's fault. */
function isUnreachable(error: unknown): boolean {
  return (
    !(error instanceof errors.JOSEError) ||
    error instanceof errors.JWKSTimeout ||
    error instanceof errors.JWKSInvalid ||
    error.code === 'ERR_JOSE_GENERIC'
  );
}
