import { type Drainer, startDrainer } from './drainer.ts';
import { inProcessWaker } from './in-process-waker.ts';
import type { Waker } from './waker.ts';

/** Work that was claimed for a lease. */
export interface Leased {
  /** Tries, including this one. A try counts when it begins, so that work that takes its process down is not tried for ever. */
  attempts: number;
}

/** What the code that does the work has of its lease. */
export interface Lease {
  /** Aborted when the process stops. */
  signal: AbortSignal;
  /** Renews the lease, and may be called as often as the work makes progress. */
  renew(): Promise<void>;
}

export interface LeaseQueueOptions<J extends Leased> {
  /** Names the work in the log: `preview claim failed`. */
  name: string;
  /** Jobs at a time in this process. */
  slots: number;
  /** Seconds a process may be silent before its job is another one's. */
  lease: number;
  /** Claims at most `most` due jobs for `seconds` (`claimSql`). */
  claim(most: number, seconds: number): Promise<J[]>;
  /** Does one job, and notes that it is done. What it throws is a failure. */
  work(job: J, lease: Lease): Promise<void>;
  /** Seconds until a job is tried again that has failed so often; undefined gives it up. */
  delayAfter(attempts: number): number | undefined;
  /** Makes a job due again after `seconds`. @param error the failure; undefined if its lease is only renewed, or the process stops */
  postpone(job: J, seconds: number, error?: unknown): Promise<unknown>;
  /** Ends a job without a result. @param error the last failure; undefined if the process died at it */
  giveUp(job: J, error?: unknown): Promise<unknown>;
  /** Reports a failure. @param again seconds until the next try; undefined if the job is given up */
  failed(error: unknown, job: J, again: number | undefined): void;
  /** When a job is due again that the stop of its process has ended. Unless given, jobs do not watch the signal, and a failure is a failure. */
  whenStopped?: 'at once' | 'with its lease';
  /** Housekeeping before each look without a wake. */
  sweep?(): Promise<void>;
  /** Unless given, nobody is in a hurry: the looks of the sweeper are enough. */
  waker?: Waker;
  /** Milliseconds between two looks without a wake. */
  sweepEvery: number;
  log: { warn(fields: object, message: string): void };
}

/** Of a lease, how much may pass before `renew` writes. */
const RENEW_AFTER = 1 / 12;

/**
 * Works a table of jobs: each is claimed for a lease, done, and tried again after a while if it fails. A job whose process dies is due again
 * when its lease ends, and is given up when that happened too often. A stop does not wait for a job that watches its signal.
 */
export function startLeaseQueue<J extends Leased>(options: LeaseQueueOptions<J>): Drainer {
  const { name, lease, log } = options;
  const stopping = new AbortController();
  const { signal } = stopping;

  const run = async (job: J): Promise<void> => {
    // The processes that tried before have died: had they failed, the job would have been given up then.
    if (job.attempts > 1 && options.delayAfter(job.attempts - 1) === undefined) return void (await options.giveUp(job));
    try {
      await options.work(job, { signal, renew: renewalOf(job) });
    } catch (error) {
      if (signal.aborted && options.whenStopped) {
        if (options.whenStopped === 'at once') await options.postpone(job, 0);
        return;
      }
      const again = options.delayAfter(job.attempts);
      options.failed(error, job, again);
      if (again === undefined) await options.giveUp(job, error);
      else await options.postpone(job, again, error);
    }
  };

  const renewalOf = (job: J): Lease['renew'] => {
    let renewed = Date.now();
    return async () => {
      if (Date.now() - renewed < lease * RENEW_AFTER * 1000) return;
      renewed = Date.now();
      await options.postpone(job, lease);
    };
  };

  const drainer = startDrainer<J>({
    slots: options.slots,
    claim: (free) => options.claim(free, lease),
    run,
    // A lease that ran out makes its job due by itself.
    sweep: options.sweep ?? (async () => {}),
    waker: options.waker ?? inProcessWaker(),
    sweepEvery: options.sweepEvery,
    report: (error, doing) => log.warn({ err: error }, `${name} ${doing} failed`),
  });
  return {
    ...drainer,
    async stop() {
      stopping.abort();
      await drainer.stop();
    },
  };
}

/**
 * Returns the statement that claims due rows of a table, those first that have waited longest: `$1` of them at most, for `$2` seconds. Rows
 * that another process is claiming are left to it.
 * @param due the column with the time from which a row may be claimed; null in rows that are done
 */
export const claimSql = (table: string, columns: { due: string; attempts: string }, returning: string): string =>
  `update ${table} set ${columns.due} = now() + $2 * interval '1 second', ${columns.attempts} = ${columns.attempts} + 1
   where id = any (array(select id from ${table} where ${columns.due} <= now() order by ${columns.due} limit $1 for update skip locked))
   returning ${returning}`;
