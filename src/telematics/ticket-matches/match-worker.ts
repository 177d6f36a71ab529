import type { EntityManager } from '@mikro-orm/postgresql';
import { noteJobEvent } from '../../dispatch/jobs/job-effects.ts';
import { lockJob } from '../../dispatch/jobs/lock-job.ts';
import type { FollowUp } from '../../platform/commands/follow-up-tasks.ts';
import { asSystem } from '../../platform/commands/system-context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { newId } from '../../platform/ids.ts';
import type { BackgroundWorkerOptions } from '../../platform/queue/background-worker.ts';
import type { Drainer } from '../../platform/queue/drainer.ts';
import { startLeaseQueue } from '../../platform/queue/lease-queue.ts';
import { tracing } from '../../platform/tracing/spans.ts';
import { workOf } from '../fences/fence-work.ts';
import { isRefusal, pressSteps } from '../fences/press-steps.ts';
import { decideMatch, type MatchDecision } from './decide-match.ts';
import { ticketsToMatch } from './match-tasks.ts';

/** Seconds after which a ticket is another process's to look at. */
const LEASE = 60;
/** Seconds until a look is tried again that failed, by tries made. */
const DELAYS = [5, 60, 600];

/** Notes in the background that a truck was loaded whose ticket came while it was at the pickup. */
export function startMatchWorker({ em, log, sweepEvery = 1_000 }: BackgroundWorkerOptions): Drainer {
  return startLeaseQueue<FollowUp>({
    name: 'ticket matches',
    tracing: tracing.of(em),
    slots: 2,
    lease: LEASE,
    claim: (most, seconds) => ticketsToMatch.claim(em, most, seconds),
    async work(task) {
      try {
        await match(em, task);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        // The job does not allow it, for a reason that nobody foresaw: nothing of it was written.
        await match(em, task, { skip: 'state' });
      }
      await ticketsToMatch.end(em, task);
    },
    delayAfter: (attempts) => DELAYS[attempts - 1],
    postpone: (task, seconds) => ticketsToMatch.postpone(em, task, seconds),
    giveUp: (task) => ticketsToMatch.end(em, task),
    failed: (error, { id, attempts }, again) => log.warn({ err: error, ticket: id, attempts, again }, 'a ticket was not matched'),
    sweepEvery,
    log,
  });
}

const TICKET =
  'select job_id as "jobId", load_id as "loadId", service_date as "servedAt" from ticket where id = $1 and load_id is not null';

function match(em: EntityManager, { id, companyId }: FollowUp, decided?: MatchDecision): Promise<void> {
  return asSystem(em, companyId, async (tx) => {
    const read = () => queryIn<{ jobId: string; loadId: string; servedAt: string | Date | null }>(tx.em, TICKET, [id]);
    const [seen] = await read();
    if (!seen) return;
    const job = await lockJob(tx, { id: seen.jobId, companyId: null }, () => undefined);
    const [ticket] = await read();
    const work = await workOf(tx, job, tx.tx.now);
    // It was taken off meanwhile, or the load has gone on: somebody was faster.
    if (ticket?.loadId !== work.loadId || work.job !== 'arrived_pickup') return;
    const servedAt = ticket?.servedAt ? new Date(ticket.servedAt).getTime() : null;
    const decision = decided ?? decideMatch(servedAt, tx.tx.now.getTime(), work);
    const cause = { ticket_id: id };
    if ('skip' in decision) {
      const payload = { ...cause, skip_reason: decision.skip };
      return noteJobEvent(tx, job, 'LoadUpdated', { source: 'ticket_match', loadId: work.loadId ?? undefined, payload });
    }
    const eventId = newId();
    await pressSteps(tx, job, { steps: ['load_material'], at: decision.at }, () => ({
      id: eventId,
      source: 'ticket_match',
      payload: { ...cause, match_id: eventId },
    }));
  });
}
