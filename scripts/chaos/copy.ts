import { setTimeout as sleep } from 'node:timers/promises';
import type { Tenant } from './world.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are compared, not typed
type Json = any;

/**
 * Milliseconds until the second try while a process or the database is down, and the most between two. Dozens of clients that ask ten times a second take the
 * time in which the process should start that they ask for.
 */
const [AGAIN, SELDOM] = [100, 1_000];
const pause = (tries: number): number => Math.min(SELDOM, AGAIN * 2 ** tries) * (0.5 + Math.random() / 2);
/** Milliseconds after which an answer is not expected any more: whoever should give it may be gone. */
const PATIENCE = 30_000;
/** Milliseconds after which a request should have been answered, however often its server was killed. */
const LONGEST = 600_000;

/** What is no change of a person, and comes with the next one: a caller whose process was killed signs in again. */
const APART = new Set(['last_login_at']);

/** Somebody who signs in with a password. */
export interface Person {
  email: string;
  password: string;
}

/** The calls of a company's machine client, or of a person, which are tried again until they are answered. */
export class Caller {
  /** Requests that were sent again. */
  repeated = 0;
  readonly #base: string;
  readonly #who: Tenant | Person;
  #token: string | undefined;

  constructor(base: string, who: Tenant | Person) {
    this.#base = base;
    this.#who = who;
  }

  /**
   * @returns the text of an answer with 2xx, or the status of one that says what is wrong with the request
   * @throws Error for a request that is never answered
   */
  async call(method: string, path: string, body?: object, key?: string): Promise<string | number> {
    let last = '';
    const end = Date.now() + LONGEST;
    for (let tries = 0; ; await sleep(pause(tries++)), this.repeated++) {
      if (Date.now() > end) throw new Error(`${method} ${path} is not answered: ${last}`);
      try {
        this.#token ??= await this.#ask();
        const answer = await fetch(`${this.#base}${path}`, {
          method,
          headers: {
            authorization: `Bearer ${this.#token}`,
            ...(body ? { 'content-type': 'application/json' } : {}),
            ...(key ? { 'idempotency-key': key } : {}),
          },
          body: body && JSON.stringify(body),
          signal: AbortSignal.timeout(PATIENCE),
        });
        const text = await answer.text();
        if (answer.ok) return text;
        last = `${answer.status} ${text.slice(0, 300)}`;
        // Tokens of people end after a while.
        if (answer.status === 401) {
          this.#token = undefined;
          continue;
        }
        // A request with the same key is still running, or its process was killed. Any other conflict stays one.
        const runs = answer.status === 409 && key !== undefined && text.includes('Idempotency-Key');
        if (answer.status < 500 && answer.status !== 429 && !runs) return answer.status;
      } catch (error) {
        if (!(error instanceof TypeError || error instanceof DOMException)) throw error;
        last = String(error.cause ?? error);
      }
    }
  }

  async #ask(): Promise<string> {
    if ('email' in this.#who) {
      const answer = await fetch(`${this.#base}/v1/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(this.#who),
      });
      if (!answer.ok) throw new TypeError(`no session: ${answer.status}`);
      return ((await answer.json()) as { data: { session_jwt: string } }).data.session_jwt;
    }
    const { clientId, clientSecret } = this.#who;
    const answer = await fetch(`${this.#base}/v1/auth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    if (!answer.ok) throw new TypeError(`no token: ${answer.status}`);
    return ((await answer.json()) as { access_token: string }).access_token;
  }
}

/** A copy of a company's records, as a client keeps one. */
export class Copy {
  readonly records = new Map<string, Json>();
  changes = 0;
  /** Of these, records that went out of sight. */
  removed = 0;
  position = '';
  readonly #caller: Caller;
  readonly #path: string;

  constructor(caller: Caller, companyId: string) {
    this.#caller = caller;
    this.#path = `/v1/companies/${companyId}/changes`;
  }

  /** Reads a snapshot, as often as it takes to get one to its end. */
  async begin(): Promise<this> {
    for (;;) {
      const lines = String(await this.#caller.call('GET', `${this.#path}/snapshot`))
        .trimEnd()
        .split('\n');
      const [first, last] = [JSON.parse(lines[0]!), JSON.parse(lines.at(-1)!)];
      if (last.records !== lines.length - 2) continue;
      for (const line of lines.slice(1, -1)) {
        const { type, id, record } = JSON.parse(line);
        this.records.set(`${type} ${id}`, record);
      }
      this.position = first.position;
      return this;
    }
  }

  /** Reads on until there is nothing more. @throws Error for changes that are not in their order */
  async follow(wait: number): Promise<void> {
    for (let more = true; more; ) {
      const text = await this.#caller.call('GET', `${this.#path}?after=${this.position}&limit=100&wait=${wait}`);
      if (typeof text === 'number') throw new Error(`the feed answers ${text} after ${this.position}`);
      const { data, meta } = JSON.parse(text);
      const after = numberOf(this.position);
      let last = after;
      for (const { position, type, id, event, record } of data) {
        // A record that comes into sight with an order or a job has the position of its change.
        if (numberOf(position) < last || numberOf(position) <= after) throw new Error(`${position} comes after ${last}`);
        last = numberOf(position);
        if (event === 'removed') this.removed++;
        if (record) this.records.set(`${type} ${id}`, record);
        else this.records.delete(`${type} ${id}`);
      }
      this.changes += data.length;
      this.position = meta.position;
      more = meta.has_more;
    }
  }

  /** Returns the differences between two copies: a line for each record. */
  differences(other: Copy): string[] {
    const keys = new Set([...this.records.keys(), ...other.records.keys()]);
    return [...keys].flatMap((key) => {
      const [one, two] = [this.records.get(key), other.records.get(key)];
      if (!one || !two) return [`${key} is only in one`];
      const fields = Object.keys(two).filter((name) => !APART.has(name) && JSON.stringify(one[name]) !== JSON.stringify(two[name]));
      return fields.length > 0 ? [`${key}: ${fields.join(', ')}`] : [];
    });
  }
}

const numberOf = (position: string): number => Number(position.split('-')[0]);
