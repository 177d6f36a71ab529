import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import { Unavailable } from '../../errors.ts';
import { cancelRunning } from '../cancel.ts';
import { CompanyShares } from '../company-shares.ts';
import { isLastStatement, statementName } from '../named-statements.ts';
import type { Replica } from '../replicas/replica.ts';
import { currentWork, type RequestWork } from '../request-work.ts';
import { currentScope, type Scope } from '../scope.ts';
import { queryAsCaller } from './callers-query.ts';
import { type Keeping, KeptStatements } from './kept-statements.ts';
import { orFails } from './or-fails.ts';
import type { Pooler } from './pooler.ts';
import { BEGIN, ScopedMessage, wrongWith } from './scoped-message.ts';
import { type Manner, type Session, statusOf } from './session.ts';
import { behindOf, delayedOf, type Sent, valuesOf } from './together.ts';
import type { Done } from './wire.ts';

/**
 * Puts the caller's scope in front of every statement of a pool, in the same message. `set_config` and the statement are one implicit
 * transaction and one round trip, so nothing stays on the connection. In a transaction the scope is sent with its first statement, and
 * again when it changes. A transaction also begins in the message of its first statement.
 * @param keeping what each connection keeps prepared at most
 * @param pooler what is between the pool and PostgreSQL. The connections did not take the application's role as they opened, so that it is part
 * of the scope.
 * @param replica the replica of whose reads it is the pool: in the message of each, it proves that it is as far as it must be, and says how far it is
 */
export function scopeStatements(pool: Pool, keeping?: Keeping, pooler?: Pooler, replica?: Replica): void {
  const manner: Manner = { keeping, pooler, replica, era: '' };
  pool.on('connect', (client) => scopeClient(client, manner));
  const shares = new CompanyShares(pool.options.max);
  // The next holder must not find itself in a transaction whose holder sent no statement.
  pool.on('release', (_, client) => {
    const session = sessions.get(client);
    if (!session) return;
    session.begins = false;
    session.delayed = [];
    session.work?.transactions.delete(client);
    session.leave?.();
    session.leave = undefined;
    session.work = undefined;
  });
  const connect = pool.connect.bind(pool) as () => Promise<PoolClient>;
  pool.connect = (async () => {
    const work = boundWork();
    const leave = work && (await enter(work, shares));
    try {
      const client = await connect();
      Object.assign(sessions.get(client)!, { work, leave });
      return client;
    } catch (error) {
      leave?.();
      throw error;
    }
  }) as never;
  queryAsCaller(pool);
}

/** Waits until a request may hold one more connection: within its own limit, and within its company's. */
async function enter(work: RequestWork, shares: CompanyShares): Promise<() => void> {
  await work.enter();
  const leave = await shares.enter(work);
  return () => {
    leave();
    work.leave();
  };
}

/** Statements that begin and end transactions, or concern the session: they read no rows, and what was set may end with them. */
const CONTROL = /^\s*(begin|start|commit|end|rollback|abort|savepoint|release|set|reset|show|listen|unlisten|discard|deallocate)\b/i;

/** Writes that wait were made after the savepoint, too: setting one sends them. */
const ABORTING = /^\s*(rollback|abort)\b/i;
const ENDING = /^\s*(commit|end|rollback|abort)\s*;?\s*$/i;
/** The result for a caller who begins a transaction, or ends one in which no statement was sent. */
const ANSWERED: QueryResult = { command: '', rowCount: null, oid: 0, fields: [], rows: [] };

const sessions = new WeakMap<PoolClient, Session>();

function scopeClient(client: PoolClient, manner: Manner): void {
  const query = client.query.bind(client) as Session['query'];
  sessions.set(client, { query, manner, kept: new KeptStatements(manner.keeping), era: manner.era, delayed: [] });
  Object.assign(client, { query: (...args: unknown[]) => ask(client, currentScope(), args) });
}

