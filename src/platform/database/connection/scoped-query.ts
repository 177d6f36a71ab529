import { randomUUID } from 'node:crypto';
import type { PoolClient, QueryConfig } from 'pg';
import { isLastStatement } from '../named-statements.ts';
import { isPlannedOnce } from '../planned-once.ts';
import type { ReadRoute } from '../replicas/read-route.ts';
import { currentWork } from '../request-work.ts';
import { APP_ROLE } from '../roles.ts';
import { companiesLiteral, type Scope } from '../scope.ts';
import type { Pooler } from './pooler.ts';
import { type NamedStatement, scopeStatement } from './scope-statement.ts';
import { type Session, statusOf } from './session.ts';
import { type Done, isStale, type Wire, WireQuery } from './wire.ts';

/** How far a replica is, behind what was read there. */
const HOW_FAR = 'select pg_last_wal_replay_lsn()::text, pg_last_wal_receive_lsn()::text';
export const BEGIN = { name: 'haulgate_begin', text: 'begin' };

/**
 * Returns a statement as it is sent through a pooler: without a name if that would not know it. One that is prepared anew gets another text, because
 * PgBouncer knows statements by nothing else, and gives everybody who prepares a stale one the same one again.
 */
function throughPooler({ prepares }: Pooler, era: string, config: QueryConfig): QueryConfig {
  if (!prepares) return { ...config, name: undefined };
  return config.name && era ? { ...config, name: `${config.name}_${era}`, text: `${config.text}\n-- ${era}` } : config;
}

/** A statement with what has to be said before it in front: that a transaction begins, and the scope. */
export class ScopedQuery extends WireQuery {
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
