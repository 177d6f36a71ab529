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

/** One step by which a record came to a company that may plan with it. */
interface Step {
  sender: string;
  receiver: string;
  dispatchable: boolean;
  /** The share still stands when the work begins. */
  lasts: boolean;
  defaultEquipmentId: string | null;
}

/** Who gives a job to somebody: which of the caller's companies, and how the job came there. */
export interface Planner {
  companyId: string;
  /** Companies whose accounts it may go to: the company of a scoped path, else the job's owner and its vendors, as far as they are the caller's. */
  passers: readonly string[];
  /** Companies whose drivers it may go to without a share: the planner, and vendors of the caller's that have the job from it. */
  crews: readonly string[];
  links: readonly JobAssignment[];
}

/** @param companyId of a scoped path; without one the owner plans, or the last vendor that is the caller's */
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
 * How a company has somebody else's record now, nearest share first; empty when nobody shares it.
 * @param at when it is to work; now unless given
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

/** How a driver of another company came to the one that plans the job; nothing for one's own. Tells of one that may not be planned with. */
export async function sharedSteps(tx: TxContext, job: Job, planner: Planner, driver: User, items: ErrorItem[]): Promise<Step[]> {
  if (planner.crews.includes(driver.company.id)) return [];
  const steps = await stepsTo(tx, planner.companyId, 'User', driver.id, job.jobStartAt);
  const above = companiesAbove(job, planner.links, planner.companyId);
  const key = steps.length === 0 ? 'must_exist' : steps.some(({ sender }) => above.includes(sender)) ? 'works_above' : shareLacks(steps);
  if (key) items.push({ model: 'Job', field: 'driverId', key });
  return steps;
}

/** What is told of shares that do not let their record be planned with; undefined when they do. */
export function shareLacks(steps: readonly Step[]): string | undefined {
  if (!steps.every((step) => step.dispatchable)) return 'not_dispatchable';
  return steps.every((step) => step.lasts) ? undefined : 'share_ends_before';
}

/**
 * Who drives does it instead of those hired before, whom nobody is to pay for it: links stay up to the driver's company, or up to the
 * planner, who hires along shares. Of the links by which the driver came already, the terms stay as they were agreed.
 */
export async function giveTo(tx: TxContext, job: Job, driver: User, { companyId, links }: Planner, steps: readonly Step[]): Promise<void> {
  const last = steps.length > 0 ? companyId : driver.company.id;
  const kept = links.findLastIndex((link) => link.vendorCompanyId === last) + 1;
  const hired = steps.every(({ sender, receiver }, i) => {
    const link = links[kept + i];
    return link?.vendorCompanyId === sender && link.customerCompanyId === receiver;
  });
  endLinks(tx, links.slice(hired ? kept + steps.length : kept));
  if (hired) return;
  // Links that are taken back give their places to the new ones.
  await tx.em.flush();
  await hireAlong(tx, job, steps);
}

/** The truck that the receiver of a share gives its driver by default. */
export async function truckOf(tx: TxContext, driver: User, steps: readonly Step[]): Promise<Equipment | null> {
  if (steps.length > 0) actOnBehalfOf(driver.company.id);
  const id = steps[0]?.defaultEquipmentId ?? driver.equipment?.id ?? driver.defaultEquipment?.id;
  return id ? tx.em.findOne(Equipment, id, { filters: { tenant: false } }) : null;
}

/** A company's account for another one. */
export const accountFor = (tx: TxContext, owner: string, other: string): Promise<Account | null> =>
  tx.em.findOne(Account, { company: owner, connectedCompany: other, discardedAt: null }, { filters: { tenant: false } });

/** A card that was chosen before it was known who hauls; not told to a vendor when it turns out to be another one's (`tellOtherCard`). */
export async function cardFor(card: Ref<Rate> | null | undefined, vendor: { id: string } | null): Promise<Ref<Rate> | null> {
  const meant = (await card?.load())?.account;
  return card && (!meant || meant.id === vendor?.id) ? card : null;
}

/**
 * Links the job from its planner to the company whose driver it is, along the way on which the driver was shared: so that each pays the
 * next (DOMAIN section 2: vendors own their drivers), and the driver's own company sees the job.
 */
async function hireAlong(tx: TxContext, job: Job, steps: readonly Step[]): Promise<void> {
  const links = await linksOf(tx, job);
  let link = (links.at(-1)?.link ?? -1) + 1;
  for (const { sender: vendor, receiver: customer } of steps) {
    // Each pays the next: what one calls the other stands in the books of both.
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
      rate: ofOwner ? await cardFor(job.vendorRate, vendorAccount) : null,
      rateValue: (ofOwner ? job.vendorRateValue : null) ?? null,
      rateType: (ofOwner ? job.vendorRateType : null) ?? null,
    };
    tx.em.persist(Object.assign(new JobAssignment(), values));
  }
}
