import type { TxContext } from '../../platform/commands/transact.ts';
import { actOnBehalfOf } from '../../platform/database/scope.ts';
import type { Job } from '../model/job.entity.ts';
import { JobAssignment } from '../model/job-assignment.entity.ts';

/** Links that transactions have read for many jobs at once, by job; each is returned once. */
const foreseen = new WeakMap<TxContext['em'], Map<string, JobAssignment[]>>();

/** Returns the links of a job's vendor chain, the owner's first. */
export function linksOf(tx: TxContext, job: Pick<Job, 'id'>): Promise<JobAssignment[]> | JobAssignment[] {
  const known = foreseen.get(tx.em);
  const links = known?.get(job.id);
  known?.delete(job.id);
  return links ?? tx.em.find(JobAssignment, { job: job.id }, { orderBy: { link: 'asc' } });
}

/** Reads at once what `linksOf` will return of each of these jobs, which are locked. */
export async function foreseeLinks(tx: TxContext, jobIds: readonly string[]): Promise<void> {
  const links = await tx.em.find(JobAssignment, { job: { $in: [...jobIds] } }, { orderBy: { link: 'asc' } });
  const byJob = Map.groupBy(links, ({ job }) => job.id);
  foreseen.set(tx.em, new Map(jobIds.map((id) => [id, byJob.get(id) ?? []])));
}

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
