import { type Ref, ref } from '@mikro-orm/core';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import type { Rate } from '../../directory/master-data/rate.entity.ts';
import type { User } from '../../directory/people/user.entity.ts';
import type { CompanyShareableType } from '../../directory/shares/shared-with.ts';
import { SHARES } from '../../directory/shares/shares-purpose.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { actOnBehalfOf, runAsPurpose } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { ErrorItem } from '../../platform/errors.ts';
import { isOwnersSide } from '../access/job.policy.ts';
import type { Job } from '../model/job.entity.ts';
import { JobAssignment } from '../model/job-assignment.entity.ts';
import { companiesAbove, endLinks, linksOf } from './take-back.ts';

/** One step by which a record was shared with a company that may plan with it. */
interface Step {
  sender: string;
  receiver: string;
  dispatchable: boolean;
  /** True if the share is still valid when the work begins. */
  lasts: boolean;
  defaultEquipmentId: string | null;
}

/** The caller's company that assigns a job, and how the job reached it. */
export interface Planner {
  companyId: string;
  /**
   * The companies whose accounts the job may be passed on to: the company of a scoped path, or else the job's owner and those of its
   * vendors that are companies of the caller.
   */
  passers: readonly string[];
  /** The companies whose drivers may be assigned without a share: the planner, and vendors of the caller that have the job from it. */
  crews: readonly string[];
  links: readonly JobAssignment[];
}

/**
 * Returns the planner of a job. @param companyId of a scoped path; without one, the owner plans, or the last vendor that is a company of
 * the caller
 */
export async function plannerOf(tx: TxContext, job: Job, companyId?: string | null): Promise<Planner> {
  const viewer = viewerOf(tx);
  const links = await linksOf(tx, job);
  const chain = [job.company.id, ...links.flatMap((link) => link.vendorCompanyId ?? [])];
  const own = chain.filter((id) => viewer.companyIds.includes(id));
  const named = companyId?.toLowerCase();
  if (named) return { companyId: named, passers: [named], crews: own.filter((id) => chain.indexOf(id) >= chain.indexOf(named)), links };
  return { companyId: isOwnersSide(viewer, job) ? job.company.id : (own.at(-1) ?? viewer.companyId), passers: own, crews: own, links };
}

/**
 * Returns the steps by which a record of another company is shared with this one, nearest share first; empty if nobody shares it.
 * @param at when the record is to work; now if absent
 */
export async function stepsTo(tx: TxContext, companyId: string, type: CompanyShareableType, id: string, at = tx.tx.now): Promise<Step[]> {
  return runAsPurpose(SHARES, () =>
    queryIn<Step>(
      tx.em,
      `with recursive steps as (
      select s.*, 0 as n from (
        select * from company_share where company_shareable_id = $1 and company_shareable_type = $2 and receiver_company_id = $3
          and (valid_until is null or valid_until > now())
          order by plannable desc, (valid_until is null or valid_until > $4) desc, created_at limit 1) s
      union all
      select p.*, c.n + 1 from company_share p join steps c on p.id = c.parent_company_share_id)
    select sender_company_id as sender, receiver_company_id as receiver, dispatchable, default_equipment_id as "defaultEquipmentId",
      (valid_until is null or valid_until > $4) as lasts
    from steps order by n`,
      [id, type, companyId, at],
    ),
  );
}

/**
 * Returns the steps by which another company's driver was shared with the planner; none for its own drivers. A driver who must not be
 * planned with is added to `items`.
 */
export async function sharedSteps(tx: TxContext, job: Job, planner: Planner, driver: User, items: ErrorItem[]): Promise<Step[]> {
  if (planner.crews.includes(driver.company.id)) return [];
  const steps = await stepsTo(tx, planner.companyId, 'User', driver.id, job.jobStartAt);
  const above = companiesAbove(job, planner.links, planner.companyId);
  const key = steps.length === 0 ? 'must_exist' : steps.some(({ sender }) => above.includes(sender)) ? 'works_above' : shareLacks(steps);
  if (key) items.push({ model: 'Job', field: 'driverId', key });
  return steps;
}

