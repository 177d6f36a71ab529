import { ref } from '@mikro-orm/core';
import { Account } from '../directory/account.entity.ts';
import type { CompanyShareableType } from '../directory/company-share.entity.ts';
import { Equipment } from '../directory/equipment.entity.ts';
import { SHARES } from '../directory/shares-purpose.ts';
import type { User } from '../directory/user.entity.ts';
import { viewerOf } from '../platform/authz/fences.ts';
import type { TxContext } from '../platform/commands/transact.ts';
import { across, actFor } from '../platform/database/scope.ts';
import { queryIn } from '../platform/database/sql.ts';
import type { ErrorItem } from '../platform/errors.ts';
import type { Job } from './job.entity.ts';
import { isOwnersSide } from './job.policy.ts';
import { JobAssignment } from './job-assignment.entity.ts';

/** One step by which a record came to a company that may plan with it. */
interface Step {
  sender: string;
  receiver: string;
  dispatchable: boolean;
  defaultEquipmentId: string | null;
}

/** The company of the caller's that plans a job: its owner, or the last one of the chain that is the caller's. */
function plannerOf(tx: TxContext, job: Job, links: readonly JobAssignment[]): string {
  const viewer = viewerOf(tx);
  if (isOwnersSide(viewer, job)) return job.company.id;
  return (
    links.findLast((link) => link.vendorCompanyId && viewer.companyIds.includes(link.vendorCompanyId))?.vendorCompanyId ?? viewer.companyId
  );
}

/** How a company has somebody else's record now, nearest share first; empty when nobody shares it. */
export async function stepsTo(tx: TxContext, companyId: string, type: CompanyShareableType, id: string): Promise<Step[]> {
  return across(SHARES, () =>
    queryIn<Step>(
      tx.em,
      `with recursive steps as (
      select s.*, 0 as n from (
        select * from company_share where company_shareable_id = $1 and company_shareable_type = $2 and receiver_company_id = $3
          and (valid_until is null or valid_until > now()) order by dispatchable desc, created_at limit 1) s
      union all
      select p.*, c.n + 1 from company_share p join steps c on p.id = c.parent_company_share_id)
    select sender_company_id as sender, receiver_company_id as receiver, dispatchable, default_equipment_id as "defaultEquipmentId"
    from steps order by n`,
      [id, type, companyId],
    ),
  );
}

/** How a driver of another company came to the one that plans the job; nothing for one's own. Tells of one that may not be planned with. */
export async function sharedSteps(tx: TxContext, job: Job, driver: User, items: ErrorItem[]): Promise<Step[]> {
  if (viewerOf(tx).companyIds.includes(driver.company.id)) return [];
  const links = await tx.em.find(JobAssignment, { job: job.id }, { orderBy: { link: 'asc' } });
  const steps = await stepsTo(tx, plannerOf(tx, job, links), 'User', driver.id);
  if (steps.length === 0) items.push({ model: 'Job', field: 'driverId', key: 'must_exist' });
  else if (!steps.every((step) => step.dispatchable)) items.push({ model: 'Job', field: 'driverId', key: 'not_dispatchable' });
  return steps;
}

/**
 * Links the job from its planner to the company whose driver it is, along the way on which the driver was shared: so that each pays the
 * next (DOMAIN section 2: vendors own their drivers), and the driver's own company sees the job.
 */
export async function hireAlong(tx: TxContext, job: Job, steps: readonly Step[]): Promise<void> {
  const links = await tx.em.find(JobAssignment, { job: job.id }, { orderBy: { link: 'asc' } });
  let link = (links.at(-1)?.link ?? -1) + 1;
  for (const { sender: vendor, receiver: customer } of steps) {
    // Each pays the next: what one calls the other stands in the books of both.
    for (const side of [vendor, customer]) actFor(side);
    const ofOwner = customer === job.company.id;
    const [vendorAccount, customerAccount] = [await accountFor(tx, customer, vendor), await accountFor(tx, vendor, customer)];
    const values = {
      job: ref(job),
      link: link++,
      customerCompanyId: customer,
      vendorCompanyId: vendor,
      vendorAccount: vendorAccount && ref(vendorAccount),
      customerAccount: customerAccount && ref(customerAccount),
      rate: (ofOwner ? job.vendorRate : null) ?? null,
      rateValue: (ofOwner ? job.vendorRateValue : null) ?? null,
      rateType: (ofOwner ? job.vendorRateType : null) ?? null,
    };
    tx.em.persist(Object.assign(new JobAssignment(), values));
  }
}

/** The truck that the receiver of a share gives its driver by default. */
export async function truckOf(tx: TxContext, driver: User, steps: readonly Step[]): Promise<Equipment | null> {
  if (steps.length > 0) actFor(driver.company.id);
  const id = steps[0]?.defaultEquipmentId ?? driver.equipment?.id ?? driver.defaultEquipment?.id;
  return id ? tx.em.findOne(Equipment, id, { filters: { tenant: false } }) : null;
}

/** A company's account for another one. */
export const accountFor = (tx: TxContext, owner: string, other: string): Promise<Account | null> =>
  tx.em.findOne(Account, { company: owner, connectedCompany: other, discardedAt: null }, { filters: { tenant: false } });
