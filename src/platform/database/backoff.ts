import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds that the loser of a race waits at least, and the most milliseconds that are added at random. */
const LEAST = 20;
const MORE = 50;

/**
 * Waits before the loser of a race (deadlock, serialization failure) tries again. PostgreSQL gives a free row to the first that asks: a
 * loser that comes back at once overtakes the winner, and both lock each other out again.
 * @param tried how often it has lost
 */
export const backoff = (tried: number): Promise<void> => sleep((LEAST + Math.random() * MORE) * tried);
