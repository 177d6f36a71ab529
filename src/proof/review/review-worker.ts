import type { EntityManager } from '@mikro-orm/postgresql';
import { BY_SYSTEM, insertJobEvents } from '../../dispatch/jobs/job-effects.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import type { JobState } from '../../dispatch/model/states.ts';
import { automationFailed } from '../../events/webhooks/happened.ts';
import type { FollowUp } from '../../platform/commands/follow-up-tasks.ts';
import { setTxOf } from '../../platform/commands/set-tx.ts';
import { asSystem } from '../../platform/commands/system-context.ts';
import { emitEvent, type TxContext } from '../../platform/commands/transact.ts';
import { decimalText } from '../../platform/decimal.ts';
import { newId } from '../../platform/ids.ts';
import type { BackgroundWorkerOptions } from '../../platform/queue/background-worker.ts';
import type { Drainer } from '../../platform/queue/drainer.ts';
import { startLeaseQueue } from '../../platform/queue/lease-queue.ts';
import { tracing } from '../../platform/tracing/spans.ts';
import { approve, isApproved } from '../approvals/flags.ts';
import { factsOf, type Reviewable, waitsForPositions } from './review-facts.ts';
import { type Review, reviewLoad } from './review-load.ts';
import { loadsToReview } from './review-tasks.ts';

/** Seconds after which a load is another process's to review. */
const LEASE = 60;
/** Seconds until a review is tried again that failed, by tries made. */
const DELAYS = [5, 60, 600];

/** Seconds until a load is looked at again whose positions are not measured yet. */
const MEASURING = 60;

/** Reviews loads in the background. A load that changes while it is reviewed is reviewed again. */
export function startReviewWorker({ em, log, sweepEvery = 1_000 }: BackgroundWorkerOptions): Drainer {
  return startLeaseQueue<FollowUp>({
    name: 'review',
    tracing: tracing.of(em),
    slots: 2,
    lease: LEASE,
    claim: (most, seconds) => loadsToReview.claim(em, most, seconds),
    async work(task) {
      if (await review(em, task)) await loadsToReview.end(em, task);
      else await loadsToReview.putOff(em, task, MEASURING);
    },
    delayAfter: (attempts) => DELAYS[attempts - 1],
    postpone: (task, seconds) => loadsToReview.postpone(em, task, seconds),
    giveUp: (task) => giveUp(em, task),
    failed: (error, { id, attempts }, again) => log.warn({ err: error, load: id, attempts, again }, 'a review failed'),
    sweepEvery,
    log,
  });
}

/** Ends a review without a result, which those learn who wait for failures of loads. */
async function giveUp(em: EntityManager, task: FollowUp): Promise<void> {
  const { id, companyId } = task;
  await asSystem(em, companyId, async (tx) => {
    const found = await setTxOf(tx).query('select from load where id = $1', [id]);
    if (found.length > 0)
      tx.tx.events.push(automationFailed('Load', { id, companyId }, { automation: 'load_review', reason: 'the review did not end' }));
  });
  await loadsToReview.end(em, task);
}

const WRITE = `insert into ai_review (id, company_id, load_id, status, confidence, issues, approval_pending) values ($1, $2, $3, $4, $5::numeric, $6::text[], $7)
  on conflict (load_id) do update set status = excluded.status, confidence = excluded.confidence, issues = excluded.issues,
    approval_pending = excluded.approval_pending, updated_at = now()`;

/**
 * Reviews a load, and writes the review down if it says something new.
 * @returns false if it is to be looked at again soon, because its positions are not measured yet and it is to be approved
 */
function review(em: EntityManager, task: FollowUp): Promise<boolean> {
  const { id, companyId } = task;
  return asSystem(em, companyId, async (tx) => {
    const set = setTxOf(tx);
    // The job before its load, as everywhere.
    await set.query('select from job where id = (select job_id from load where id = $1) for key share', [id]);
    // A ticket that changes waits, and then has the load reviewed again.
    await set.query('select from load where id = $1 for no key update', [id]);
    const found = await factsOf(set, id);
    if (!found) return true;
    const { before } = found;
    const result = reviewLoad(found.facts, found.limits);
    const reviewId = before?.id ?? newId();
    const pending = isToApprove(found, result);
    if (isNews(before, result)) await write(tx, task, { found, result, reviewId, pending });
    else if (pending !== before!.approvalPending) await set.query(SET_PENDING, [reviewId, pending]);
    // The next arrival, or the end of the job, has it looked at again.
    if (!pending || !found.cycleSettled) return true;
    if (await waitsForPositions(set, id)) return false;
    await set.query(SET_PENDING, [reviewId, false]);
    await approveReviewed(tx, id, reviewId);
    return true;
  });
}

const SET_PENDING = 'update ai_review set approval_pending = $2 where id = $1';

const isNews = (before: Reviewable['before'], { status, confidence, issues }: Review): boolean =>
  before?.status !== status || !confidence.eq(before.confidence) || before.issues.join('\n') !== issues.join('\n');

/** True if the load is to be approved once everything is known by which it is judged. What somebody decided since stays, as long as the outcome does. */
function isToApprove({ approves, before }: Reviewable, { status }: Review): boolean {
  if (!approves || status !== 'approved') return false;
  if (before?.status !== 'approved') return true;
  return before.approvalPending ? !before.decidedSince : !before.decided;
}

interface Outcome {
  found: Reviewable;
  result: Review;
  reviewId: string;
  pending: boolean;
}

async function write(tx: TxContext, { id, companyId }: FollowUp, { found, result, reviewId, pending }: Outcome): Promise<void> {
  const { status, confidence, issues } = result;
  const set = setTxOf(tx);
  await set.query(WRITE, [reviewId, companyId, id, status, decimalText(confidence), issues, pending]);
  await set.query('update load set review_flagged = $2::boolean where id = $1 and review_flagged <> $2::boolean', [
    id,
    status !== 'approved',
  ]);
  tx.tx.events.push({
    name: 'load.ai_reviewed',
    type: 'Load',
    id,
    companyId,
    payload: { status, confidence: decimalText(confidence), issues },
  });
  const note = {
    job: { id: found.jobId, companyId },
    state: found.jobState as JobState,
    eventName: 'LoadAiReviewed',
    loadId: id,
    author: BY_SYSTEM,
  } as const;
  await insertJobEvents(set, [note]);
}

/** Approves a load for billing as the administrators of its company would, because nothing was found. What somebody decided stays. */
async function approveReviewed(tx: TxContext, id: string, reviewId: string): Promise<void> {
  const load = await tx.em.findOneOrFail(Load, { id }, { filters: { tenant: false } });
  if (load.state !== 'completed' || isApproved(load, 'company_admin')) return;
  approve(tx, 'Load', load, 'company_admin', { reviewId });
  emitEvent(tx, 'load.approved', load, { approval_type: 'company_admin', company_id: load.company.id });
}
