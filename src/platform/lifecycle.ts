import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Logger } from './log.ts';

/** Thrown out of a boot that was asked to stop. */
export class Stopped extends Error {}

export interface LifecycleOptions {
  log: Pick<Logger, 'info' | 'warn' | 'error' | 'fatal'>;
  /** Milliseconds a part may take to close before the next one is closed all the same; 20,000 by default. */
  patience?: number;
  /**
   * Milliseconds after a signal in which everything goes on although the process says that it is not ready, so that whoever leads traffic to it learns
   * of that before it takes no more; 0 by default.
   */
  linger?: number;
  exit?: (code: number) => void;
}

interface Part {
  name: string;
  close(): Promise<unknown>;
}

/** Milliseconds between two signals that make the second one an order to hurry: npm passes each Ctrl-C on twice. */
const TWICE = 1000;

/**
 * The parts that a process has opened. They are closed in reverse order when the process is to stop: on SIGINT, SIGTERM and SIGHUP, and when something
 * unexpected is thrown. A second signal, given later than the first one's echo, skips the waiting.
 */
export class Lifecycle {
  readonly #parts: Part[] = [];
  readonly #options: LifecycleOptions;
  readonly #hurry = Promise.withResolvers<void>();
  #booting: Promise<unknown> = Promise.resolve();
  #stoppingSince: number | undefined;

  constructor(options: LifecycleOptions) {
    this.#options = options;
  }

  /** True from the first signal on: not ready for traffic. */
  get stopping(): boolean {
    return this.#stoppingSince !== undefined;
  }

  /** Starts listening to signals and runs `boot`; a boot that fails closes what it had opened. */
  async run(boot: () => Promise<void>): Promise<void> {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => this.#signalled());
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error: unknown) => {
        this.#options.log.fatal({ err: error }, 'unexpected; stopping');
        if (!this.stopping) void this.#stop(1);
      });
    }
    const booting = boot();
    this.#booting = booting.catch(() => {});
    try {
      await booting;
    } catch (error) {
      if (this.stopping) return;
      this.#stoppingSince = Date.now();
      await this.#closeAll();
      throw error;
    }
  }

  /**
   * Opens a part and remembers how to close it.
   * @throws Stopped when the process was asked to stop in the meantime; the part is closed with the others
   */
  async open<T>(name: string, open: () => T | Promise<T>, close?: (part: T) => Promise<unknown>): Promise<T> {
    if (this.stopping) throw new Stopped(name);
    const part = await open();
    if (close) this.#parts.push({ name, close: () => close(part) });
    if (this.stopping) throw new Stopped(name);
    return part;
  }

  /** Closes what was opened, without a signal; the process goes on. @throws AggregateError if a part could not be closed cleanly */
  async close(): Promise<void> {
    this.#stoppingSince = Date.now();
    const errors = await this.#closeAll();
    if (errors.length > 0) throw new AggregateError(errors, 'not everything could be closed cleanly');
  }

  /**
   * Stops the process with an error, because a part on which all others depend is gone. The others are not waited for: they would wait for it.
   * @param sentence for the operator
   */
  fail(sentence: string): void {
    if (this.stopping) return;
    this.#options.log.fatal({}, sentence);
    this.#hurry.resolve();
    void this.#stop(1);
  }

  #signalled(): void {
    if (this.#stoppingSince === undefined) void this.#stop(0, this.#options.linger);
    else if (Date.now() - this.#stoppingSince > TWICE) this.#hurry.resolve();
  }

  async #stop(code: number, linger = 0): Promise<void> {
    this.#stoppingSince = Date.now();
    await this.#booting;
    if (linger > 0) {
      this.#options.log.info({ ms: linger }, 'not ready any more; requests are taken for a while');
      await new Promise<void>((done) => {
        const timer = setTimeout(done, linger);
        void this.#hurry.promise.then(() => {
          clearTimeout(timer);
          done();
        });
      });
    }
    await this.#closeAll();
    (this.#options.exit ?? process.exit)(code);
  }

  /** @returns the errors of parts that could not be closed cleanly */
  async #closeAll(): Promise<unknown[]> {
    const { log, patience = 20_000 } = this.#options;
    const errors: unknown[] = [];
    for (let part = this.#parts.pop(); part; part = this.#parts.pop()) {
      const { name } = part;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<'late'>((done) => {
        timer = setTimeout(() => done('late'), patience);
        void this.#hurry.promise.then(() => setTimeout(() => done('late'), TWICE));
      });
      const closed = part.close().then(
        () => 'closed' as const,
        (error: unknown) => {
          errors.push(error);
          log.error({ err: error, part: name }, 'could not be closed cleanly');
        },
      );
      if ((await Promise.race([closed, late])) === 'late') log.warn({ part: name }, 'does not close; going on without waiting');
      clearTimeout(timer);
    }
    return errors;
  }
}

/**
 * Collects what a start leaves behind: schema, documents and plans are made of several times as much as stays. Node would keep it until as much again is allocated, so
 * that a process that has little to do would have it for hours. It takes some tenths of a second, before the process says that it is ready.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
}
