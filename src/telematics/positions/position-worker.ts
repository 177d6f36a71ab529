import { asCompanies } from '../../platform/database/scope.ts';
import type { BackgroundWorkerOptions } from '../../platform/queue/background-worker.ts';
import type { Drainer } from '../../platform/queue/drainer.ts';
import { startLeaseQueue, startSetQueue } from '../../platform/queue/lease-queue.ts';
import { paced } from '../../platform/queue/paced.ts';
import type { Waker } from '../../platform/queue/waker.ts';
import { tracing } from '../../platform/tracing/spans.ts';
import type { PositionFollower, PositionSetFollower } from './position-follower.ts';
import { POSITION_FOLLOWERS } from './position-followers.ts';
import { type ClaimedPositions, claimPositions, claimSetOfPositions, endPositions, postponePositions } from './position-tasks.ts';

export interface PositionWorkerOptions extends BackgroundWorkerOptions {
  waker: Waker;
}

/** Seconds after which an asset is another process's. */
const LEASE = 120;
/** Milliseconds within which a task is looked for as soon as it is due when positions came. */
const SOON = 1_000;
/** Seconds until a task is tried again that failed, by tries made. */
const DELAYS = [2, 30, 300, 3_600];

/**
 * Starts the worker of what follows from positions: one task for each asset and follower, which new positions join while it waits. If a
 * process dies, its lease ends and another does the task again. A task that keeps failing is given up; the next position begins a new one.
 * Each follower has a queue of its own, so that crossings of geofences do not wait until whole shifts are measured.
 */
export function startPositionWorker(options: PositionWorkerOptions): Drainer {
  const queues = POSITION_FOLLOWERS.map((follower) => startFollowing(follower, options));
  const look = () => {
    for (const queue of queues) queue.look();
  };
  // A task that is due minutes later is found by the sweep. A look when positions come would be too early for them, and there are hundreds in a second.
  const prompt = queues.flatMap((queue, i) => {
    const { delay } = POSITION_FOLLOWERS[i]!;
    return delay < SOON ? paced(delay, queue.look) : [];
  });
  options.waker.listen(() => {
    for (const one of prompt) one.ask();
  });
  return {
    look,
    sweep() {
      for (const queue of queues) queue.sweep();
    },
    async idle() {
      await Promise.all(queues.map((queue) => queue.idle()));
    },
    async stop() {
      for (const one of prompt) one.stop();
      await Promise.all(queues.map((queue) => queue.stop()));
    },
  };
}

function startFollowing(follower: PositionFollower | PositionSetFollower, { em, log, sweepEvery = 500 }: PositionWorkerOptions): Drainer {
  const { kind, delay } = follower;
  const queue = {
    ...{ name: `positions (${kind})`, tracing: tracing.of(em), lease: LEASE, sweepEvery, log },
    delayAfter: (attempts: number) => DELAYS[attempts - 1],
    postpone: (task: ClaimedPositions, seconds: number) => postponePositions(em, task, seconds),
    giveUp: (task: ClaimedPositions) => endPositions(em, [task], delay),
    failed: (error: unknown, { assetId, attempts }: ClaimedPositions, again: number | undefined) =>
      log.warn({ err: error, asset: assetId, kind, attempts, again }, 'what follows from positions failed'),
  };
  if ('most' in follower)
    return startSetQueue<ClaimedPositions>({
      ...queue,
      ...{ most: follower.most, slots: follower.slots, gathers: true },
      claim: (most, seconds) => claimSetOfPositions(em, kind, most, seconds),
      work: (tasks) => follower.workTogether(em, tasks, (done) => endPositions(em, done, delay)),
    });
  return startLeaseQueue<ClaimedPositions>({
    ...queue,
    slots: follower.slots,
    claim: (most, seconds) => claimPositions(em, kind, most, seconds),
    async work(task, lease) {
      await asCompanies([task.companyId], () => follower.work(em, task, lease));
      await endPositions(em, [task], delay);
    },
  });
}
