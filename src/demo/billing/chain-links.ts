import { ref } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Company } from '../../directory/companies/company.entity.ts';
import { JobAssignment } from '../../dispatch/model/job-assignment.entity.ts';
import { Decimal } from '../../platform/decimal.ts';
import type { DemoCompany } from '../demo-company.ts';
import type { WorkedJob } from '../worked.ts';

/** Persists the links by which the south got a job from the parent and the north from the south, at the rates of BILLING B8. */
export function makeChainLinks(em: EntityManager, { parent, chain }: DemoCompany, chained: readonly WorkedJob[]): void {
  const { south, north, southAsVendor, parentAsCustomer, northAsVendor, southAsCustomer } = chain;
  for (const { job } of chained)
    for (const [link, more] of [
      subcontracted(parent, south, { vendorAccount: ref(southAsVendor), customerAccount: ref(parentAsCustomer) }, '3.6'),
      subcontracted(south, north, { vendorAccount: ref(northAsVendor), customerAccount: ref(southAsCustomer) }, '3.3'),
    ].entries())
      em.persist(Object.assign(new JobAssignment(), { job: ref(job), link, createdAt: job.createdAt, ...more }));
}

const subcontracted = (from: Company, to: Company, accounts: Partial<JobAssignment>, rate: string): Partial<JobAssignment> => ({
  ...{ customerCompanyId: from.id, vendorCompanyId: to.id, rateType: 'RatePerTon', rateValue: new Decimal(rate), ...accounts },
});
