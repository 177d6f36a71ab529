import { AsyncResource } from 'node:async_hooks';
import type { Waker } from './waker.ts';

/** A Waker for web and worker in one process: no Redis, same drain. */
export function inProcessWaker(): Waker {
  let listener: (() => void) | undefined;
  let pending = false;
  return {
    wake() {
      if (pending || !listener) return;
      pending = true;
      // Not in the caller's turn: a request must not run the claim before its answer is on the way.
      setImmediate(() => {
        pending = false;
        listener?.();
      });
    },
    listen(next) {
      // The work that a request wakes does not belong to the request, and does not end with it.
      listener = AsyncResource.bind(next);
    },
    async close() {
      listener = undefined;
    },
  };
}
