import type { TxContext } from '../../../platform/commands/transact.ts';
import { actOnBehalfOf, withPartnerVisibility } from '../../../platform/database/scope.ts';
import { queryIn } from '../../../platform/database/sql.ts';
import { daysToCompare } from '../../days/day-tasks.ts';
import type { JobFacts } from '../facts/job-facts.ts';
import { invoicesToCompare } from '../invoice-tasks.ts';

/** A job, or the day of a driver. */
interface Work {
  job_id: string | null;
  driver_day_id: string | null;
  /** Its owner. */
  company_id: string;
}
const OF = `select distinct i.job_id, i.driver_day_id, coalesce(j.company_id, d.company_id) as company_id`;
const WORK = 'left join job j on j.id = i.job_id left join driver_day d on d.id = i.driver_day_id';
const STALE = `${OF} from invoice i ${WORK} where i.id = any($1::uuid[]) and i.stale`;
const CLOSED = `${OF} from invoice i ${WORK} where i.company_id = $1 and i.posting_date between $2 and $3 and i.stale and i.state <> 'voided'`;
const REBILLED = `${OF} from settlement_invoice x join invoice i on i.id = x.invoice_id ${WORK}
  where x.settlement_id = $1 and x.rebill_rate_value is not null`;

const OPEN = `${OF} from invoice i ${WORK} where i.state in ('created', 'in_progress', 'pending') and (i.id = any($1::uuid[])
  or i.customer_account_id = any($2::uuid[]) or i.vendor_account_id = any($2::uuid[]))`;

const OF_DAYS = `select j.id as job_id, null::uuid as driver_day_id, j.company_id from job j where j.driver_day_id = any($1::uuid[])
  union all select null::uuid, d.id, d.company_id from driver_day d where d.id = any($1::uuid[])`;

const OF_CHARGES = `select j.id as job_id, null::uuid as driver_day_id, j.company_id from add_on_charge h join job j on j.driver_day_id = h.driver_day_id
  where h.id = any($1::uuid[]) and j.id <> $2`;

/**
 * Has the other jobs of a day compared again if what was requested for the day is paid with this one now, or is not any more.
 * @param requested the requests that its drafts had charged, and those that they charge now
 */
export async function compareOthersOfDays(
  tx: TxContext,
  { id, charges }: Pick<JobFacts, 'id' | 'charges'>,
  { requested, charged }: { requested: readonly string[]; charged: readonly string[] },
): Promise<void> {
  const ofDay = new Set(charges.flatMap((one) => (one.dayId ? [one.id] : [])));
  const [before, now] = [new Set(requested), new Set(charged)];
  const moved = [...requested.filter((one) => !now.has(one)), ...charged.filter((one) => ofDay.has(one) && !before.has(one))];
  if (moved.length > 0) note(tx, await withPartnerVisibility(() => queryIn<Work>(tx.em, OF_CHARGES, [moved, id])));
}

/**
 * Has the work compared again of those of some locked invoices that are stale, because their approval cannot be taken back from now on: what came since,
 * nobody else would bill (BILLING B2.4).
 */
export const compareStale = async (tx: TxContext, invoiceIds: readonly string[]): Promise<void> =>
  note(tx, await withPartnerVisibility(() => queryIn<Work>(tx.em, STALE, [invoiceIds])));

/** The same of what counts in a period of the books of a company that is closed now. */
export const compareClosed = async (
  tx: TxContext,
  companyId: string,
  { startsOn, endsOn }: { startsOn: string; endsOn: string },
): Promise<void> => note(tx, await withPartnerVisibility(() => queryIn<Work>(tx.em, CLOSED, [companyId, startsOn, endsOn])));

/** Has the work compared again that a settlement bills anew at other rates, or has billed. */
export const compareRebilled = async (tx: TxContext, settlementId: string): Promise<void> =>
  note(tx, await withPartnerVisibility(() => queryIn<Work>(tx.em, REBILLED, [settlementId])));

/** Has the work compared again of invoices that nobody has approved: some, and all of some accounts. */
export const compareOpen = async (
  tx: TxContext,
  { invoiceIds, accountIds = [] }: { invoiceIds: readonly string[]; accountIds?: readonly string[] },
): Promise<void> => note(tx, await withPartnerVisibility(() => queryIn<Work>(tx.em, OPEN, [invoiceIds, accountIds])));

/** Has the pay for days compared again, and that for their jobs. */
export const compareDays = async (tx: TxContext, dayIds: readonly string[]): Promise<void> =>
  note(tx, dayIds.length === 0 ? [] : await withPartnerVisibility(() => queryIn<Work>(tx.em, OF_DAYS, [dayIds])));

function note(tx: TxContext, work: readonly Work[]): void {
  // Work that was passed on is noted with its owner.
  for (const { company_id } of work) actOnBehalfOf(company_id);
  invoicesToCompare.note(
    tx,
    work.flatMap(({ job_id }) => job_id ?? []),
  );
  daysToCompare.note(
    tx,
    work.flatMap(({ driver_day_id }) => driver_day_id ?? []),
  );
}
