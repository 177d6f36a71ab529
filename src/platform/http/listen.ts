import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';

export interface Listening {
  server: Server;
  port: number;
  /** Takes no more connections, answers what is under way, then closes; what takes over ten seconds is cut off. */
  close(): Promise<void>;
}

/**
 * Milliseconds in which a request must arrive completely (SPEC Limits), and how often late ones are looked for. Node's own interval of half
 * a minute would let them stay longer.
 */
const ARRIVAL = 60_000;
const LOOK = 1_000;
/** Milliseconds a quiet connection stays open: longer than proxies keep theirs, so that the proxy is the one who closes. */
const KEEP_ALIVE = 65_000;
const DRAIN = 10_000;

export interface ListenOptions {
  port: number;
  host: string;
  /**
   * Whether other processes listen on the same port: the kernel deals the connections out, and one that dies takes none along but its own.
   * Where it cannot, the parent of the processes deals them out (node:cluster). No by default.
   */
  shared?: boolean;
  /** Milliseconds in which a request must have arrived whole: after them, and a second at most, the connection is cut (408). */
  arrival?: number;
}

/** Answers requests to an address. @throws the error of the operating system when the address cannot be had */
export async function listen(app: Express, { port, host, shared = false, arrival = ARRIVAL }: ListenOptions): Promise<Listening> {
  const times = { requestTimeout: arrival, headersTimeout: arrival, keepAliveTimeout: KEEP_ALIVE, connectionsCheckingInterval: LOOK };
  // Whoever offers HTTP/2 (`Upgrade: h2c`), as clients of Java do, is answered in HTTP/1.1.
  const shouldUpgradeCallback = ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() === 'websocket';
  const server = createServer({ ...times, shouldUpgradeCallback }, app);
  answerUnreadable(server);
  await new Promise<void>((done, fail) => {
    const alone = shared && process.platform === 'linux' ? { exclusive: true, reusePort: true } : {};
    server.once('error', fail).listen({ port, host, ...alone }, () => {
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

/** The answers to data that cannot be read as a request, by Node's code for it; anything else is not HTTP. */
const UNREADABLE: Record<string, [status: string, code: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'request_header_fields_too_large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Payload Too Large', 'payload_too_large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'request_timeout'],
};

/** Requests that never reach the application are answered in the envelope of all errors too (SPEC Errors); the connection ends with it. */
function answerUnreadable(server: Server): void {
  const answers = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (_, res) => res.socket && answers.set(res.socket, res));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const answer = answers.get(socket);
    // Half an answer is out already: nothing can follow it.
    if (!socket.writable || error.code === 'ECONNRESET' || (answer?.headersSent && !answer.writableFinished)) return void socket.destroy();
    const [status, code] = UNREADABLE[error.code ?? ''] ?? ['400 Bad Request', 'bad_request'];
    const body = JSON.stringify({ error: { code } });
    const headers = ['Connection: close', 'Content-Type: application/json; charset=utf-8', `Content-Length: ${Buffer.byteLength(body)}`];
    // A client that is still sending is not waited for.
    socket.end(`HTTP/1.1 ${[status, ...headers].join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  });
}
