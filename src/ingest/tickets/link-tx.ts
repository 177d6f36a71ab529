import type { Records } from '../../platform/commands/records.ts';
import type { SetTx } from '../../platform/commands/set-tx.ts';
import type { ClaimedRecord, Match } from '../importer.ts';

/** Whoever sent a ticket: their limits decide which orders and jobs it may belong to. */
export type Sender = Pick<ClaimedRecord, 'limits'>;

/** The transaction through which tickets are linked: that of a batch of tickets, or of the command that made their order. */
export interface LinkTx extends SetTx {
  company: { id: string; timeZone: string };
  /** Returns the outbox and audit rows in whose name a ticket is linked. */
  recordsOf(by: Sender): Records;
  matched(by: Sender, match: Match): void;
}
