import { ref } from '@mikro-orm/core';
import type { Account } from '../directory/account.entity.ts';
import { partnerOf } from '../directory/connections.ts';
import type { Rate } from '../directory/rate.entity.ts';
import type { RateType } from '../directory/units.ts';
import type { TxContext } from '../platform/commands/transact.ts';
import { queryIn } from '../platform/database/sql.ts';
import type { Decimal } from '../platform/decimal.ts';
import { dayBounds, localDate } from '../platform/time.ts';
import { zoneOf } from './company-day.ts';
import type { Job } from './job.entity.ts';
import { JobAssignment } from './job-assignment.entity.ts';
import { accountFor } from './shared-crew.ts';

/** What a link is paid, as far as it was said. */
export interface LinkTerms {
  rate?: Rate | null;
  rateValue?: Decimal | null;
  rateType?: RateType | null;
}

/** A link is replaced by the company that made it; a vendor that passes on adds the next one. */
export async function passOn(tx: TxContext, job: Job, vendor: Account, terms: LinkTerms = {}): Promise<JobAssignment> {
  const passer = vendor.company.id;
  const links = await tx.em.find(JobAssignment, { job: job.id }, { orderBy: { link: 'asc' } });
  const own = links.find((link) => link.customerCompanyId === passer);
  // Once either side has ended the connection, the vendor is told by telephone like one that is no company here.
  const partner = await partnerOf(tx, vendor);
  const payer = partner ? await accountFor(tx, partner, passer) : null;
  // What the owner pays is between it and the first vendor; who passes on agrees on a rate of its own.
  const agreed =
    passer === job.company.id
      ? { rate: job.vendorRate, rateValue: job.vendorRateValue, rateType: job.vendorRateType }
      : own?.vendorAccount?.id === vendor.id
        ? own
        : undefined;
  const values = {
    customerCompanyId: passer,
    vendorCompanyId: partner,
    vendorAccount: ref(vendor),
    customerAccount: payer ? ref(payer) : null,
    rate: (terms.rate === undefined ? agreed?.rate : terms.rate && ref(terms.rate)) ?? null,
    rateValue: (terms.rateValue === undefined ? agreed?.rateValue : terms.rateValue) ?? null,
    rateType: (terms.rateType === undefined ? agreed?.rateType : terms.rateType) ?? null,
  };
  for (const later of links.filter((link) => own && link.link > own.link)) tx.em.remove(later);
  if (own) return Object.assign(own, values);
  const link = Object.assign(new JobAssignment(), values, { job: ref(job), link: (links.at(-1)?.link ?? -1) + 1 });
  tx.em.persist(link);
  return link;
}

/** Trucks a vendor already has that day, beside the job's. */
export const trucksOf = (tx: TxContext, vendor: Account, job: Job): Promise<number> =>
  trucksOn(tx, vendor, job.company.id, job.jobStartAt, job.id);

/**
 * SQL of how many trucks a vendor has between two instants.
 * @param except SQL of a job that does not count, or of null
 */
export const trucksOfDay = (vendor: string, start: string, end: string, except = 'null::uuid'): string =>
  `(select count(*)::int from job_assignment a join job j on j.id = a.job_id
     where a.vendor_account_id = ${vendor} and (${except} is null or j.id <> ${except}) and j.job_start_at >= ${start} and j.job_start_at < ${end}
       and j.state not in ('created', 'rejected', 'canceled'))`;

/** Trucks a vendor has on the day of an instant, as the company counts days. */
export async function trucksOn(
  tx: TxContext,
  vendor: Account,
  companyId: string,
  at: Date,
  exceptJobId: string | null = null,
): Promise<number> {
  const zone = await zoneOf(tx, companyId);
  const { start, end } = dayBounds(localDate(at, zone), zone);
  const [row] = await queryIn<{ count: number }>(tx.em, `select ${trucksOfDay('$1', '$3', '$4', '$2::uuid')} as count`, [
    vendor.id,
    exceptJobId,
    start,
    end,
  ]);
  return row!.count;
}
