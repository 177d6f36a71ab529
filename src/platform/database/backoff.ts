import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds that a loser stands back at least, and at most so many more. */
const LEAST = 20;
const MORE = 50;

/**
 * What the loser of a race (deadlock, serialization failure) waits before it tries again. PostgreSQL gives a free row to whoever asks first: one
 * that comes back at once overtakes the winner, and both lock each other out again.
 * @param tried how often it has lost
 */
export const backoff = (tried: number): Promise<void> => sleep((LEAST + Math.random() * MORE) * tried);
