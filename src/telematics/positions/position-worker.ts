import type { EntityManager } from '@mikro-orm/postgresql';
import { asCompanies } from '../../platform/database/scope.ts';
import type { Drainer } from '../../platform/queue/drainer.ts';
import { startLeaseQueue } from '../../platform/queue/lease-queue.ts';
import type { Waker } from '../../platform/queue/waker.ts';
import { tracing } from '../../platform/tracing/spans.ts';
import { POSITION_FOLLOWERS } from './position-followers.ts';
import { type ClaimedPositions, claimPositions, endPositions, postponePositions } from './position-tasks.ts';

export interface PositionWorkerOptions {
  em: EntityManager;
  log: { warn(fields: object, message: string): void };
  waker: Waker;
  /** Milliseconds between two looks; 500 by default. */
  sweepEvery?: number;
}

/** Seconds after which an asset is another process's. */
const LEASE = 120;
/** Milliseconds within which a task is looked for at once when positions came. */
const SOON = 1_000;
/** Seconds until a task is tried again that failed, by tries made. */
const DELAYS = [2, 30, 300, 3_600];

/**
 * Starts the worker of what follows from positions: one task for each asset and follower, which new positions join while it waits. If a
 * process dies, its lease ends and another does the task again. A task that keeps failing is given up; the next position begins a new one.
 * Each follower has slots of its own, so that crossings of geofences do not wait until whole shifts are measured.
 */
export function startPositionWorker({ em, log, waker, sweepEvery = 500 }: PositionWorkerOptions): Drainer {
  const queues = POSITION_FOLLOWERS.map(({ kind, delay, slots, work }) =>
    startLeaseQueue<ClaimedPositions>({
      name: `positions (${kind})`,
      tracing: tracing.of(em),
      slots,
      lease: LEASE,
      claim: (most, seconds) => claimPositions(em, kind, most, seconds),
      async work(task, lease) {
        await asCompanies([task.companyId], () => work(em, task, lease));
        await endPositions(em, task, delay);
      },
      delayAfter: (attempts) => DELAYS[attempts - 1],
      postpone: (task, seconds) => postponePositions(em, task, seconds),
      giveUp: (task) => endPositions(em, task, delay),
      failed: (error, { assetId, attempts }, again) =>
        log.warn({ err: error, asset: assetId, kind, attempts, again }, 'what follows from positions failed'),
      sweepEvery,
      log,
    }),
  );
  const look = () => {
    for (const queue of queues) queue.look();
  };
  // What is due minutes later is found by the sweep.
  const prompt = queues.filter((_, i) => POSITION_FOLLOWERS[i]!.delay < SOON);
  waker.listen(() => {
    for (const queue of prompt) queue.look();
  });
  return {
    look,
    async idle() {
      await Promise.all(queues.map((queue) => queue.idle()));
    },
    async stop() {
      await Promise.all(queues.map((queue) => queue.stop()));
    },
  };
}
