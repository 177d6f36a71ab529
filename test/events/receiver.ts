import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { misfitsOf } from './messages.ts';

// biome-ignore lint/suspicious/noExplicitAny: what was sent is asserted, not typed
type Json = any;

/** A request as the endpoint got it. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  raw: string;
  body: Json;
}

/** The answer of the endpoint to a request: a status, or whatever it likes. */
type Reply = number | ((res: ServerResponse) => void);

/** The endpoint of a subscriber. It takes everything unless the test says otherwise, and remembers what it got. */
export class Receiver {
  readonly received: Received[] = [];
  /** The parts of it that were not as the catalogue has them. */
  readonly misfits: string[] = [];
  answer: (received: Received) => Reply = () => 204;
  readonly #server = createServer((req, res) => void this.#serve(req, res));

  async start(): Promise<this> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return this;
  }

  url(path = '/'): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  /** Returns the messages that came to a path. */
  at(path: string): Received[] {
    return this.received.filter((one) => one.path === path);
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((done) => this.#server.close(() => done()));
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part as Buffer);
    const raw = Buffer.concat(parts).toString();
    const received = { path: req.url ?? '/', headers: req.headers, raw, body: JSON.parse(raw) as Json };
    this.received.push(received);
    this.misfits.push(...misfitsOf(received.body));
    const reply = this.answer(received);
    if (typeof reply === 'function') return reply(res);
    res.writeHead(reply).end();
  }
}
