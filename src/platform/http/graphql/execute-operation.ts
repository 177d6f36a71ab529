import type { Request } from 'express';
import { type DocumentNode, type ExecutionResult, GraphQLError, type GraphQLSchema, getOperationAST, visit } from 'graphql';
import type { Context } from '../../context.ts';
import { currentWork } from '../../database/request-work.ts';
import { expected, HaulgateError, Invalid } from '../../errors.ts';
import type { Execute } from '../../graphql/execute.ts';
import { fieldsOf } from '../../graphql/fields.ts';
import { requireAffordable } from '../../graphql/limits.ts';
import { translate } from '../../i18n/messages.ts';
import { unstorable } from '../../text.ts';
import { readAtReplica } from '../replica-reads.ts';
import { executionError } from '../rest/envelope.ts';
import { withDefaults, withDigits } from './exact-variables.ts';
import type { Asked } from './known-documents.ts';
import { runOnce } from './once.ts';
import { logUnavailable, present, presentAny } from './present.ts';
import { variableErrors } from './variable-errors.ts';

export interface ExecutorOptions {
  schema: GraphQLSchema;
  prepare(document: DocumentNode, operationName?: string): Execute;
  /** Called before a query is answered: its fields by the name under which they are answered, with their arguments. */
  asked?(ctx: Context, fields: Record<string, unknown>): Promise<void>;
  /** Mutations whose answers contain secrets that are shown only once. */
  secrets?: ReadonlySet<string>;
  /** Whether the schema may be asked for; on by default. */
  introspection?: boolean;
  log: { error(fields: object, message: string): void };
}

/** Letters of a name that its error repeats. */
const SHOWN = 100;

/** The error of a name that no operation of the document has. */
export const unknownOperation = (name: string): GraphQLError =>
  new GraphQLError(`Unknown operation named "${name.slice(0, SHOWN)}".`, { extensions: { code: 'bad_request', http: { status: 400 } } });

/** Passes when an operation may run. @throws GraphQLError */
export function admit(schema: GraphQLSchema, { document, operationName, request, carrier: { ctx, res } }: Asked): void {
  const operation = getOperationAST(document, operationName);
  if (operation?.operation === 'subscription')
    throw new GraphQLError('Subscriptions are answered over WebSocket, and at /graphql/stream.', { extensions: { code: 'bad_request' } });
  if (res.locals.exact && operation && request.variables) request.variables = withDigits(schema, operation, request.variables);
  if (operation) request.variables = withDefaults(schema, operation, request.variables);
  requireAffordable(schema, document, operationName, request.variables ?? {}, ctx.language);
  requireStorable(document, request.variables ?? {}, ctx);
}

/** Passes when every text of an operation can be stored. @throws GraphQLError */
export function requireStorable(document: DocumentNode, variables: Record<string, unknown>, ctx: Context): void {
  const fields = [...unstorable(variables, ''), ...unstorableLiterals(document)];
  if (fields.length === 0) return;
  throw present(new Invalid(fields.map((field) => ({ model: 'Request', field, key: 'unstorable_text' }))), ctx);
}

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

/** Says what of the lists of an answer is in archives. */
const withArchived = (result: ExecutionResult, { archived }: Context): ExecutionResult =>
  archived ? { ...result, extensions: { ...result.extensions, archived } } : result;

/** Whether an empty list is somewhere in a value. */
function hasEmptyList(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0 || value.some(hasEmptyList);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasEmptyList);
}

/** Runs an operation that was admitted. */
export function executorOf({
  schema,
  prepare,
  log,
  asked,
  secrets = new Set(),
  introspection = true,
}: ExecutorOptions): (asked: Asked) => Promise<ExecutionResult> {
  const prepared = new WeakMap<DocumentNode, Map<string, Execute>>();
  const executor = async (rc: Asked): Promise<ExecutionResult> => {
    const { carrier } = rc;
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
    const misread = (): GraphQLError[] => {
      const operation = getOperationAST(rc.document, rc.operationName);
      const errors = operation ? variableErrors(schema, operation, variables, carrier.ctx, introspection) : [];
      if (errors.length > 0) carrier.res.locals.misread = true;
      return errors;
    };
    // The compiled document would collect every mistake of large variables, which takes minutes of computing, and takes an empty list for an empty object.
    const wrong = carrier.res.locals.large || hasEmptyList(variables) ? misread() : [];
    if (wrong.length > 0) return { errors: wrong };
    const visible = async (context: Context) =>
      withArchived(withoutInternals(await run(variables, context), context, carrier.req), context);
    try {
      if (currentWork()?.replicas && getOperationAST(rc.document, rc.operationName)?.operation === 'query')
        await readAtReplica(carrier.ctx);
      const document = { document: rc.document, operationName: rc.operationName, variables };
      const { result, replayed } = await runOnce(document, carrier.req, carrier.ctx, secrets, visible);
      if (replayed) carrier.res.set('Idempotency-Replayed', 'true');
      // Without data, nothing ran: the variables are wrong.
      const errors = result.errors && result.data === undefined ? misread() : [];
      return errors.length === 0 ? result : { errors };
    } catch (error) {
      logUnavailable(log, carrier.req, expected(error));
      return { errors: [presentAny(error, carrier.ctx, log)] };
    }
  };
  const withoutInternals = (result: ExecutionResult, context: Context, req: Request): ExecutionResult => {
    if (!result.errors) return result;
    // Nothing was answered: a database that is gone is the failure of the whole request, not of a field.
    const isEmpty = Object.values(result.data ?? {}).every((value) => value === null);
    const errors = result.errors.map((error) => {
      const cause = executionError([error]);
      if (cause instanceof HaulgateError) {
        logUnavailable(log, req, cause);
        // An error without a path is about the whole request, too.
        return present(cause, context, !error.path || (isEmpty && cause.status === 503) ? undefined : error, error.path);
      }
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
  return executor;
}
