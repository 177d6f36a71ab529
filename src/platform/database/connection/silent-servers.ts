import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import pg, { type Pool, type PoolClient } from 'pg';
import { endQuietly } from './end.ts';

/** Milliseconds between two looks at what is under way. */
const LOOK = 500;
/** Milliseconds without a word from a server that owes an answer, after which it is asked whether it is there. */
const QUIET = 2_000;
/** Milliseconds that it may take to answer that. */
const PROBE = 2_000;
/** Milliseconds over its time after which a question was given up by a process that was busy, and may not have read the answer. */
const DELAYED = 250;
/** Questions in a row without an answer after which a server hangs. */
const HANGS = 2;
/** The same for the only server there is. Nobody else would answer, and one that stands still for ten seconds (a checkpoint, a machine that is moved) goes on. */
const HANGS_ALONE = 5;

/** A server lost its power, or hangs: what it would say if it were only down is not here. */
const SILENCE = /^(ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH)$/;
const LATE = /^(timeout expired|Query read timeout)/;

/** The part of pg's client that is used here; its types omit it. */
type Connected = PoolClient & { host: string; port: number; readyForQuery: boolean | undefined; connection: { stream: Socket } };

export interface Servers {
  urls: readonly string[];
  /** Whether they are poolers. */
  pooled: boolean;
  /** Whether a server takes writes. */
  isPrimary(url: string): Promise<boolean>;
  /** The server is gone. */
  lost(server: { host: string; port: number }): void;
}

/**
 * Ends the connections of a pool to a server that says nothing any more. A server that hangs or lost its power closes no connection, and the time
 * limit of a statement is kept by the server: whoever waits would wait for ever. A server from which nothing came for a while is asked on a connection of
 * its own whether it is there; one that answers may take for its statements as long as it likes.
 */
export function endSilent(pool: Pool, servers: Servers): void {
  const watch = new Watch(pool, servers);
  pool.on('connect', (client) => watch.add(client as Connected));
  pool.on('acquire', () => watch.begin());
}

/** The knowledge of a pool about a server. */
interface Known {
  host: string;
  port: number;
  /** With how many bytes each had received when they were counted last. */
  clients: Map<Connected, number>;
  heardAt: number;
  /** Since when it has owed an answer all the time. */
  owesSince?: number;
  silences: number;
  asking: boolean;
}

class Watch {
  readonly #pool: Pool;
  readonly #servers: Servers;
  readonly #known = new Map<string, Known>();
  #timer: NodeJS.Timeout | undefined;

  constructor(pool: Pool, servers: Servers) {
    this.#pool = pool;
    this.#servers = servers;
  }

  add(client: Connected): void {
    const { host, port } = client;
    const key = `${host} ${port}`;
    let server = this.#known.get(key);
    if (!server) {
      server = { host, port, clients: new Map(), heardAt: 0, silences: 0, asking: false };
      this.#known.set(key, server);
    }
    const { clients } = server;
    clients.set(client, 0);
    client.once('end', () => {
      clients.delete(client);
      if (clients.size === 0) this.#known.delete(key);
    });
  }

  /** A connection was taken. Looks until none is. */
  begin(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const server of this.#known.values()) this.#lookAt(server);
      if (this.#pool.totalCount > this.#pool.idleCount) this.begin();
    }, LOOK).unref();
  }

  #lookAt(server: Known): void {
    const now = performance.now();
    if (hears(server)) speaks(server);
    const owes = [...server.clients.keys()].some(({ readyForQuery }) => readyForQuery === false);
    server.owesSince = owes ? (server.owesSince ?? now) : undefined;
    if (owes && !server.asking && now - Math.max(server.heardAt, server.owesSince!) >= QUIET) void this.#ask(server);
  }

  async #ask(server: Known): Promise<void> {
    server.asking = true;
    const begun = performance.now();
    try {
      const url = this.#servers.urls.find((one) => isAt(one, server))!;
      const { said, delayed } = await ask(url);
      // Answers that came while this process was busy are read in a turn of the event loop, after the timers that gave them up.
      await turn();
      if (said === 'something' || hears(server)) return speaks(server);
      // It has spoken since it was asked, and stands still again.
      if (server.heardAt > begun) return;
      const others = this.#servers.urls.filter((one) => one !== url);
      // Behind a pooler it may wait for a connection that others have.
      const isJudged = said === 'nothing' || !this.#servers.pooled;
      if (isJudged && !delayed && ++server.silences >= (others.length > 0 ? HANGS : HANGS_ALONE)) return this.#end(server);
      const moved = (await Promise.all(others.map((one) => this.#servers.isPrimary(one)))).includes(true);
      await turn();
      if (hears(server)) speaks(server);
      else if (moved) this.#end(server);
      else if (!isJudged) speaks(server);
    } finally {
      server.asking = false;
    }
  }

  /** Ends the statements that run there: they fail like on a server that is down. */
  #end(server: Known): void {
    server.silences = 0;
    this.#servers.lost(server);
    for (const { connection } of server.clients.keys()) connection.stream.destroy();
  }
}

function speaks(server: Known): void {
  server.heardAt = performance.now();
  server.silences = 0;
}

/** Returns whether something came from a server since this was asked last. */
function hears({ clients }: Known): boolean {
  let heard = false;
  for (const [client, before] of clients) {
    const { bytesRead } = client.connection.stream;
    if (bytesRead !== before) heard = true;
    clients.set(client, bytesRead);
  }
  return heard;
}

function isAt(url: string, server: { host: string; port: number }): boolean {
  const { host, port } = new pg.Client({ connectionString: url });
  return host === server.host && port === server.port;
}

interface Heard {
  /** Something, which may be that it lets nobody in; nothing to the question; or nothing at all. */
  said: 'something' | 'no answer' | 'nothing';
  /** This process was busy while it waited for it. */
  delayed: boolean;
}

/** Asks a server whether it is there. */
async function ask(url: string): Promise<Heard> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: PROBE, query_timeout: PROBE });
  client.on('error', () => {});
  let since = performance.now();
  let connected = false;
  try {
    await client.connect();
    connected = true;
    since = performance.now();
    await client.query('select');
    return { said: 'something', delayed: false };
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string };
    const isSilent = SILENCE.test(code) || LATE.test(message);
    const said = !isSilent ? 'something' : connected ? 'no answer' : 'nothing';
    return { said, delayed: performance.now() - since > PROBE + DELAYED };
  } finally {
    // One that hangs does not close it.
    void endQuietly(client);
  }
}
