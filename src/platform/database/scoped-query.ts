import pg, { type Pool, type PoolClient, type QueryConfig, type QueryResult } from 'pg';
import { APP_ROLE } from './roles.ts';
import { currentScope, type Scope } from './scope.ts';

/**
 * Puts the scope of whoever asks in front of every statement of a pool, in the same message: `set_config` and the statement are one
 * implicit transaction and one round trip, so nothing stays behind on the connection. Inside a transaction the scope is said once,
 * with its first statement, and again when it changes.
 */
export function scopeStatements(pool: Pool): void {
  pool.on('connect', scopeClient);
  // The pool's own `query` asks when a connection is free, which is when another request gives one back, in that request's scope.
  pool.query = (async (...args: Parameters<PoolClient['query']>) => {
    const client = await pool.connect();
    let broken: Error | undefined;
    const dies = (error: Error) => {
      broken = error;
    };
    client.once('error', dies);
    try {
      return await client.query(...args);
    } finally {
      client.removeListener('error', dies);
      client.release(broken);
    }
  }) as never;
}

/** Statements that begin and end transactions, or concern the session: they read no rows, and what was set may end with them. */
const CONTROL = /^\s*(begin|start|commit|end|rollback|abort|savepoint|release|set|reset|show|listen|unlisten|discard|deallocate)\b/i;

type Ask = (...args: unknown[]) => unknown;
type Done = (error: Error | null, result?: QueryResult) => void;

interface Session {
  /** The client's own way to ask. */
  query: Ask;
  /** What the running transaction was told last. */
  told?: string;
  /** The running transaction acts in the role of a purpose. */
  crossed?: boolean;
}
const sessions = new WeakMap<PoolClient, Session>();

function scopeClient(client: PoolClient): void {
  sessions.set(client, { query: client.query.bind(client) as Ask });
  Object.assign(client, { query: (...args: unknown[]) => ask(client, currentScope(), args) });
}

function ask(client: PoolClient, scope: Scope, args: unknown[]): unknown {
  const session = sessions.get(client)!;
  const [first] = args;
  const text = typeof first === 'string' ? first : (first as QueryConfig).text;
  if (text === undefined || CONTROL.test(text)) {
    session.told = undefined;
    return session.query(...args);
  }
  const values = Array.isArray(args[1]) ? args[1] : (first as QueryConfig).values;
  // Extended even without values: a simple query is a message of its own, and a transaction of its own with it.
  const config = { ...(typeof first === 'string' ? {} : (first as QueryConfig)), text, values, queryMode: 'extended' };
  const done = args.find((arg) => typeof arg === 'function') as Done | undefined;
  if (done) return session.query(new ScopedQuery(client, session, scope, config, done));
  return new Promise<QueryResult>((resolve, reject) => {
    session.query(new ScopedQuery(client, session, scope, config, (error, result) => (error ? reject(error) : resolve(result!))));
  }).catch((error: Error) => {
    // The trace of the socket's event says nothing; this one leads to who asked.
    Error.captureStackTrace(error);
    throw error;
  });
}

/** What of pg's protocol is used here; pg's types leave it out. */
interface Wire {
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
  parse(message: { name: string; text: string; types: number[] }): void;
  bind(message: { portal: string; statement: string; values: unknown[] }): void;
  execute(message: { portal: string; rows: number }): void;
}
interface WireQuery {
  name?: string;
  text: string;
  prepare(wire: Wire): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
  handleError(error: Error, wire: Wire): void;
}
const WireQuery = pg.Query as unknown as new (config: object, values: undefined, done: Done) => WireQuery;

const SETTINGS = "set_config('app.company_ids', $1, true), set_config('app.work', $2, true)";
// The condition is never true, so that no row comes back that had to be told from the statement's own.
const TELL = { name: 'haulgate_scope', text: `select where concat(${SETTINGS}) is null` };
/** Says the role too: where a transaction crosses companies, or comes back from it. */
const TELL_ROLE = { name: 'haulgate_scope_role', text: `select where concat(${SETTINGS}, set_config('role', $3, true)) is null` };

/** A statement with the scope in front. */
class ScopedQuery extends WireQuery {
  readonly #client: PoolClient;
  readonly #session: Session;
  readonly #scope: Scope;
  /** The statement's own name and text, while the scope before it is under way. */
  #own?: { name?: string; text: string };

  constructor(client: PoolClient, session: Session, scope: Scope, config: object, done: Done) {
    super(config, undefined, done);
    this.#client = client;
    this.#session = session;
    this.#scope = scope;
  }

  override prepare(wire: Wire): void {
    const values = this.#unsaid();
    if (!values) {
      super.prepare(wire);
      return;
    }
    const tell = values.length > 2 ? TELL_ROLE : TELL;
    if (!wire.parsedStatements[tell.name]) wire.parse({ ...tell, types: [] });
    wire.bind({ portal: '', statement: tell.name, values });
    wire.execute({ portal: '', rows: 0 });
    super.prepare(wire);
    // The client notes what was parsed under the name and text of the running query: first the scope's, then the statement's.
    this.#own = { name: this.name, text: this.text };
    Object.assign(this, tell);
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.#own) this.#becomeOwn();
    else super.handleCommandComplete(message, wire);
  }

  override handleError(error: Error, wire: Wire): void {
    if (this.#own) {
      if (this.#own.name) delete wire.submittedNamedStatements[this.#own.name];
      this.#becomeOwn();
    }
    this.#session.told = undefined;
    super.handleError(error, wire);
  }

  #becomeOwn(): void {
    Object.assign(this, this.#own);
    this.#own = undefined;
  }

  /** What has to be said before the statement; undefined when the transaction knows it. */
  #unsaid(): string[] | undefined {
    const { companyIds, work, purpose } = this.#scope;
    const status = (this.#client as unknown as { getTransactionStatus(): 'I' | 'T' | 'E' | null }).getTransactionStatus();
    const session = this.#session;
    const told = `${companyIds.join()} ${work} ${purpose?.role ?? ''}`;
    if (status === 'I') {
      session.told = undefined;
      session.crossed = false;
    } else if (session.told === told || status === 'E') return undefined;
    else session.told = told;
    const settings = [`{${companyIds.join()}}`, work];
    if (!purpose && !session.crossed) return settings;
    session.crossed = status !== 'I';
    return [...settings, purpose?.role ?? APP_ROLE];
  }
}
