import type { TxContext } from '../../../platform/commands/transact.ts';
import { actOnBehalfOf, currentScope, withPartnerVisibility } from '../../../platform/database/scope.ts';
import { queryIn } from '../../../platform/database/sql.ts';

const OF_WORK = 'from job j where j.id = $1 or j.driver_day_id = $2';
const OWNERS = `select j.company_id as id ${OF_WORK}`;
const OF_LINKS = `select unnest(array[a.customer_company_id, a.vendor_company_id]) as id from job_assignment a where a.job_id in (select j.id ${OF_WORK})`;

/** A job, or the day of a driver. */
interface Work {
  job?: { id: string } | null | undefined;
  driverDay?: { id: string } | null | undefined;
}

/**
 * Runs a computation of what some work comes to as the companies that it passed through, as the worker does: whoever approves an invoice reads less, such
 * as the day of a vendor's driver, and would approve another amount than what was shown. Nothing but the computation sees it.
 */
export async function asCompaniesOf<T>(tx: TxContext, { job, driverDay }: Work, work: () => Promise<T>): Promise<T> {
  const values = [job?.id ?? null, driverDay?.id ?? null];
  const noted: string[] = [];
  const done = await withPartnerVisibility(async () => {
    // The owner of the work reads all of its links.
    for (const companies of [OWNERS, OF_LINKS])
      for (const { id } of await queryIn<{ id: string | null }>(tx.em, companies, values)) if (id) actOnBehalfOf(id);
    const computing = new Set(currentScope().companyIds);
    const result = await work();
    noted.push(...currentScope().companyIds.filter((id) => !computing.has(id)));
    return result;
  }, currentScope().work);
  // Owners of other work that is to be compared again, which is written when the transaction ends.
  for (const id of noted) actOnBehalfOf(id);
  return done;
}
