import { ApolloServer, type ApolloServerOptionsWithGateway, type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import { ApolloServerPluginCacheControlDisabled, ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { type Request, type Response, Router } from 'express';
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  visit,
} from 'graphql';
import type { Context } from '../../context.ts';
import { currentWork } from '../../database/request-work.ts';
import { HaulgateError, Invalid } from '../../errors.ts';
import { DocumentStore } from '../../graphql/documents.ts';
import { errorCodeOf } from '../../graphql/error-codes.ts';
import type { Execute } from '../../graphql/execute.ts';
import { fieldsOf } from '../../graphql/fields.ts';
import { requireAffordable } from '../../graphql/limits.ts';
import { SHAPE } from '../../graphql/shape.ts';
import { pickLanguage, translate } from '../../i18n/messages.ts';
import { unstorable } from '../../text.ts';
import { rateHeaders } from '../attempt-limits.ts';
import { graphiqlPage } from '../docs.ts';
import { requestIdOf } from '../request-id.ts';
import { challengeOf, executionError } from '../rest/envelope.ts';
import type { TakeTurn } from '../rest/router.ts';
import { withDigits } from './exact-variables.ts';
import { runOnce } from './once.ts';
import { readBody, requireModest } from './request.ts';
import { variableErrors } from './variable-errors.ts';

/** Apollo copies what it is given for every operation; few fields are a cheap copy, and the Context stays the one object it is. */
interface Carrier {
  ctx: Context;
  req: Request;
  res: Response;
}
type GatewayInterface = ApolloServerOptionsWithGateway<Carrier>['gateway'];
type GatewayExecutor = NonNullable<Awaited<ReturnType<GatewayInterface['load']>>['executor']>;

export interface GraphqlOptions {
  schema: GraphQLSchema;
  prepare(document: DocumentNode, operationName?: string): Execute;
  contextFor(req: Request): Promise<Context>;
  /** Waits until a request may be worked on; at once by default. */
  takeTurn?: TakeTurn;
  /** Called before a query is answered: its fields by the name under which they are answered, with their arguments. */
  asked?(ctx: Context, fields: Record<string, unknown>): Promise<void>;
  /** Mutations whose answers contain secrets that are shown only once. */
  secrets?: ReadonlySet<string>;
  /** Whether the schema may be asked for; on by default. */
  introspection?: boolean;
  log: { error(fields: object, message: string): void };
}

/**
 * Headers that a page of another origin cannot send without asking first, so that a GET with one of them is not forged. Browsers add an
 * `Authorization` by themselves only for passwords (Basic), which are refused as a token.
 */
const PREFLIGHTED = ['Apollo-Require-Preflight', 'X-Apollo-Operation-Name', 'Authorization'];

/** `/graphql`: Apollo in front of the compiled executor; batching off, CSRF prevention on, documents measured before they run. */
export async function graphqlRouter(options: GraphqlOptions): Promise<{ router: Router; stop(): Promise<void> }> {
  const server = new ApolloServer<Carrier>({
    gateway: gatewayOf(options),
    documentStore: new DocumentStore(),
    csrfPrevention: { requestHeaders: PREFLIGHTED },
    allowBatchedHttpRequests: false,
    includeStacktraceInErrorResponses: false,
    introspection: options.introspection ?? true,
    // Otherwise "did you mean" would reveal the schema name by name.
    hideSchemaDetailsFromClientErrors: options.introspection === false,
    parseOptions: { maxTokens: SHAPE.tokens },
    // Each error would be searched for similar names, which takes a millisecond or two.
    validationOptions: { maxErrors: 10 },
    formatError: hideUnknown,
    // The process decides when it stops, after its work is drained.
    stopOnTerminationSignals: false,
    logger: {
      debug: () => {},
      info: () => {},
      warn: (message) => options.log.error({}, String(message)),
      error: (message) => options.log.error({}, String(message)),
    },
    // Cache control wraps every field resolver of the schema, REST's too, and doubles their cost.
    plugins: [ApolloServerPluginCacheControlDisabled(), ApolloServerPluginLandingPageDisabled(), limitsOf(options.schema)],
  });
  await server.start();
  const router = Router();
  router.use('/graphql', graphiqlPage, readBody, requireModest, (req, res, next) => {
    answer(server, options, req, res).catch(next);
  });
  return { router, stop: () => server.stop() };
}

async function answer(server: ApolloServer<Carrier>, options: GraphqlOptions, req: Request, res: Response): Promise<void> {
  const headers = new HeaderMap();
  for (const name in req.headers) {
    const value = req.headers[name];
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const search = req.url.indexOf('?');
  let rate: Context['rate'];
  let language = pickLanguage(req.headers['accept-language']);
  const run = () =>
    server.executeHTTPGraphQLRequest({
      httpGraphQLRequest: { method: req.method, headers, search: search < 0 ? '' : req.url.slice(search), body: req.body },
      context: async () => {
        const ctx = await options.contextFor(req).catch(refuse(req));
        await options.takeTurn?.(ctx, res).catch(refuse(req));
        ({ rate, language } = ctx);
        return { ctx, req, res };
      },
    });
  const response = await (currentWork()?.during(run) ?? run());
  // Its time was up, and its answer is out.
  if (res.headersSent) return;
  if (rate?.taken) res.set(rateHeaders(rate.taken));
  // One field of several may have been refused, whose error Apollo takes no headers from.
  if (rate?.taken?.refused) res.set('Retry-After', String(Math.max(rate.taken.reset, 1)));
  for (const [name, value] of response.headers) res.setHeader(name, value);
  res.setHeader('Content-Language', language);
  res.vary('Accept-Language');
  // GraphQL over HTTP: who asks for `application/json` by name learns from the status only whether there is an answer.
  const isLegacy = response.headers.get('content-type')?.startsWith('application/json') && req.headers.accept?.includes('application/json');
  res.statusCode = res.locals.misread && isLegacy ? 200 : (response.status ?? 200);
  if (response.body.kind !== 'complete') throw new Error('answers in parts (@defer, @stream) are not part of this schema');
  res.setHeader('Content-Length', Buffer.byteLength(response.body.string));
  res.end(req.method === 'HEAD' ? undefined : response.body.string);
}

/** A caller for whom there is no context (too many requests, unavailable keys) gets the same status as over REST. */
const refuse = (req: Request) => (error: unknown) => {
  if (!(error instanceof HaulgateError)) throw error;
  throw present(error, { language: pickLanguage(req.headers['accept-language']), requestId: requestIdOf(req) });
};

const MISREAD: readonly string[] = ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED'];

const limitsOf = (schema: GraphQLSchema): ApolloServerPlugin<Carrier> => ({
  async requestDidStart() {
    return {
      // The document or its variables are wrong, and nothing ran.
      async didEncounterErrors({ errors, contextValue: { res } }) {
        res.locals.misread = errors.every(({ extensions }) => MISREAD.includes(String(extensions.code)));
      },
      async didResolveOperation({ document, operation, operationName, request, contextValue: { ctx, res } }) {
        if (res.locals.exact && operation && request.variables) request.variables = withDigits(schema, operation, request.variables);
        requireAffordable(schema, document, operationName, request.variables ?? {}, ctx.language);
        const fields = [...unstorable(request.variables ?? {}, ''), ...unstorableLiterals(document)];
        if (fields.length === 0) return;
        throw present(new Invalid(fields.map((field) => ({ model: 'Request', field, key: 'unstorable_text' }))), ctx);
      },
    };
  },
});

const literals = new WeakMap<DocumentNode, string[]>();
/** `query` for every literal of a document that cannot be stored. Apollo parses a text once, so that this too is asked once. */
function unstorableLiterals(document: DocumentNode): string[] {
  let fields = literals.get(document);
  if (!fields) {
    const found: string[] = [];
    visit(document, {
      StringValue: (node) => {
        if (unstorable(node.value, '').length > 0) found.push('query');
      },
    });
    literals.set(document, found);
    fields = found;
  }
  return fields;
}

function gatewayOf({ schema, prepare, log, asked, secrets = new Set(), introspection = true }: GraphqlOptions): GatewayInterface {
  const prepared = new WeakMap<DocumentNode, Map<string, Execute>>();
  const executor: GatewayExecutor = async (rc) => {
    const carrier = rc.context as Carrier;
    const name = rc.operationName ?? '';
    let operations = prepared.get(rc.document);
    if (!operations) {
      operations = new Map();
      prepared.set(rc.document, operations);
    }
    let run = operations.get(name);
    if (!run) {
      run = prepare(rc.document, rc.operationName ?? undefined);
      operations.set(name, run);
    }
    const variables = (rc.request.variables ?? {}) as Record<string, unknown>;
    if (asked && carrier.ctx.viewer?.realActor) await asked(carrier.ctx, fieldsOf(schema, rc.document, rc.operationName, variables));
    const visible = async (context: Context) => withoutInternals(await run(variables, context), context);
    try {
      const document = { document: rc.document, operationName: rc.operationName, variables };
      const { result, replayed } = await runOnce(document, carrier.req, carrier.ctx, secrets, visible);
      if (replayed) carrier.res.set('Idempotency-Replayed', 'true');
      // Without data, nothing ran: the variables are wrong.
      const operation = result.errors && result.data === undefined ? getOperationAST(rc.document, rc.operationName) : undefined;
      const errors = operation ? variableErrors(schema, operation, variables, carrier.ctx, introspection) : [];
      if (errors.length === 0) return result;
      carrier.res.locals.misread = true;
      return { errors };
    } catch (error) {
      if (error instanceof HaulgateError) return { errors: [present(error, carrier.ctx)] };
      throw error;
    }
  };
  const withoutInternals = (result: ExecutionResult, context: Context): ExecutionResult => {
    if (!result.errors) return result;
    const errors = result.errors.map((error) => {
      const cause = executionError([error]);
      if (cause instanceof HaulgateError) return present(cause, context, error);
      // An error without a path is about the variables; with a path, a value was not what the schema promises. Compiled documents throw
      // errors of a separate class, which Apollo cannot read.
      if (cause instanceof GraphQLError && !cause.originalError && !error.path)
        return new GraphQLError(cause.message, {
          extensions: { code: 'bad_request', requestId: context.requestId, http: { status: 400 } },
        });
      log.error({ err: cause, requestId: context.requestId, path: error.path?.join('.') }, 'resolver failed');
      return new GraphQLError(translate(context.language, 'internal_server_error'), {
        path: error.path,
        extensions: { code: 'internal_server_error', requestId: context.requestId },
      });
    });
    return { ...result, errors };
  };
  return {
    load: async () => ({ executor }),
    onSchemaLoadOrUpdate(callback) {
      callback({ apiSchema: schema, coreSupergraphSdl: '' });
      return () => {};
    },
    stop: async () => {},
  };
}

/** An error of the family as GraphQL says it: the first message in the caller's language, everything else in `extensions`. */
function present(
  error: HaulgateError,
  context: Pick<Context, 'language' | 'requestId'>,
  at?: { path?: GraphQLError['path']; nodes?: GraphQLError['nodes'] },
): GraphQLError {
  const items = error.items.map(({ key, params, ...item }) => ({ ...item, message: translate(context.language, key, params) }));
  const first = items[0];
  // A caller who signs in has no token yet.
  const key = error.errorType === 'invalid_credentials' ? error.errorType : error.code;
  const headers = new HeaderMap();
  if (error.retryAfter) headers.set('retry-after', String(error.retryAfter));
  const challenge = challengeOf(error);
  if (challenge) headers.set('www-authenticate', challenge);
  const message = first ? [first.field, first.message].filter(Boolean).join(' ') : translate(context.language, key);
  return new GraphQLError(message, {
    path: at?.path,
    nodes: at?.nodes,
    extensions: {
      code: error.code,
      ...(error.errorType ? { error_type: error.errorType } : {}),
      ...(items.length > 0 ? { errors: items } : {}),
      requestId: context.requestId,
      // Before execution the whole request is wrong; a field that fails leaves the answer a 200, but for a missing token.
      http: {
        status: at && error.status !== 401 ? undefined : error.status,
        ...(headers.size > 0 ? { headers } : {}),
      },
    },
  });
}

function hideUnknown(formatted: GraphQLFormattedError): GraphQLFormattedError {
  const { http: _http, stacktrace: _stack, ...extensions } = (formatted.extensions ?? {}) as Record<string, unknown>;
  return { ...formatted, extensions: { ...extensions, code: errorCodeOf(extensions.code) } };
}
