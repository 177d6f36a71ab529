import { type Registration, registration } from '../registration.ts';
import type { Records } from './records.ts';
import type { SetTx } from './set-tx.ts';

/**
 * Work of a higher room that follows from what a command changed, in the same transaction. It reads in the audit rows what changed, and adds
 * its own outbox, audit and transition rows to those of the change that caused it. It runs for every command, so it returns before its first
 * statement unless something changed that concerns it.
 */
export type Consequence = (tx: SetTx, changes: readonly Records[]) => Promise<void>;

const known = new Map<string, Consequence>();
/** Those that note what the others have changed, too. */
const atLast = new Map<string, Consequence>();

/** Declares a consequence. @param about what follows, for errors @param last draws it after all that are not last */
export const defineConsequence = (about: string, work: Consequence, { last = false } = {}): Registration =>
  registration('defineConsequence', about, () => void (last ? atLast : known).set(about, work));

/** Draws the consequences of what a transaction is about to commit, after its last flush. */
export async function drawConsequences(tx: SetTx, changes: readonly Records[]): Promise<void> {
  for (const work of [...known.values(), ...atLast.values()]) await work(tx, changes);
}
