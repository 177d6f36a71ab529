import type { EntityManager } from '@mikro-orm/postgresql';
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import type { Context } from '../../../platform/context.ts';
import { runAsPurpose } from '../../../platform/database/scope.ts';
import { BadRequest, TooLarge } from '../../../platform/errors.ts';
import type { HttpEndpoint } from '../../../platform/http/http-endpoints.ts';
import { SIGN_IN } from '../../sign-in/sign-in-purpose.ts';
import { ACS_PATH, CALLBACK_PATH, METADATA_PATH, START_PATH } from '../addresses.ts';
import { domainOf } from '../check-connection.ts';
import { connectionOf } from '../find-connections.ts';
import type { SsoConnection } from '../sso-connection.entity.ts';
import { type Attempt, beginAttempt, randomSecret, takeAttempt } from './attempts.ts';
import { bindBrowser, browserOf, returnUrlOf, returnWith } from './browser.ts';
import { authorizationUrl, emailOfCallback } from './oidc.ts';
import { recordRefusal } from './record-refusal.ts';
import { emailOfResponse, metadataOf, samlRequestUrl } from './saml.ts';
import { SsoFailure } from './sso-failure.ts';
import { ticketFor } from './vouching.ts';

export interface SsoServices {
  em: EntityManager;
  contextFor(req: Request): Promise<Context>;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

const LONGEST_ASSERTION = '256kb';

/**
 * The context of the request, which counts it against the limits of its address; a sign-in follows, even if somebody is signed in already.
 */
function counted({ contextFor }: SsoServices): RequestHandler {
  return async (req, res, next) => {
    res.locals.context = await contextFor(req);
    runAsPurpose(SIGN_IN, next);
  };
}

/** `GET .../start`: sends the browser to the provider. */
function start({ em, log }: SsoServices): RequestHandler {
  return async (req, res) => {
    const connection = await connectionOf(em, req.params.id, { ready: true });
    const returnUrl = returnUrlOf(em, req.query.return_to);
    await orReturn(res, log, connection.id, returnUrl, async () => {
      const attempt: Attempt = { connectionId: connection.id, nonce: randomSecret(), codeVerifier: randomSecret(), returnUrl };
      const hint = req.query.login_hint;
      const loginHint = typeof hint === 'string' && domainOf(hint) ? hint : undefined;
      const state = await beginAttempt(em, bindBrowser(em, req, res, connection.kind), attempt);
      const url =
        connection.kind === 'oidc'
          ? await authorizationUrl(em, connection, { ...attempt, state, loginHint })
          : await samlRequestUrl(em, connection, attempt, state);
      res.redirect(302, url);
    });
  };
}

/** `GET .../callback`: where an OpenID provider sends the browser back to. */
function callback(services: SsoServices): RequestHandler {
  return async (req, res) => {
    const connection = await connectionOf(services.em, req.params.id, { kind: 'oidc', ready: true });
    const query = req.url.slice(req.url.indexOf('?'));
    const state = new URLSearchParams(query).get('state') ?? '';
    await finish(services, req, res, connection, state, (attempt) => emailOfCallback(services.em, connection, attempt, state, query));
  };
}

/** `POST .../acs`: where a SAML provider has the browser post its assertion to. */
function acs(services: SsoServices): (RequestHandler | ErrorRequestHandler)[] {
  const form = express.text({ type: 'application/x-www-form-urlencoded', limit: LONGEST_ASSERTION });
  const unreadable: ErrorRequestHandler = (error, _req, _res, next) => next(error.status === 413 ? new TooLarge() : new BadRequest());
  const receive: RequestHandler = async (req, res) => {
    const connection = await connectionOf(services.em, req.params.id, { kind: 'saml', ready: true });
    const posted = new URLSearchParams(typeof req.body === 'string' ? req.body : '');
    const state = posted.get('RelayState') ?? '';
    await finish(services, req, res, connection, state, (attempt) =>
      emailOfResponse(services.em, connection, attempt, posted.get('SAMLResponse') ?? ''),
    );
  };
  return [counted(services), form, unreadable, receive];
}

/** `GET .../metadata`: what a SAML provider must know of us; it contains no secret. */
function metadata({ em }: SsoServices): RequestHandler {
  return async (req, res) => {
    const connection = await connectionOf(em, req.params.id, { kind: 'saml' });
    res.type('application/samlmetadata+xml').send(await metadataOf(em, connection));
  };
}

/** Ends a sign-in with a ticket for whomever the provider vouches for. */
async function finish(
  { em, log }: SsoServices,
  req: Request,
  res: Response,
  connection: SsoConnection,
  state: string,
  emailOf: (attempt: Attempt) => Promise<string>,
): Promise<void> {
  const attempt = await attemptOf(em, req, connection, state);
  await orReturn(res, log, connection.id, attempt?.returnUrl ?? returnUrlOf(em, undefined), async () => {
    if (!attempt) throw new SsoFailure('expired', 'the state is unknown, used, too old or of another browser');
    const { userId, token } = await emailOf(attempt)
      .then((email) => ticketFor(res.locals.context, connection, email))
      .catch(async (error) => {
        if (error instanceof SsoFailure) await recordRefusal(res.locals.context, connection, error);
        throw error;
      });
    log.info({ connectionId: connection.id, userId }, 'signed in by an identity provider');
    returnWith(res, attempt.returnUrl, { sso_token: token });
  });
}

export const ssoEndpoints: HttpEndpoint<SsoServices>[] = [
  {
    method: 'get',
    path: START_PATH,
    handlers: (services) => [counted(services), start(services)],
    openapi: describe('StartSso', 'Sign in by an identity provider', 'Sends the browser to the provider.', [
      { name: 'return_to', description: 'Page on which the sign-in ends, one of HAULGATE_SSO_RETURN_URLS.' },
      { name: 'login_hint', description: 'E-mail address that the provider may fill in.' },
    ]),
  },
  {
    method: 'get',
    path: CALLBACK_PATH,
    handlers: (services) => [counted(services), callback(services)],
    openapi: describe(
      'FinishSso',
      'Receive the answer of an OpenID provider',
      'OpenID providers redirect browsers here. The browser is redirected to the page with `#sso_token=...`, or with `#sso_error=` and `expired`, `refused`, `no_account` or `unavailable`.',
      [{ name: 'code' }, { name: 'state' }],
    ),
  },
  {
    method: 'post',
    path: ACS_PATH,
    handlers: acs,
    openapi: {
      ...describe(
        'ReceiveSamlAssertion',
        'Receive a SAML assertion',
        'Browsers post the assertion of a SAML provider here. It ends like an OpenID sign-in.',
        [],
      ),
      requestBody: {
        required: true,
        content: {
          'application/x-www-form-urlencoded': {
            schema: { type: 'object', properties: { SAMLResponse: { type: 'string' }, RelayState: { type: 'string' } } },
          },
        },
      },
    },
  },
  {
    method: 'get',
    path: METADATA_PATH,
    handlers: (services) => [counted(services), metadata(services)],
    openapi: {
      ...describe('GetSamlMetadata', 'Metadata for a SAML provider', 'SAML 2.0 metadata.', []),
      responses: {
        200: { description: 'SAML 2.0 metadata.', content: { 'application/samlmetadata+xml': { schema: { type: 'string' } } } },
      },
    },
  },
];

async function attemptOf(em: EntityManager, req: Request, connection: SsoConnection, state: string): Promise<Attempt | undefined> {
  const browser = browserOf(em, req, connection.kind);
  return browser && state ? takeAttempt(em, connection.id, state, browser) : undefined;
}

/** A sign-in that fails goes back to the page, which has words for it; the reason in full is in the log. */
async function orReturn(res: Response, log: SsoServices['log'], connectionId: string, returnUrl: string, work: () => Promise<void>) {
  res.set('Cache-Control', 'no-store');
  try {
    await work();
  } catch (error) {
    if (!(error instanceof SsoFailure)) throw error;
    log.warn({ connectionId, reason: error.reason, err: error }, 'a sign-in by an identity provider failed');
    returnWith(res, returnUrl, { sso_error: error.reason });
  }
}

function describe(operationId: string, summary: string, description: string, query: { name: string; description?: string }[]) {
  return {
    operationId,
    summary,
    description,
    tags: ['identity'],
    security: [],
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
      ...query.map((one) => ({ ...one, in: 'query', schema: { type: 'string' } })),
    ],
    responses: {
      302: { description: 'Redirect to the next page.' },
      303: { description: 'Redirect back to the page.' },
      404: { description: 'No such connection.' },
    },
  };
}
