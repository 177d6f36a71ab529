import Queue from 'bee-queue';
import type { Waker } from './waker.ts';

/** Milliseconds a Redis command may take before the connection is taken for dead. */
const PATIENCE = 2_000;
/** Milliseconds between the attempts to open the Queue anew: doubling, with jitter. */
const REOPEN = { first: 100, most: 5_000 };
/** Hints that may wait unread. More of them would say nothing new, and would pile up in Redis while no worker runs. */
const UNREAD = 50;

export interface BeeWakerOptions {
  /** Queue name; Wakers of one name wake each other across processes. */
  name: string;
  /** `redis://[user:password@]host:port[/db]`. */
  redisUrl: string;
  /** Called once when Redis is lost and once when it is back. */
  report(state: 'lost' | 'back', error?: unknown): void;
}

/**
 * A Waker over bee-queue, used only for the hint: empty jobs, no retries, no delays, one consumer. bee-queue 2.0 forgets its Lua scripts
 * when Redis restarts and fails every save from then on, and after a lost blocking connection its consumer gets nothing. Therefore a
 * supervisor opens a new Queue after any error, and node-redis' own reconnecting is off.
 */
export function beeWaker(options: BeeWakerOptions): Waker {
  return new BeeWaker(options);
}

class BeeWaker implements Waker {
  #queue: Queue | undefined;
  #ready = false;
  #listener: (() => void) | undefined;
  #closed = false;
  #lost = false;
  #delay = REOPEN.first;
  #reopening: NodeJS.Timeout | undefined;
  #saving = false;
  #wanted = false;
  #countedAt = 0;
  #unread = 0;

  constructor(readonly options: BeeWakerOptions) {
    this.#open();
  }

  wake(): void {
    this.#wanted = true;
    if (!this.#saving) void this.#save();
  }

  listen(listener: () => void): void {
    const deaf = this.#listener === undefined;
    this.#listener = listener;
    // A Queue that only saves has no blocking connection yet.
    if (deaf) this.#reopen();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listener = undefined;
    clearTimeout(this.#reopening);
    const queue = this.#queue;
    this.#queue = undefined;
    if (queue) await discard(queue);
  }

  /** However many wakes come while one is on its way, one more is enough. */
  async #save(): Promise<void> {
    this.#saving = true;
    while (this.#wanted && this.#ready && this.#queue) {
      this.#wanted = false;
      const queue = this.#queue;
      try {
        if (Date.now() - this.#countedAt > 1_000) {
          this.#unread = (await within(queue.checkHealth())).waiting;
          this.#countedAt = Date.now();
        }
        if (this.#unread < UNREAD) await within(queue.createJob({}).save());
      } catch (error) {
        this.#broken(queue, error);
      }
    }
    this.#saving = false;
  }

  #open(): void {
    const queue = new Queue(this.options.name, {
      // An Error instead of a delay: node-redis gives the connection up, and the supervisor takes over.
      redis: { url: this.options.redisUrl, connect_timeout: PATIENCE, retry_strategy: () => new Error('Redis connection lost') },
      isWorker: this.#listener !== undefined,
      removeOnSuccess: true,
      removeOnFailure: true,
      storeJobs: false,
      getEvents: false,
      sendEvents: false,
      activateDelayedJobs: false,
    });
    this.#queue = queue;
    queue.on('error', (error: unknown) => this.#broken(queue, error));
    within(queue.ready()).then(
      () => this.#opened(queue),
      (error) => this.#broken(queue, error),
    );
  }

  #opened(queue: Queue): void {
    if (queue !== this.#queue) return;
    this.#ready = true;
    this.#delay = REOPEN.first;
    if (this.#lost) this.options.report('back');
    this.#lost = false;
    this.#countedAt = 0;
    if (this.#listener) {
      queue.process(1, async () => this.#listener?.());
      // Wakes of the time without a connection are gone.
      this.#listener();
    }
    if (this.#wanted) this.wake();
  }

  #broken(queue: Queue, error: unknown): void {
    if (queue !== this.#queue || this.#closed) return;
    if (!this.#lost) this.options.report('lost', error);
    this.#lost = true;
    this.#drop();
    this.#reopening = setTimeout(() => this.#open(), this.#delay * (0.5 + Math.random()));
    this.#delay = Math.min(this.#delay * 2, REOPEN.most);
  }

  #reopen(): void {
    clearTimeout(this.#reopening);
    this.#drop();
    this.#open();
  }

  #drop(): void {
    const queue = this.#queue;
    this.#queue = undefined;
    this.#ready = false;
    if (queue) void discard(queue);
  }
}

/** Closes a Queue in whatever state it is; its connections go for certain. */
async function discard(queue: Queue): Promise<void> {
  const { client, bclient } = queue as unknown as Record<'client' | 'bclient', { end(flush: boolean): void } | null>;
  // A broken Queue cannot be closed properly and says so; there is nothing left to do about it but to cut its connections.
  await within(queue.close(500)).catch(() => undefined);
  client?.end(false);
  bclient?.end(false);
}

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Redis did not answer within ${PATIENCE} ms`)), PATIENCE);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
