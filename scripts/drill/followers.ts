import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { TRIGGERS } from '../../src/events/webhooks/triggers.ts';
import { say, type Undo } from './stage.ts';
import type { Balancer } from './visitor.ts';

/** The setting of a process that sends webhooks to this machine. */
export const TO_THIS_MACHINE = { HAULGATE_WEBHOOK_PRIVATE_HOSTS: 'on' };

/** Seconds that a read of the feed waits for something to happen. */
const WAIT = 5;
/** Milliseconds until a read that was refused is tried again. */
const AGAIN = 100;
/** Milliseconds in which at least one more must have come after the last write; a webhook whose answer was lost comes again after half a minute. */
const PATIENCE = 300_000;

/** The company whose records are followed, and the caller who follows them. */
export interface Followed {
  base: Balancer;
  token: string;
  companyId: string;
}

/** Reads the feed of a company until it is stopped. A read that is not answered is tried again from the same position. */
class FeedReader {
  /** The number of reads that were not answered, by status; 0 without an answer. */
  readonly refused: Record<number, number> = {};
  /** The answers that should not have been given. */
  readonly faults: string[] = [];
  /** The places in the feed that came. */
  readonly places = new Set<number>();
  /** The orders that are new. */
  readonly orders = new Set<string>();
  readonly #followed: Followed;
  #position = '';
  #running = true;
  #done: Promise<void> = Promise.resolve();

  constructor(followed: Followed) {
    this.#followed = followed;
  }

  /** Begins at the present end. @returns its place */
  async begin(): Promise<number> {
    const { meta } = (await this.#ask('')) as Page;
    this.#position = meta.position;
    this.#done = this.#run();
    return placeOf(meta.position);
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#done;
  }

  /** Stops when there is nothing more to read. */
  async finish(): Promise<void> {
    await this.stop();
    for (const end = Date.now() + PATIENCE; Date.now() < end; ) {
      const came = await this.#read(0);
      if (came === 'all') return;
      if (came === 'nothing') await sleep(AGAIN);
    }
    this.faults.push('the feed has no end');
  }

  async #run(): Promise<void> {
    while (this.#running) if ((await this.#read(WAIT)) === 'nothing') await sleep(AGAIN);
  }

  /** @returns whether it was answered, and whether that was all there is for now */
  async #read(wait: number): Promise<'nothing' | 'some' | 'all'> {
    const page = await this.#ask(`?after=${this.#position}&limit=100&wait=${wait}`).catch((status: number) => {
      this.refused[status] = (this.refused[status] ?? 0) + 1;
      if (status !== 503 && status !== 0) this.faults.push(`the feed answered ${status} after ${this.#position}`);
    });
    if (!page) return 'nothing';
    let last = placeOf(this.#position);
    for (const { position, type, id, event } of page.data) {
      const place = placeOf(position);
      if (place <= last) this.faults.push(`place ${place} of the feed came after ${last}`);
      last = place;
      this.places.add(place);
      if (type === 'Order' && event === 'create') this.orders.add(id);
    }
    this.#position = page.meta.position;
    return page.data.length === 0 && !page.meta.has_more ? 'all' : 'some';
  }

  /** @throws the status, 0 without an answer */
  async #ask(query: string): Promise<Page> {
    const { base, token, companyId } = this.#followed;
    const answer = await fetch(new URL(`/v1/companies/${companyId}/changes${query}`, base()), {
      headers: { authorization: `Bearer ${token}` },
    }).catch(() => undefined);
    const body = await answer?.text().catch(() => undefined);
    if (body === undefined) throw 0;
    if (!answer!.ok) throw answer!.status;
    return JSON.parse(body) as Page;
  }
}

interface Page {
  data: { position: string; type: string; id: string; event: string }[];
  meta: { position: string; has_more: boolean };
}

/** A position is a place and what belongs to its reader. */
const placeOf = (position: string): number => Number(position.split('-')[0]);

/** Takes the webhooks of a company. */
class Endpoint {
  /** The numbers of the events of each record, in the order in which they first came. */
  readonly numbers = new Map<string, Set<number>>();
  readonly orders = new Set<string>();
  count = 0;
  readonly #server: Server = createServer((req, res) => {
    void text(req).then(
      (body) => {
        this.#take(JSON.parse(body) as Event);
        res.writeHead(204).end();
      },
      // Whoever sent it was killed.
      () => res.destroy(),
    );
  });

  async open(): Promise<string> {
    await new Promise<void>((listening) => this.#server.listen(0, '127.0.0.1', listening));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #take({ event, payload: { id }, meta }: Event): void {
    const numbers = this.numbers.get(id) ?? new Set();
    this.numbers.set(id, numbers.add(meta.sequence));
    if (event === 'Order::create') this.orders.add(id);
    this.count++;
  }
}

interface Event {
  event: string;
  payload: { id: string };
  meta: { sequence: number };
}

