import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { MikroORM } from '@mikro-orm/postgresql';
import express from 'express';
import type { GraphQLSchema } from 'graphql';
import { LOGO_PATH } from '../directory/companies/logo-url.ts';
import { takeForm } from '../files/upload-form.ts';
import { auditQuery, contextFactory } from '../identity/access/context.ts';
import { SIGN_IN } from '../identity/sign-in/sign-in-purpose.ts';
import { logoEndpoints } from '../partners/logo/logo-endpoints.ts';
import { applicationOf } from '../platform/application.ts';
import { viewerOf } from '../platform/authz/authorization.ts';
import type { Context } from '../platform/context.ts';
import { readReplicas } from '../platform/database/replicas/open-replicas.ts';
import { runAsPurpose } from '../platform/database/scope.ts';
import { poolOf } from '../platform/database/sql.ts';
import { clientSchema } from '../platform/graphql/client-schema.ts';
import { preparer } from '../platform/graphql/execute.ts';
import { buildApiSchema } from '../platform/graphql/schema.ts';
import { networkOf } from '../platform/http/attempt-limits.ts';
import { consoleRouter, type MapTiles } from '../platform/http/console.ts';
import { docsRouter } from '../platform/http/docs.ts';
import { graphqlRouter } from '../platform/http/graphql/apollo.ts';
import { answerSockets, answerStreams, STREAM_PATH } from '../platform/http/graphql/subscription-servers.ts';
import { mountEndpoints } from '../platform/http/http-endpoints.ts';
import { type Listening, listen } from '../platform/http/listen.ts';
import { OpenStreams, type StreamLimits } from '../platform/http/open-streams.ts';
import { type CountRequest, type RateLimitOptions, RateLimits } from '../platform/http/rate-limits.ts';
import { dataOf, type Prepare } from '../platform/http/rest/execution.ts';
import type { RestOperation } from '../platform/http/rest/operation.ts';
import { createRestRouter } from '../platform/http/rest/router.ts';
import { createApp } from '../platform/http/server.ts';
import { type TurnHolder, Turns } from '../platform/http/turns.ts';
import type { Logger } from '../platform/log.ts';
import { Reader } from '../platform/read/reader.ts';
import { tracing } from '../platform/tracing/spans.ts';
import { inRequestTime } from '../platform/worlds/present-time.ts';
import { injectFault, injectFaultOf } from '../sandbox/faults.ts';
import { documentsOf } from './documents.ts';
import { type HealthOptions, healthOf } from './health.ts';
import { plainEndpoints } from './http-endpoints.ts';
import { OBJECTS } from './objects.ts';
import { entities, followUps, registerRooms, resolvers, sheets } from './rooms.ts';
import { WORDS } from './words/words.ts';

export interface ServeOptions extends HealthOptions {
  orm: MikroORM;
  log: Logger;
  port: number;
  host: string;
  /** Root of the package, which contains `schema/`. */
  root: string;
  /** The REST documents were compared with the schema before (`npm run check`), so the comparison is skipped. */
  checked?: boolean;
  /** Whether clients may query the GraphQL schema; on by default. */
  introspection?: boolean;
  /** Requests a minute; unlimited by default. */
  limits?: Pick<RateLimitOptions, 'perCaller' | 'perAddress'>;
  /** Requests of one caller that run at a time; unlimited by default. */
  requestsAtOnce?: number;
  /** Milliseconds that a statement of a request may run; unlimited by default. */
  statementMs?: number;
  /** Milliseconds for which a client of a sandbox waits that asks for no answer. */
  faultHeld?: number;
  /** Milliseconds that an export may take. */
  longestExport?: number;
  /** Connections that stay open: sockets and streams. */
  streams?: Partial<StreamLimits>;
  /** Milliseconds that a request may take; 60,000 by default (SPEC Limits). */
  timeout?: number;
  /** Addresses or networks whose X-Forwarded-For is trusted; none by default. */
  trustedProxies?: readonly string[];
  /** Origins of pages that may use the API from a browser; none by default. */
  corsOrigins?: readonly string[];
  /** Where the map of the console loads its tiles; without them it is drawn from sites and geofences alone. */
  tiles?: MapTiles;
  /** Clients reach the server over TLS, whatever terminates it. */
  https?: boolean;
  /** `/version` and `/metrics` are answered on the health port. */
  figuresElsewhere?: boolean;
}

/** It may be the process's: it depends on nothing but the code. */
let apiSchema: GraphQLSchema | undefined;
let schemaOfClients: GraphQLSchema | undefined;
/** Returns the schema of all rooms; it is built once for each process. */
export function schemaOfRooms(): GraphQLSchema {
  registerRooms();
  apiSchema ??= buildApiSchema(resolvers, entities);
  return apiSchema;
}

