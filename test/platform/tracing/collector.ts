import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as OTLP says it in JSON, with its attributes by name. */
export interface Sent {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number;
  status: { code?: number };
  links: string[];
  attributes: Record<string, string | number | boolean>;
}

interface Value {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
}
interface Payload {
  resourceSpans: {
    resource: { attributes: { key: string; value: Value }[] };
    scopeSpans: {
      spans: (Omit<Sent, 'attributes' | 'links'> & { attributes: { key: string; value: Value }[]; links?: { traceId: string }[] })[];
    }[];
  }[];
}

const plain = ({ stringValue, intValue, doubleValue, boolValue }: Value) =>
  stringValue ?? boolValue ?? doubleValue ?? (intValue === undefined ? '' : Number(intValue));
const byName = (attributes: { key: string; value: Value }[]) => Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));

/** Takes spans as Jaeger, Tempo or any other collector does (OTLP over HTTP, JSON). */
export class Collector {
  readonly spans: Sent[] = [];
  resource: Record<string, unknown> = {};
  /** Everything that came, as it came. */
  raw = '';
  requests = 0;
  /** The reaction to a request: takes it, refuses it, or never answers. */
  mood: 'takes' | 'refuses' | 'hangs' = 'takes';
  readonly #server = createServer((req, res) => void this.#serve(req, res));

  async start(): Promise<this> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The spans of a trace, by name. */
  of(traceId: string): Sent[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  /** Cuts what it never answered. */
  cut(): void {
    this.#server.closeAllConnections();
  }

  stop(): Promise<void> {
    this.cut();
    return new Promise((done) => this.#server.close(() => done()));
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part as Buffer);
    this.requests++;
    if (this.mood === 'hangs') return;
    // 400 is not tried again.
    if (this.mood === 'refuses') return void res.writeHead(400).end();
    const raw = Buffer.concat(parts).toString();
    this.raw += raw;
    for (const { resource, scopeSpans } of (JSON.parse(raw) as Payload).resourceSpans) {
      this.resource = byName(resource.attributes);
      for (const { spans } of scopeSpans)
        for (const span of spans)
          this.spans.push({ ...span, attributes: byName(span.attributes), links: (span.links ?? []).map(({ traceId }) => traceId) });
    }
    res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  }
}