/** Follows a company by its feed and by webhooks while a drill goes on. */
export class Followers {
  readonly #followed: Followed;
  readonly #feed: FeedReader;
  readonly #endpoint = new Endpoint();
  readonly #since: number;
  readonly #numbers: ReadonlyMap<string, number>;

  private constructor(followed: Followed, feed: FeedReader, since: number, numbers: ReadonlyMap<string, number>) {
    this.#followed = followed;
    this.#feed = feed;
    this.#since = since;
    this.#numbers = numbers;
  }

  /** Begins with what happens from now on. Meanwhile nothing may happen. */
  static async begin(followed: Followed, client: pg.Client, undo: Undo): Promise<Followers> {
    const feed = new FeedReader(followed);
    const followers = new Followers(followed, feed, await feed.begin(), await numbersOf(client, followed));
    undo.push(() => {
      followers.#endpoint.close();
      return feed.stop();
    });
    const { base, token, companyId } = followed;
    const answer = await fetch(new URL(`/v1/companies/${companyId}/webhook_subscriptions`, base()), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: await followers.#endpoint.open(), triggers: TRIGGERS }),
    });
    if (!answer.ok) throw new Error(`a subscription is answered with ${answer.status}: ${await answer.text()}`);
    say('a reader follows the feed of changes, and an endpoint takes all webhooks');
    return followers;
  }

  /** The number of times that the feed did not answer, by status. */
  get refused(): Readonly<Record<number, number>> {
    return this.#feed.refused;
  }

  /**
   * Stops when everything has come, and says what is missing.
   * @param client of a server that has the database now
   * @param promised the external ids of orders that must have been heard of
   * @returns whether nothing is missing
   */
  async missNothing(client: pg.Client, promised: readonly string[]): Promise<boolean> {
    const { companyId } = this.#followed;
    const open = 'select count(*)::int as open from webhook_delivery where company_id = $1 and due_at is not null';
    let came = this.#endpoint.count;
    for (let end = Date.now() + PATIENCE; Date.now() < end; await sleep(1_000)) {
      const { rows } = await client.query<{ open: number }>(open, [companyId]);
      if (rows[0]!.open === 0) break;
      // As long as there are more from time to time they still come.
      if (this.#endpoint.count > came) end = Date.now() + PATIENCE;
      came = this.#endpoint.count;
    }
    await this.#feed.finish();
    const [row] = (await client.query<{ last: number }>('select position::int as last from change_feed where company_id = $1', [companyId]))
      .rows;
    const orders = (
      await client.query<{ id: string }>('select id from orders where company_id = $1 and external_id = any($2)', [companyId, promised])
    ).rows.map(({ id }) => id);
    const ofFeed = this.#missingInFeed(row!.last, orders);
    const ofWebhooks = this.#missingInWebhooks(await numbersOf(client, this.#followed), orders);
    say(`the feed had ${this.#feed.places.size} changes, answers meanwhile: ${JSON.stringify(this.refused)}; ${ofFeed.length} are missing`);
    say(`${this.#endpoint.count} webhooks about ${this.#endpoint.numbers.size} records came; ${ofWebhooks.length} are missing`);
    for (const line of [...ofFeed.slice(0, 5), ...ofWebhooks.slice(0, 5)]) say(`missing: ${line}`);
    return ofFeed.length === 0 && ofWebhooks.length === 0;
  }

  #missingInFeed(last: number, orders: readonly string[]): string[] {
    const { faults, places, orders: heard } = this.#feed;
    const gaps = Array.from({ length: last - this.#since }, (_, at) => this.#since + 1 + at).filter((place) => !places.has(place));
    return [
      ...faults,
      ...gaps.map((place) => `place ${place} of the feed, whose last is ${last}`),
      ...orders.filter((id) => !heard.has(id)).map((id) => `that order ${id} is new, in the feed`),
    ];
  }

  #missingInWebhooks(last: ReadonlyMap<string, number>, orders: readonly string[]): string[] {
    const { numbers, orders: heard } = this.#endpoint;
    const wrong = [...last].flatMap(([id, count]) => {
      const before = this.#numbers.get(id) ?? 0;
      const came = [...(numbers.get(id) ?? [])];
      const due = Array.from({ length: count - before }, (_, at) => before + 1 + at);
      const isWhole = came.length === due.length && due.every((number, at) => came[at] === number);
      return isWhole ? [] : [`webhooks ${due.join(', ')} of ${id}: ${came.join(', ') || 'none'} came`];
    });
    return [...wrong, ...orders.filter((id) => !heard.has(id)).map((id) => `the webhook that order ${id} is new`)];
  }
}

/** The number of events that each record of a company has had. */
async function numbersOf(client: pg.Client, { companyId }: Followed): Promise<Map<string, number>> {
  const { rows } = await client.query<{ id: string; last: number }>(
    'select subject_id as id, sequence::int as last from webhook_record where company_id = $1',
    [companyId],
  );
  return new Map(rows.map(({ id, last }) => [id, last]));
}
