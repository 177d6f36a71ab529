import type { EntityManager } from '@mikro-orm/postgresql';
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import { expected, HaulgateError, Missing } from '../../platform/errors.ts';
import type { HttpEndpoint } from '../../platform/http/http-endpoints.ts';
import { sendPage } from '../../platform/http/plain-page.ts';
import type { CountRequest } from '../../platform/http/rate-limits.ts';
import { isAddress } from '../../platform/http/remote.ts';
import { pickLanguage } from '../../platform/i18n/messages.ts';
import { isObject } from '../../platform/json/objects.ts';
import { answerSetUp, isOpen, type SetUp } from './accounting-secrets.ts';
import { accountingSettings } from './settings.ts';
import { donePage, notePage, setUpPage } from './setup-page.ts';
import { SETUP_PATH } from './setup-url.ts';
import { isSystem, PICTURE_PATH, PICTURES } from './sources/systems.ts';

export interface SetUpServices {
  em: EntityManager;
  count: CountRequest;
}

/** The most bytes that may be sent: the lists of a system of files, and little else. */
const MOST = '4mb';
const NAME = 255;
const SECRET = 4_000;
const languageOf = (req: Request) => pickLanguage(req.headers['accept-language']);
/** A client of ours has the JSON; people have the page. */
const wantsJson = (req: Request): boolean => req.accepts(['html', 'json']) === 'json';

/** Mistakes are pages, too. */
const KEYS: Record<number, string> = {
  400: 'accounting_page_not_read',
  404: 'accounting_page_ended',
  413: 'accounting_page_not_read',
  415: 'accounting_page_not_read',
  429: 'accounting_page_too_often',
};
const mistaken: ErrorRequestHandler = (thrown, req, res, next) => {
  const error = expected(thrown);
  const key = error instanceof HaulgateError ? KEYS[error.status] : undefined;
  if (!(error instanceof HaulgateError) || !key || res.headersSent || wantsJson(req)) return next(thrown);
  if (error.retryAfter !== undefined) res.set('Retry-After', String(error.retryAfter));
  sendPage(res, error.status, notePage(key, languageOf(req)));
};

type Answer = (services: SetUpServices, req: Request, res: Response, token: string) => Promise<void>;
/** Counts the request for its address, and finds the link before a body is read. */
const opened = ({ em, count }: SetUpServices): RequestHandler => {
  return async (req, res, next) => {
    try {
      await count(req, res);
      if (!(await isOpen(em, String(req.params.token)))) throw new Missing();
      next();
    } catch (error) {
      next(error);
    }
  };
};
const answering = (services: SetUpServices, answer: Answer): RequestHandler => {
  return (req, res, next) => void answer(services, req, res, String(req.params.token)).catch(next);
};

/** Reads a form or a body. @returns the keys of its problems, too */
function read(em: EntityManager, body: Record<string, unknown>): { given: SetUp; problems: string[] } {
  const text = (name: string, most: number) => (typeof body[name] === 'string' ? body[name].trim().slice(0, most) : '') || null;
  const [system, name] = [text('system', NAME), text('name', NAME)];
  const server = text('server', NAME * 8)?.replace(/\/+$/, '') ?? null;
  const problems: string[] = [];
  if (!isSystem(system)) problems.push('accounting_page_no_system');
  if (!name) problems.push('accounting_page_no_name');
  if (system === 'http' && !(server && isAddress(server, accountingSettings.of(em).privateHosts) && !new URL(server).search))
    problems.push('accounting_page_no_address');
  const lists = system === 'file' ? listsOf(body.lists) : null;
  if (lists === undefined) problems.push('accounting_page_no_lists');
  const credentials =
    system === 'http' ? { token: text('token', SECRET), username: text('username', NAME), password: text('password', SECRET) } : {};
  return {
    given: {
      system: system as SetUp['system'],
      name: name ?? '',
      server: system === 'http' ? server : null,
      credentials,
      lists: lists ?? null,
    },
    problems,
  };
}

