import type { Waker } from '../platform/queue/waker.ts';

let waker: Waker | undefined;

/** Names the Waker that admissions of this process use; main.ts gives the worker the same one. Undefined: sweepers find the rows. */
export function wakeWith(next: Waker | undefined): void {
  waker = next;
}

/** A hint to the workers, after the commit. Never waits, never throws. */
export function wakeIngest(): void {
  waker?.wake();
}
