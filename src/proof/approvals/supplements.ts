import type { TxContext } from '../../platform/commands/transact.ts';
import { type Registration, registration } from '../../platform/registration.ts';

/** Work whose billed quantity changes, in one company's books. */
interface Changed {
  jobId: string;
  companyId: string;
}

/** What bills do when something changes that they were priced by. */
export interface Supplements {
  /** Whether what was approved of the work can no longer be unapproved: it is settled, sent, paid or exported. */
  areDue(tx: TxContext, work: Changed): Promise<boolean>;
  /** Bills the difference; the change is written. */
  make(tx: TxContext, work: Changed): Promise<void>;
}

let known: Supplements | undefined;

/** Declares who bills differences: a higher room, which knows the bills. */
export const defineSupplements = (supplements: Supplements): Registration =>
  registration('defineSupplements', 'bills', () => {
    known = supplements;
  });

export const areSupplementsDue = (tx: TxContext, work: Changed): Promise<boolean> => known!.areDue(tx, work);

/** Has the difference billed that a change makes, in the same transaction (BILLING B2.4). */
export async function makeSupplements(tx: TxContext, work: Changed): Promise<void> {
  await tx.em.flush();
  await known!.make(tx, work);
}
