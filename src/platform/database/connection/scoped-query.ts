import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import { Unavailable } from '../../errors.ts';
import { cancelRunning } from '../cancel.ts';
import { CompanyShares } from '../company-shares.ts';
import { isLastStatement, statementName } from '../named-statements.ts';
import { isPlannedOnce } from '../planned-once.ts';
import type { ReadRoute } from '../replicas/read-route.ts';
import type { Replica } from '../replicas/replica.ts';
import { currentWork, type RequestWork } from '../request-work.ts';
import { APP_ROLE } from '../roles.ts';
import { companiesLiteral, currentScope, type Scope } from '../scope.ts';
import { queryAsCaller } from './callers-query.ts';
import { type Keeping, KeptStatements } from './kept-statements.ts';
import type { Pooler } from './pooler.ts';
import { type NamedStatement, scopeStatement } from './scope-statement.ts';
import { type Done, isStale, type Wire, WireQuery } from './wire.ts';

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

/** How far a replica is, behind what was read there. */
const HOW_FAR = 'select pg_last_wal_replay_lsn()::text, pg_last_wal_receive_lsn()::text';
const BEGIN = { name: 'haulgate_begin', text: 'begin' };
const ENDING = /^\s*(commit|end|rollback|abort)\s*;?\s*$/i;
/** The result for a caller who begins a transaction, or ends one in which no statement was sent. */
const ANSWERED: QueryResult = { command: '', rowCount: null, oid: 0, fields: [], rows: [] };

type Ask = (...args: unknown[]) => unknown;

/** What the connections of a pool have in common. */
interface Manner {
  keeping?: Keeping;
  pooler?: Pooler;
  replica?: Replica;
  /**
   * Changes when PostgreSQL refuses a statement because a migration changed a table since it was prepared. All connections prepare theirs anew then:
   * a command that met one such table after the other, each on another connection, would not be done.
   */
  era: string;
}

interface Session {
  /** The client's original `query`. */
  query: Ask;
  manner: Manner;
  /** Prepared statements: planned reads, and what commands send. */
  kept: KeptStatements;
  /** The era in which they were prepared. */
  era: string;
  /** A transaction was asked for, and nothing in it yet. */
  begins?: boolean;
  /** The transaction was committed in the message of its last statement, and its holder has yet to ask for that. */
  committed?: boolean;
  /** The scope that the running transaction got last. */
  lastScope?: string;
  /** The running transaction acts in the role of a purpose. */
  crossed?: boolean;
  /** The running transaction has its time limit for statements. Within the transaction, code may have set another one. */
  timed?: boolean;
  /** Whether the running transaction plans statements for their values; undefined when it may have been set back. */
  plans?: 'auto' | 'force_generic_plan';
  /** The request that holds the connection. */
  work?: RequestWork;
  /** Gives back the request's place when the connection is given back. */
  leave?: () => void;
}
const sessions = new WeakMap<PoolClient, Session>();

