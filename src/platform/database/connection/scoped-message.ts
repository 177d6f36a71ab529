import { randomUUID } from 'node:crypto';
import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { isLastStatement } from '../named-statements.ts';
import { type Planning, planningOf, planningSettings } from '../planned-once.ts';
import type { ReadRoute } from '../replicas/read-route.ts';
import { currentWork } from '../request-work.ts';
import { APP_ROLE } from '../roles.ts';
import { companiesLiteral } from '../scope.ts';
import { isNotWritten } from './or-fails.ts';
import { type NamedStatement, scopeStatement } from './scope-statement.ts';
import { type Session, statusOf } from './session.ts';
import type { Along, Delayed, Sent } from './together.ts';
import { type Done, inOnePiece, isKnown, isStale, type Wire, WireQuery } from './wire.ts';

export const BEGIN = { name: 'haulgate_begin', text: 'begin' };
/** Asks a replica for its position, behind what was read there. */
const HOW_FAR = 'select pg_last_wal_replay_lsn()::text, pg_last_wal_receive_lsn()::text';

/** The parts of a message. */
export interface Contents {
  /** A transaction begins with it. */
  begins: boolean;
  /** Writes of the transaction that come first. */
  before: readonly Sent[];
  statement: Sent;
  /** The statements that come behind it, and behind the commit if it is the last one of its transaction. */
  behind: readonly Along[];
}

/** One of the statements of a message, in the order of their answers. */
interface Part {
  name?: string;
  text: string;
  /** Takes its result, if it is not the message's own statement and somebody wants to know. */
  query?: WireQuery;
  isOwn?: true;
  onRow?: (fields: (string | null)[]) => void;
  onDone?: () => void;
  /** The error if it has not written what it was to. */
  otherwise?: () => Error;
}

/** The setting of a statement outside of transactions, for what is behind it in its message. */
interface Alone {
  scopeKey: string;
  planning: Planning;
  crossed: boolean;
}

/**
 * A statement with what has to be said before it in front: that a transaction begins, the scope, and writes that waited for it; and with what is to be
 * done at once after it. All of it is one message, and one round trip.
 */
export class ScopedMessage extends WireQuery {
  readonly #client: PoolClient;
  readonly #session: Session;
  readonly #contents: Contents;
  /** When it was written. */
  readonly #era: string;
  /** The request of the caller: the statement may be sent when another request gives a connection back. */
  readonly #statementMs = currentWork()?.statementMs ?? 0;
  /** The parts that are still to be answered. */
  #parts: Part[] = [];
  #isWriting = false;
  /** Its own statement cannot be written. */
  #isUnwritten = false;
  #isDone = false;
  #isCommitted = false;
  /** The error of a write that waited for it. */
  #refusal: Error | undefined;
  #alone: Alone | undefined;
  /** The reads of which it is one, on a replica. */
  readonly #route: ReadRoute | undefined;

  constructor(client: PoolClient, session: Session, contents: Contents, done: Done) {
    super(sendable(session, contents.statement.config), undefined, done);
    this.#era = session.manner.era;
    this.#client = client;
    this.#session = session;
    this.#contents = contents;
    this.#route = session.manner.replica && currentWork()?.replicas?.route;
  }