/** Returns the message key of a share that forbids planning with its record; undefined if all of them permit it. */
export function shareLacks(steps: readonly Step[]): string | undefined {
  if (!steps.every((step) => step.dispatchable)) return 'not_dispatchable';
  return steps.every((step) => step.lasts) ? undefined : 'share_ends_before';
}

/**
 * Hands a job to a driver, and ends the links to vendors hired before, whom nobody is to pay for it. The links up to the driver's company
 * remain; for a shared driver, those up to the planner remain and the companies along the shares are hired. Links along which the driver
 * was hired already keep their terms.
 */
export async function linkToDriver(
  tx: TxContext,
  job: Job,
  driver: User,
  { companyId, links }: Planner,
  steps: readonly Step[],
): Promise<void> {
  const last = steps.length > 0 ? companyId : driver.company.id;
  const kept = links.findLastIndex((link) => link.vendorCompanyId === last) + 1;
  const hired = steps.every(({ sender, receiver }, i) => {
    const link = links[kept + i];
    return link?.vendorCompanyId === sender && link.customerCompanyId === receiver;
  });
  endLinks(tx, links.slice(hired ? kept + steps.length : kept));
  if (hired) return;
  // The new links take the places of those that ended.
  await tx.em.flush();
  await hireAlong(tx, job, steps);
}

/** Returns the truck of a driver: the default of the receiver of a share comes first. */
export async function truckOf(tx: TxContext, driver: User, steps: readonly Step[]): Promise<Equipment | null> {
  if (steps.length > 0) actOnBehalfOf(driver.company.id);
  const id = steps[0]?.defaultEquipmentId ?? driver.equipment?.id ?? driver.defaultEquipment?.id;
  return id ? tx.em.findOne(Equipment, id, { filters: { tenant: false } }) : null;
}

/** Returns the account that a company has for another one. */
export const accountFor = (tx: TxContext, owner: string, other: string): Promise<Account | null> =>
  tx.em.findOne(Account, { company: owner, connectedCompany: other, discardedAt: null }, { filters: { tenant: false } });

/**
 * Returns the rate card if it also fits the vendor that is known by now; otherwise null. A vendor must not see a rate card that names another
 * one (`validateRateOwner`).
 */
export async function rateCardFor(rateCard: Ref<Rate> | null | undefined, vendor: { id: string } | null): Promise<Ref<Rate> | null> {
  const meant = (await rateCard?.load())?.account;
  return rateCard && (!meant || meant.id === vendor?.id) ? rateCard : null;
}

/**
 * Links the job from its planner to the driver's company, along the shares by which the driver was shared. Each company pays the next one
 * (DOMAIN section 2: vendors own their drivers), and the driver's company sees the job.
 */
async function hireAlong(tx: TxContext, job: Job, steps: readonly Step[]): Promise<void> {
  const links = await linksOf(tx, job);
  let link = (links.at(-1)?.link ?? -1) + 1;
  for (const { sender: vendor, receiver: customer } of steps) {
    // Each company pays the next one, and both have an account for the other in their books.
    for (const side of [vendor, customer]) actOnBehalfOf(side);
    const ofOwner = customer === job.company.id;
    const [vendorAccount, customerAccount] = [await accountFor(tx, customer, vendor), await accountFor(tx, vendor, customer)];
    const values = {
      job: ref(job),
      link: link++,
      customerCompanyId: customer,
      vendorCompanyId: vendor,
      vendorAccount: vendorAccount && ref(vendorAccount),
      customerAccount: customerAccount && ref(customerAccount),
      rate: ofOwner ? await rateCardFor(job.vendorRate, vendorAccount) : null,
      rateValue: (ofOwner ? job.vendorRateValue : null) ?? null,
      rateType: (ofOwner ? job.vendorRateType : null) ?? null,
    };
    tx.em.persist(Object.assign(new JobAssignment(), values));
  }
}
