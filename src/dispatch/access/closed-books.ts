/**
 * SQL of the last day of which the books of a company are closed (BILLING B10); null while none is. A higher room closes them.
 * @param company an expression of its id
 */
export const closedThroughSql = (company: string): string =>
  `(select max(cp.ends_on) from billing_period cp where cp.company_id = ${company} and cp.state = 'closed')`;
