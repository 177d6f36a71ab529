import type { Viewer } from '../../platform/context.ts';
import type { Query } from '../../platform/database/sql.ts';
import { isOwnersSide, type JobLike } from './job.policy.ts';

/**
 * Returns the company in whose books the viewer keeps what is about a job: its owner if they act for it, otherwise that of their companies that
 * has a link of the job, their own first.
 * @returns undefined for a viewer who has neither
 */
export async function booksOfJob(
  query: Query,
  viewer: Viewer,
  job: JobLike & { id: string },
  companyId?: string | null,
): Promise<string | undefined> {
  if (isOwnersSide(viewer, job)) return job.company.id;
  const [row] = await query<{ id: string }>(
    `select a.vendor_company_id as id from job_assignment a
     where a.job_id = $1 and a.vendor_company_id = any($2) order by a.vendor_company_id <> $3, 1 limit 1`,
    [job.id, companyId ? [companyId] : viewer.companyIds, viewer.companyId],
  );
  return row?.id;
}
