import type { EntityManager } from '@mikro-orm/postgresql';
import * as oidc from 'openid-client';
import { guardedFetch } from '../../../platform/http/calls/guarded-fetch.ts';
import { identitySettings } from '../../settings.ts';
import { callbackUrl } from '../addresses.ts';
import { clientSecretOf } from '../client-secrets.ts';
import type { SsoConnection } from '../sso-connection.entity.ts';
import type { Attempt } from './attempts.ts';
import { answerDoesNotHold, SsoFailure } from './sso-failure.ts';

/** Seconds that the provider's clock may differ from ours. */
const SKEW = 30;
const PATIENCE_SECONDS = 10;

/** Where to send a browser that signs in; `state` comes back, `nonce` must be in the token, the verifier stays here. */
export async function authorizationUrl(
  em: EntityManager,
  connection: SsoConnection,
  checks: { state: string; nonce: string; codeVerifier: string; loginHint?: string },
): Promise<string> {
  const configuration = await configurationOf(em, connection);
  const url = oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: callbackUrl(em, connection.id),
    response_type: 'code',
    scope: 'openid email',
    state: checks.state,
    nonce: checks.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(checks.codeVerifier),
    code_challenge_method: 'S256',
    ...(checks.loginHint ? { login_hint: checks.loginHint } : {}),
  });
  return url.href;
}

/**
 * The verified e-mail address of the person who signed in.
 * @param query of the request with which the provider sent the browser back
 * @throws SsoFailure
 */
export async function emailOfCallback(
  em: EntityManager,
  connection: SsoConnection,
  attempt: Attempt,
  state: string,
  query: string,
): Promise<string> {
  const configuration = await configurationOf(em, connection);
  const claims = await exchange(configuration, new URL(`${callbackUrl(em, connection.id)}${query}`), attempt, state).catch(
    answerDoesNotHold,
  );
  if (typeof claims.email !== 'string') throw new SsoFailure('refused', 'the provider sends no e-mail address');
  if (claims.email_verified !== true) throw new SsoFailure('refused', 'the provider has not verified the e-mail address');
  return claims.email;
}

async function exchange(configuration: oidc.Configuration, url: URL, attempt: Attempt, state: string): Promise<Record<string, unknown>> {
  const tokens = await oidc.authorizationCodeGrant(configuration, url, {
    expectedState: state,
    expectedNonce: attempt.nonce,
    pkceCodeVerifier: attempt.codeVerifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (!claims) throw new Error('there is no ID token');
  // Address and verification come from one source: the token, or the provider's userinfo about the same subject.
  return claims.email === undefined ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub) : claims;
}

/**
 * The provider as it describes itself now. Asked at every sign-in: these are rare, and so keys may change, and be withdrawn, at any
 * moment. @throws SsoFailure `unavailable`
 */
async function configurationOf(em: EntityManager, connection: SsoConnection): Promise<oidc.Configuration> {
  const { ssoPrivateHosts } = identitySettings.of(em);
  const fetch = guardedFetch({ allowPrivate: ssoPrivateHosts });
  const secret = await clientSecretOf(em, connection.id);
  const metadata = { [oidc.clockTolerance]: SKEW };
  const clientId = String(connection.clientId);
  try {
    const found = await oidc.discovery(new URL(String(connection.issuer)), clientId, metadata, oidc.None(), {
      [oidc.customFetch]: fetch as oidc.CustomFetch,
      timeout: PATIENCE_SECONDS,
      execute: ssoPrivateHosts ? [oidc.allowInsecureRequests] : [],
    });
    const server = found.serverMetadata();
    const configuration = new oidc.Configuration(server, clientId, metadata, authentication(secret, server));
    configuration[oidc.customFetch] = fetch as oidc.CustomFetch;
    configuration.timeout = PATIENCE_SECONDS;
    if (ssoPrivateHosts) oidc.allowInsecureRequests(configuration);
    // The signature too, though the token comes over TLS: a key that the provider withdrew must not sign anybody in.
    oidc.enableNonRepudiationChecks(configuration);
    return configuration;
  } catch (error) {
    throw new SsoFailure('unavailable', 'the provider does not describe itself', error);
  }
}

/** As the provider takes it; HTTP Basic is what OpenID Connect assumes when it does not say (Discovery section 3). */
function authentication(secret: string | undefined, server: oidc.ServerMetadata): oidc.ClientAuth {
  if (secret === undefined) return oidc.None();
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic') ? oidc.ClientSecretBasic(secret) : oidc.ClientSecretPost(secret);
}
