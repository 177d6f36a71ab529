import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Request, RequestHandler } from 'express';
import {
  type DocumentNode,
  type ExecutionArgs,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import type { Response } from 'graphql-sse';
import { createHandler } from 'graphql-sse/lib/use/express';
import { useServer } from 'graphql-ws/use/ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { viewerOf } from '../../authz/authorization.ts';
import type { Context } from '../../context.ts';
import { currentWork, inRequest, RequestWork } from '../../database/request-work.ts';
import { BadRequest, expected, TooMany, Unavailable } from '../../errors.ts';
import { tooExpensive } from '../../graphql/limits.ts';
import { excessOf, SHAPE } from '../../graphql/shape.ts';
import { networkOf } from '../attempt-limits.ts';
import type { OpenStreams } from '../open-streams.ts';
import { withDefaults } from './exact-variables.ts';
import { requireStorable, unknownOperation } from './execute-operation.ts';
import { presentAny, withoutHead } from './present.ts';
import { readBody } from './request.ts';
import { runSubscription, type Subscriber, type SubscriptionOptions } from './subscriptions.ts';
import { variableErrors } from './variable-errors.ts';

export interface SubscriptionServerOptions extends SubscriptionOptions {
  schema: GraphQLSchema;
  /** The caller of a request, which is counted. */
  contextFor(req: Request): Promise<Context>;
  /** The same caller as they are now, which counts as no request. */
  renew(req: Request): Promise<Context>;
  /** The address of a client whose request Express has not seen, behind trusted proxies the one they forwarded. */
  addressOf(request: IncomingMessage): string | undefined;
  /** Counts the connections that are open. */
  streams: OpenStreams;
  /** Whether the schema may be asked for, and errors suggest its names; on by default. */
  introspection?: boolean;
}

/** Where subscriptions are sent to over WebSocket, and as server-sent events. */
const SOCKET_PATH = '/graphql';
export const STREAM_PATH = '/graphql/stream';
/** Bytes of a message from a client, and milliseconds in which a client must say who it is. */
const MESSAGE_LIMIT = 1024 * 1024;
const PATIENCE = 10_000;
const SIGN_OF_LIFE = 15_000;
/** Bytes that may wait for a client that asks for more than it takes: signs of life, too, are answered. */
const MOST_UNREAD = 8 * 1024 * 1024;
/** "Try again later" (RFC 6455, IANA): what clients of graphql-ws take for a reason to try again, unlike each code of the protocol's own. */
const TRY_AGAIN = 1013;
/** "Bad request" of graphql-ws, and the bytes of a reason that a frame has room for (RFC 6455). */
const BAD_REQUEST = 4400;
const REASON_LIMIT = 123;

type Connection = { request: IncomingMessage; socket: WebSocket };

/** Answers subscriptions over WebSocket (graphql-transport-ws). The token is in `connectionParams.authorization`, or in the header of the upgrade. */
export function answerSockets(server: Server, options: SubscriptionServerOptions): { close(): Promise<void> } {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MESSAGE_LIMIT });
  const req = ({ request }: Connection, params: Record<string, unknown> | undefined) =>
    requestOf(request, options.addressOf(request), authorizationIn(params));
  const cleaner = useServer<Record<string, unknown>, Connection>(
    {
      connectionInitWaitTimeout: PATIENCE,
      // The reason of a close would name what failed, with its host.
      isProd: true,
      onConnect: ({ connectionParams, extra }) => admit(req(extra, connectionParams), extra.socket, options),
      onSubscribe: async ({ connectionParams, extra }, _id, { query, operationName, variables }) => {
        const args = await argsOf({ query, operationName, variables }, req(extra, connectionParams), options);
        const { socket } = extra;
        if (!('document' in args)) return args.map(withoutHead);
        subscribers.set(args, { waiting: () => socket.bufferedAmount, cut: () => socket.terminate() });
        return args;
      },
      subscribe: (args) => runSubscription(args, options, subscribers.get(args)!),
      execute: () => ({ errors: [onlySubscriptions()] }),
    },
    sockets,
    SIGN_OF_LIFE,
  );
  server.on('upgrade', (request, socket, head) => {
    // Node has taken its own listeners off: without one, a client that resets the connection would end the process.
    socket.on('error', () => socket.destroy());
    const [path] = (request.url ?? '').split('?');
    if (path !== SOCKET_PATH) return refuse(socket, '404 Not Found');
    let leave: () => void;
    try {
      leave = options.streams.take({ address: networkOf(options.addressOf(request) ?? '') });
    } catch (error) {
      return refuse(socket, '429 Too Many Requests', `Retry-After: ${(error as TooMany).retryAfter ?? 1}`);
    }
    socket.once('close', leave);
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on('message', () => {
        if (opened.bufferedAmount > MOST_UNREAD) opened.terminate();
      });
      sockets.emit('connection', opened, request);
    });
  });
  return {
    async close() {
      await cleaner.dispose();
    },
  };
}

