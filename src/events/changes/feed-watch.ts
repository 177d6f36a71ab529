import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { perApplication } from '../../platform/application.ts';
import { lastPositions, moveChanges } from './move-changes.ts';

/** Milliseconds between two looks while somebody waits. */
const LOOK_EVERY = 100;

interface Waiting {
  companyId: string;
  after: bigint;
  done(): void;
  fail(error: unknown): void;
}

/** The loop serves all who wait, so it is part of none of their requests. */
const outside = AsyncLocalStorage.snapshot();

/**
 * Those of this process who wait for changes. While there are any, one loop looks for all of them: it moves what was committed, and asks how far
 * their feeds are. So PostgreSQL alone connects processes.
 */
class FeedWatch {
  readonly #waiting = new Set<Waiting>();
  #looks = false;

  /** Resolves when the feed has a change after the position, when the time is over, or when it is aborted. @throws what the database throws */
  wait(em: EntityManager, companyId: string, after: bigint, milliseconds: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const one: Waiting = { companyId, after, done: resolve, fail: reject };
    const late = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', one.done, { once: true });
    if (signal?.aborted) resolve();
    this.#waiting.add(one);
    if (!this.#looks) outside(() => void this.#look(em));
    return promise.finally(() => {
      clearTimeout(late);
      signal?.removeEventListener('abort', one.done);
      this.#waiting.delete(one);
    });
  }

  async #look(em: EntityManager): Promise<void> {
    this.#looks = true;
    for (; this.#waiting.size > 0; await new Promise((next) => setTimeout(next, LOOK_EVERY))) {
      const asked = [...this.#waiting];
      try {
        await moveChanges(em);
        const positions = await lastPositions(em, [...new Set(asked.map(({ companyId }) => companyId))]);
        for (const one of asked) if ((positions.get(one.companyId) ?? 0n) > one.after) one.done();
      } catch (error) {
        for (const one of asked) one.fail(error);
      }
    }
    this.#looks = false;
  }
}

export const feedWatch = perApplication('watch of feeds', () => new FeedWatch());
