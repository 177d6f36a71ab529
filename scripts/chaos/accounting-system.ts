import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A document as the accounting system has it. */
export interface TakenDocument {
  /** The name of the document in the system. */
  invoiceId: string;
  /** The settlement, or the reversal. */
  id: string;
  total: string;
}

/** Times that a document is disturbed before it is answered. */
const MOST_DISTURBED = 2;

/** An accounting system of somebody else: it answers the same key as before, is away at times, and breaks off when it has taken a document. */
export class AccountingSystem {
  /** By idempotency key. */
  readonly taken = new Map<string, TakenDocument>();
  /** Requests with a document. */
  asked = 0;
  readonly #names: readonly string[];
  readonly #disturbed = new Map<string, number>();
  readonly #server: Server;

  /** @param names of its customers */
  constructor(names: readonly string[]) {
    this.#names = names;
    this.#server = createServer((req, res) => void this.#answer(req, res));
  }

  async start(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part as Buffer);
    const json = (status: number, body: object) => res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (req.method === 'GET') return void json(200, { data: req.url?.startsWith('/customers') ? this.#customers() : [] });
    this.asked++;
    const key = String(req.headers['idempotency-key']);
    const times = this.#disturbed.get(key) ?? 0;
    const chance = times < MOST_DISTURBED ? Math.random() : 1;
    if (chance < 0.2) this.#disturbed.set(key, times + 1);
    if (chance < 0.1) return void json(503, {});
    const { id, total } = JSON.parse(Buffer.concat(parts).toString()) as { id: string; total: string };
    const document = this.taken.get(key) ?? { invoiceId: `DOC-${this.taken.size + 1}`, id, total };
    this.taken.set(key, document);
    if (chance < 0.2) return void res.destroy();
    json(200, { id: document.invoiceId });
  }

  #customers(): object[] {
    return this.#names.map((name, i) => ({ id: `C-${i}`, name }));
  }
}
