import { LockMode } from '@mikro-orm/core';
import { booksOfJob } from '../../dispatch/access/books.ts';
import { mayHaulJob } from '../../dispatch/access/job.policy.ts';
import { refuseBilledMinutes, refuseHeld, refuseHeldLoad } from '../../dispatch/checks/refuse-held.ts';
import { withJob } from '../../dispatch/jobs/lock-job.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { find, viewerOf } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Denied, Invalid } from '../../platform/errors.ts';
import {
  type Approvable,
  type ApprovalWish,
  approve,
  approvedAs,
  asWhat,
  isApproved,
  refusal,
  refuseName,
  toTakeBack,
  unapprove,
  unfinished,
} from './flags.ts';
import { booksOf, holdersOf } from './holders.ts';

/** States in which a job is approved: its work is done, and it is not signed off (DOMAIN 1.4 "record finished"). */
export const APPROVABLE_JOB = ['completed', 'ended', 'in_review'];

/** A load that nobody has begun, or that does not count. */
export const NOTHING_TO_APPROVE = ['created', 'canceled'];

type JobWish = ApprovalWish & { approvedWorkTimeMinutes?: number | null };

/**
 * Approves a finished job and its finished loads, as the caller's own role; company administrators may choose as what (DOMAIN 1.4). Each company
 * along the chain approves for itself (PROOF A2).
 * @throws Missing, Denied; Invalid while it is not finished, when the caller's company approved the category already, or if a company that does not
 * own the job sets its minutes, or an invoice by time is approved and they are others
 */
export const approveJob = (ctx: Context, path: RecordPath, wish: JobWish): Promise<Job> =>
  withBooks(ctx, path, 'approve_job', async (tx, job, books) => {
    const as = asWhat(viewerOf(tx), wish);
    refuseName('Job', wish, as);
    const held = await holderOf(tx, 'Job', job, books);
    if (!APPROVABLE_JOB.includes(job.state)) throw unfinished('Job', job);
    if (isApproved(held, as)) throw refusal('Job', 'approved_already');
    if (wish.approvedWorkTimeMinutes !== undefined) {
      if (held !== job) throw new Invalid([{ model: 'Job', field: 'approvedWorkTimeMinutes', key: 'minutes_of_owning_company' }]);
      // A later approval may agree to the hours that are billed, and to no others.
      if ((wish.approvedWorkTimeMinutes ?? null) !== (job.approvedWorkTimeMinutes ?? null))
        await refuseBilledMinutes(tx, job, path.companyId);
      job.approvedWorkTimeMinutes = wish.approvedWorkTimeMinutes;
    }
    approve(tx, 'Job', held, as, wish);
    for (const [load, flags] of await holdersOf(tx, 'Load', await loadsOf(tx, job), books))
      if (load.state === 'completed' && !isApproved(flags, as)) approve(tx, 'Load', flags, as, wish);
    emitEvent(tx, 'job.approved', job, { approval_type: as, company_id: held.company.id });
  });

/**
 * Withdraws the approvals of the caller's category on a job and its loads, or only one type of approval when it is named.
 * @throws Missing, Denied; Invalid when there is none, or the job was signed off
 */
export const unapproveJob = (ctx: Context, path: RecordPath, wish: ApprovalWish): Promise<Job> =>
  withBooks(ctx, path, 'approve_job', async (tx, job, books) => {
    const types = toTakeBack(viewerOf(tx), wish);
    const held = await holderOf(tx, 'Job', job, books);
    if (isClosed(job) || !approvedAs(held, types).length) throw refusal('Job', 'not_unapprovable');
    await refuseHeld(tx, { jobId: job.id, companyId: held.company.id });
    await unapprove(tx, 'Job', held, types, wish);
    for (const flags of (await holdersOf(tx, 'Load', await loadsOf(tx, job), books)).values())
      if (approvedAs(flags, types).length) await unapprove(tx, 'Load', flags, types, wish);
    emitEvent(tx, 'job.unapproved', job, { company_id: held.company.id });
  });

