import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the provider got it. */
export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  authorization: string | undefined;
  body: string;
}

/** An answer: an object is sent as JSON, a text as it is. */
export type Plain = object | string | { status: number; body?: object | string; type?: string };

/** The reaction of the provider: it answers, or does what it likes with the connection. */
export type Reply = Plain | ((res: ServerResponse, asked: Asked) => void);

/** The interface of somebody else's system on a port of its own. It answers as the test says, and remembers what it was asked. */
export class FakeProvider {
  readonly asked: Asked[] = [];
  answer: (asked: Asked) => Reply = () => ({ status: 404 });
  readonly #server = createServer((req, res) => void this.#serve(req, res));

  async start(): Promise<this> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((done) => this.#server.close(() => done()));
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part as Buffer);
    const url = new URL(req.url ?? '/', this.url);
    const asked = {
      ...{ method: req.method ?? '', path: url.pathname, query: url.searchParams, authorization: req.headers.authorization },
      body: Buffer.concat(parts).toString(),
    };
    this.asked.push(asked);
    const reply = this.answer(asked);
    if (typeof reply === 'function') return reply(res, asked);
    const whole = typeof reply === 'object' && 'status' in reply && typeof reply.status === 'number';
    const { status, body, type } = (whole ? reply : { status: 200, body: reply }) as {
      status: number;
      body?: object | string;
      type?: string;
    };
    res.writeHead(status, { 'Content-Type': type ?? (typeof body === 'string' ? 'text/plain' : 'application/json') });
    res.end(typeof body === 'object' ? JSON.stringify(body) : body);
  }
}

/** One vehicle of Samsara's feed with one position. */
export const samsaraPage = (after: string, more: object = {}, hasNextPage = false) => ({
  data: [
    {
      ...{ id: '281474977075805', name: 'Truck 7' },
      gps: [
        {
          ...{ time: new Date(Date.now() - 20_000).toISOString(), latitude: 30.25, longitude: -97.75, headingDegrees: 370 },
          ...{ speedMilesPerHour: 50, isEcuSpeed: true, ...more },
        },
      ],
    },
  ],
  pagination: { endCursor: after, hasNextPage },
});
