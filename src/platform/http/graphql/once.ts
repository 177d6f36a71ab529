import type { Request } from 'express';
import { type DocumentNode, type ExecutionResult, GraphQLError, getOperationAST, Kind } from 'graphql';
import type { Context } from '../../context.ts';
import { once } from '../rest/idempotency.ts';

export interface Document {
  document: DocumentNode;
  operationName?: string | null;
  variables: Record<string, unknown>;
}

/** Answers that say nothing about the request itself: asked again it may end differently. */
const PASSING: Record<string, number> = { internal_server_error: 500, service_unavailable: 503, unauthorized: 401, too_many_requests: 429 };

/**
 * Runs a document with mutations at most once for each `Idempotency-Key`, as REST does. A repeat gets the first answer.
 * @param secrets mutations whose answers contain secrets that are shown only once, and are therefore not kept
 * @throws HaulgateError about the key
 */
export async function runOnce(
  { document, operationName, variables }: Document,
  req: Request,
  context: Context,
  secrets: ReadonlySet<string>,
  run: (ctx: Context) => Promise<ExecutionResult>,
): Promise<{ result: ExecutionResult; replayed: boolean }> {
  const operation = getOperationAST(document, operationName ?? undefined);
  if (req.headers['idempotency-key'] === undefined || operation?.operation !== 'mutation')
    return { result: await run(context), replayed: false };
  // Fields inside fragments count as secret: they are rare, and when repeated they are only read again.
  const secret = operation.selectionSet.selections.some((field) => field.kind !== Kind.FIELD || secrets.has(field.name.value));
  const body = { query: document.loc?.source.body ?? '', operationName: operationName ?? null, variables };
  const answer = await once({}, { req, operation: { public: false, secret }, params: {}, body, context }, async (ctx) => {
    const result = await run(ctx);
    const passing = result.errors?.find(({ extensions }) => String(extensions.code) in PASSING);
    return { status: passing ? PASSING[String(passing.extensions.code)]! : 200, headers: {}, body: result };
  });
  if (typeof answer.body !== 'string') return { result: answer.body as ExecutionResult, replayed: false };
  const { data, errors } = JSON.parse(answer.body) as ExecutionResult;
  const restored = errors?.map(({ message, path, extensions }) => new GraphQLError(message, { path, extensions }));
  return { result: restored ? { data, errors: restored } : { data }, replayed: true };
}
