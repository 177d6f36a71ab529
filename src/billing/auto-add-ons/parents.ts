import { ref } from '@mikro-orm/core';
import { Account, type AccountType } from '../../directory/accounts/account.entity.ts';
import { Rate, type RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { booksOfJob } from '../../dispatch/access/books.ts';
import { mayHaulJob } from '../../dispatch/access/job.policy.ts';
import { mayEditOrder } from '../../dispatch/access/order.policy.ts';
import { linkOf } from '../../dispatch/assignment/job-assignments.ts';
import { refuseBilledCustomer, refuseBilledLink } from '../../dispatch/checks/refuse-held.ts';
import { refuseReviewed } from '../../dispatch/checks/reviewed-weeks.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { JobAssignment } from '../../dispatch/model/job-assignment.entity.ts';
import { Order } from '../../dispatch/model/order.entity.ts';
import { Project } from '../../dispatch/model/project.entity.ts';
import { SiteRateSchedule } from '../../dispatch/pricing/site-rate-schedule.entity.ts';
import { allow, find, findKept, viewerOf } from '../../platform/authz/authorization.ts';
import { allOrOwn, type Requirement } from '../../platform/authz/field-permissions.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { Denied, Missing } from '../../platform/errors.ts';
import type { AutoAddOnAssignment, ParentColumn } from './auto-add-on-assignment.entity.ts';

/** A record that was found, for whose work add-ons are charged by themselves. */
export interface Parent {
  id: string;
  /** In whose books its add-ons are, of the viewer's companies; undefined if none of them takes part. */
  companyId: string | undefined;
  /** The side of all of its add-ons, where the record says it; `any` for what has several. */
  side: RateOwnerType | 'account' | 'any';
  /** As what an account is meant. */
  accountTypes?: readonly AccountType[];
  /** @throws Denied unless the viewer may change the record */
  mayEdit(): void;
}

/** A kind of record that has add-ons of its own. */
export interface ParentKind {
  column: ParentColumn;
  /** The conditions of which a caller must meet one to change any record of the kind. */
  edits: readonly Requirement[];
  /** The record, if the viewer sees it. @throws Missing */
  find(ctx: Context, path: RecordPath): Promise<Parent>;
  /** Its relation in an assignment. */
  relation(id: string): Partial<AutoAddOnAssignment>;
  /**
   * Refuses what would charge nothing, because all that it would be charged with is approved: a job, or a link of one, has no other work. Absent of records
   * that have. @throws Invalid
   */
  refuseBilled?(tx: TxContext, of: { id: string; companyId: string }): Promise<void>;
}

const model = 'AutoAddOnAssignment';

const owned = (ctx: Context, { id, company }: { id: string; company: { id: string } }, edit: string) => ({
  ...{ id, companyId: company.id },
  mayEdit: () => void allow(ctx, edit),
});

export const PARENT_KINDS = {
  Account: {
    column: 'account_id',
    edits: ['edit_account'],
    relation: (id) => ({ account: ref(Account, id) }),
    async find(ctx, { id, companyId }) {
      const account = await findKept(ctx, Account, id, { companyId });
      return { ...owned(ctx, account, 'edit_account'), side: 'account', accountTypes: account.accountTypes };
    },
  },
  Driver: {
    column: 'driver_id',
    edits: ['edit_user'],
    relation: (id) => ({ driver: ref(User, id) }),
    async find(ctx, { id, companyId }) {
      const driver = await findKept(ctx, User, id, { companyId });
      if (!driver.roles.includes('driver')) throw new Missing();
      return { ...owned(ctx, driver, 'edit_user'), side: 'driver' };
    },
  },
  Rate: {
    column: 'rate_id',
    edits: ['edit_rate'],
    relation: (id) => ({ rateCard: ref(Rate, id) }),
    async find(ctx, { id, companyId }) {
      const rate = await findKept(ctx, Rate, id, { companyId });
      return { ...owned(ctx, rate, 'edit_rate'), side: rate.ownerType };
    },
  },
  Project: {
    column: 'project_id',
    edits: ['edit_project'],
    relation: (id) => ({ project: ref(Project, id) }),
    async find(ctx, { id, companyId }) {
      return { ...owned(ctx, await findKept(ctx, Project, id, { companyId }), 'edit_project'), side: 'any' };
    },
  },
  SiteRateSchedule: {
    column: 'site_rate_schedule_id',
    edits: ['edit_project'],
    relation: (id) => ({ siteRateSchedule: ref(SiteRateSchedule, id) }),
    async find(ctx, { id, companyId }) {
      return { ...owned(ctx, await findKept(ctx, SiteRateSchedule, id, { companyId }), 'edit_project'), side: 'any' };
    },
  },
  Order: {
    column: 'order_id',
    edits: [...allOrOwn('edit_order'), ...allOrOwn('edit_order_pre_accept')],
    relation: (id) => ({ order: ref(Order, id) }),
    async find(ctx, { id, companyId }) {
      const order = await find(ctx, Order, id, { companyId });
      const owner = viewerOf(ctx).companyIds.includes(order.company.id) ? order.company.id : undefined;
      return { id: order.id, companyId: owner, side: 'any', mayEdit: () => void mayEditOrder(ctx, order) };
    },
  },
  Job: {
    column: 'job_id',
    edits: allOrOwn('edit_job'),
    relation: (id) => ({ job: ref(Job, id) }),
    async find(ctx, { id, companyId }) {
      const job = await find(ctx, Job, id, { companyId });
      const books = await booksOfJob((sql, values) => queryOf(ctx, sql, values), viewerOf(ctx), job, companyId);
      return { id: job.id, companyId: books, side: 'customer', mayEdit: () => void mayHaulJob(ctx, job, 'edit_job') };
    },
    async refuseBilled(tx, { id: jobId, companyId }) {
      await refuseReviewed(tx, { model }, { companyId, jobId });
      await refuseBilledCustomer(tx, model, { jobId, companyId });
    },
  },
  JobAssignment: {
    column: 'job_assignment_id',
    edits: ['edit_job_assignment'],
    relation: (id) => ({ jobAssignment: ref(JobAssignment, id) }),
    async find(ctx, { id, companyId }) {
      const link = await linkOf(ctx, id, companyId);
      const payer = viewerOf(ctx).companyIds.includes(link.customerCompanyId) ? link.customerCompanyId : undefined;
      const mayEdit = () => {
        allow(ctx, 'edit_job_assignment');
        if (!payer) throw new Denied('edit_job_assignment', 'permission_of_owning_company');
      };
      return { id: link.id, companyId: payer, side: 'vendor', mayEdit };
    },
    async refuseBilled(tx, { id, companyId }) {
      const { job } = await tx.em.findOneOrFail(JobAssignment, id);
      await refuseReviewed(tx, { model }, { companyId, jobId: job.id });
      await refuseBilledLink(tx, model, { jobId: job.id, companyId }, id);
    },
  },
} as const satisfies Record<string, ParentKind>;
export type ParentName = keyof typeof PARENT_KINDS;

/** The record to which an assignment belongs. */
export function parentOf(one: AutoAddOnAssignment): { kind: ParentKind; id: string } {
  const found: [ParentKind, { id: string } | null | undefined][] = [
    [PARENT_KINDS.Account, one.account],
    [PARENT_KINDS.Driver, one.driver],
    [PARENT_KINDS.Rate, one.rateCard],
    [PARENT_KINDS.Project, one.project],
    [PARENT_KINDS.SiteRateSchedule, one.siteRateSchedule],
    [PARENT_KINDS.Order, one.order],
    [PARENT_KINDS.Job, one.job],
    [PARENT_KINDS.JobAssignment, one.jobAssignment],
  ];
  const [kind, parent] = found.find(([, record]) => record)!;
  return { kind, id: parent!.id };
}