/** @throws Missing, Denied; Invalid while it is not completed, or when the caller's company approved the category already */
export const approveLoad = (ctx: Context, path: RecordPath, wish: ApprovalWish): Promise<Job> =>
  withLoad(ctx, path, async (tx, load, _job, books) => {
    const as = asWhat(viewerOf(tx), wish);
    refuseName('Load', wish, as);
    const held = await holderOf(tx, 'Load', load, books);
    if (load.state !== 'completed') throw unfinished('Load', load);
    if (isApproved(held, as)) throw refusal('Load', 'approved_already');
    approve(tx, 'Load', held, as, wish);
    emitEvent(tx, 'load.approved', load, { approval_type: as, company_id: held.company.id });
  });

/** The job keeps its approval (DOMAIN 1.3). @throws Missing, Denied; Invalid when there is none, or the job was signed off */
export const unapproveLoad = (ctx: Context, path: RecordPath, wish: ApprovalWish): Promise<Job> =>
  withLoad(ctx, path, async (tx, load, job, books) => {
    const types = toTakeBack(viewerOf(tx), wish);
    const held = await holderOf(tx, 'Load', load, books);
    if (isClosed(job) || !approvedAs(held, types).length) throw refusal('Load', 'not_unapprovable');
    await refuseHeldLoad(tx, { jobId: job.id, companyId: held.company.id }, load.id);
    await unapprove(tx, 'Load', held, types, wish);
    emitEvent(tx, 'load.unapproved', load, { company_id: held.company.id });
  });

type Books = (record: Approvable) => string;

/** Whether a job is beyond approvals. */
export const isClosed = ({ state }: Pick<Job, 'state'>): boolean => state === 'signed_off' || state === 'paid';

async function holderOf<T extends Approvable>(tx: TxContext, type: 'Job' | 'Load', record: T, books: Books): Promise<Approvable> {
  return (await holdersOf(tx, type, [record], books)).get(record)!;
}

/** Locks a job, and says in whose books its approvals and those of its loads are. @throws Missing, Denied */
function withBooks(
  ctx: Context,
  path: RecordPath,
  permission: string,
  act: (tx: TxContext, job: Job, books: Books) => Promise<void>,
): Promise<Job> {
  return withJob(
    ctx,
    path,
    (tx, job) => void mayHaulJob(tx, job, permission),
    async (tx, job) => {
      const linked = await linkedCompany(tx, job, permission, path.companyId);
      await act(tx, job, (record) => booksOf(viewerOf(tx), record.company.id, linked));
    },
  );
}

/** The caller's company that has a link of the job; the owner if the caller acts for it. @throws Denied for whoever has neither */
async function linkedCompany(tx: TxContext, job: Job, permission: string, companyId: string | null | undefined): Promise<string> {
  const books = await booksOfJob((sql, values) => queryIn(tx.em, sql, values), viewerOf(tx), job, companyId);
  if (!books) throw new Denied(permission, 'permission_of_owning_company');
  return books;
}

function withLoad(ctx: Context, path: RecordPath, act: (tx: TxContext, load: Load, job: Job, books: Books) => Promise<void>): Promise<Job> {
  return transact(ctx, async (outer) => {
    const seen = await find(outer, Load, path.id, { companyId: path.companyId });
    return withBooks(outer, { id: seen.job.id, companyId: path.companyId }, 'approve_load', async (tx, job, books) =>
      act(tx, await find(tx, Load, path.id, { companyId: path.companyId, lock: true }), job, books),
    );
  });
}

const loadsOf = (tx: TxContext, job: Job): Promise<Load[]> =>
  tx.em.find(Load, { job: job.id }, { lockMode: LockMode.PESSIMISTIC_WRITE, filters: { tenant: false } });