/** Returns the schema that clients of GraphQL see; it is built once for each process. */
export function clientSchemaOfRooms(): GraphQLSchema {
  schemaOfClients ??= clientSchema(schemaOfRooms(), WORDS, OBJECTS);
  return schemaOfClients;
}

/** Returns a factory of the planned reads of contexts, on the pool of `orm`. */
export function readerOf(orm: MikroORM): (ctx: Context) => Reader {
  const pool = poolOf(orm.em);
  const at = { application: applicationOf(orm.em), pool: () => pool, metadata: orm.getMetadata() };
  return (ctx) => new Reader(ctx, at);
}

/** Starts the web role: everything that answers HTTP, on one port. */
export async function serve(options: ServeOptions): Promise<Listening> {
  const callers = callersOf(options);
  const streams = streamsOf(options);
  const live = { ...liveOf(options, callers, streams), addressOf: (request: IncomingMessage) => addressOf(app, request) };
  const app = appOf(options, await partsOf(options, callers, streams.open, live));
  const web = await listen(app, { port: options.port, host: options.host, shared: options.family !== undefined });
  const sockets = answerSockets(web.server, live);
  return {
    ...web,
    async close() {
      await sockets.close();
      await web.close();
      await callers.limits?.stop();
      await Promise.all([streams.open.stop(), streams.subscriptions.stop()]);
    },
  };
}

/** What knows who sends a request, and lets it in. */
type Callers = ReturnType<typeof callersOf>;

function callersOf(options: ServeOptions) {
  const { orm, log } = options;
  const report = (err: unknown, requestId: string) => log.error({ err, requestId }, 'an error that the answer hides');
  const makeContext = contextFactory(orm.em, readerOf(orm), report);
  // A stream that goes on is one request, and is audited once.
  const renew = (req: express.Request) => makeContext(req, { again: true });
  return {
    ...admissionOf(options, makeContext),
    renew,
    // In the middle of a read of a company, among whose rows are no sessions; nothing is read with what it returns but in the scope of before.
    renewWithin: (req: express.Request) => runAsPurpose(SIGN_IN, () => renew(req)),
  };
}

/** Counts connections that stay open, and the subscriptions in them, over all processes. */
function streamsOf({ orm, log, streams = {} }: ServeOptions) {
  const sharing = {
    pool: () => poolOf(orm.em),
    onError: (error: unknown) => log.warn({ err: error }, 'counts of open connections are not exchanged with other processes'),
  };
  return { open: new OpenStreams('stream', streams, sharing), subscriptions: new OpenStreams('subscription', { perAddress: 0 }, sharing) };
}

/** What subscriptions need, over sockets and as server-sent events. */
function liveOf(options: ServeOptions, callers: Callers, { open, subscriptions }: ReturnType<typeof streamsOf>) {
  return {
    ...callers,
    schema: clientSchemaOfRooms(),
    enter: <T>(work: () => Promise<T>) => inRequestTime(() => runAsPurpose(SIGN_IN, work)),
    statementMs: options.statementMs ?? 0,
    streams: open,
    tracing: tracing.of(options.orm.em),
    subscriptions,
    introspection: options.introspection,
    log: options.log,
  };
}

/** Returns what answers, in the order in which it is asked: the most frequent requests come first, because Express tries its parts one by one. */
async function partsOf(options: ServeOptions, callers: Callers, open: OpenStreams, live: Parameters<typeof answerStreams>[0]) {
  const { root, orm, log } = options;
  const directory = join(root, 'schema/rest');
  const { operations, prepare } = documentsOf(schemaOfRooms(), directory, options.checked);
  const { contextFor, renewWithin, takeTurn, count } = callers;
  const byAddress: express.RequestHandler = (req, res, next) => void count(req, res).then(() => next(), next);
  const streams = express.Router();
  streams.use(STREAM_PATH, ...answerStreams(live));
  const graphql = await graphqlRouter({
    schema: live.schema,
    prepare: preparer(live.schema),
    contextFor,
    takeTurn,
    renew: renewWithin,
    asked: (ctx, fields) => auditQuery(orm.em, ctx, fields),
    log,
    secrets: new Set(operations.flatMap(({ secret, rootField }) => (secret ? [rootField] : []))),
    introspection: options.introspection,
  });
  const shown = (name: string) => showerOf(name, operations, prepare);
  const services = {
    ...callers,
    em: orm.em,
    log,
    isStopping: options.isStopping ?? (() => false),
    openStream: openerOf(open),
    injectFault: (companyId: string, req: express.Request) => injectFaultOf(companyId, req, options.faultHeld),
    showCompany: shown('GetCompany'),
    showFile: shown('GetFileAttachment'),
  };
  const plain = express.Router();
  mountEndpoints(plain, plainEndpoints, services);
  // The logo's address has a REST document, too, whose router would refuse what only a plain handler accepts.
  const logos = express.Router();
  logos.use(LOGO_PATH.replace('/{id}', ''), byAddress);
  mountEndpoints(logos, logoEndpoints, services, false);
  const rest = createRestRouter({
    schema: schemaOfRooms(),
    directory,
    operations,
    prepare,
    contextFor,
    renew: renewWithin,
    longestExport: options.longestExport,
    takeTurn,
    idempotency: {},
    takeForm,
    followUps,
    sheets,
    log,
  });
  return [
    streams,
    graphql,
    logos,
    rest,
    plain,
    // Pages and their files, and unknown addresses.
    byAddress,
    consoleRouter(join(root, 'dist/console'), options.tiles),
    docsRouter({ openapi: join(root, 'schema/openapi.json'), asyncapi: join(root, 'schema/asyncapi.json') }),
  ];
}

