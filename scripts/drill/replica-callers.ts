import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { signalAll } from './signals.ts';
import type { Standby } from './standby.ts';

/** A record whose notes count up: whoever changes it writes the next number. */
export interface Counted {
  id: string;
  /** The number that was written last, and acknowledged. */
  written: number;
}

/** Draws a number from 0 to 1, the same ones again from one seed. */
export type Draw = () => number;

/** mulberry32: small, and good enough to choose what happens next. */
export function drawFrom(seed: number): Draw {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface CallerOptions {
  /** Returns the address of the one of several processes that answers the next request. */
  base(): URL;
  token: string;
  draw: Draw;
  /** Where the records are in both interfaces. */
  list: 'orders' | 'accounts';
  /** The record that this caller alone changes. */
  own: Counted;
  /** Records that others change. */
  others: readonly Counted[];
  /** Whether the caller sends the position of the last answer along. */
  sends: boolean;
}

/** Which number a record had at least, for this caller: what they wrote or read. */
type Floor = Map<string, number>;

/** Somebody who writes and reads in any order until they are stopped, and compares each answer with what they have written and read before. */
export class Caller {
  reads = 0;
  writes = 0;
  /** The faults: an answer that was older than one before, or none. */
  readonly faults: string[] = [];
  readonly #options: CallerOptions;
  readonly #floor: Floor = new Map();
  #position: string | undefined;
  #running = true;
  readonly #done: Promise<void>;

  constructor(options: CallerOptions) {
    this.#options = options;
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#done;
  }

  async #run(): Promise<void> {
    const { draw, own, others } = this.#options;
    while (this.#running) {
      const chosen = draw();
      const record = draw() < 0.5 ? own : (others[Math.floor(draw() * others.length)] ?? own);
      if (chosen < 0.3) await this.#write();
      else if (chosen < 0.6) await this.#readOne(record);
      else if (chosen < 0.8) await this.#readList();
      else if (chosen < 0.9) await this.#readGraphql();
      else await this.#readExport();
      await sleep(draw() * 15);
    }
  }

  async #write(): Promise<void> {
    const { own } = this.#options;
    const next = own.written + 1;
    const answer = await this.#ask('PATCH', `/v1/${this.#options.list}/${own.id}`, { notes: String(next) });
    if (!answer) return;
    this.writes++;
    own.written = next;
    this.#floor.set(own.id, next);
  }

  async #readOne({ id }: Counted): Promise<void> {
    const answer = await this.#ask('GET', `/v1/${this.#options.list}/${id}`);
    if (answer) this.#compare('one', [JSON.parse(answer).data]);
  }

  async #readList(): Promise<void> {
    const answer = await this.#ask('GET', `/v1/${this.#options.list}?page[limit]=100`);
    if (answer) this.#compare('list', JSON.parse(answer).data);
  }

  async #readGraphql(): Promise<void> {
    const answer = await this.#ask('POST', '/graphql', { query: `{ data: ${this.#options.list}(first: 100) { nodes { id notes } } }` });
    if (!answer) return;
    const { data, errors } = JSON.parse(answer) as { data: { data: { nodes: Read[] } }; errors?: unknown };
    if (errors) this.faults.push(`GraphQL: ${JSON.stringify(errors).slice(0, 300)}`);
    else this.#compare('GraphQL', data.data.nodes);
  }

  /** Of a list that is streamed, whose answer has no position: the next read must not be older all the same. */
  async #readExport(): Promise<void> {
    const answer = await this.#ask('GET', `/v1/${this.#options.list}`, undefined, 'application/x-ndjson');
    if (answer)
      this.#compare(
        'export',
        answer
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as Read),
      );
  }

  #compare(where: string, records: readonly Read[]): void {
    this.reads++;
    const known = [this.#options.own, ...this.#options.others];
    for (const { id, notes } of records) {
      if (!known.some((one) => one.id === id)) continue;
      const [number, floor] = [Number(notes ?? 0), this.#floor.get(id) ?? 0];
      if (number < floor) this.faults.push(`${where}${this.#options.sends ? ', with a position' : ''}: ${number} after ${floor}`);
      this.#floor.set(id, Math.max(number, floor));
    }
  }

  /** @returns the text of an answer; undefined if there was none, which is a fault */
  async #ask(method: string, path: string, body?: object, accept = 'application/json'): Promise<string | undefined> {
    const { token, base, sends } = this.#options;
    try {
      const answer = await fetch(new URL(path, base()), {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          accept,
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...(sends && this.#position ? { 'x-read-position': this.#position } : {}),
        },
        body: body && JSON.stringify(body),
      });
      const text = await answer.text();
      // One that does not say it, such as a stream, may be newer than the position before.
      this.#position = answer.headers.get('x-read-position') ?? undefined;
      if (answer.ok) return text;
      this.faults.push(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
    } catch (error) {
      this.faults.push(`${method} ${path}: ${String((error as Error).cause ?? error)}`);
    }
    return undefined;
  }
}

interface Read {
  id: string;
  notes: string | null;
}

/** Has standbys stand still, fall behind, hang and die, one trouble after the other, until it is stopped. */
export class Troubles {
  /** The number of times that each came. */
  readonly made: Record<string, number> = {};
  readonly #standbys: readonly Standby[];
  readonly #draw: Draw;
  readonly #say: (line: string) => void;
  #running = true;
  readonly #done: Promise<void>;

  constructor(standbys: readonly Standby[], draw: Draw, say: (line: string) => void = () => {}) {
    this.#standbys = standbys;
    this.#draw = draw;
    this.#say = say;
    this.#done = this.#run();
  }

  /** Ends the trouble that is on, after which all standbys run. @throws what went wrong with making troubles */
  async stop(): Promise<void> {
    this.#running = false;
    await this.#done;
  }

  async #run(): Promise<void> {
    const kinds = { paused: this.#pause, hangs: this.#hang, killed: this.#kill } as const;
    const names = Object.keys(kinds) as (keyof typeof kinds)[];
    while (this.#running) {
      await sleep(200 + this.#draw() * 600);
      const at = Math.floor(this.#draw() * this.#standbys.length);
      // A pause costs least, and shows most.
      const name = this.#draw() < 0.6 ? 'paused' : names[1 + Math.floor(this.#draw() * 2)]!;
      this.#say(`standby ${at + 1} ${name}`);
      await kinds[name].call(this, this.#standbys[at]!);
      this.made[name] = (this.made[name] ?? 0) + 1;
    }
  }

  async #pause({ server }: Standby): Promise<void> {
    const client = new pg.Client(server.url);
    client.on('error', () => {});
    await client.connect();
    await client.query('select pg_wal_replay_pause()');
    await sleep(this.#draw() * 2_500);
    await client.query('select pg_wal_replay_resume()');
    await client.end();
  }

  /** The server and all processes of its connections, as a machine that is out of memory. */
  async #hang({ server }: Standby): Promise<void> {
    signalAll(server.pid, 'SIGSTOP');
    await sleep(1_000 + this.#draw() * 1_500);
    signalAll(server.pid, 'SIGCONT');
  }

  async #kill(standby: Standby): Promise<void> {
    const { pid } = standby.server;
    process.kill(pid, 'SIGKILL');
    await standby.server.stop();
    await sleep(this.#draw() * 1_000);
    await standby.startAgain();
  }
}