/** Answers an upgrade that is not made. */
function refuse(socket: Duplex, status: string, ...headers: string[]): void {
  const lines = [`HTTP/1.1 ${status}`, 'Content-Length: 0', 'Connection: close', ...headers];
  socket.end(`${lines.join('\r\n')}\r\n\r\n`, () => socket.destroy());
}

/** Admits a connection: it is counted as a request, and among those that the caller and their company have open. @returns whether it may go on */
async function admit(req: Request, socket: WebSocket, options: SubscriptionServerOptions): Promise<boolean> {
  try {
    const { viewer } = await asRequest(options, () => options.contextFor(req));
    if (!viewer) return false;
    const leave = options.streams.take({ caller: `${viewer.type}:${viewer.id}`, company: viewer.companyId });
    if (socket.readyState === socket.OPEN) socket.once('close', leave);
    else leave();
    return true;
  } catch (error) {
    const known = expected(error);
    const reason = waitOf(known);
    if (reason !== undefined) socket.close(TRY_AGAIN, reason);
    else if (known instanceof BadRequest) socket.close(BAD_REQUEST, shortened(presentAny(known, IN_ENGLISH, options.log).message));
    else throw error;
    return false;
  }
}

/** The language of reasons, as nobody is known to whom they are said. */
const IN_ENGLISH = { language: 'en', requestId: '' } as const;
const shortened = (reason: string): string => Buffer.from(reason).subarray(0, REASON_LIMIT).toString();

/** Returns the seconds after which a client is to try again, if an error is of that kind. */
function waitOf(error: unknown): string | undefined {
  if (error instanceof TooMany) return `Too many connections or requests: try again in ${error.retryAfter} s`;
  return error instanceof Unavailable ? `The server cannot answer at the moment: try again in ${error.retryAfter} s` : undefined;
}

/** Answers subscriptions as server-sent events (graphql-sse), one in each request. */
export function answerStreams(options: SubscriptionServerOptions): RequestHandler[] {
  const answer = createHandler({
    schema: options.schema,
    // Without a token of the library's own, each stream is one request's: with one, all callers would share a stream.
    authenticate: () => null as never,
    onSubscribe: async ({ raw }, { query, operationName, variables }) => {
      const req = raw as Request;
      const args = await argsOf({ query, operationName, variables }, requestOf(req, req.ip), options);
      if (!('document' in args)) return answerTo(args);
      const ctx = args.contextValue as Context;
      try {
        const { type, id, companyId } = viewerOf(ctx);
        const leave = options.streams.take({ caller: `${type}:${id}`, company: companyId, address: networkOf(req.ip ?? '') });
        // The library waits for the next value before it ends: the source learns that the client has left.
        const left = new AbortController();
        const { res } = req;
        const over = () => {
          leave();
          left.abort();
        };
        res!.once('close', over);
        if (res!.closed) over();
        ctx.ended = left.signal;
        // The library keeps what was not taken, so nothing is read before everything was.
        subscribers.set(args, { waiting: () => (res!.writableLength > 0 ? Number.POSITIVE_INFINITY : 0), cut: () => res!.destroy() });
      } catch (error) {
        return answerTo([presentAny(error, ctx, options.log)]);
      }
      return args as never;
    },
    subscribe: (args) => runSubscription(args as ExecutionArgs, options, subscribers.get(args as ExecutionArgs)!) as never,
    execute: () => ({ errors: [onlySubscriptions()] }),
  }) as unknown as RequestHandler;
  return [onlyOwnStreams, readBody, answer];
}

/** The library reserves, shares and ends streams by other methods, which is not offered here. */
const onlyOwnStreams: RequestHandler = (req, res, next) => {
  if (req.method === 'GET' || req.method === 'POST') return next();
  res.set('Allow', 'GET, POST').status(405).end();
};

