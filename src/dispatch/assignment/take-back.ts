import type { TxContext } from '../../platform/commands/transact.ts';
import { actOnBehalfOf } from '../../platform/database/scope.ts';
import type { Job } from '../model/job.entity.ts';
import { JobAssignment } from '../model/job-assignment.entity.ts';

/** Links of a job's vendor chain, the owner's first. */
export const linksOf = (tx: TxContext, job: Pick<Job, 'id'>): Promise<JobAssignment[]> =>
  tx.em.find(JobAssignment, { job: job.id }, { orderBy: { link: 'asc' } });

/** Companies that have a job already when one of them passes it on: its owner, and its vendors down to that one. Work does not go back up. */
export function companiesAbove(job: Job, links: readonly JobAssignment[], passer: string): string[] {
  const own = links.findIndex((link) => link.customerCompanyId === passer);
  const above = own < 0 ? links : links.slice(0, own);
  return [job.company.id, ...above.flatMap((link) => link.vendorCompanyId ?? [])];
}

/** Ends links. Of each the history is told to the company that made it, which may be a vendor further down. */
export function endLinks(tx: TxContext, links: readonly JobAssignment[]): void {
  for (const link of links) {
    actOnBehalfOf(link.customerCompanyId);
    tx.em.remove(link);
  }
}

/** What these companies gave on, and may take back: the owner the whole chain, a vendor what it added; the link it got the job by stays. */
export async function givenBy(
  tx: TxContext,
  job: Job,
  companyIds: readonly string[],
): Promise<{ asVendor: boolean; links: readonly JobAssignment[] }> {
  const links = await linksOf(tx, job);
  if (companyIds.includes(job.company.id)) return { asVendor: false, links };
  const first = links.findIndex((link) => companyIds.includes(link.customerCompanyId));
  return { asVendor: true, links: first < 0 ? [] : links.slice(first) };
}
