import { ApolloServer, type ApolloServerOptionsWithGateway, type ApolloServerPlugin } from '@apollo/server';
import { ApolloServerPluginCacheControlDisabled, ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { GraphQLError, type GraphQLFormattedError, type GraphQLSchema } from 'graphql';
import type { ErrorCode } from '../../errors.ts';
import { DocumentStore } from '../../graphql/documents.ts';
import { errorCodeOf } from '../../graphql/error-codes.ts';
import { LIMITS, sizeOf } from '../../graphql/limits.ts';
import { SHAPE } from '../../graphql/shape.ts';
import { admit, type ExecutorOptions, unknownOperation } from './execute-operation.ts';
import { asksForCost } from './figures.ts';
import type { Carrier } from './known-documents.ts';

type GatewayInterface = ApolloServerOptionsWithGateway<Carrier>['gateway'];
type GatewayExecutor = NonNullable<Awaited<ReturnType<GatewayInterface['load']>>['executor']>;

/**
 * Headers that a page of another origin cannot send without asking first, so that a GET with one of them is not forged. Browsers add an
 * `Authorization` by themselves only for passwords (Basic), which are refused as a token.
 */
const PREFLIGHTED = ['Apollo-Require-Preflight', 'X-Apollo-Operation-Name', 'Authorization'];

/** Apollo for a schema, and the documents that it has parsed and validated. */
interface Apollo {
  server: ApolloServer<Carrier>;
  documents: DocumentStore;
}

const started = new WeakMap<GraphQLSchema, Map<boolean, Promise<Apollo>>>();

/**
 * Returns Apollo for a schema. It depends on nothing but the code, because what it needs of an application comes with each request, so all
 * applications of a process share it: each would otherwise print the whole schema when it starts, which is most of what a start takes.
 * @param log of the application that asks first; Apollo says there what its own parts could not do
 */
export function apolloOf(schema: GraphQLSchema, introspection: boolean, log: ExecutorOptions['log']): Promise<Apollo> {
  const ofSchema = started.get(schema) ?? new Map<boolean, Promise<Apollo>>();
  started.set(schema, ofSchema);
  const found = ofSchema.get(introspection) ?? start(schema, introspection, log);
  ofSchema.set(introspection, found);
  return found;
}

async function start(schema: GraphQLSchema, introspection: boolean, log: ExecutorOptions['log']): Promise<Apollo> {
  const documents = new DocumentStore();
  const server = new ApolloServer<Carrier>({
    gateway: gatewayOf(schema),
    documentStore: documents,
    csrfPrevention: { requestHeaders: PREFLIGHTED },
    allowBatchedHttpRequests: false,
    includeStacktraceInErrorResponses: false,
    introspection,
    // Otherwise "did you mean" would reveal the schema name by name.
    hideSchemaDetailsFromClientErrors: !introspection,
    parseOptions: { maxTokens: SHAPE.tokens },
    // Each error would be searched for similar names, which takes a millisecond or two.
    validationOptions: { maxErrors: 10 },
    formatError: hideUnknown,
    // The process decides when it stops, after its work is drained.
    stopOnTerminationSignals: false,
    logger: {
      debug: () => {},
      info: () => {},
      warn: (message) => log.error({}, String(message)),
      error: (message) => log.error({}, String(message)),
    },
    // Cache control wraps every field resolver of the schema, REST's too, and doubles their cost.
    plugins: [ApolloServerPluginCacheControlDisabled(), ApolloServerPluginLandingPageDisabled(), limitsOf(schema)],
  });
  await server.start();
  return { server, documents };
}

const MISREAD: readonly string[] = ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED'];

const limitsOf = (schema: GraphQLSchema): ApolloServerPlugin<Carrier> => ({
  async requestDidStart() {
    return {
      // The document or its variables are wrong, and nothing ran.
      async didEncounterErrors({ errors, contextValue: { res } }) {
        res.locals.misread = errors.every(({ extensions }) => MISREAD.includes(String(extensions.code)));
      },
      async didResolveOperation({ document, operation, operationName, request, contextValue }) {
        // Apollo would run the only operation of the document, a mutation of a GET as well, and answer that something went wrong.
        if (request.operationName && !operation) throw unknownOperation(request.operationName);
        admit(schema, { document, operationName, request, carrier: contextValue });
      },
    };
  },
});

function gatewayOf(schema: GraphQLSchema): GatewayInterface {
  const executor: GatewayExecutor = async ({ context, document, operationName, request }) => {
    const carrier = context as Carrier;
    const result = (await carrier.result) ?? (await carrier.execute({ document, operationName, request, carrier }));
    carrier.res.locals.operation = operationName;
    if (!asksForCost(carrier.req)) return result;
    const cost = { ...sizeOf(schema, document, operationName, request.variables ?? {}), most: LIMITS };
    return { ...result, extensions: { ...result.extensions, cost } };
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

function hideUnknown(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const { http: _http, stacktrace: _stack, ...extensions } = (formatted.extensions ?? {}) as Record<string, unknown>;
  const { status = 500, code } = detailsOf(error);
  // Some refusals of Apollo, such as of a hash that is not the document's, have a status and no code.
  const refused = code === undefined && status >= 400 && status < 500;
  return {
    ...formatted,
    extensions: { ...extensions, code: OF_STATUS[status] ?? (refused ? 'bad_request' : errorCodeOf(extensions.code)) },
  };
}

/** What Apollo refuses with a code that says less than its status. */
const OF_STATUS: Partial<Record<number, ErrorCode>> = { 405: 'method_not_allowed', 406: 'not_acceptable' };

function detailsOf(error: unknown): { status?: number; code?: unknown } {
  const { http, code } = (error instanceof GraphQLError ? error.extensions : {}) as { http?: { status?: number }; code?: unknown };
  return { status: http?.status, code };
}
