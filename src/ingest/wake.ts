import { type InApplication, provided } from '../platform/application.ts';
import type { Waker } from '../platform/queue/waker.ts';

/** Wakes the workers of imports of all processes. */
export const ingestWaker = provided<Waker>('waker of imports');

/** Wakes the workers after the commit. Never waits. */
export const wakeIngest = (application: InApplication): void => ingestWaker.of(application).wake();
