import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT, Fault, plain, unreachable } from './fault.ts';
import type { Options } from './options.ts';

export interface Answer {
  status: number;
  /** Parsed if it is JSON. */
  body: unknown;
  /** Path of the next page of a list. */
  next?: string;
}

export interface Call {
  method: 'GET' | 'POST';
  path: string;
  /** JSON text. */
  body?: string;
  /** The same for every repetition of one request, so that it is done once. */
  key?: string;
}

/** Seconds before a token's end at which a new one is fetched. */
const SPARE = 30;
/** Seconds of the first pause, and of the longest one that the client chooses itself. */
const FIRST_PAUSE = 1;
const LONGEST_PAUSE = 30;
/** Milliseconds after which a request without an answer is given up; the server's own limit is a minute. */
const PATIENCE = 90_000;
/** Answers after which the request is repeated later. 408 comes from a proxy, if a slow line did not transmit the request in time. */
const LATER = new Set([408, 409, 429, 502, 503, 504]);

/** The HTTP client for Haulgate. It fetches tokens, repeats requests without an answer, and waits if the server asks for it. */
export class Client {
  readonly #options: Pick<Options, 'url' | 'clientId' | 'clientSecret' | 'retries'>;
  readonly #say: (message: string) => void;
  #token: { text: string; until: number } | undefined;
  #fetching: Promise<string> | undefined;

  /** @param say informs the person why nothing moves */
  constructor(options: Pick<Options, 'url' | 'clientId' | 'clientSecret' | 'retries'>, say: (message: string) => void) {
    this.#options = options;
    this.#say = say;
  }

  /** Fetches a token, so that a wrong address or secret shows before anything else is done. @throws Fault as `call` */
  async signIn(): Promise<void> {
    await this.#tokenOf();
  }

  /** Returns the answer, whatever its status, except those that pass with time. @throws Fault if there is none, or no token */
  async call(call: Call): Promise<Answer> {
    let renewed = false;
    for (;;) {
      const token = await this.#tokenOf();
      const answer = await this.#patiently(call.path, () => this.#once(call, token));
      if (answer.status !== 401) return answer;
      if (renewed) throw unreachable(`${this.#options.url} does not accept the token it has just given (${call.path}).`);
      renewed = true;
      if (this.#token?.text === token) this.#token = undefined;
    }
  }

  /** Returns the token; concurrent requests share one fetch. */
  async #tokenOf(): Promise<string> {
    if (this.#token && Date.now() < this.#token.until) return this.#token.text;
    this.#fetching ??= this.#fetchToken().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetchToken(): Promise<string> {
    const { url, clientId, clientSecret } = this.#options;
    const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64');
    const { status, body, location } = await this.#patiently('/v1/auth/token', () =>
      this.#fetch('/v1/auth/token', {
        method: 'POST',
        headers: { Authorization: `Basic ${basic}`, 'Content-Type': 'application/x-www-form-urlencoded' },
        body: 'grant_type=client_credentials',
      }),
    );
    const { access_token: text, expires_in: seconds } = (body ?? {}) as { access_token?: string; expires_in?: number };
    if (status === 400 || status === 401) throw unreachable(`${url} knows no client ${clientId} with this secret.`);
    if (location)
      throw unreachable(`${url} leads elsewhere (${status}): give --url the address of Haulgate itself, as in ${plain(location)}.`);
    if (status !== 200 || !text) throw unreachable(`${url} gives no token (${status}): is it a Haulgate?`);
    this.#token = { text, until: Date.now() + Math.max((seconds ?? 60) - SPARE, (seconds ?? 60) / 2) * 1000 };
    return text;
  }

  async #once({ method, path, body, key }: Call, token: string): Promise<Reply> {
    const headers: Record<string, string> = { Authorization: `Bearer ${token}`, Accept: 'application/json' };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    if (key !== undefined) headers['Idempotency-Key'] = key;
    const reply = await this.#fetch(path, { method, headers, body });
    if (reply.status < 300 && !isObject(reply.body)) throw new Error(`It answers ${reply.status}, but not in JSON, as a proxy may`);
    return reply;
  }

  async #fetch(path: string, init: RequestInit): Promise<Reply> {
    const signal = AbortSignal.timeout(PATIENCE);
    const response = await fetch(this.#options.url + path, { ...init, redirect: 'manual', signal });
    const text = await response.text();
    return {
      status: response.status,
      body: jsonOf(text),
      next: nextOf(response.headers.get('link')),
      retryAfter: secondsOf(response.headers.get('retry-after')),
      location: response.headers.get('location') ?? undefined,
    };
  }

  /** Repeats an attempt with growing pauses. A 429 is no failure and may last; anything else is given up after `retries`. */
  async #patiently(path: string, attempt: () => Promise<Reply>): Promise<Reply> {
    for (let failures = 0; ; ) {
      let why: string;
      let pause = Math.min(FIRST_PAUSE * 2 ** failures, LONGEST_PAUSE);
      try {
        const reply = await attempt();
        if (!LATER.has(reply.status) && reply.status !== 500) return reply;
        // 409: the server still works on the first attempt of this request, or it was killed during it and waits (90 s).
        if (reply.status !== 429 && reply.status !== 409) failures++;
        pause = reply.retryAfter ?? pause;
        why =
          reply.status === 429
            ? 'It asks to send later (429)'
            : reply.status === 409
              ? 'It still works on this request'
              : `It answers ${reply.status}`;
      } catch (error) {
        failures++;
        why = reasonOf(error);
      }
      if (failures > this.#options.retries) throw unreachable(`${this.#options.url} cannot be reached. ${why} (${path}).`);
      this.#say(`${why}; trying again in ${Math.ceil(pause)} s.`);
      // The jitter keeps many senders from coming back together.
      await sleep(pause * 1000 * (1 + Math.random() / 10));
    }
  }
}

