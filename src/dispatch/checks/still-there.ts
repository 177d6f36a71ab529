import { Account } from '../../directory/accounts/account.entity.ts';
import { nameOfCompliant } from '../../directory/compliance/checks.ts';
import { User } from '../../directory/people/user.entity.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import type { Job } from '../model/job.entity.ts';
import { JobAssignment } from '../model/job-assignment.entity.ts';

/**
 * A job is not sent to a driver or vendor who left after the assignment. Only vendors that the caller hired are checked; the rest of the
 * chain is not visible to it. The job's conflicts report the same beforehand.
 * @throws Invalid naming the driver or vendor
 */
export async function mustBeThere(tx: TxContext, job: Job): Promise<void> {
  const items: ErrorItem[] = [];
  if (job.driver) {
    const driver = await tx.em.findOne(User, { id: job.driver.id }, { filters: { tenant: false } });
    if (driver?.discardedAt) items.push({ model: 'Job', field: 'driverId', key: 'driver_gone', params: { name: nameOfCompliant(driver) } });
  } else {
    const hired = { job: job.id, customerCompanyId: { $in: [...viewerOf(tx).companyIds] } };
    for (const { vendorAccount } of await tx.em.find(JobAssignment, hired, { orderBy: { link: 'asc' } })) {
      const vendor = vendorAccount && (await tx.em.findOne(Account, { id: vendorAccount.id }, { filters: { tenant: false } }));
      if (vendor?.discardedAt)
        items.push({ model: 'Job', field: 'vendorId', key: 'vendor_gone', params: { name: nameOfCompliant(vendor) } });
    }
  }
  if (items.length > 0) throw new Invalid(items);
}
