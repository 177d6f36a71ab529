/** Jobs that were passed on to companies, and their orders, as the database's own wall asks for them (`belongs`). */
export const passedJobs = (companies: string): string =>
  `select a.job_id from job_assignment a where a.vendor_company_id = any(${companies})`;
export const passedOrders = (companies: string): string =>
  `select j.order_id from job_assignment a join job j on j.id = a.job_id where a.vendor_company_id = any(${companies})`;
