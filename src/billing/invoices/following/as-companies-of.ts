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
  return computing(async () => {
    // The owner of the work reads all of its links.
    for (const companies of [OWNERS, OF_LINKS])
      for (const { id } of await queryIn<{ id: string | null }>(tx.em, companies, values)) if (id) actOnBehalfOf(id);
  }, work);
}

/**
 * The same for many jobs. Those that passed through the same companies are computed together: what is read for a job of its partners is the same as if it
 * were the only one.
 * @param work gets at most so many jobs at a time
 */
export async function asCompaniesOfJobs(
  tx: TxContext,
  jobIds: readonly string[],
  { most, work }: { most: number; work: (jobIds: readonly string[]) => Promise<void> },
): Promise<void> {
  const companies = new Map<string, Set<string>>();
  await withPartnerVisibility(async () => {
    for (const statement of [OWNERS_OF_JOBS, LINKS_OF_JOBS])
      for (const { job, id } of await queryIn<{ job: string; id: string | null }>(tx.em, statement, [jobIds])) {
        if (!id) continue;
        actOnBehalfOf(id);
        companies.set(job, (companies.get(job) ?? new Set()).add(id));
      }
  }, currentScope().work);
  const together = Map.groupBy(companies, ([, of]) => [...of].toSorted().join());
  for (const alike of together.values())
    for (let i = 0; i < alike.length; i += most) {
      const some = alike.slice(i, i + most);
      await computing(
        async () => some[0]![1].forEach(actOnBehalfOf),
        () => work(some.map(([job]) => job)),
      );
    }
}

const OWNERS_OF_JOBS = 'select j.id as job, j.company_id as id from job j where j.id = any($1::uuid[])';
const LINKS_OF_JOBS = `select a.job_id as job, unnest(array[a.customer_company_id, a.vendor_company_id]) as id from job_assignment a
  where a.job_id = any($1::uuid[])`;

/** Computes as companies that `begin` adds. */
async function computing<T>(begin: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  const noted: string[] = [];
  const done = await withPartnerVisibility(async () => {
    await begin();
    const companies = new Set(currentScope().companyIds);
    const result = await work();
    noted.push(...currentScope().companyIds.filter((id) => !companies.has(id)));
    return result;
  }, currentScope().work);
  // Owners of other work that is to be compared again, which is written when the transaction ends.
  for (const id of noted) actOnBehalfOf(id);
  return done;
}
