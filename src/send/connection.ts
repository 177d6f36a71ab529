import { setTimeout as sleep } from 'node:timers/promises';
import { plain, unreachable } from './fault.ts';

/** The credentials of a program: a machine client, whose tokens are fetched and renewed, or tokens that it gets elsewhere. */
export type Access = { url: string; retries: number } & (
  | { clientId: string; clientSecret: string }
  | { token: string | (() => string | Promise<string>) }
);

/** A body that `fetch` takes. */
export type Body = NonNullable<RequestInit['body']>;

export interface Sent {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: Body;
  /** Ends the request and all waiting for another attempt. */
  signal?: AbortSignal;
}

export interface Reply {
  status: number;
  headers: Headers;
  bytes: Uint8Array<ArrayBuffer>;
  /** Parsed if it is JSON. */
  body: unknown;
  /** Path of the next page of a list. */
  next?: string;
}

export interface Patience {
  /** Whether the same request may be answered otherwise after a pause. */
  isPassing(reply: Reply): boolean;
  /** Whether it does no harm if a request without an answer is sent again. */
  repeatable: boolean;
}

/** Seconds before a token's end at which a new one is fetched. */
const SPARE = 30;
/** Seconds of the first pause, and of the longest one that the client chooses itself. */
const FIRST_PAUSE = 1;
const LONGEST_PAUSE = 30;
/** Milliseconds after which a request without an answer is given up; the server's own limit is a minute. */
const PATIENCE = 90_000;
/** Answers after which a request for a token is repeated later. 408 comes from a proxy, if a slow line did not transmit it in time. */
const LATER = new Set([408, 429, 500, 502, 503, 504]);

/** Requests to one Haulgate. It fetches tokens, repeats requests without an answer, and waits if the server asks for it. */
export class Connection {
  readonly #access: Access;
  readonly #say: (message: string) => void;
  #token: { text: string; until: number } | undefined;
  #fetching: Promise<string> | undefined;

  /** @param say informs the person why nothing moves */
  constructor(access: Access, say: (message: string) => void) {
    this.#access = access;
    this.#say = say;
  }

  /** Fetches a token, so that a wrong address or secret shows before anything else is done. @throws Fault as `send` */
  async signIn(): Promise<void> {
    await this.#tokenOf();
  }

  /**
   * Returns the answer, whatever its status, except those that pass with time.
   * @param check throws an Error if the answer is none of the server's, which is then taken for no answer
   * @throws Fault if there is none, or no token
   */
  async send(sent: Sent, patience: Patience, check: (reply: Reply) => void = () => undefined): Promise<Reply> {
    let renewed = false;
    for (;;) {
      const token = await this.#tokenOf();
      const reply = await this.#patiently(sent, patience, async () => {
        const answered = await this.#fetch({ ...sent, headers: { Authorization: `Bearer ${token}`, ...sent.headers } });
        check(answered);
        return answered;
      });
      if (reply.status !== 401 || 'token' in this.#access) return reply;
      if (renewed) throw unreachable(`${this.#access.url} does not accept the token it has just given (${sent.path}).`);
      renewed = true;
      if (this.#token?.text === token) this.#token = undefined;
    }
  }

  /** Returns the token; concurrent requests share one fetch. */
  async #tokenOf(): Promise<string> {
    const access = this.#access;
    if ('token' in access) return typeof access.token === 'string' ? access.token : access.token();
    if (this.#token && Date.now() < this.#token.until) return this.#token.text;
    this.#fetching ??= this.#fetchToken(access).finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetchToken({ url, clientId, clientSecret }: { url: string; clientId: string; clientSecret: string }): Promise<string> {
    const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64');
    const sent: Sent = {
      method: 'POST',
      path: '/v1/auth/token',
      headers: { Authorization: `Basic ${basic}`, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    };
    const { status, body, headers } = await this.#patiently(sent, { isPassing: (reply) => LATER.has(reply.status), repeatable: true }, () =>
      this.#fetch(sent),
    );
    const { access_token: text, expires_in: seconds } = (body ?? {}) as { access_token?: string; expires_in?: number };
    if (status === 400 || status === 401) throw unreachable(`${url} knows no client ${clientId} with this secret.`);
    const location = headers.get('location');
    if (location)
      throw unreachable(`${url} leads elsewhere (${status}): give --url the address of Haulgate itself, as in ${plain(location)}.`);
    if (status !== 200 || !text) throw unreachable(`${url} gives no token (${status}): is it a Haulgate?`);
    this.#token = { text, until: Date.now() + Math.max((seconds ?? 60) - SPARE, (seconds ?? 60) / 2) * 1000 };
    return text;
  }

  async #fetch({ method, path, headers, body, signal }: Sent): Promise<Reply> {
    const patience = AbortSignal.timeout(PATIENCE);
    const response = await fetch(this.#access.url + path, {
      method,
      headers,
      body,
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, patience]) : patience,
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const text = (response.headers.get('content-type') ?? 'json').includes('json') ? new TextDecoder().decode(bytes) : '';
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      body: jsonOf(text),
      next: nextOf(response.headers.get('link')),
    };
  }

  /** Repeats an attempt with growing pauses. A 429 or 409 is no failure and may last; anything else is given up after `retries`. */
  async #patiently({ path, signal }: Sent, patience: Patience, attempt: () => Promise<Reply>): Promise<Reply> {
    for (let failures = 0; ; ) {
      let why: string;
      let pause = Math.min(FIRST_PAUSE * 2 ** failures, LONGEST_PAUSE);
      try {
        const reply = await attempt();
        if (!patience.isPassing(reply)) return reply;
        // 409: the server still works on the first attempt of this request, or it was killed during it and waits (90 s).
        if (reply.status !== 429 && reply.status !== 409) failures++;
        pause = secondsOf(reply.headers.get('retry-after')) ?? pause;
        why =
          reply.status === 429
            ? 'It asks to send later (429)'
            : reply.status === 409
              ? 'It still works on this request'
              : `It answers ${reply.status}`;
      } catch (error) {
        signal?.throwIfAborted();
        failures++;
        why = reasonOf(error);
        if (!patience.repeatable)
          throw unreachable(`${this.#access.url} gave no answer, and may have done it all the same. ${why} (${path}).`);
      }
      if (failures > this.#access.retries) throw unreachable(`${this.#access.url} cannot be reached. ${why} (${path}).`);
      this.#say(`${why}; trying again in ${Math.ceil(pause)} s.`);
      // The jitter keeps many senders from coming back together.
      await sleep(pause * 1000 * (1 + Math.random() / 10), undefined, { signal });
    }
  }
}

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
