import type { IncomingMessage, Server } from 'node:http';
import type { Request, RequestHandler } from 'express';
import { type ExecutionArgs, GraphQLError, type GraphQLSchema, getOperationAST, parse, specifiedRules, validate } from 'graphql';
import { createHandler } from 'graphql-sse/lib/use/express';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import { viewerOf } from '../../authz/authorization.ts';
import type { Context } from '../../context.ts';
import { tooExpensive } from '../../graphql/limits.ts';
import { excessOf, SHAPE } from '../../graphql/shape.ts';
import { presentAny } from './present.ts';
import { readBody } from './request.ts';
import { runSubscription, type SubscriptionOptions } from './subscriptions.ts';

export interface SubscriptionServerOptions extends SubscriptionOptions {
  schema: GraphQLSchema;
  /** The caller of a request, which is counted. */
  contextFor(req: Request): Promise<Context>;
  /** The same caller as they are now, which counts as no request. */
  renew(req: Request): Promise<Context>;
  introspection?: boolean;
}

/** Where subscriptions are sent to over WebSocket, and as server-sent events. */
export const SOCKET_PATH = '/graphql';
export const STREAM_PATH = '/graphql/stream';
/** Bytes of a message from a client, and milliseconds in which a client must say who it is. */
const MESSAGE_LIMIT = 1024 * 1024;
const PATIENCE = 10_000;
const SIGN_OF_LIFE = 15_000;

/** Answers subscriptions over WebSocket (graphql-transport-ws). The token is in `connectionParams.authorization`, or in the header of the upgrade. */
export function answerSockets(server: Server, options: SubscriptionServerOptions): { close(): Promise<void> } {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MESSAGE_LIMIT });
  const cleaner = useServer<{ authorization?: unknown }, { request: IncomingMessage }>(
    {
      connectionInitWaitTimeout: PATIENCE,
      onConnect: async ({ connectionParams, extra: { request } }) => {
        const ctx = await options.enter(() => options.renew(requestOf(request, connectionParams?.authorization)));
        return ctx.viewer !== undefined;
      },
      onSubscribe: async ({ connectionParams, extra: { request } }, _id, { query, operationName, variables }) =>
        argsOf({ query, operationName, variables }, requestOf(request, connectionParams?.authorization), options),
      subscribe: (args) => runSubscription(args, options),
      execute: () => ({ errors: [onlySubscriptions()] }),
    },
    sockets,
    SIGN_OF_LIFE,
  );
  server.on('upgrade', (request, socket, head) => {
    const [path] = (request.url ?? '').split('?');
    if (path !== SOCKET_PATH) {
      // Node has taken its own listeners off: without one, a client that resets the connection would end the process.
      socket.on('error', () => socket.destroy());
      return void socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n', () => socket.destroy());
    }
    sockets.handleUpgrade(request, socket, head, (opened) => sockets.emit('connection', opened, request));
  });
  return {
    async close() {
      await cleaner.dispose();
    },
  };
}

/** Answers subscriptions as server-sent events (graphql-sse), one in each request. */
export function answerStreams(options: SubscriptionServerOptions): RequestHandler[] {
  const answer = createHandler({
    schema: options.schema,
    // Without a token of the library's own, each stream is one request's: with one, all callers would share a stream.
    authenticate: () => null as never,
    onSubscribe: async ({ raw }, { query, operationName, variables }) => {
      const args = await argsOf({ query, operationName, variables }, requestOf(raw), options);
      if (!('document' in args)) return { errors: args } as never;
      // The library waits for the next value before it ends: the source is told that the client has left.
      const left = new AbortController();
      (raw as Request).res?.once('close', () => left.abort());
      (args.contextValue as Context).ended = left.signal;
      return args as never;
    },
    subscribe: (args) => runSubscription(args as ExecutionArgs, options) as never,
    execute: () => ({ errors: [onlySubscriptions()] }),
  }) as unknown as RequestHandler;
  return [onlyOwnStreams, readBody, answer];
}

/** The library reserves, shares and ends streams by other methods, which is not offered here. */
const onlyOwnStreams: RequestHandler = (req, res, next) => {
  if (req.method === 'GET' || req.method === 'POST') return next();
  res.set('Allow', 'GET, POST').status(405).end();
};

/** A request as the context is made of one: with the token that the client says at the beginning of a connection. */
function requestOf(request: IncomingMessage, authorization?: unknown): Request {
  const headers = typeof authorization === 'string' ? { ...request.headers, authorization } : request.headers;
  return { headers, ip: (request as Request).ip ?? request.socket.remoteAddress } as Request;
}

interface Said {
  query?: unknown;
  operationName?: unknown;
  variables?: unknown;
}

/** What is to be executed, for the caller as they are at the beginning, or what is wrong with it. */
async function argsOf(said: Said, req: Request, options: SubscriptionServerOptions): Promise<ExecutionArgs | readonly GraphQLError[]> {
  const { schema, enter, log } = options;
  let ctx: Context | undefined;
  try {
    ctx = await enter(() => options.contextFor(req));
    viewerOf(ctx);
    const text = String(said.query ?? '');
    const excess = excessOf(text);
    if (excess) return [tooExpensive(ctx.language, excess)];
    const document = parse(text, { maxTokens: SHAPE.tokens });
    const errors = validate(schema, document, specifiedRules, { maxErrors: 10 });
    if (errors.length > 0) return errors;
    const operationName = typeof said.operationName === 'string' ? said.operationName : undefined;
    if (getOperationAST(document, operationName)?.operation !== 'subscription') return [onlySubscriptions()];
    ctx.renew = () => options.renew(req);
    const variableValues = (said.variables ?? {}) as Record<string, unknown>;
    return { schema, document, operationName, variableValues, contextValue: ctx };
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    return [presentAny(error, ctx ?? { language: 'en', requestId: '' }, log)];
  }
}

const onlySubscriptions = (): GraphQLError =>
  new GraphQLError('Only subscriptions are answered here: send queries and mutations to /graphql.', {
    extensions: { code: 'bad_request' },
  });
