import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
} from 'graphql';
import type { Context } from '../../context.ts';
import { inRequest, RequestWork } from '../../database/request-work.ts';
import { setRequestScope } from '../../database/scope.ts';
import { requireConditions } from '../../graphql/complete/conditions.ts';
import { requireAffordable } from '../../graphql/limits.ts';
import { readTogether } from '../../graphql/read-each.ts';
import { inTask, nameAsker, type Tracing, traceParent } from '../../tracing/spans.ts';
import type { OpenStreams } from '../open-streams.ts';
import { executionError } from '../rest/envelope.ts';
import { endTurn, type TurnHolder } from '../turns.ts';
import { presentAny, withoutHead } from './present.ts';

export interface SubscriptionOptions {
  schema: GraphQLSchema;
  /** Runs what reads for a subscriber: what its statements may see before the caller is known is decided here. */
  enter<T>(work: () => Promise<T>): Promise<T>;
  /** Milliseconds that a statement may run for a subscriber; 0 for any time. */
  statementMs: number;
  /** Waits for a turn of the caller, as requests do. @throws TooMany, Unavailable when the holder is closed */
  takeTurn(ctx: Context, holder: TurnHolder): Promise<void>;
  /** Counts a read for a subscriber, as a request is counted. @throws TooMany */
  countRead(ctx: Context): Promise<void>;
  /** Counts the subscriptions that are open. */
  subscriptions: OpenStreams;
  /** Gives each answer a span; not by default. */
  tracing?: Tracing;
  log: { error(fields: object, message: string): void };
}

/** The connection of a subscriber. */
export interface Subscriber {
  /** Bytes that were sent and not taken. */
  waiting(): number;
  /** Ends the connection at once. */
  cut(): void;
}

/** Bytes that may wait for a slow client before anything more is read for it, and milliseconds that it gets to take them. */
const MOST_WAITING = 256 * 1024;
const PATIENCE = 30_000;
const LOOK_EVERY = 50;

/** A value of a source (events/changes/live.ts): what is answered, one after the other, and the context in which the fields of all of it are read. */
interface Value {
  payloads: readonly unknown[];
  /** The payloads are ids of records, each of which is the answer. */
  ids?: boolean;
  ctx: Context;
}
export type Results = AsyncGenerator<ExecutionResult, void, void>;

/** The holder of the turns of a subscription, closed when it ends. */
class Turn extends EventEmitter implements TurnHolder {
  closed = false;

  close(): void {
    this.closed = true;
    this.emit('close');
  }
}

/**
 * Runs a subscription. Each value of its source is answered in a context of its own, with the rights that the caller has then, and under the limits of
 * a request. The source is asked for the next value when the answer before it is on its way, so that a slow client keeps nothing here. An error of
 * the source is the last answer.
 */
export async function runSubscription(
  args: ExecutionArgs,
  options: SubscriptionOptions,
  subscriber: Subscriber,
): Promise<Results | ExecutionResult> {
  const ctx = args.contextValue as Context;
  const ended = new AbortController();
  let end = () => ended.abort();
  try {
    // Before anything is waited for: who subscribes many times at once is counted each time.
    const release = options.subscriptions.take({ caller: `${ctx.viewer?.type}:${ctx.viewer?.id}`, company: ctx.viewer?.companyId });
    const work = new RequestWork(options.statementMs);
    const turn = new Turn();
    const signal = AbortSignal.any([ended.signal, ...(ctx.ended ? [ctx.ended] : [])]);
    const over = () => {
      release();
      work.abandon();
      turn.close();
    };
    signal.addEventListener('abort', over, { once: true });
    if (signal.aborted) over();
    ctx.ended = signal;
    ctx.turn = { take: () => options.takeTurn(ctx, turn), end: () => endTurn(turn) };
    end = () => {
      ended.abort();
      over();
    };
    requireAffordable(args.schema, args.document, args.operationName, args.variableValues ?? {}, ctx.language);
    // Otherwise each answer would be that error.
    requireConditions(args.document, getOperationAST(args.document, args.operationName), args.variableValues ?? {});
    const run = <T>(step: () => Promise<T>) => inRequest(work, () => options.enter(step));
    const traced = tracedOf(args, options.tracing);
    const source = await run(() => traced('begin', ctx, async () => createSourceEventStream(args)));
    if (!(Symbol.asyncIterator in source)) {
      end();
      return refused(source, ctx, options);
    }
    return endedBy(answers(args, source as AsyncIterable<Value>, { run, traced, options, subscriber, end }), end);
  } catch (error) {
    end();
    return { errors: [shown(error, ctx, options)] };
  }
}

/**
 * A generator that waits does not end before what it waits for comes: its source learns that nobody wants that any more. One that was never asked for
 * anything does not even run its end.
 */
