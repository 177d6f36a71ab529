import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two questions to each process. */
const INTERVAL = 500;
/** Questions in a row that must fail until a process gets no more requests, as the guide's balancer has it. */
const FALL = 2;

/**
 * A balancer that finds out by itself: it asks `/ready` of each process, as the one in docs/operations.md, and leads requests in turn to those that are ready.
 * Until it has asked, it leads requests to processes that are ending, too.
 */
export class AskingBalancer {
  /** Seconds that a stopping process must take requests, until this has noticed: two questions that fail, and the time until they are answered. */
  static readonly NOTICES = 3;
  readonly #bases: URL[];
  readonly #failed = new Map<string, number>();
  readonly #done: Promise<void>;
  #turn = 0;
  #running = true;

  constructor(bases: readonly URL[]) {
    this.#bases = [...bases];
    this.#done = this.#run();
  }

  /** Where the next request goes. */
  next(): URL {
    const ready = this.#bases.filter(({ href }) => (this.#failed.get(href) ?? 0) < FALL);
    const bases = ready.length > 0 ? ready : this.#bases;
    return bases[this.#turn++ % bases.length]!;
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#done;
  }

  async #run(): Promise<void> {
    for (; this.#running; await sleep(INTERVAL))
      await Promise.all(
        this.#bases.map(async (base) => {
          const isReady = await fetch(new URL('/ready', base)).then(
            async (answer) => {
              await answer.body?.cancel();
              return answer.ok;
            },
            () => false,
          );
          this.#failed.set(base.href, isReady ? 0 : (this.#failed.get(base.href) ?? 0) + 1);
        }),
      );
  }
}
