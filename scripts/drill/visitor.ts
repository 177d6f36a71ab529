import { setTimeout as sleep } from 'node:timers/promises';

/** Lets a balancer choose who answers the next request. */
export type Balancer = () => URL;

/**
 * Somebody who reads and writes until they are stopped, one request after the other: lists over REST and GraphQL, an order of theirs that they change and
 * read again.
 */
export class Visitor {
  answered = 0;
  /** The failures: the request, and the answer that came instead. */
  readonly failures: string[] = [];
  #running = true;
  readonly #done: Promise<void>;
  readonly #balancer: Balancer;
  readonly #token: string;

  /** @param number which of the orders is theirs */
  constructor(balancer: Balancer, token: string, number: number) {
    this.#balancer = balancer;
    this.#token = token;
    this.#done = this.#run(number);
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#done;
  }

  async #run(number: number): Promise<void> {
    const { data = [] } = (await this.#ask('GET', '/v1/orders')) as { data?: { id: string }[] };
    const order = data[number % Math.max(data.length, 1)]?.id;
    for (let round = 0; this.#running; round++) {
      const notes = `Gate ${number}.${round}`;
      await this.#ask('PATCH', `/v1/orders/${order}`, { notes });
      const read = (await this.#ask('GET', `/v1/orders/${order}`)) as { data?: { notes?: string } };
      if (read.data && read.data.notes !== notes) this.failures.push(`GET order: ${read.data.notes} instead of ${notes}`);
      await this.#ask('GET', '/v1/jobs');
      await this.#ask('GET', '/v1/projects');
      const query = '{ orders(first: 20) { nodes { id state jobs { nodes { id state loads { nodes { id state } } } } } } }';
      const { errors } = (await this.#ask('POST', '/graphql', { query })) as { errors?: unknown };
      if (errors) this.failures.push(`GraphQL: ${JSON.stringify(errors).slice(0, 300)}`);
      await sleep(20);
    }
  }

  async #ask(method: string, path: string, body?: object): Promise<object> {
    try {
      const answer = await fetch(new URL(path, this.#balancer()), {
        method,
        headers: { authorization: `Bearer ${this.#token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
        body: body && JSON.stringify(body),
      });
      const text = await answer.text();
      if (!answer.ok) this.failures.push(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
      else this.answered++;
      return JSON.parse(text) as object;
    } catch (error) {
      this.failures.push(`${method} ${path}: ${String((error as Error).cause ?? error)}`);
      return {};
    }
  }
}
