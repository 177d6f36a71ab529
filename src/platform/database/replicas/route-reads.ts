import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import { Unavailable } from '../../errors.ts';
import { queryAsCaller } from '../connection/callers-query.ts';
import type { Replica } from './replica.ts';
import { type ReplicaUse, replicaUse } from './replica-use.ts';
import type { Replicas } from './replicas.ts';

type Ask = (...args: unknown[]) => Promise<QueryResult>;

/** Statements that only read, by how they begin. PostgreSQL refuses on a replica what writes all the same, and it is asked again on the primary. */
const READS = /^\s*(?:select|with|table|values)\b/i;
/** A replica would lock for itself alone. */
const LOCKS = /advisory_/i;
const SNAPSHOT = /^\s*start transaction\b.*\bread only\b/i;
/** The time limit of a statement, or its client that left. */
const CANCELED = '57014';

/**
 * Sends the reads of requests that only read to replicas: what a pool is asked for without a transaction, and transactions that cannot write. Everything
 * else goes to the primary, and after it all reads of the same request, which must not see an older database.
 */
export function routeReads(pool: Pool, replicas: Replicas): void {
  const connect = pool.connect.bind(pool) as () => Promise<PoolClient>;
  // The pool's own `query` takes what its `connect` gives, which is changed below.
  const primary = { connect } as unknown as Pool;
  queryAsCaller(primary);
  const ask = primary.query as unknown as Ask;
  const routed = async (use: ReplicaUse, args: unknown[]): Promise<QueryResult> => {
    const { route } = use;
    const replica = route?.replica;
    if (replica && isRead(args[0])) {
      try {
        return await (replica.reads.query as unknown as Ask)(...args);
      } catch (error) {
        if (!mayBeAskedAgain(error)) throw error;
        replicas.failed(replica, error as Error);
      }
    }
    use.usedPrimary = true;
    if (!route?.writesApart || isRead(args[0])) route?.leave();
    return ask(...args);
  };
  pool.query = ((...args: unknown[]) => {
    const use = replicaUse();
    return use ? routed(use, args) : ask(...args);
  }) as never;
  pool.connect = (async () => {
    const use = replicaUse();
    if (use?.route?.replica) return new Undecided(use, { routed, connect, replicas });
    if (use) use.usedPrimary = true;
    return connect();
  }) as never;
}

/** The servers from which a connection chooses that is not decided yet. */
interface Routing {
  routed(use: ReplicaUse, args: unknown[]): Promise<QueryResult>;
  connect(): Promise<PoolClient>;
  replicas: Replicas;
}

const textOf = (first: unknown): string => (typeof first === 'string' ? first : (first as QueryConfig).text);

const isRead = (first: unknown): boolean => READS.test(textOf(first)) && !LOCKS.test(textOf(first));

/** Whether a read that failed on a replica may do better on the primary. */
const mayBeAskedAgain = (error: unknown): boolean => !(error instanceof Unavailable) && (error as { code?: string }).code !== CANCELED;

/** A connection that is taken when its first statement says for what: a single read, a transaction that only reads, or anything else. */
class Undecided {
  readonly #use: ReplicaUse;
  readonly #routing: Routing;
  #client: PoolClient | undefined;

  constructor(use: ReplicaUse, routing: Routing) {
    this.#use = use;
    this.#routing = routing;
  }

  async query(...args: unknown[]): Promise<QueryResult> {
    if (!this.#client && isRead(args[0])) return this.#routing.routed(this.#use, args);
    this.#client ??= await this.#take(textOf(args[0]));
    return (this.#client.query as unknown as Ask)(...args);
  }

  release(error?: Error | boolean): void {
    this.#client?.release(error);
    this.#client = undefined;
  }

  async #take(text: string): Promise<PoolClient> {
    const { route } = this.#use;
    const replica = route?.replica;
    if (replica && SNAPSHOT.test(text)) {
      try {
        return await proven(replica);
      } catch (error) {
        if (!mayBeAskedAgain(error)) throw error;
        this.#routing.replicas.failed(replica, error as Error);
      }
    }
    this.#use.usedPrimary = true;
    route?.leave();
    return this.#routing.connect();
  }
}

/**
 * Returns a connection to a replica that has replayed what the running reads must see. The proof comes before a transaction, whose first statement
 * would have its snapshot before it proves something.
 */
async function proven(replica: Replica): Promise<PoolClient> {
  const client = await replica.reads.connect();
  try {
    // Whatever it is: the proof is in front of it.
    await client.query('select');
    return client;
  } catch (error) {
    client.release();
    throw error;
  }
}
