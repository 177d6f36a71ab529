import { ref } from '@mikro-orm/core';
import type { Account } from '../../directory/accounts/account.entity.ts';
import { partnerOf } from '../../directory/accounts/connections.ts';
import type { Rate } from '../../directory/master-data/rate.entity.ts';
import type { RateType } from '../../directory/master-data/units.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { Decimal } from '../../platform/decimal.ts';
import type { ErrorItem } from '../../platform/errors.ts';
import { dayBounds, localDate } from '../../platform/time.ts';
import { zoneOf } from '../model/company-day.ts';
import type { Job } from '../model/job.entity.ts';
import { JobAssignment } from '../model/job-assignment.entity.ts';
import { accountFor, rateCardFor } from './shared-crew.ts';
import { endLinks, linksOf } from './take-back.ts';

/** The terms of a link, as far as the caller sent them. */
export interface LinkTerms {
  rate?: Rate | null;
  rateValue?: Decimal | null;
  rateType?: RateType | null;
  /** Whether they are the link's own, of terms that are taken from another one; by default, what is said is. */
  ownRate?: boolean;
}

/** Whether somebody said what a link pays. Without that it pays what its job says of vendors. */
export const isOwnRate = ({ rate, rateValue, rateType }: { [part in 'rate' | 'rateValue' | 'rateType']?: unknown }): boolean =>
  Boolean(rate ?? rateValue ?? rateType);

/** A link is paid by a rate card for vendors: one for all vendors, or for this one (DOMAIN 3.3 "Rate cards match on account"). */
export function validateVendorRate(rateCard: Rate | null | undefined, vendor: { id: string } | null | undefined, items: ErrorItem[]): void {
  const report = (key: string, params?: ErrorItem['params']) => items.push({ model: 'JobAssignment', field: 'rateId', key, params });
  if (!rateCard) return;
  if (rateCard.ownerType !== 'vendor') report('not_a_rate_of', { owner: 'vendor' });
  else if (rateCard.account && rateCard.account.id !== vendor?.id) report('other_account');
}

/**
 * Passes a job on to a vendor and returns the link. The company that made a link replaces it; a vendor that passes the job on adds the next
 * link.
 */
export async function subcontract(tx: TxContext, job: Job, vendor: Account, terms: LinkTerms = {}): Promise<JobAssignment> {
  const passer = vendor.company.id;
  const links = await linksOf(tx, job);
  const own = links.find((link) => link.customerCompanyId === passer);
  // Once either side has ended the connection, the vendor is informed by telephone, like one that does not use the platform.
  const partner = await partnerOf(tx, vendor);
  const payer = partner ? await accountFor(tx, partner, passer) : null;
  // The price for the owner is agreed with the first vendor only. A vendor that passes the job on agrees on a rate with the next.
  const agreed =
    passer === job.company.id
      ? { rate: await rateCardFor(job.vendorRate, vendor), rateValue: job.vendorRateValue, rateType: job.vendorRateType }
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
    ownRate: terms.ownRate ?? (isOwnRate(terms) || (agreed === own && own?.ownRate === true)),
  };
  if (own) endLinks(tx, links.slice(links.indexOf(own) + 1));
  if (own) return Object.assign(own, values);
  const link = Object.assign(new JobAssignment(), values, { job: ref(job), link: (links.at(-1)?.link ?? -1) + 1 });
  tx.em.persist(link);
  return link;
}

/** Returns the day of a job, in the time zone of its company. */
export async function dayOf(tx: TxContext, job: Job): Promise<{ start: Date; end: Date }> {
  const zone = await zoneOf(tx, job.company.id);
  return dayBounds(localDate(job.jobStartAt, zone), zone);
}

/**
 * Returns the SQL for the number of trucks that a vendor has between two instants.
 * @param except SQL of a job that does not count, or of null
 */
export const trucksOfDay = (vendor: string, start: string, end: string, except = 'null::uuid'): string =>
  `(select count(*)::int from job_assignment a join job j on j.id = a.job_id
     where a.vendor_account_id = ${vendor} and (${except} is null or j.id <> ${except}) and j.job_start_at >= ${start} and j.job_start_at < ${end}
       and j.state not in ('created', 'rejected', 'canceled'))`;

/**
 * Returns the number of trucks of a vendor for each day, in the order of the days, by one statement. @param exceptJobId a job that does not
 * count
 */
export async function trucksOn(
  tx: TxContext,
  vendor: Account,
  days: readonly { start: Date; end: Date }[],
  exceptJobId: string | null = null,
): Promise<number[]> {
  const rows = await queryIn<{ count: number }>(
    tx.em,
    `select ${trucksOfDay('$1', 'd.start', 'd.until', '$2::uuid')} as count
      from unnest($3::timestamptz[], $4::timestamptz[]) with ordinality d(start, until, place) order by d.place`,
    [vendor.id, exceptJobId, days.map(({ start }) => start), days.map(({ end }) => end)],
  );
  return rows.map(({ count }) => count);
}