function appOf(options: ServeOptions, parts: (express.RequestHandler | express.Router)[]): express.Express {
  const { em } = options.orm;
  return createApp({
    log: options.log,
    trustedProxies: options.trustedProxies,
    corsOrigins: options.corsOrigins,
    isStopping: options.isStopping,
    statementMs: options.statementMs,
    timeout: options.timeout,
    https: options.https,
    figuresElsewhere: options.figuresElsewhere,
    tracing: tracing.of(em),
    health: healthOf(options.orm, options),
    replicas: readReplicas.of(em),
    enter: (work) => inRequestTime(() => runAsPurpose(SIGN_IN, work)),
    parts,
  });
}

/**
 * Returns what lets requests in: their contexts, which count them and may fail on request in a sandbox, the turns of callers, and the counts of what has no
 * context.
 */
function admissionOf({ orm, log, ...options }: ServeOptions, makeContext: ReturnType<typeof contextFactory>) {
  const onError = (error: unknown) => log.warn({ err: error }, 'request counts are not exchanged with other processes');
  const limits = options.limits && new RateLimits({ ...options.limits, pool: () => poolOf(orm.em), onError });
  const turns = new Turns(options.requestsAtOnce ?? 0);
  const count: CountRequest = async (req, res, principal) =>
    void (await limits?.take({ principal, address: networkOf(req.ip ?? '') }, res));
  return {
    limits,
    count,
    async contextFor(req: express.Request): Promise<Context> {
      const ctx = await makeContext(req);
      const principal = ctx.viewer && `${ctx.viewer.type}:${ctx.viewer.id}`;
      await limits?.take({ principal, address: principal ? '' : networkOf(ctx.client?.address ?? '') }, req.res);
      await injectFault(ctx, req, options.faultHeld);
      return ctx;
    },
    // Without a caller there is hardly anything to query, and people of one address would wait for each other. A caller who impersonates
    // several people has one queue, separate from theirs.
    takeTurn: async ({ viewer }: Context, res: TurnHolder): Promise<void> =>
      void (viewer && (await turns.take(`${viewer.type}:${viewer.realActor?.id ?? viewer.id}`, res))),
    /** Counts a read of a stream that is open already. */
    countRead: async ({ viewer }: Context): Promise<void> =>
      void (viewer && (await limits?.take({ principal: `${viewer.type}:${viewer.id}`, address: '' }))),
  };
}

/** The address of a client whose request Express has not seen, found as Express does behind trusted proxies. */
function addressOf(app: express.Express, { headers, socket }: IncomingMessage): string | undefined {
  return (Object.create(app.request, { headers: { value: headers }, socket: { value: socket } }) as express.Request).ip;
}

/** Returns what counts a stream that a request opens, among those of its caller, company and address, until it is closed. */
const openerOf = (open: OpenStreams) => (ctx: Context, req: express.Request) => {
  const { type, id, companyId } = viewerOf(ctx);
  const leave = open.take({ caller: `${type}:${id}`, company: companyId, address: networkOf(req.ip ?? '') });
  req.res!.once('close', leave);
  if (req.res!.closed) leave();
};

/** Returns a handler's answer from the REST document of one id, for plain handlers that answer like it. */
function showerOf(name: string, operations: readonly RestOperation[], prepare: Prepare) {
  const operation = operations.find((one) => one.name === name)!;
  const execute = prepare(operation.document, operation.name);
  return (ctx: Context, id: string): Promise<unknown> => dataOf(operation, execute, { id }, ctx);
}