function endedBy(results: Results, end: () => void): Results {
  const leave = results.return.bind(results);
  return Object.assign(results, {
    return: (value: undefined) => {
      end();
      return leave(value);
    },
  });
}

type Traced = <T>(step: 'begin' | 'answer', ctx: Context, work: () => Promise<T>) => Promise<T>;

/** Returns what runs the steps of a subscription in a span each: one around all of them would last for hours. */
function tracedOf({ document, operationName }: ExecutionArgs, tracing: Tracing | undefined): Traced {
  if (!tracing) return (_step, _ctx, work) => work();
  const name = getOperationAST(document, operationName)?.name?.value;
  const about = {
    kind: 'server',
    attributes: { 'graphql.operation.type': 'subscription', ...(name ? { 'graphql.operation.name': name } : {}) },
  } as const;
  // Of the request that is a stream; over a socket there is none.
  const begun = traceParent();
  return (step, { requestId, viewer }, work) =>
    inTask(
      tracing,
      ['subscription', name, step].filter(Boolean).join(' '),
      { requestId, traceParent: begun },
      () => about,
      () => {
        if (viewer) nameAsker(viewer);
        return work();
      },
    );
}

interface Running {
  /** Runs a step under the limits of a request. */
  run<T>(step: () => Promise<T>): Promise<T>;
  traced: Traced;
  options: SubscriptionOptions;
  subscriber: Subscriber;
  end(): void;
}

async function* answers(args: ExecutionArgs, source: AsyncIterable<Value>, { run, traced, options, subscriber, end }: Running): Results {
  const values = source[Symbol.asyncIterator]();
  const begun = args.contextValue as Context;
  let ctx = begun;
  const next = async (): Promise<ExecutionResult[] | undefined> => {
    const { value, done } = await values.next();
    if (done) return undefined;
    ctx = value.ctx;
    // A source may look once at who the caller is, and have several values of that.
    setRequestScope(ctx.viewer?.companyIds ?? []);
    ctx.variables = args.variableValues as Record<string, unknown>;
    await begun.turn?.take();
    await options.countRead(ctx);
    // Together, so that what they name is read in one statement for all of them.
    const run = async (rootValue: unknown, contextValue: Context) => execute({ ...args, rootValue, contextValue });
    const results = await traced('answer', ctx, () =>
      value.ids ? readTogether(ctx, value.payloads as string[], run) : Promise.all(value.payloads.map((payload) => run(payload, ctx))),
    );
    return results.flatMap((result) => {
      if (result instanceof Error) throw result;
      const { errors } = result as ExecutionResult;
      // A record that a subscriber may not see is no answer.
      return errors?.length && isMissing(errors) ? [] : [presented(result as ExecutionResult, ctx, options)];
    });
  };
  try {
    for (;;) {
      await untilTaken(subscriber, begun.ended);
      const results = await run(next).finally(() => begun.turn?.end());
      if (!results) return;
      yield* results;
    }
  } catch (error) {
    yield { errors: [shown(error, ctx, options)] };
  } finally {
    end();
    await values.return?.();
  }
}

/** Waits until a client has taken what was sent before. One that does not is cut off. */
async function untilTaken({ waiting, cut }: Subscriber, ended: AbortSignal | undefined): Promise<void> {
  for (const late = Date.now() + PATIENCE; waiting() > MOST_WAITING && !ended?.aborted; await sleep(LOOK_EVERY, undefined, { ref: false }))
    if (Date.now() > late) cut();
}

const isMissing = (errors: readonly GraphQLError[]): boolean =>
  errors.every((error) => error.path?.length === 1 && (executionError([error]) as { status?: number }).status === 404);

const presented = (result: ExecutionResult, ctx: Context, options: SubscriptionOptions): ExecutionResult =>
  result.errors
    ? { ...result, errors: result.errors.map((error) => atField(error, shown(executionError([error]), ctx, options))) }
    : result;

/** What is shown of an error, with the field that it is of: the others are answered. */
const atField = ({ path, nodes }: GraphQLError, { message, extensions }: GraphQLError): GraphQLError =>
  new GraphQLError(message, { path, nodes, extensions });

/** Why a source did not begin. An error of GraphQL itself is about an argument: nothing was answered yet that may not fit the schema. */
function refused({ errors = [] }: ExecutionResult, ctx: Context, options: SubscriptionOptions): ExecutionResult {
  const why = errors.map((error) => {
    const cause = executionError([error]);
    if (!(cause instanceof GraphQLError)) return shown(cause, ctx, options);
    return new GraphQLError(cause.message, { nodes: cause.nodes, extensions: { code: 'bad_request', requestId: ctx.requestId } });
  });
  return { errors: why };
}

/** An error that has a code was made for clients. */
const shown = (error: unknown, ctx: Context, { log }: SubscriptionOptions): GraphQLError =>
  withoutHead(error instanceof GraphQLError && error.extensions.code ? error : presentAny(error, ctx, log));
