import type { TxContext } from '../../platform/commands/transact.ts';
import { actOnBehalfOf } from '../../platform/database/scope.ts';
import type { Job } from '../model/job.entity.ts';
import { JobAssignment } from '../model/job-assignment.entity.ts';

/** Returns the links of a job's vendor chain, the owner's first. */
export const linksOf = (tx: TxContext, job: Pick<Job, 'id'>): Promise<JobAssignment[]> =>
  tx.em.find(JobAssignment, { job: job.id }, { orderBy: { link: 'asc' } });

/**
 * Returns the companies above the one that passes a job on: the job's owner, and the vendors down to the passer. Work cannot be passed back
 * to them.
 */
export function companiesAbove(job: Job, links: readonly JobAssignment[], passer: string): string[] {
  const own = links.findIndex((link) => link.customerCompanyId === passer);
  const above = own < 0 ? links : links.slice(0, own);
  return [job.company.id, ...above.flatMap((link) => link.vendorCompanyId ?? [])];
}

/** Ends links. The history of each is visible to the company that made it, which may be a vendor further down. */
export function endLinks(tx: TxContext, links: readonly JobAssignment[]): void {
  for (const link of links) {
    actOnBehalfOf(link.customerCompanyId);
    tx.em.remove(link);
  }
}

/**
 * Returns the links that these companies may end: the whole chain for the owner; for a vendor, those that it added. The link by which a
 * vendor got the job remains.
 */
export async function endableLinks(
  tx: TxContext,
  job: Job,
  companyIds: readonly string[],
): Promise<{ asVendor: boolean; links: readonly JobAssignment[] }> {
  const links = await linksOf(tx, job);
  if (companyIds.includes(job.company.id)) return { asVendor: false, links };
  const first = links.findIndex((link) => companyIds.includes(link.customerCompanyId));
  return { asVendor: true, links: first < 0 ? [] : links.slice(first) };
}
