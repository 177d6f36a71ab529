/**
 * SQL: the ids of jobs of companies and of jobs that were passed on to them. Both are looked up separately, each by its index.
 * @param when a condition on a job, by its alias
 */
export const jobIdsOf = (companies: string, when: (j: string) => string): string =>
  `select o.id from job o where o.company_id = any(${companies}) and ${when('o')}
   union select p.id from job_assignment a join job p on p.id = a.job_id where a.vendor_company_id = any(${companies}) and ${when('p')}`;
