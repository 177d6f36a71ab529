import { type InApplication, perApplication } from '../application.ts';
import { inProcessWaker } from './in-process-waker.ts';
import type { Waker } from './waker.ts';

/**
 * Wakes one process of the product that works, whichever it is: it looks which queues have due work (`app/look-out.ts`), and empties those. One waker is
 * enough for all queues of which somebody waits for the result, since a wake carries nothing, and each waker costs connections to Redis.
 */
export const tasksWaker = perApplication<Waker>('waker of due work', inProcessWaker);

/** Wakes workers after a commit. Never waits. */
export const wakeTasks = (application: InApplication): void => tasksWaker.of(application).wake();
