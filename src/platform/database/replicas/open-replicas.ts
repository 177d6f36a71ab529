import pg, { type Pool } from 'pg';
import { provided } from '../../application.ts';
import type { Logger } from '../../log.ts';
import { returnDeadConnections } from '../connection/dead-connections.ts';
import { endQuietly } from '../connection/end.ts';
import { followPrimary } from '../connection/hosts.ts';
import type { Keeping } from '../connection/kept-statements.ts';
import { type Pooler, poolerOf } from '../connection/pooler.ts';
import { scopeStatements } from '../connection/scoped-query.ts';
import { traceStatements } from '../connection/traced-statements.ts';
import { listenToStatements, type StatementListener } from '../statements.ts';
import { PrimaryLog } from './primary-log.ts';
import { Replica, type ReplicaPools } from './replica.ts';
import { Replicas } from './replicas.ts';
import { routeReads } from './route-reads.ts';

/** Milliseconds that a server may take to let a connection in, and to say how far it is; one that takes longer counts as gone. */
const PATIENCE = 1_000;

/** The replicas of an application; undefined where none are configured. */
export const readReplicas = provided<Replicas | undefined>('read replicas');

export interface ReplicasConfigured {
  /** The pool of the primary, whose reads are routed from now on. */
  pool: Pool;
  /** Of the primary, or of several servers of which one is (`hosts.ts`). */
  url: string;
  urls: readonly string[];
  /** The application's role, which connections take as they open. */
  actAs: string;
  /** The pooler between the product and the primary. */
  pooler?: Pooler;
  /** Milliseconds that a replica may be behind. */
  mostLag: number;
  log: Pick<Logger, 'info' | 'warn'>;
  /** As of the primary's pool. */
  keeping?: Keeping;
  onStatement?: StatementListener;
}

/** Opens the replicas of a pool. One that is not there is left out until it is. */
export async function openReplicas(options: ReplicasConfigured): Promise<Replicas> {
  const { pool, url, urls, pooler, mostLag, log } = options;
  const asks = poolLike(pool, { max: 1, query_timeout: PATIENCE, connectionTimeoutMillis: PATIENCE, ...asRole(options.actAs, pooler) });
  followPrimary(asks, url, pooler !== undefined);
  scopeStatements(asks, undefined, pooler);
  const replicas = urls.map((one) => {
    const replica: Replica = new Replica(one, () => openPools(options, one, replica));
    return replica;
  });
  const opened = new Replicas({ primary: new PrimaryLog(asks), replicas, mostLag, log });
  routeReads(pool, opened);
  return opened.open();
}

async function openPools({ pool, actAs, keeping, onStatement }: ReplicasConfigured, url: string, replica: Replica): Promise<ReplicaPools> {
  const pooler = await poolerAt(url);
  const server = { connectionString: url, ...asRole(actAs, pooler) };
  const reads = poolLike(pool, server);
  // pg-pool makes its connections of this class. Its own limit would be for who waits for a connection that others have, too.
  (reads as unknown as { Client: typeof pg.Client }).Client = Impatient;
  returnDeadConnections(reads);
  scopeStatements(reads, keeping, pooler, replica);
  if (onStatement) listenToStatements(reads, onStatement);
  traceStatements(reads, { 'haulgate.replica': replica.name });
  const asks = poolLike(pool, { ...server, max: 1, query_timeout: PATIENCE, connectionTimeoutMillis: PATIENCE });
  scopeStatements(asks, undefined, pooler);
  return { reads, asks };
}

/** A connection that waits no longer for a server that says nothing. */
class Impatient extends pg.Client {
  constructor(config: pg.ClientConfig) {
    // A pool hides its password from code that lists its options.
    super({ ...config, password: config.password, connectionTimeoutMillis: PATIENCE });
  }
}

async function poolerAt(url: string): Promise<Pooler | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: PATIENCE, query_timeout: PATIENCE });
  client.on('error', () => {});
  try {
    await client.connect();
    return await poolerOf(client);
  } finally {
    await endQuietly(client);
  }
}

/** In the message that opens the connection, as of the primary's (`orm.ts`). */
const asRole = (role: string, pooler: Pooler | undefined): pg.PoolConfig => ({ options: pooler ? undefined : `-c role=${role}` });

/** A pool with the settings of another one, and others of its own. */
function poolLike(pool: Pool, own: pg.PoolConfig): Pool {
  // A pool hides its password from code that lists its options.
  const made = new pg.Pool({ ...pool.options, password: pool.options.password, min: 0, ...own });
  // Without listeners, a connection that the server drops would end the process. The statement reports the error to its caller.
  made.on('error', () => {});
  made.on('connect', (client) => void client.on('error', () => {}));
  return made;
}
