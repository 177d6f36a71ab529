import type { EntityManager } from '@mikro-orm/postgresql';
import type { Along } from '../database/connection/together.ts';
import { type Registration, registration } from '../registration.ts';
import { beginLastReads } from './last-reads.ts';
import type { Records } from './records.ts';
import type { SetTx } from './set-tx.ts';

/**
 * Work of a higher room that follows from what a command changed, in the same transaction. It reads in the audit rows what changed, and adds
 * its own outbox, audit and transition rows to those of the change that caused it. It runs for every command, so it returns before its first
 * statement unless something changed that concerns it.
 */
export type Consequence = (tx: SetTx, changes: readonly Records[]) => Promise<void>;

/** What a consequence will ask of what a company's person changes, to be sent as the transaction begins (`askAhead`). */
export type AskedAhead = (em: EntityManager, companyId: string) => Along;

const asked = new Map<string, AskedAhead>();
const known = new Map<string, Consequence>();
/** Those that note what the others have changed, too. */
const atLast = new Map<string, Consequence>();
/** Those that read what the transaction leaves. */
const atEnd = new Map<string, Consequence>();

interface Drawn {
  /** After all that are not last; `end` after these, too, and it changes no record. */
  last?: boolean | 'end';
  ahead?: AskedAhead;
}

/** Declares a consequence. @param about what follows, for errors */
export const defineConsequence = (about: string, work: Consequence, { last = false, ahead }: Drawn = {}): Registration =>
  registration('defineConsequence', about, () => {
    (last === 'end' ? atEnd : last ? atLast : known).set(about, work);
    if (ahead) asked.set(about, ahead);
  });

/** What consequences will ask of a command that changes records of a company. */
export const consequencesAhead = (em: EntityManager, companyId: string): Along[] =>
  [...asked.values()].map((ahead) => ahead(em, companyId));

/** Draws the consequences of what a transaction is about to commit, after its last flush. */
export async function drawConsequences(tx: SetTx, changes: readonly Records[]): Promise<void> {
  for (const work of [...known.values(), ...atLast.values()]) await work(tx, changes);
  beginLastReads(tx.em);
  for (const work of atEnd.values()) await work(tx, changes);
}
