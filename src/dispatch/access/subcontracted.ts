/**
 * Returns the SQL of the jobs that were passed on to the companies, and of their orders, in the form that row-level security expects
 * (`defineRowPolicy`).
 */
export const subcontractedJobs = (companies: string): string =>
  `select a.job_id from job_assignment a where a.vendor_company_id = any(${companies})`;
export const subcontractedOrders = (companies: string): string =>
  `select j.order_id from job_assignment a join job j on j.id = a.job_id where a.vendor_company_id = any(${companies})`;

/**
 * Returns the SQL condition that a job was passed on to the companies by customers of theirs: the accounts that they themselves keep of whom they haul for. For
 * whom the owner's order is, no other company asks by.
 */
export const hauledFor = (jobId: string, accounts: string, companies: () => string): string =>
  `exists (select 1 from job_assignment ha where ha.job_id = ${jobId} and ha.customer_account_id = any(${accounts}) and ha.vendor_company_id = any(${companies()}))`;

/**
 * Returns the SQL condition that a vendor which has the job now may read what a company's people did with it: the vendor's own people, the
 * owner's, or those of its chain. It may not read what happened under a vendor that had the job before. @param by the company; null for the
 * owner's side and for what happens automatically
 */
export const visibleToVendor = (jobId: string, by: string, companies: string): string =>
  `(exists (select 1 from job_assignment a where a.job_id = ${jobId} and a.vendor_company_id = any(${companies}))
    and (${by} is null or ${by} = any(${companies}) or takes_part(${jobId}, ${by})))`;

/**
 * Of records that are never passed on, and that name partners as work does: no row, whoever reads. The condition has its parameter, because
 * PostgreSQL refuses a statement with one whose type it does not learn.
 */
export const neverSubcontracted = (_t: string, companies: string): string => `(false and ${companies} is null)`;