function ask(client: PoolClient, scope: Scope, args: unknown[]): unknown {
  const session = sessions.get(client)!;
  const [first] = args;
  const text = typeof first === 'string' ? first : (first as QueryConfig).text;
  const done = args.find((arg) => typeof arg === 'function') as Done | undefined;
  const begins = session.begins ?? false;
  session.begins = false;
  if (text === undefined || CONTROL.test(text)) {
    if (ABORTING.test(text ?? '')) session.delayed = [];
    if (session.delayed.length > 0) return afterDelayed(client, args, done);
    session.lastScope = undefined;
    session.planning = undefined;
    if (text?.trim().toLowerCase() === BEGIN.text) {
      session.begins = true;
      session.work?.transactions.add(client);
    }
    const ended = session.committed && ENDING.test(text ?? '');
    session.committed = false;
    if (ended || session.begins || (begins && ENDING.test(text ?? ''))) return done ? done(null, ANSWERED) : Promise.resolve(ANSWERED);
    // If this fails the connection is gone, and the next statement reports it.
    if (begins) session.query(BEGIN.text, () => undefined);
    return session.query(...args);
  }
  const values = valuesOf(args);
  const expected = delayedOf(values);
  const statement: Sent = { config: sentConfig(first as string | QueryConfig, text, values), scope };
  if (expected && statusOf(client) === 'T') {
    session.delayed.push({ ...statement, expected });
    const result = { ...ANSWERED, ...expected.result };
    return done ? done(null, result) : Promise.resolve(result);
  }
  // Whether they wrote what they were to is known when they are done, and a transaction must not be committed in which they did not.
  const before = isLastStatement(text) ? session.delayed.map(orFails) : session.delayed;
  session.delayed = [];
  const work = currentWork();
  if (work) work.statements++;
  const behind = behindOf(values).map((along) => ({ ...along, config: sentConfig(along.config, along.config.text, along.config.values) }));
  const send = (then: Done) => {
    const ended = whileWanted(client, begins, then);
    if (ended) session.query(new ScopedMessage(client, session, { begins, before, statement, behind }, ended));
  };
  if (done) return send(done);
  return new Promise<QueryResult>((resolve, reject) => {
    send((error, result) => (error ? reject(error) : resolve(result!)));
  }).catch((error: Error) => {
    // The stack trace of the socket's event says nothing; this one leads to the caller.
    Error.captureStackTrace(error);
    throw error;
  });
}

/** The extended protocol even without values: a simple query is a separate message, and a separate transaction. */
const sentConfig = (of: string | QueryConfig, text: string, values: readonly unknown[] | undefined): QueryConfig =>
  ({ name: statementName(text), ...(typeof of === 'string' ? {} : of), text, values, queryMode: 'extended' }) as QueryConfig;

/** Sends the writes that wait in a message of their own, and then what they waited for. */
function afterDelayed(client: PoolClient, args: unknown[], done: Done | undefined): unknown {
  const session = sessions.get(client)!;
  const before = session.delayed;
  const { expected, ...statement } = before.pop()!;
  session.delayed = [];
  const sent = new Promise<void>((resolve, reject) => {
    const then: Done = (error, result) => {
      if (error) reject(error);
      else {
        const wrong = wrongWith(result!, expected);
        if (wrong) reject(wrong);
        else resolve();
      }
    };
    session.query(new ScopedMessage(client, session, { begins: false, before, statement, behind: [] }, then));
  });
  const scope = currentScope();
  if (!done) return sent.then(() => ask(client, scope, args));
  sent.then(
    () => ask(client, scope, args),
    (error) => done(error),
  );
  return undefined;
}

/** The request that sends a statement. A statement of a purpose (who is this?) may be shared with other requests and belongs to none. */
const boundWork = (): RequestWork | undefined => (currentScope().purpose ? undefined : currentWork());

/**
 * Ends a statement when its request is abandoned. A command that has begun its transaction runs to its end, because many clients that send
 * one and do not wait for the answer want it done.
 * @returns what to call with the outcome; undefined when the statement is not to be sent, which `then` was called with
 */
function whileWanted(client: PoolClient, begins: boolean, then: Done): Done | undefined {
  const work = boundWork();
  if (!work || begins || statusOf(client) !== 'I') return then;
  if (work.abandoned) return void then(new Unavailable());
  let settled: (() => Promise<void>) | undefined;
  const forget = work.onAbandoned(() => {
    settled ??= cancelRunning(client);
  });
  return (error, result) => {
    forget();
    if (settled) void settled().then(() => then(error, result));
    else then(error, result);
  };
}