/** The lists of a system of files: an object, its text, or nothing. @returns undefined for what is neither */
function listsOf(sent: unknown): object | null | undefined {
  if (sent === undefined || sent === null || sent === '') return null;
  if (typeof sent !== 'string') return isObject(sent) ? sent : undefined;
  try {
    const value: unknown = JSON.parse(sent);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const take: Answer = async ({ em }, req, res, token) => {
  const { given, problems } = read(em, isObject(req.body) ? req.body : {});
  const language = languageOf(req);
  if (problems.length > 0) {
    if (wantsJson(req)) res.status(422).json({ problems });
    else sendPage(res, 422, setUpPage(language, problems));
    return;
  }
  const publicToken = await answerSetUp(em, token, given);
  if (!publicToken) throw new Missing();
  if (wantsJson(req)) res.set('Cache-Control', 'no-store').json({ public_token: publicToken });
  else sendPage(res, 200, donePage(publicToken, language));
};

const showPicture: RequestHandler = (req, res, next) => {
  const slug = String(req.params.slug).replace(/\.svg$/, '');
  if (!isSystem(slug)) return next(new Missing());
  res.set({ 'Cache-Control': 'public, max-age=86400', 'Content-Security-Policy': "default-src 'none'" });
  res.type('svg').send(PICTURES[slug]);
};

const html = { 'text/html': { schema: { type: 'string' } } };
const about = (responses: object) => ({
  tags: ['billing'],
  security: [],
  parameters: [{ name: 'token', in: 'path', required: true, schema: { type: 'string' } }],
  responses: {
    ...responses,
    404: { description: 'There is no such link, or it has ended.', content: html },
    429: { description: 'It was tried too often.', content: html },
  },
});
const fields = ['name', 'server', 'token', 'username', 'password', 'lists'];
const schema = {
  type: 'object',
  required: ['system', 'name'],
  properties: {
    system: { type: 'string', enum: ['http', 'file'] },
    ...Object.fromEntries(fields.map((name) => [name, { type: 'string' }])),
  },
};

/** The page on which a system is set up, and the pictures of systems. */
export const accountingEndpoints: readonly HttpEndpoint<SetUpServices>[] = [
  {
    method: 'get',
    path: SETUP_PATH,
    handlers: (services) => [
      opened(services),
      answering(services, async (_services, req, res) => sendPage(res, 200, setUpPage(languageOf(req)))),
      mistaken,
    ],
    openapi: {
      operationId: 'GetAccountingSetUpPage',
      summary: 'Get accounting set-up page',
      description: 'The page on which whoever has the link enters an accounting system and its credentials.',
      ...about({ 200: { description: 'The page, in the language of the browser', content: html } }),
    },
  },
  {
    method: 'post',
    path: SETUP_PATH,
    handlers: (services) => [
      opened(services),
      express.urlencoded({ extended: false, limit: MOST }),
      express.json({ limit: MOST }),
      answering(services, take),
      mistaken,
    ],
    openapi: {
      operationId: 'SetUpAccountingSystem',
      summary: 'Set up accounting system',
      description: 'Takes what the page sends, and returns the public token by which the system is linked.',
      requestBody: {
        required: true,
        content: { 'application/x-www-form-urlencoded': { schema }, 'application/json': { schema } },
      },
      ...about({
        200: {
          description: 'The public token: a page, or JSON for clients that want it',
          content: {
            ...html,
            'application/json': {
              schema: { type: 'object', required: ['public_token'], properties: { public_token: { type: 'string' } } },
            },
          },
        },
        422: { description: 'The form again, with what is wrong.', content: html },
      }),
    },
  },
  {
    method: 'get',
    path: PICTURE_PATH,
    handlers: () => [showPicture],
    openapi: {
      operationId: 'GetAccountingSystemPicture',
      summary: 'Get accounting system picture',
      description: 'A square picture of a kind of accounting system.',
      tags: ['billing'],
      security: [],
      parameters: [{ name: 'slug', in: 'path', required: true, schema: { type: 'string' } }],
      responses: {
        200: { description: 'The picture', content: { 'image/svg+xml': { schema: { type: 'string' } } } },
        404: { $ref: '#/components/responses/NotFound' },
      },
    },
  },
];
