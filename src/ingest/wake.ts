import type { Waker } from '../platform/queue/waker.ts';

let waker: Waker | undefined;

/** Sets the waker for admissions of this process; main.ts passes the same one to the worker. If undefined, sweepers find the rows. */
export function wakeWith(next: Waker | undefined): void {
  waker = next;
}

/** Wakes the workers after the commit. Never waits, never throws. */
export function wakeIngest(): void {
  waker?.wake();
}
