import { createServer, type Server } from 'node:http';
import type { Express } from 'express';

export interface Listening {
  server: Server;
  port: number;
  /** Takes no more connections, answers what is under way, then closes; what takes over ten seconds is cut off. */
  close(): Promise<void>;
}

/** Milliseconds in which a request must have arrived whole (SPEC Limits), and how often it is looked who is late: Node's own half minute would let them stay until then. */
const ARRIVAL = 60_000;
const LOOK = 1_000;
/** Milliseconds a quiet connection stays open: longer than proxies keep theirs, so that the proxy is the one who closes. */
const KEEP_ALIVE = 65_000;
const DRAIN = 10_000;

/**
 * @param arrival milliseconds in which a request must have arrived whole: after them, and a second at most, the connection is cut (408)
 * @throws the error of the operating system when the address cannot be had
 */
export async function listen(app: Express, port: number, host: string, arrival = ARRIVAL): Promise<Listening> {
  const times = { requestTimeout: arrival, headersTimeout: arrival, keepAliveTimeout: KEEP_ALIVE, connectionsCheckingInterval: LOOK };
  const server = createServer(times, app);
  await new Promise<void>((done, fail) => {
    server.once('error', fail).listen(port, host, () => {
      server.off('error', fail);
      done();
    });
  });
  return {
    server,
    port: (server.address() as { port: number }).port,
    async close() {
      const closed = new Promise<void>((done) => server.close(() => done()));
      // A connection becomes idle when its last answer is out; nobody else closes it then.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      const cut = setTimeout(() => server.closeAllConnections(), DRAIN);
      server.closeIdleConnections();
      await closed;
      clearInterval(sweep);
      clearTimeout(cut);
    },
  };
}