/** The connections of what is executed. */
const subscribers = new WeakMap<object, Subscriber>();

/** Runs what a request would do: within its limits. */
const asRequest = <T>({ statementMs, enter }: SubscriptionServerOptions, work: () => Promise<T>): Promise<T> =>
  inRequest(currentWork() ?? new RequestWork(statementMs), () => enter(work));

/** What the parameters of a connection say of who connects. Many clients write it as the header is written, whose case does not matter. */
const authorizationIn = (params: Record<string, unknown> | undefined): unknown =>
  Object.entries(params ?? {}).find(([name]) => name.toLowerCase() === 'authorization')?.[1];

/** A request as the context is made of one: with the token that the client says at the beginning of a connection. A socket has no answer with headers. */
function requestOf(request: IncomingMessage & { res?: Request['res'] }, ip: string | undefined, authorization?: unknown): Request {
  const { method, url, socket, res } = request;
  const headers = typeof authorization === 'string' ? { ...request.headers, authorization } : request.headers;
  return { headers, ip, method, url, socket, res } as Request;
}

/** Statuses of what is wrong with a document or its variables, which is said in the stream, as the protocol has it. */
const SAID_IN_STREAM = [400, 422];

/** The answer of a stream that does not begin: a status, as everywhere, because of who asks, or of the server. */
function answerTo(errors: readonly GraphQLError[]): never {
  const { status, headers } = (errors[0]?.extensions.http ?? {}) as { status?: number; headers?: Map<string, string> };
  const shown = errors.map(withoutHead);
  // The library takes what has no `data` for a document.
  if (status === undefined || SAID_IN_STREAM.includes(status)) return { data: undefined, errors: shown } as never;
  const head = { 'content-type': 'application/json; charset=utf-8', ...Object.fromEntries(headers ?? []) };
  const refusal: Response = [JSON.stringify({ errors: shown }), { status, statusText: STATUS_CODES[status] ?? '', headers: head }];
  return refusal as never;
}

interface Said {
  query?: unknown;
  operationName?: unknown;
  variables?: unknown;
}

/** Returns the operation to execute, for the caller as they are at the beginning, or the problems with it. */
async function argsOf(said: Said, req: Request, options: SubscriptionServerOptions): Promise<ExecutionArgs | readonly GraphQLError[]> {
  const { schema, log } = options;
  let ctx: Context | undefined;
  try {
    ctx = await asRequest(options, () => options.contextFor(req));
    viewerOf(ctx);
    const text = String(said.query ?? '');
    const excess = excessOf(text);
    if (excess) return [tooExpensive(ctx.language, excess)];
    const document = documentOf(text);
    if (document instanceof GraphQLError) return [document];
    const suggests = options.introspection ?? true;
    const errors = validate(schema, document, specifiedRules, { maxErrors: 10, hideSuggestions: !suggests });
    if (errors.length > 0) return errors.map((error) => coded(error, 'graphql_validation_failed'));
    const operationName = typeof said.operationName === 'string' && said.operationName !== '' ? said.operationName : undefined;
    const operation = getOperationAST(document, operationName);
    if (operationName !== undefined && !operation) return [unknownOperation(operationName)];
    if (operation?.operation !== 'subscription') return [onlySubscriptions()];
    const variableValues = withDefaults(schema, operation, said.variables as Record<string, unknown> | undefined);
    const wrong = variableErrors(schema, operation, variableValues, ctx, suggests);
    if (wrong.length > 0) return wrong;
    requireStorable(document, variableValues, ctx);
    ctx.renew = () => options.renew(req);
    return { schema, document, operationName, variableValues, contextValue: ctx };
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    return [presentAny(error, ctx ?? { language: 'en', requestId: '' }, log)];
  }
}

function documentOf(text: string): DocumentNode | GraphQLError {
  try {
    return parse(text, { maxTokens: SHAPE.tokens });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    return coded(error, 'graphql_parse_failed');
  }
}

const coded = ({ message, nodes, source, positions }: GraphQLError, code: string): GraphQLError =>
  new GraphQLError(message, { nodes, source, positions, extensions: { code } });

const onlySubscriptions = (): GraphQLError =>
  new GraphQLError('Only subscriptions are answered here: send queries and mutations to /graphql.', {
    extensions: { code: 'bad_request' },
  });
