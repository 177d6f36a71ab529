import { provided } from '../../platform/application.ts';
import type { TxContext } from '../../platform/commands/transact.ts';

/** Work that was billed and changes, in one company's books: a job, or the day of a driver. */
export type ChangedWork = ({ jobId: string } | { dayId: string }) & { companyId: string };

/** The reaction of bills to a change of something by which they were priced. */
export interface Supplements {
  /**
   * Whether something that was approved of the work can no longer be unapproved: it is settled, sent, paid or exported, or its period is closed.
   * @param invoiceIds the approved invoices of the work that are meant; by default, all of them
   */
  areDue(tx: TxContext, work: ChangedWork, invoiceIds?: readonly string[]): Promise<boolean>;
  /** Bills the difference; the change is written. */
  make(tx: TxContext, work: ChangedWork): Promise<void>;
}

/** The service that bills differences: that of a higher room, which knows the bills. */
export const supplements = provided<Supplements>('bills of differences');

export const areSupplementsDue = (tx: TxContext, work: ChangedWork, invoiceIds?: readonly string[]): Promise<boolean> =>
  supplements.of(tx.em).areDue(tx, work, invoiceIds);

/** Has the difference billed that a change makes, in the same transaction (BILLING B2.4). */
export async function makeSupplements(tx: TxContext, work: ChangedWork): Promise<void> {
  await tx.em.flush();
  await supplements.of(tx.em).make(tx, work);
}

/** The description of an input's field by which billed work is changed. */
export const SUPPLEMENT =
  'If the work is settled, sent, paid or exported, or its period is closed, the difference is billed by a supplement; otherwise this is refused.';
