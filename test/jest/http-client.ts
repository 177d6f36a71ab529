import { Agent, type IncomingMessage, request } from 'node:http';

/** What the server answered. */
export interface Received {
  status: number;
  readonly headers: Headers;
  isJson: boolean;
  text: string;
}

/** What `fetch` sends by itself. */
const USUAL = { Accept: '*/*', 'Accept-Language': '*', 'Sec-Fetch-Mode': 'cors', 'User-Agent': 'node' };

/** Bytes of a body. A server that refuses a larger one may close the connection while it is sent, and `fetch` finds the answer all the same. */
const LARGE = 65_536;

/**
 * Sends requests as `fetch` does, over connections that stay open. A test that sends requests takes a seventh less of Node's processor time with it.
 * It follows no redirects and decompresses nothing.
 */
export class HttpClient {
  readonly #agent = new Agent({ keepAlive: true });

  /** @throws TypeError, as `fetch` does, if the connection cannot be opened, or ends before the answer does */
  send(method: string, url: string, headers: Record<string, string>, body?: string | Uint8Array): Promise<Received> {
    if (body !== undefined && Buffer.byteLength(body) > LARGE) return fetched(method, url, headers, body);
    const { hostname, port, pathname, search } = new URL(url);
    const isPlain = typeof body === 'string' && !Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
    return new Promise((resolve, fail) => {
      const reject = (cause: Error) => fail(new TypeError('fetch failed', { cause }));
      const req = request({
        agent: this.#agent,
        method,
        hostname,
        port,
        path: pathname + search,
        headers: {
          ...USUAL,
          ...(isPlain ? { 'Content-Type': 'text/plain;charset=UTF-8' } : {}),
          ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
          ...headers,
        },
      });
      req.on('error', reject);
      req.on('response', (res: IncomingMessage) => {
        const chunks: Buffer[] = [];
        res.on('error', reject);
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          // A mark of the order of bytes is no part of the text.
          resolve(receivedOf(res, text.charCodeAt(0) === 0xfeff ? text.slice(1) : text));
        });
      });
      req.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

async function fetched(method: string, url: string, headers: Record<string, string>, body: string | Uint8Array): Promise<Received> {
  const response = await fetch(url, { method, redirect: 'manual', headers, body: body as string });
  return {
    status: response.status,
    headers: response.headers,
    isJson: isJson(response.headers.get('content-type')),
    text: await response.text(),
  };
}

const isJson = (type: string | null | undefined): boolean => /\bjson\b/.test(type ?? '');

function receivedOf({ statusCode, headers, rawHeaders }: IncomingMessage, text: string): Received {
  let read: Headers | undefined;
  return {
    status: statusCode!,
    // Few tests look at them.
    get headers() {
      read ??= headersOf(rawHeaders);
      return read;
    },
    isJson: isJson(headers['content-type']),
    text,
  };
}

/** Returns headers of which a name may occur several times. @param raw names and values in turns */
function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at < raw.length; at += 2) headers.append(raw[at]!, raw[at + 1]!);
  return headers;
}