interface Reply extends Answer {
  /** Seconds. */
  retryAfter?: number;
  /** The target of a redirect. */
  location?: string;
}

const isObject = (body: unknown): body is object => typeof body === 'object' && body !== null;

function jsonOf(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function nextOf(link: string | null): string | undefined {
  const target = /<([^>]*)>;\s*rel="?next"?/.exec(link ?? '')?.[1];
  // Only the path is used: a proxy may have another name than the server is configured with.
  const url = target === undefined ? undefined : new URL(target, 'http://server');
  return url && url.pathname + url.search;
}

/** Retry-After is in seconds or a date. */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 3_600) : undefined;
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'Nothing listens there',
  ENOTFOUND: 'There is no such host',
  EAI_AGAIN: 'The name service does not answer',
  ECONNRESET: 'The connection broke',
  ETIMEDOUT: 'No answer came in time',
  UND_ERR_SOCKET: 'The connection broke',
  UND_ERR_CONNECT_TIMEOUT: 'No answer came in time',
  CERT_HAS_EXPIRED: 'Its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Its certificate is self-signed (NODE_EXTRA_CA_CERTS names one to trust)',
  SELF_SIGNED_CERT_IN_CHAIN: 'Nobody vouches for its certificate (NODE_EXTRA_CA_CERTS names who may)',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'Nobody vouches for its certificate (NODE_EXTRA_CA_CERTS names who may)',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'Nobody vouches for its certificate (NODE_EXTRA_CA_CERTS names who may)',
  ERR_SSL_WRONG_VERSION_NUMBER: 'It does not speak https: is it http://',
};

function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string; errors?: { code?: string }[] } };
  if (name === 'TimeoutError') return 'No answer came in time';
  const code = cause?.code ?? cause?.errors?.[0]?.code ?? '';
  return REASONS[code] ?? plain(cause?.message || message);
}

interface Complaint {
  code?: string;
  errors?: { field?: string; message?: string }[];
}

/** Returns the error of the server itself; undefined if a proxy or firewall answered instead. */
const saidBy = ({ body }: Answer): Complaint | undefined => (isObject(body) ? (body as { error?: Complaint }).error : undefined);

/** Returns the text of an error answer, in one line: its items, or its code. */
function complaintOf(answer: Answer): string {
  const error = saidBy(answer);
  const items = error?.errors?.map(({ field, message }) => (field ? `${field}: ${message}` : `${message}`)).join('; ');
  if (error) return plain(`${answer.status} ${items || error.code || ''}`);
  // Many proxies accept 1 MB by default.
  const advice = answer.status === 413 ? ': try --restart with a smaller --batch' : '';
  return `${answer.status}, by a proxy or firewall before the server${advice}`;
}

/** Returns the fault of an answer that should contain records and does not. */
export function unreadable(answer: Answer): Fault {
  if (answer.status === 403 && saidBy(answer))
    return unreachable(
      'What is sent is acknowledged, but this client may not read what became of it: it lacks the permission view_imports.',
    );
  if (answer.status === 404)
    return new Fault(
      EXIT.someFailed,
      'The server knows nothing of what the last run sent: it may be another one, or have been set up anew. Send everything with --restart.',
    );
  return new Fault(EXIT.someFailed, `The records cannot be read: ${complaintOf(answer)}.`);
}

/** Returns why a request was refused. @throws Fault if every other would be refused, too */
export function refusalOf(answer: Answer, kind: string): string {
  // A firewall refuses a request for its content, and may let the next one through.
  if (answer.status === 403 && saidBy(answer))
    throw unreachable(`This client may not send ${kind}: it lacks the permission create_${kind.slice(0, -1)}.`);
  if (answer.status === 404) throw unreachable(`There is no /ingest/${kind} at this address.`);
  return complaintOf(answer);
}
