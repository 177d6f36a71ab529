import type { EntityManager } from '@mikro-orm/postgresql';
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import { TooMany } from '../../platform/errors.ts';
import { networkOf, rateHeaders } from '../../platform/http/attempt-limits.ts';
import { type HttpEndpoint, publicOperation } from '../../platform/http/http-endpoints.ts';
import type { CountRequest } from '../../platform/http/rate-limits.ts';
import { requestIdOf } from '../../platform/http/request-id.ts';
import { audiencesOf, type M2MClient } from '../machine-clients/machine-client.entity.ts';
import { type Authenticated, authenticateClient } from '../machine-clients/machine-clients.ts';
import { issueMachineToken } from './issue-machine-token.ts';
import { signingKeys } from './signing-keys.ts';
import { type TokenGuards, tokenGuards } from './token-guards.ts';
import { type Code, OAuthError, readBasic, readForm } from './token-request.ts';

export const TOKEN_PATH = '/v1/auth/token';
export const JWKS_PATH = '/.well-known/jwks.json';

export interface AuthServices {
  em: EntityManager;
  count: CountRequest;
  /** Has go wrong what a client in a sandbox asks for. */
  injectFault(companyId: string, req: Request): Promise<void>;
}

/**
 * `POST /v1/auth/token`: OAuth 2.0 client credentials (RFC 6749 section 4.4). A plain endpoint, because form bodies, the error bodies
 * and Basic authentication are not those of the REST documents.
 */
function tokenEndpoint({ em, count, injectFault }: AuthServices): (RequestHandler | ErrorRequestHandler)[] {
  const form = express.text({ type: 'application/x-www-form-urlencoded', limit: '16kb' });
  const unreadable: ErrorRequestHandler = (_error, _req, res, _next) =>
    refuse(res, new OAuthError('invalid_request', 'the body cannot be read'));
  const guards = tokenGuards(em);
  const grant: RequestHandler = async (req, res, next) => {
    try {
      noStore(res);
      await count(req, res);
      res.json(await guarded(guards, req, res, () => exchange(em, req, res, guards, injectFault)));
    } catch (error) {
      if (error instanceof OAuthError) refuse(res, error);
      else if (error instanceof TooMany) refuse(res, new OAuthError('temporarily_unavailable', 'too many requests', error.retryAfter));
      else next(error);
    }
  };
  return [form, unreadable, grant];
}

/** The public keys our tokens are verified with (RFC 7517). */
function jwksEndpoint({ em, count }: AuthServices): RequestHandler {
  return async (req, res) => {
    await count(req, res);
    const { jwks } = await signingKeys(em);
    res.set('Cache-Control', 'public, max-age=300').type('application/jwk-set+json').send(JSON.stringify(jwks));
  };
}

const OAUTH_ERROR = {
  type: 'object',
  required: ['error'],
  properties: { error: { type: 'string' }, error_description: { type: 'string' } },
};
const oauthError = (description: string) => ({ description, content: { 'application/json': { schema: OAUTH_ERROR } } });
const texts = (...names: string[]) => Object.fromEntries(names.map((name) => [name, { type: 'string' }]));

/** The endpoints of OAuth 2.0. */
export const authEndpoints: HttpEndpoint<AuthServices>[] = [
  {
    method: 'post',
    path: TOKEN_PATH,
    handlers: tokenEndpoint,
    openapi: {
      ...publicOperation({
        id: 'ExchangeToken',
        summary: 'Access token for client credentials',
        tag: 'identity',
        description: 'RFC 6749 section 4.4. The client authenticates with HTTP Basic or with client_id and client_secret in the form.',
        schema: {
          type: 'object',
          required: ['access_token', 'token_type', 'expires_in'],
          properties: {
            ...texts('access_token', 'token_type', 'scope'),
            expires_in: { type: 'integer', description: 'Seconds.' },
          },
        },
        more: {
          400: oauthError('The request is not one of RFC 6749.'),
          401: oauthError('Unknown client or wrong secret.'),
          429: oauthError('Too many wrong secrets, or too many tokens.'),
        },
      }),
      requestBody: {
        required: true,
        content: {
          'application/x-www-form-urlencoded': {
            schema: {
              type: 'object',
              required: ['grant_type'],
              properties: {
                grant_type: { type: 'string', enum: ['client_credentials'] },
                ...texts('client_id', 'client_secret'),
                scope: { type: 'string', description: 'Permissions by name, separated by blanks; by default, all of the client.' },
                audience: {
                  type: 'string',
                  description: "One of the client's audiences; by default the first. `resource` (RFC 8707) is the same.",
                },
              },
            },
          },
        },
      },
    },
  },
  {
    method: 'get',
    path: JWKS_PATH,
    handlers: (services) => [jwksEndpoint(services)],
    openapi: {
      operationId: 'GetKeys',
      summary: 'Public keys that tokens are verified with',
      tags: ['identity'],
      security: [],
      responses: { 200: { description: 'RFC 7517.', content: { 'application/jwk-set+json': { schema: { type: 'object' } } } } },
    },
  },
];

