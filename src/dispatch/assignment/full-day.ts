import type { TxContext } from '../../platform/commands/transact.ts';
import type { ErrorItem } from '../../platform/errors.ts';
import { localDate } from '../../platform/time.ts';
import { zoneOf } from '../model/company-day.ts';
import type { Job } from '../model/job.entity.ts';
import { JobAssignment } from '../model/job-assignment.entity.ts';
import { dayOf, trucksOn } from './subcontract.ts';
import { guardTrucks } from './vendor-trucks.ts';

/**
 * Refuses a start that moves to a day on which a vendor hired by the job's owner has no truck left. The same rule applies to assigning
 * (DOMAIN 1.2).
 * @param from the start before the change, in milliseconds since the epoch
 */
export async function collectFullDay(tx: TxContext, job: Job, from: number, items: ErrorItem[]): Promise<void> {
  if (['created', 'rejected'].includes(job.state)) return;
  const zone = await zoneOf(tx, job.company.id);
  if (localDate(new Date(from), zone) === localDate(job.jobStartAt, zone)) return;
  const day = await dayOf(tx, job);
  const hired = { job: job.id, customerCompanyId: job.company.id, vendorAccount: { $ne: null } };
  for (const { vendorAccount } of await tx.em.find(JobAssignment, hired, { orderBy: { link: 'asc' } })) {
    const vendor = (await vendorAccount!.load())!;
    if (vendor.truckCount === 0) continue;
    const params = { name: vendor.name, count: vendor.truckCount };
    const full: ErrorItem = { model: 'Job', field: 'jobStartAt', key: 'vendor_day_full', params };
    const [others] = await trucksOn(tx, vendor, [day], job.id);
    if (others! >= vendor.truckCount) items.push(full);
    else guardTrucks(tx, vendor, [day], full);
  }
}
