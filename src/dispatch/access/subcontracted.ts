/** Jobs that were passed on to companies, and their orders, as the database's own wall asks for them (`defineRowPolicy`). */
export const subcontractedJobs = (companies: string): string =>
  `select a.job_id from job_assignment a where a.vendor_company_id = any(${companies})`;
export const subcontractedOrders = (companies: string): string =>
  `select j.order_id from job_assignment a join job j on j.id = a.job_id where a.vendor_company_id = any(${companies})`;

/**
 * A vendor that has the job of an id now, and is told what a company's people did with it: its own, the owner's, or its chain's. Who had
 * the job before is nobody's business. @param by the company, null for the owner's side and what happens by itself
 */
export const visibleToVendor = (jobId: string, by: string, companies: string): string =>
  `(exists (select 1 from job_assignment a where a.job_id = ${jobId} and a.vendor_company_id = any(${companies}))
    and (${by} is null or ${by} = any(${companies}) or takes_part(${jobId}, ${by})))`;
