import pg, { type Pool } from 'pg';
import { cutOff, endQuietly } from './end.ts';
import { endSilent } from './silent-servers.ts';

/** Milliseconds that one server may take to say whether it is the primary. */
const PROBE = 2_000;
/** Milliseconds after which a server that does not let a connection in counts as gone. */
const SILENT = 3_000;
/** The same for the only server there is: nobody else would let it in sooner. */
const SILENT_ALONE = 10_000;
/** Milliseconds between two rounds of questions while no server is the primary. */
const AGAIN = 250;
/** The code of a server whose connections are all taken: it is there, and as much the primary as before. */
const TOO_MANY = '53300';
/** Milliseconds that a connection waits for a primary before it fails like one to a server that is down. */
const PATIENCE = 1_500;

/**
 * Returns the addresses of the servers that a URL names, `postgres://user:password@one:5432,two:5432/database` (as libpq writes them), one
 * URL each. A URL with one server is returned as it is.
 */
export function urlsOf(url: string): string[] {
  const [, before = '', hosts = '', after = ''] = /^([a-z]+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? [];
  return hosts.includes(',') ? hosts.split(',').map((host) => before + host + after) : [url];
}

/** Connects to the primary among the servers of a URL, in the order in which it names them. @throws the error of the last server if none is */
export async function connectToPrimary(url: string): Promise<pg.Client> {
  let last: unknown;
  const urls = urlsOf(url);
  for (const one of urls) {
    const client = new pg.Client({ connectionString: one, connectionTimeoutMillis: urls.length > 1 ? SILENT : SILENT_ALONE });
    // Whoever queries gets the error, too.
    client.on('error', () => {});
    try {
      await client.connect();
      const asked = { text: 'select pg_is_in_recovery() as standby', query_timeout: SILENT_ALONE };
      const { rows } = await client.query<{ standby: boolean }>(asked);
      if (!rows[0]!.standby) return client;
      last = standbyError();
    } catch (error) {
      last = error;
    }
    await endQuietly(client);
  }
  throw last;
}

/**
 * Lets the connections of a pool follow the primary: each new one goes to the server that takes writes now. After a failover the connections
 * to the old primary are dead, or refused by it, and new ones find the new primary as soon as it is promoted. Connections to a server that says
 * nothing any more are ended.
 * @param pooled whether the servers are poolers
 */
export function followPrimary(pool: Pool, url: string, pooled = false): void {
  const urls = urlsOf(url);
  const primary = urls.length > 1 ? new Primary(urls) : undefined;
  // pg-pool makes its connections of this class. Its own limit would be for who waits for a connection that others have, too.
  (pool as unknown as { Client: typeof pg.Client }).Client = primary ? clientOf(primary, pooled) : Alone;
  endSilent(pool, { urls, pooled, isPrimary, lost: (server) => primary?.lost(server) });
}

/** A connection to the only server there is. */
class Alone extends pg.Client {
  constructor(config: pg.ClientConfig) {
    // A pool hides its password from code that lists its options.
    super({ ...config, password: config.password, connectionTimeoutMillis: config.connectionTimeoutMillis ?? SILENT_ALONE });
  }
}

interface Address {
  host: string;
  port: number;
}

/** Which of several servers is the primary, as far as is known. */
class Primary {
  readonly #urls: readonly string[];
  /** The connections that are open, and where to. */
  readonly #open = new Map<pg.Client, Address>();
  #known: Address | undefined;
  /** The one that was the primary last, which may be it still. */
  #last: Address | undefined;
  #looking: Promise<Address | undefined> | undefined;

  constructor(urls: readonly string[]) {
    this.#urls = urls;
  }

  /** Returns where the primary is; after a while without one, the first server, which then fails by itself. */
  async address(): Promise<Address> {
    if (this.#known) return this.#known;
    const deadline = Date.now() + PATIENCE;
    for (;;) {
      // However many connections are wanted, the servers are asked once.
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
      this.#known = await this.#looking;
      if (this.#known) return this.#known;
      if (Date.now() >= deadline) throw standbyError();
      await new Promise((wake) => setTimeout(wake, AGAIN));
    }
  }

  /** The server is gone, or is no primary any more. Another one may have been found meanwhile. */
  lost(address: Address): void {
    if (this.#known && isSame(this.#known, address)) this.#known = undefined;
  }

  /** Notes a connection that is open. */
  opened(client: pg.Client, address: Address): void {
    this.#open.set(client, address);
    client.once('end', () => this.#open.delete(client));
  }

  /** Ends what is open to other servers than the primary: a pooler keeps it although its server is gone, and lets statements wait there for minutes. */
  #leaveOthers(primary: Address): void {
    for (const [client, address] of this.#open) if (!isSame(address, primary)) cutOff(client);
  }

  /**
   * Asks all servers at once. If several take writes, it is the one that was the primary before, so that one that comes back by mistake gets nothing of
   * what is written; without such a one the first in the order of the URL.
   */
  async #look(): Promise<Address | undefined> {
    const found = await Promise.all(this.#urls.map(isPrimary));
    const writable = this.#urls.filter((_, at) => found[at]).map(addressOf);
    const address = writable.find((one) => this.#last && isSame(one, this.#last)) ?? writable[0];
    if (!address) return undefined;
    this.#last = address;
    this.#leaveOthers(address);
    return address;
  }
}

const isSame = (one: Address, other: Address): boolean => one.host === other.host && one.port === other.port;

function addressOf(url: string): Address {
  const { host, port } = new pg.Client({ connectionString: url });
  return { host, port };
}

async function isPrimary(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: PROBE, query_timeout: PROBE });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
    return !rows[0]!.standby;
  } catch {
    // It is down, starting, or too slow to be one.
    return false;
  } finally {
    await endQuietly(client);
  }
}

/** Like PostgreSQL's own for a server that takes no connections yet, so that callers wait and try again. */
function standbyError(): Error {
  return Object.assign(new Error('none of the servers is a primary that takes writes'), { code: '57P03' });
}

type Connected = (error?: Error) => void;

function clientOf(primary: Primary, pooled: boolean): typeof pg.Client {
  return class extends pg.Client {
    constructor(config: pg.ClientConfig) {
      // A server that lost its power says nothing, and is not waited for.
      // A pool hides its password from code that lists its options.
      super({ ...config, password: config.password, connectionTimeoutMillis: SILENT });
    }

    override connect(): Promise<void>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<void> | void {
      const connecting = this.#connect();
      if (!callback) return connecting;
      connecting.then(() => callback(), callback);
    }

    async #connect(): Promise<void> {
      const address = await primary.address();
      Object.assign(this, address);
      // PostgreSQL reports it with the connection, and again when it is promoted.
      let standby = false;
      (this as unknown as { connection: NodeJS.EventEmitter }).connection.on(
        'parameterStatus',
        ({ parameterName, parameterValue }: { parameterName: string; parameterValue: string }) => {
          if (parameterName === 'in_hot_standby') standby = parameterValue === 'on';
        },
      );
      try {
        await super.connect();
        // A pooler repeats what its first connection reported, and a promotion may have come after that.
        if (pooled) standby = await this.#isStandby();
        if (!standby) return primary.opened(this, address);
        await this.end();
        throw standbyError();
      } catch (error) {
        if ((error as { code?: string }).code !== TOO_MANY) primary.lost(address);
        throw error;
      }
    }

    /** A pooler lets clients in whose server is gone, and has them wait for the answer. */
    async #isStandby(): Promise<boolean> {
      const asked = { text: 'select pg_is_in_recovery() as standby', query_timeout: SILENT };
      try {
        return (await super.query<{ standby: boolean }>(asked)).rows[0]!.standby;
      } catch (error) {
        cutOff(this);
        throw error;
      }
    }
  } as typeof pg.Client;
}