function scopeClient(client: PoolClient, manner: Manner): void {
  sessions.set(client, { query: client.query.bind(client) as Ask, manner, kept: new KeptStatements(manner.keeping), era: manner.era });
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
    session.lastScope = undefined;
    session.plans = undefined;
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
  const values = Array.isArray(args[1]) ? args[1] : (first as QueryConfig).values;
  // The extended protocol even without values: a simple query is a separate message, and a separate transaction.
  const config = {
    name: statementName(text),
    ...(typeof first === 'string' ? {} : (first as QueryConfig)),
    text,
    values,
    queryMode: 'extended',
  };
  const send = (then: Done) => {
    const ended = whileWanted(client, begins, then);
    if (ended) session.query(new ScopedQuery(client, session, scope, begins, config, ended));
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

const statusOf = (client: PoolClient): 'I' | 'T' | 'E' | null =>
  (client as unknown as { getTransactionStatus(): 'I' | 'T' | 'E' | null }).getTransactionStatus();

/**
 * Returns a statement as it is sent through a pooler: without a name if that would not know it. One that is prepared anew gets another text, because
 * PgBouncer knows statements by nothing else, and gives everybody who prepares a stale one the same one again.
 */
function throughPooler({ prepares }: Pooler, era: string, config: QueryConfig): QueryConfig {
  if (!prepares) return { ...config, name: undefined };
  return config.name && era ? { ...config, name: `${config.name}_${era}`, text: `${config.text}\n-- ${era}` } : config;
}

/** A statement with what has to be said before it in front: that a transaction begins, and the scope. */
class ScopedQuery extends WireQuery {
  readonly #client: PoolClient;
  readonly #session: Session;
  readonly #scope: Scope;
  readonly #begins: boolean;
  readonly #plannedOnce: boolean;
  /** When it was written. */
  readonly #era: string;
  /** The request of the caller: the statement may be sent when another request gives a connection back. */
  readonly #statementMs = currentWork()?.statementMs ?? 0;
  /** The names and texts of the running message that are still to come; the last one is the statement's. */
  #next: { name?: string; text: string }[] = [];
  /** Whether something is behind it in its message, the commit or the question how far a replica is; and whether only that is still to come. */
  #last: false | 'running' | 'done';
  /** The reads of which it is one, on a replica. */
  readonly #route: ReadRoute | undefined;

  constructor(client: PoolClient, session: Session, scope: Scope, begins: boolean, config: QueryConfig, done: Done) {
    const { pooler, era } = session.manner;
    super(pooler ? throughPooler(pooler, era, config) : config, undefined, done);
    this.#era = era;
    this.#client = client;
    this.#session = session;
    this.#scope = scope;
    this.#begins = begins;
    this.#plannedOnce = isPlannedOnce(config);
    this.#route = session.manner.replica && currentWork()?.replicas?.route;
    this.#last = (this.#route !== undefined || isLastStatement(config.text)) && 'running';
  }

  override prepare(wire: Wire): void {
    const unsaid = this.#unsaid();
    // First of all: behind a message that fails PostgreSQL would not hear it, and keep what is forgotten here.
    if (this.name) this.#makeRoom(wire, this.name);
    const before = [...(this.#begins ? [{ ...BEGIN, values: [] as string[] }] : []), ...(unsaid ? [unsaid] : [])];
    const unnamed = this.#session.manner.pooler?.prepares === false;
    for (const { name, text, values } of before) {
      const statement = unnamed ? '' : name;
      if (unnamed || !wire.parsedStatements[name]) {
        this.#freeName(wire, statement);
        wire.parse({ name: statement, text, types: [] });
      }
      wire.bind({ portal: '', statement, values });
      wire.execute({ portal: '', rows: 0 });
    }
    if (this.#last) wire.sync = () => this.#end(wire, this.#route ? HOW_FAR : 'commit');
    if (this.name && !wire.parsedStatements[this.name]) this.#freeName(wire, this.name);
    super.prepare(wire);
    if (before.length === 0) return;
    // The client notes what was parsed under the name and text of the running query: first the statements before it, then the statement
    // itself.
    this.#next = [...before.map(({ name, text }) => ({ name: unnamed ? undefined : name, text })), { name: this.name, text: this.text }];
    Object.assign(this, this.#next.shift());
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    const next = this.#next.shift();
    if (next) return void Object.assign(this, next);
    if (this.#last !== 'done') super.handleCommandComplete(message, wire);
    else if (!this.#route) this.#session.committed = true;
    if (this.#last) this.#last = 'done';
  }

  override handleDataRow(message: { fields: (string | null)[] }): void {
    if (this.#last !== 'done') {
      super.handleDataRow(message);
      return;
    }
    const [replayed, received] = message.fields;
    this.#route?.saw(this.#session.manner.replica!, replayed!, received!);
  }

  /** Ends the message with one more statement. It is not named, because the client would note it under the name of the statement before it. */
  #end(wire: Wire, text: string): void {
    delete (wire as Partial<Wire>).sync;
    wire.parse({ name: '', text, types: [] });
    wire.bind({ portal: '', statement: '', values: [] });
    wire.execute({ portal: '', rows: 0 });
    wire.sync();
  }

  override handleError(error: Error, wire: Wire): void {
    const own = this.#next.pop();
    if (own) {
      if (own.name) delete wire.submittedNamedStatements[own.name];
      this.#next = [];
      Object.assign(this, own);
    }
    this.#session.lastScope = undefined;
    if (isStale(error)) this.#renew();
    super.handleError(error, wire);
  }

  /**
   * Has a pooler forget a name that it may still know: it notes a statement when that is sent, also if PostgreSQL then refuses it or does not hear
   * it behind one that failed. To ask for the name again would end the connection.
   */
  #freeName(wire: Wire, name: string): void {
    if (this.#session.manner.pooler?.prepares) wire.close({ type: 'S', name });
  }

  /** Has everybody prepare statements anew, unless that was done since this one was written. */
  #renew(): void {
    const { manner } = this.#session;
    if (manner.era === this.#era) manner.era = randomUUID();
  }

  /** Closes what the connection prepared long ago, in the message of a statement that it is to prepare now. */
  #makeRoom(wire: Wire, name: string): void {
    const { manner, kept, era } = this.#session;
    if (era !== manner.era) kept.forgetAll();
    this.#session.era = manner.era;
    for (const closed of kept.keep(name, this.text.length)) {
      wire.close({ type: 'S', name: closed });
      delete wire.parsedStatements[closed];
    }
  }

  /** The statement that sets the scope before this one; undefined if the transaction has it already. */
  #unsaid(): NamedStatement | undefined {
    const { companyIds, work, purpose } = this.#scope;
    const status = this.#begins ? 'T' : statusOf(this.#client);
    const session = this.#session;
    const companies = companiesLiteral(companyIds);
    const scopeKey = `${companies} ${work} ${purpose?.role ?? ''}`;
    if (status === 'I' || this.#begins) {
      session.crossed = false;
      session.timed = false;
      session.plans = 'auto';
    }
    const plan = this.#plannedOnce ? 'force_generic_plan' : 'auto';
    const replanned = session.plans !== plan;
    if (status === 'I') session.lastScope = undefined;
    else if ((session.lastScope === scopeKey && !replanned) || status === 'E') return undefined;
    else session.lastScope = scopeKey;
    session.plans = status === 'I' ? 'auto' : plan;
    const time = session.timed ? 0 : this.#statementMs;
    session.timed = status !== 'I';
    const role = purpose || session.crossed || session.manner.pooler ? (purpose?.role ?? APP_ROLE) : undefined;
    if (role) session.crossed = status !== 'I';
    const more = { role, time: time > 0 ? String(time) : undefined, plan: replanned ? plan : undefined };
    return scopeStatement(companies, work, more, this.#route?.requiredLsn);
  }
}
