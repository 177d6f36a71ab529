import type { TxContext } from '../../../platform/commands/transact.ts';
import { queryIn } from '../../../platform/database/sql.ts';
import { Decimal, decimalText } from '../../../platform/decimal.ts';
import type { Entry } from '../books-of-job.ts';
import type { JobFacts } from '../facts/job-facts.ts';
import type { Invoice } from '../invoice.entity.ts';

const NOTE_COMMISSION = 'update job_assignment set commission_rate_value = $2, commission_rate_type = $3 where id = $1';

/** Notes on a link what its commission comes to for one of what is hauled: its receiver reads nothing else of it. */
export async function noteCommission(
  tx: TxContext,
  { links }: JobFacts,
  { side, jobAssignmentId }: Entry,
  invoice: Invoice,
): Promise<void> {
  const link = side === 'payable' ? links.find(({ id }) => id === jobAssignmentId) : undefined;
  const value = invoice.commissionRateValue ? decimalText(invoice.commissionRateValue) : null;
  if (!link || value === (link.commission === null ? null : decimalText(new Decimal(link.commission)))) return;
  await queryIn(tx.em, NOTE_COMMISSION, [link.id, value, invoice.commissionRateType ?? null]);
}

/** Whether an entry is what the owner of a job pays its own driver: what others pay theirs is not for its job to say. */
export const isPaidByOwner = ({ companyId }: JobFacts, entry: Entry): boolean =>
  entry.payeeDriverId !== null && entry.companyId === companyId;

const NOTE_DRIVER_COMMISSION =
  'update job set driver_commission_rate_value = $2, driver_commission_rate_type = $3, updated_at = $4 where id = $1';

/** The same on a job for the driver who is paid for it by commission; nothing if there is none. */
export async function noteDriverCommission(tx: TxContext, { id, driverCommission }: JobFacts, invoice: Invoice | undefined): Promise<void> {
  const noted = driverCommission.value === null ? null : decimalText(new Decimal(driverCommission.value));
  const value = invoice?.commissionRateValue ? decimalText(invoice.commissionRateValue) : null;
  const type = invoice?.commissionRateType ?? null;
  if (value !== noted || type !== driverCommission.type) await queryIn(tx.em, NOTE_DRIVER_COMMISSION, [id, value, type, tx.tx.now]);
}
