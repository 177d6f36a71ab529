import type { Server } from 'node:http';
import type { Express } from 'express';

export interface Listening {
  server: Server;
  port: number;
  /** Takes no more connections, answers what is under way, then closes; what takes over ten seconds is cut off. */
  close(): Promise<void>;
}

/** Milliseconds in which a request must have arrived whole. */
const ARRIVAL = 60_000;
/** Milliseconds a quiet connection stays open: longer than proxies keep theirs, so that the proxy is the one who closes. */
const KEEP_ALIVE = 65_000;
const DRAIN = 10_000;

/** @throws the error of the operating system when the address cannot be had */
export async function listen(app: Express, port: number, host: string): Promise<Listening> {
  const server = await new Promise<Server>((done, fail) => {
    const listening = app.listen(port, host, (error?: Error) => (error ? fail(error) : done(listening)));
  });
  server.requestTimeout = ARRIVAL;
  server.keepAliveTimeout = KEEP_ALIVE;
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
