import { setTimeout as sleep } from 'node:timers/promises';
import { Semaphore } from './semaphore.ts';
import { startSweeper } from './sweeper.ts';
import type { Waker } from './waker.ts';

export interface DrainOptions<J> {
  /** Jobs that may run at a time in this process. */
  slots: number;
  /** Jobs beyond which none should be claimed now, though slots are free; no such limit by default. */
  room?(): number;
  /** Takes at most `free` due jobs; none means that nothing is due now. */
  claim(free: number): Promise<J[]>;
  /** Whether more work may be due than these jobs, of which there is at least one; always by default. */
  more?(claimed: readonly J[]): boolean;
  /**
   * Least milliseconds from the beginning of one claim to that of the next one, none by default: jobs that end one after the other are followed by those that
   * one claim takes together.
   */
  rest?: number;
  /** Works one job to its end. What it throws is only reported: the job's lease decides what happens to it. */
  run(job: J): Promise<void>;
  /** Housekeeping before each look of the sweeper, such as taking back leases that ran out. */
  sweep(): Promise<void>;
  waker: Waker;
  /** Milliseconds between two looks without a wake. */
  sweepEvery: number;
  report(error: unknown, doing: 'claim' | 'run' | 'sweep'): void;
}

export interface Drainer {
  /** Looks for due work now, as a wake would. */
  look(): void;
  /** Does now what the sweeper would do later: its housekeeping, and a look. */
  sweep(): void;
  /** Resolves when this process neither claims nor runs anything. */
  idle(): Promise<void>;
  /** Claims nothing more, lets running jobs end, then resolves. */
  stop(): Promise<void>;
}

/**
 * Drains a table of due work: on a wake, and about every `sweepEvery` milliseconds because wakes get lost, claims as many jobs as
 * there are free slots until none is due. The table's claim statement is what keeps workers apart; this loop only keeps them busy.
 */
export function startDrainer<J>(options: DrainOptions<J>): Drainer {
  const semaphore = new Semaphore(options.slots);
  /** Until the look that follows each job, so that `idle` does not end between the two. */
  const running = new Set<Promise<void>>();
  let looking: Promise<void> | undefined;
  let again = false;
  let claimedAt = Number.NEGATIVE_INFINITY;
  let stopping = false;

  const freeNow = () => Math.min(semaphore.free, options.room?.() ?? semaphore.slots);

  const look = () => {
    if (stopping) return;
    if (looking) {
      again = true;
      return;
    }
    looking = pump()
      .catch((error) => options.report(error, 'claim'))
      .finally(() => {
        looking = undefined;
        if (again) {
          again = false;
          look();
        }
      });
  };

  const pump = async () => {
    for (;;) {
      const rest = claimedAt + (options.rest ?? 0) - performance.now();
      if (rest > 0) await sleep(rest);
      const free = freeNow();
      if (stopping || free <= 0) return;
      // Whoever has asked for a look by now is answered by this one.
      again = false;
      claimedAt = performance.now();
      const jobs = await options.claim(free);
      if (jobs.length === 0) return;
      for (const job of jobs) {
        const ended = semaphore
          .run(() => options.run(job))
          .catch((error) => options.report(error, 'run'))
          .finally(() => {
            running.delete(ended);
            look();
          });
        running.add(ended);
      }
      if (options.more?.(jobs) === false) return;
    }
  };

  const sweeper = startSweeper(
    options.sweepEvery,
    async () => {
      try {
        await options.sweep();
      } finally {
        // A fault of the housekeeping is no reason to leave due work.
        look();
      }
    },
    (error) => options.report(error, 'sweep'),
  );
  options.waker.listen(look);
  look();

  const idle = async () => {
    while (looking || running.size > 0) await Promise.all([looking, ...running]);
  };
  return {
    look,
    sweep: sweeper.now,
    idle,
    async stop() {
      stopping = true;
      await sweeper.stop();
      await idle();
    },
  };
}
