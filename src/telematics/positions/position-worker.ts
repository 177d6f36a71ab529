import type { EntityManager } from '@mikro-orm/postgresql';
import { asCompanies } from '../../platform/database/scope.ts';
import type { Drainer } from '../../platform/queue/drainer.ts';
import { startLeaseQueue } from '../../platform/queue/lease-queue.ts';
import type { Waker } from '../../platform/queue/waker.ts';
import { POSITION_FOLLOWERS } from './position-followers.ts';
import { type ClaimedPositions, claimPositions, endPositions, postponePositions } from './position-tasks.ts';

export interface PositionWorkerOptions {
  em: EntityManager;
  log: { warn(fields: object, message: string): void };
  waker: Waker;
  /** Milliseconds between two looks; 500 by default. */
  sweepEvery?: number;
}

/** Assets at a time. */
const SLOTS = 2;
/** Seconds after which an asset is another process's. */
const LEASE = 120;
/** Seconds until a task is tried again that failed, by tries made. */
const DELAYS = [2, 30, 300, 3_600];

const FOLLOWERS = new Map(POSITION_FOLLOWERS.map((one) => [one.kind, one]));

/**
 * Starts the worker of what follows from positions: one task for each asset and follower, which new positions join while it waits. If a
 * process dies, its lease ends and another does the task again. A task that keeps failing is given up; the next position begins a new one.
 */
export function startPositionWorker({ em, log, waker, sweepEvery = 500 }: PositionWorkerOptions): Drainer {
  const delayOf = ({ kind }: ClaimedPositions) => FOLLOWERS.get(kind)?.delay ?? 0;
  return startLeaseQueue<ClaimedPositions>({
    name: 'positions',
    slots: SLOTS,
    lease: LEASE,
    claim: (most, seconds) => claimPositions(em, most, seconds),
    async work(task, lease) {
      await asCompanies([task.companyId], async () => FOLLOWERS.get(task.kind)?.work(em, task, lease));
      await endPositions(em, task, delayOf(task));
    },
    delayAfter: (attempts) => DELAYS[attempts - 1],
    postpone: (task, seconds) => postponePositions(em, task, seconds),
    giveUp: (task) => endPositions(em, task, delayOf(task)),
    failed: (error, { assetId, kind, attempts }, again) =>
      log.warn({ err: error, asset: assetId, kind, attempts, again }, 'what follows from positions failed'),
    waker,
    sweepEvery,
    log,
  });
}