async function exchange(
  em: EntityManager,
  req: Request,
  res: Response,
  guards: TokenGuards,
  injectFault: AuthServices['injectFault'],
): Promise<object> {
  const parameters = readForm(req);
  const grantType = parameters.get('grant_type');
  if (!grantType) throw new OAuthError('invalid_request', 'grant_type is missing');
  if (grantType !== 'client_credentials') throw new OAuthError('unsupported_grant_type', 'only client_credentials is supported');
  const authenticated = await authenticate(em, req, parameters);
  await injectFault(authenticated.client.company.id, req);
  const taken = await guards.issuing(authenticated.client.id);
  res.set(rateHeaders(taken));
  if (taken.refused)
    throw new OAuthError('temporarily_unavailable', 'the client gets too many tokens: keep each until it expires', taken.reset);
  const wanted = parameters.get('scope');
  const scope = wanted === undefined ? undefined : narrow(wanted, authenticated.client);
  const audience = target(em, parameters, authenticated.client);
  const issued = await issueMachineToken(em, { ...authenticated, scope, audience, requestId: requestIdOf(req) });
  // Revoked between the two statements.
  if (!issued) throw unknownClient();
  // RFC 6749 section 5.1: scope is answered when it was requested; without it the token has all of the client's.
  return { access_token: issued.token, token_type: 'Bearer', expires_in: issued.expiresIn, ...(scope ? { scope: scope.join(' ') } : {}) };
}

/** Refuses addresses that have sent too many wrong secrets, before another one is checked. */
async function guarded<T>(guards: TokenGuards, req: Request, res: Response, work: () => Promise<T>): Promise<T> {
  const address = networkOf(req.ip ?? '');
  const taken = await guards.guessing(address);
  res.set(rateHeaders(taken));
  if (taken.refused) throw new OAuthError('temporarily_unavailable', 'too many wrong secrets', taken.reset);
  try {
    return await work();
  } catch (error) {
    if (error instanceof OAuthError && error.code === 'invalid_client') res.set(rateHeaders(await guards.failed(address)));
    throw error;
  }
}

async function authenticate(em: EntityManager, req: Request, parameters: Map<string, string>): Promise<Authenticated> {
  const basic = readBasic(req.headers.authorization);
  const id = parameters.get('client_id');
  const secret = parameters.get('client_secret');
  if (basic && (secret !== undefined || (id !== undefined && id !== basic.id))) {
    throw new OAuthError('invalid_request', 'the client authenticates in two ways at once');
  }
  const given = basic ?? (id !== undefined && secret !== undefined ? { id, secret } : undefined);
  const known = given && (await authenticateClient(em, given.id, given.secret));
  if (!known) throw unknownClient();
  return known;
}

const unknownClient = () => new OAuthError('invalid_client', 'unknown client or wrong secret');

function narrow(wanted: string, client: M2MClient): string[] {
  const names = [...new Set(wanted.split(' ').filter((name) => name !== ''))];
  const held = new Set<string>(client.scopes);
  if (names.length === 0 || names.some((name) => !held.has(name)))
    throw new OAuthError('invalid_scope', 'the scope exceeds what the client may do');
  return names;
}

/** The audience of the token: `audience`, or `resource` as RFC 8707 calls it; the client's first by default. */
function target(em: EntityManager, parameters: Map<string, string>, client: M2MClient): string {
  const [given, more] = ['audience', 'resource'].flatMap((name) => parameters.get(name) ?? []);
  if (more !== undefined) throw new OAuthError('invalid_request', 'audience and resource name the same thing: give one of them');
  const allowed = audiencesOf(em, client);
  if (given !== undefined && !allowed.includes(given))
    throw new OAuthError('invalid_target', 'the client gets no tokens for this audience');
  return given ?? (allowed[0] as string);
}

function refuse(res: Response, error: OAuthError): void {
  noStore(res);
  if (error.code === 'invalid_client') res.set('WWW-Authenticate', 'Basic realm="haulgate", charset="UTF-8"');
  if (error.retryAfter) res.set('Retry-After', String(error.retryAfter));
  res.status(STATUS[error.code] ?? 400).json({ error: error.code, error_description: error.message });
}

const STATUS: Partial<Record<Code, number>> = { invalid_client: 401, temporarily_unavailable: 429 };

function noStore(res: Response): void {
  res.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
}
