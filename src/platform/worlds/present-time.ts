import { AsyncLocalStorage } from 'node:async_hooks';

/** The time by which the clock of the running code is ahead. */
interface Running {
  /** Milliseconds; changed in place, because the caller of a request is known only after it has begun. */
  ahead: number;
}
export const running = new AsyncLocalStorage<Running>();

/** The time by which the company is judged for which code runs: that of the world, except in a sandbox (docs/sandbox.md). */
export const presentTime = (): Date => new Date(Date.now() + (running.getStore()?.ahead ?? 0));

/** Runs a request, whose caller may turn out to be of a sandbox. */
export const inRequestTime = <T>(work: () => T): T => running.run({ ahead: 0 }, work);