  override prepare(wire: Wire): void {
    inOnePiece(wire, () => this.#send(wire));
  }

  #send(wire: Wire): void {
    const { begins, before, statement, behind } = this.#contents;
    const earlier = before.map((sent) => ({ sent, query: this.#queryOf(sent, () => undefined) }));
    const later = behind.map((along) => ({ along, query: this.#queryOf(along, along.done) }));
    // First of all: behind a message that fails PostgreSQL would not hear it, and keep what is forgotten here.
    for (const { name, text } of [...earlier.map(({ query }) => query), this, ...later.map(({ query }) => query)])
      if (name) this.#makeRoom(wire, name, text);
    // Each statement would end the message.
    wire.sync = () => {};
    this.#isWriting = true;
    try {
      if (begins) this.#control(wire, { ...BEGIN, values: [] });
      let status: Status = begins ? 'begins' : statusOf(this.#client);
      const within = () => {
        if (status === 'begins') status = 'T';
      };
      for (const { sent, query } of earlier) {
        this.#setScope(wire, sent, status);
        within();
        const onDone = () => {
          this.#refusal ??= wrongWith(query._result, sent.expected);
        };
        this.#write(wire, query, { onDone, otherwise: sent.expected?.otherwise });
      }
      this.#setScope(wire, statement, status);
      this.#write(wire, undefined, {
        isOwn: true,
        onDone: () => {
          this.#isDone = true;
        },
      });
      // What was set for it lasts, and a role that one behind it takes has to be given back before the next.
      within();
      // A transaction without the statement must not be committed.
      if (this.#isUnwritten) return;
      if (this.#isLast) {
        status = 'I';
        const onDone = () => {
          this.#isCommitted = true;
          this.#session.committed = true;
        };
        this.#control(wire, { name: '', text: 'commit', values: [] }, { onDone });
      }
      for (const { along, query } of later) {
        this.#setScope(wire, along, status);
        this.#write(wire, query, { onDone: () => query.handleReadyForQuery(wire) });
      }
      const onRow = ([replayed, received]: (string | null)[]) => this.#route?.saw(this.#session.manner.replica!, replayed!, received!);
      if (this.#route) this.#control(wire, { name: '', text: HOW_FAR, values: [] }, { onRow });
    } finally {
      this.#isWriting = false;
      delete (wire as Partial<Wire>).sync;
      wire.sync();
      this.#answerTo(this.#parts[0]);
    }
  }

  get #isLast(): boolean {
    return isLastStatement(this.#contents.statement.config.text);
  }

  /** The client notes what was parsed under the name and text of the running query. */
  #answerTo(part: Part | undefined): void {
    if (part) Object.assign(this, { name: part.name, text: part.text });
  }

  override handleRowDescription(message: unknown): void {
    const [part] = this.#parts;
    if (part?.isOwn) super.handleRowDescription(message);
    else part?.query?.handleRowDescription(message);
  }

  override handleDataRow(message: { fields: (string | null)[] }): void {
    const [part] = this.#parts;
    if (part?.isOwn) super.handleDataRow(message);
    else if (part?.query) part.query.handleDataRow(message);
    else part?.onRow?.(message.fields);
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    const part = this.#parts.shift();
    if (part?.isOwn) super.handleCommandComplete(message, wire);
    else part?.query?.handleCommandComplete(message, wire);
    part?.onDone?.();
    this.#answerTo(this.#parts[0]);
  }

  override handleReadyForQuery(wire: Wire): void {
    if (this.#refusal) super.handleError(this.#refusal, wire);
    else super.handleReadyForQuery(wire);
  }

  override handleError(error: Error, wire: Wire): void {
    this.#session.lastScope = undefined;
    if (this.#isWriting) {
      this.#isUnwritten = true;
      super.handleError(error, wire);
      return;
    }
    const unanswered = this.#parts;
    this.#parts = [];
    for (const { name } of unanswered) if (name) delete wire.submittedNamedStatements[name];
    if (isStale(error)) this.#renew();
    if (isNotWritten(error)) this.#refusal ??= unanswered[0]?.otherwise?.();
    // A statement that was done and committed is not undone by the reads after it.
    if (this.#isDone && (this.#isCommitted || !this.#isLast) && this.#contents.behind.length > 0) {
      for (const { query } of unanswered) query?.handleError(error, wire);
      super.handleReadyForQuery(wire);
    } else super.handleError(this.#refusal ?? error, wire);
  }

  /** One more statement of the message, with its result. */
  #queryOf({ config }: Sent, done: Done): WireQuery {
    const query = new WireQuery(sendable(this.#session, config), undefined, done);
    query._result._types = this._result._types;
    return query;
  }

  /** Writes a statement with values: its own one, or another one. */
  #write(wire: Wire, query: WireQuery | undefined, part: Partial<Part>): void {
    const { name, text } = query ?? this;
    if (name && !isKnown(wire, name)) this.#freeName(wire, name);
    this.#parts.push({ name, text, query, ...part });
    if (query) query.prepare(wire);
    else super.prepare(wire);
  }

  /** Writes a statement of which nobody wants a result. */
  #control(wire: Wire, { name, text, values }: NamedStatement, part: Partial<Part> = {}): void {
    // A pooler that keeps no count of names gives each message the connection that is free.
    const statement = this.#session.manner.pooler?.prepares === false ? '' : name;
    this.#parts.push({ name: statement, text, ...part });
    if (!statement || !isKnown(wire, statement)) {
      if (statement) {
        this.#freeName(wire, statement);
        wire.submittedNamedStatements[statement] = text;
      }
      wire.parse({ name: statement, text, types: [] });
    }
    wire.bind({ portal: '', statement, values });
    wire.execute({ portal: '', rows: 0 });
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
  #makeRoom(wire: Wire, name: string, text: string): void {
    const { manner, kept, era } = this.#session;
    if (era !== manner.era) kept.forgetAll();
    this.#session.era = manner.era;
    for (const closed of kept.keep(name, text.length)) {
      wire.close({ type: 'S', name: closed });
      delete wire.parsedStatements[closed];
    }
  }

  /** Sets the scope of the next statement, unless what is before it has the same. */
  #setScope(wire: Wire, { config, scope }: Sent, status: Status): void {
    const { companyIds, work, purpose } = scope;
    const session = this.#session;
    const companies = companiesLiteral(companyIds);
    const scopeKey = `${companies} ${work} ${purpose?.role ?? ''}`;
    const planning = planningOf(config);
    const isAlone = status === 'I';
    const alone = isAlone ? this.#alone : undefined;
    if (status === 'I' || status === 'begins') {
      session.crossed = alone?.crossed ?? false;
      session.timed = alone !== undefined;
      session.planning = alone?.planning ?? 'auto';
      session.lastScope = alone?.scopeKey;
    }
    if (status === 'E' || (session.lastScope === scopeKey && session.planning === planning)) return;
    const time = session.timed ? 0 : this.#statementMs;
    const crosses = purpose !== undefined || session.crossed === true;
    const role = crosses || session.manner.pooler ? (purpose?.role ?? APP_ROLE) : undefined;
    const more = { role, time: time > 0 ? String(time) : undefined, ...planningSettings(session.planning, planning) };
    this.#control(wire, scopeStatement(companies, work, more, this.#route?.requiredLsn));
    if (isAlone) this.#alone = { scopeKey, planning, crossed: crosses };
    // Nothing that is set outside of a transaction lasts.
    Object.assign(session, isAlone ? OUTSIDE : { lastScope: scopeKey, planning, timed: true, crossed: role !== undefined });
  }
}

type Status = 'begins' | ReturnType<typeof statusOf>;

const OUTSIDE = { lastScope: undefined, planning: 'auto', timed: false, crossed: false } satisfies Partial<Session>;

/** The error of a write that did something else than its writer was answered. */
export const wrongWith = ({ rowCount }: QueryResult, expected: Delayed | undefined): Error | undefined =>
  rowCount === expected?.result.rowCount ? undefined : expected?.otherwise?.();

/**
 * Returns a statement as it is sent: through a pooler without a name if that would not know it. One that is prepared anew gets another text, because
 * PgBouncer knows statements by nothing else, and gives everybody who prepares a stale one the same one again.
 */
function sendable({ manner: { pooler, era } }: Session, config: QueryConfig): QueryConfig {
  if (!pooler) return config;
  if (!pooler.prepares) return { ...config, name: undefined };
  return config.name && era ? { ...config, name: `${config.name}_${era}`, text: `${config.text}\n-- ${era}` } : config;
}
