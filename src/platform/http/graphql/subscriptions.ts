import { createSourceEventStream, type ExecutionArgs, type ExecutionResult, execute, type GraphQLError, type GraphQLSchema } from 'graphql';
import type { Context } from '../../context.ts';
import { TooMany } from '../../errors.ts';
import { requireAffordable } from '../../graphql/limits.ts';
import { executionError } from '../rest/envelope.ts';
import { presentAny } from './present.ts';

export interface SubscriptionOptions {
  schema: GraphQLSchema;
  /** Runs what reads for a subscriber: what its statements may see before the caller is known is decided here. */
  enter<T>(work: () => Promise<T>): Promise<T>;
  log: { error(fields: object, message: string): void };
}

/** Subscriptions of one caller in one process. */
const MOST = 100;
const open = new Map<string, number>();

/** A value of a source (events/changes/live.ts): what is answered, and the context in which its fields are read. */
interface Value {
  payload: unknown;
  ctx: Context;
}
export type Results = AsyncGenerator<ExecutionResult, void, void>;

/**
 * Runs a subscription. Each value of its source is answered in a context of its own, with the rights that the caller has then. The source is asked for
 * the next value when the answer before it is on its way, so that a slow client keeps nothing here. An error of the source is the last answer.
 */
export async function runSubscription(args: ExecutionArgs, options: SubscriptionOptions): Promise<Results | ExecutionResult> {
  const ctx = args.contextValue as Context;
  const ended = new AbortController();
  ctx.ended = AbortSignal.any([ended.signal, ...(ctx.ended ? [ctx.ended] : [])]);
  const caller = `${ctx.viewer?.type}:${ctx.viewer?.id}`;
  try {
    if ((open.get(caller) ?? 0) >= MOST) throw new TooMany(5);
    requireAffordable(args.schema, args.document, args.operationName, args.variableValues ?? {}, ctx.language);
    const source = await options.enter(async () => createSourceEventStream(args));
    if (!(Symbol.asyncIterator in source)) return presented(source, ctx, options);
    const results = answers(args, source as AsyncIterable<Value>, caller, options);
    return endedBy(results, () => ended.abort());
  } catch (error) {
    return { errors: [presentAny(error, ctx, options.log)] };
  }
}

/** A generator that waits does not end before what it waits for comes: its source is told that nobody wants that any more. */
function endedBy(results: Results, end: () => void): Results {
  const leave = results.return.bind(results);
  return Object.assign(results, {
    return: (value: undefined) => {
      end();
      return leave(value);
    },
  });
}

async function* answers(args: ExecutionArgs, source: AsyncIterable<Value>, caller: string, options: SubscriptionOptions): Results {
  const values = source[Symbol.asyncIterator]();
  let ctx = args.contextValue as Context;
  open.set(caller, (open.get(caller) ?? 0) + 1);
  const next = async (): Promise<ExecutionResult | undefined | null> => {
    const { value, done } = await values.next();
    if (done) return undefined;
    ctx = value.ctx;
    ctx.variables = args.variableValues as Record<string, unknown>;
    const result = await execute({ ...args, rootValue: value.payload, contextValue: ctx });
    // What a subscriber may not see is no answer.
    if (result.errors?.length && isMissing(result.errors)) return null;
    return presented(result, ctx, options);
  };
  try {
    for (;;) {
      const result = await options.enter(next);
      if (result === undefined) return;
      if (result) yield result;
    }
  } catch (error) {
    yield { errors: [presentAny(error, ctx, options.log)] };
  } finally {
    const left = (open.get(caller) ?? 1) - 1;
    if (left > 0) open.set(caller, left);
    else open.delete(caller);
    await values.return?.();
  }
}

const isMissing = (errors: readonly GraphQLError[]): boolean =>
  errors.every((error) => error.path?.length === 1 && (executionError([error]) as { status?: number }).status === 404);

function presented(result: ExecutionResult, ctx: Context, { log }: SubscriptionOptions): ExecutionResult {
  if (!result.errors) return result;
  return { ...result, errors: result.errors.map((error) => (error.originalError ? presentAny(executionError([error]), ctx, log) : error)) };
}
