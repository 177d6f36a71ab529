import { provided } from '../../platform/application.ts';
import type { TxContext } from '../../platform/commands/transact.ts';

/** Work that was billed and changes, in one company's books: a job, or the day of a driver. */
export type ChangedWork = ({ jobId: string } | { dayId: string }) & { companyId: string };

/** What bills do when something changes that they were priced by. */
export interface Supplements {
  /** Whether what was approved of the work can no longer be unapproved: it is settled, sent, paid or exported, or its period is closed. */
  areDue(tx: TxContext, work: ChangedWork): Promise<boolean>;
  /** Bills the difference; the change is written. */
  make(tx: TxContext, work: ChangedWork): Promise<void>;
}

/** Who bills differences: a higher room, which knows the bills. */
export const supplements = provided<Supplements>('bills of differences');

export const areSupplementsDue = (tx: TxContext, work: ChangedWork): Promise<boolean> => supplements.of(tx.em).areDue(tx, work);

/** Has the difference billed that a change makes, in the same transaction (BILLING B2.4). */
export async function makeSupplements(tx: TxContext, work: ChangedWork): Promise<void> {
  await tx.em.flush();
  await supplements.of(tx.em).make(tx, work);
}

/** What a change of billed work says of itself in an input. */
export const SUPPLEMENT =
  'If the work is settled, sent, paid or exported, or its period is closed, the difference is billed by a supplement; otherwise this is refused.';
