import { type ApolloServer, HeaderMap } from '@apollo/server';
import { type Request, type Response, Router } from 'express';
import type { Context } from '../../context.ts';
import { currentWork } from '../../database/request-work.ts';
import { expected } from '../../errors.ts';
import { pickLanguage } from '../../i18n/messages.ts';
import { rateHeaders } from '../attempt-limits.ts';
import { graphiqlPage } from '../docs.ts';
import { requestIdOf } from '../request-id.ts';
import type { TakeTurn } from '../rest/router.ts';
import { endTurn, whenLeft } from '../turns.ts';
import { addVary } from '../vary.ts';
import { admit, type ExecutorOptions, executorOf } from './execute-operation.ts';
import { asksForCost, observeOperation } from './figures.ts';
import { type Carrier, KnownDocuments, type KnownRequest, type Reply } from './known-documents.ts';
import { logUnavailable, presentAny } from './present.ts';
import { readBody, requireModest } from './request.ts';
import { apolloOf } from './shared-apollo.ts';

export interface GraphqlOptions extends ExecutorOptions {
  contextFor(req: Request): Promise<Context>;
  /** Waits until a request may be worked on; at once by default. */
  takeTurn?: TakeTurn;
  /** The caller of a request that waits, as they are now. It counts as no request. */
  renew?(req: Request): Promise<Context>;
}

/** `/graphql`: Apollo in front of the compiled executor; batching off, CSRF prevention on, documents measured before they run. */
export async function graphqlRouter(options: GraphqlOptions): Promise<Router> {
  const execute = executorOf(options);
  const { server, documents } = await apolloOf(options.schema, options.introspection ?? true, options.log);
  const known = new KnownDocuments(documents, (asked) => admit(options.schema, asked), execute);
  const router = Router();
  router.use('/graphql', graphiqlPage, readBody, (req, res, next) => {
    const request = known.find(req);
    const respond = () => void answer({ server, options, execute, known, request, req, res }).catch(next);
    // A document that is known was modest.
    if (request) respond();
    else requireModest(req, res, respond);
  });
  return router;
}

interface Arrived {
  server: ApolloServer<Carrier>;
  options: GraphqlOptions;
  execute: Carrier['execute'];
  known: KnownDocuments;
  /** Absent when Apollo has to answer. */
  request: KnownRequest | undefined;
  req: Request;
  res: Response;
}

async function answer(arrived: Arrived): Promise<void> {
  const { options, execute, known, request, req, res } = arrived;
  let ctx: Context | undefined;
  let begun: Promise<Carrier> | undefined;
  let startedAt: number | undefined;
  const begin = async (): Promise<Carrier> => {
    const made = await options.contextFor(req).catch(refuse(req, options.log));
    await options.takeTurn?.(made, res).catch(refuse(req, options.log));
    ctx = Object.assign(made, patienceOf(options, req, res, made));
    startedAt = performance.now();
    return { ctx, req, res, execute };
  };
  const carrierOf = () => {
    begun ??= begin();
    return begun;
  };
  const run = async () => (request && (await known.answer(request, carrierOf))) ?? (await byApollo(arrived, carrierOf));
  const arrivedAt = performance.now();
  const reply = await (currentWork()?.during(run) ?? run());
  const done = performance.now();
  observeOperation(request ? request.operationName : res.locals.operation, (done - arrivedAt) / 1_000);
  // Its time was up, and its answer is out.
  if (res.headersSent) return;
  const taken = ctx?.rate?.taken;
  if (taken) res.set(rateHeaders(taken));
  // One field of several may have been refused, whose error Apollo takes no headers from.
  if (taken?.refused) res.set('Retry-After', String(Math.max(taken.reset, 1)));
  for (const [name, value] of reply.headers) res.setHeader(name, value);
  if (asksForCost(req)) {
    const started = startedAt ?? done;
    res.setHeader('Server-Timing', `wait;dur=${(started - arrivedAt).toFixed(1)}, run;dur=${(done - started).toFixed(1)}`);
    res.setHeader('Preference-Applied', 'cost');
  }
  res.setHeader('Content-Language', ctx?.language ?? pickLanguage(req.headers['accept-language']));
  addVary(res, 'Accept-Language');
  res.statusCode = reply.status ?? 200;
  res.setHeader('Content-Length', Buffer.byteLength(reply.body));
  res.end(req.method === 'HEAD' ? undefined : reply.body);
  reply.body = '';
}

/** Returns the functions that a field needs which waits for something to happen. */
function patienceOf({ takeTurn, renew }: GraphqlOptions, req: Request, res: Response, ctx: Context): Pick<Context, 'turn' | 'renew'> {
  // Hardly any request asks for it, and a copy of the context does not either.
  Object.defineProperty(ctx, 'ended', { get: () => whenLeft(res) });
  return {
    turn: { take: async () => takeTurn?.(ctx, res), end: () => endTurn(res) },
    renew: renew && (() => renew(req)),
  };
}

/** An empty name in a query string, which is as good as none (GraphQL over HTTP). */
const EMPTY_NAME = /([?&])operationName=(?=&|$)/g;

async function byApollo({ server, known, req, res }: Arrived, context: () => Promise<Carrier>): Promise<Reply> {
  const headers = new HeaderMap();
  for (const name in req.headers) {
    const value = req.headers[name];
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const asked = req.url.indexOf('?');
  const search = asked < 0 ? '' : req.url.slice(asked).replace(EMPTY_NAME, '$1');
  const response = await server.executeHTTPGraphQLRequest({
    httpGraphQLRequest: { method: req.method, headers, search, body: req.body },
    context,
  });
  if (response.body.kind !== 'complete') throw new Error('answers in parts (@defer, @stream) are not part of this schema');
  if (response.status === undefined) known.learn(req, response.headers.get('content-type'));
  // GraphQL over HTTP: who asks for `application/json` by name learns from the status only whether there is an answer.
  const isLegacy = response.headers.get('content-type')?.startsWith('application/json') && req.headers.accept?.includes('application/json');
  const status = res.locals.misread && isLegacy ? 200 : response.status;
  return { status, headers: response.headers, body: response.body.string };
}

/** A caller for whom there is no context (too many requests, unavailable keys) gets the same status as over REST. */
const refuse = (req: Request, log: GraphqlOptions['log']) => (thrown: unknown) => {
  logUnavailable(log, req, expected(thrown));
  throw presentAny(thrown, { language: pickLanguage(req.headers['accept-language']), requestId: requestIdOf(req) }, log);
};
