import { failSpan, inTask, type Origin, type Tracing } from '../tracing/spans.ts';
import { type Drainer, type DrainOptions, startDrainer } from './drainer.ts';
import { inProcessWaker } from './in-process-waker.ts';
import type { Waker } from './waker.ts';

/** Work that was claimed for a lease. What it has of where it comes from is in its span. */
export interface Leased extends Pick<Origin, 'requestId' | 'companyId' | 'traceParent'> {
  /** Tries, including this one. A try counts when it begins, so that work that takes its process down is not tried for ever. */
  attempts: number;
}

/** The lease, for the code that does the work. */
export interface Lease {
  /** Aborted when the process stops. */
  signal: AbortSignal;
  /** Renews the lease, and may be called as often as the work makes progress. */
  renew(): Promise<void>;
}

/** The options of a queue of work under leases, however it is done. */
interface Leasing<J extends Leased> {
  /** Names the work in the log: `preview claim failed`. */
  name: string;
  /** Gives each job, or set of jobs, a span; undefined gives none. */
  tracing: Tracing | undefined;
  /** Seconds a process may be silent before its job is another one's. */
  lease: number;
  /** Claims at most `most` due jobs for `seconds` (`claimSql`). */
  claim(most: number, seconds: number): Promise<J[]>;
  /** Seconds until a job is tried again that has failed so often; undefined gives it up. */
  delayAfter(attempts: number): number | undefined;
  /** Makes a job due again after `seconds`. @param error the failure; undefined if its lease is only renewed, or the process stops */
  postpone(job: J, seconds: number, error?: unknown): Promise<unknown>;
  /** Ends a job without a result. @param error the last failure; undefined if the process died at it */
  giveUp(job: J, error?: unknown): Promise<unknown>;
  /** Reports a failure. @param again seconds until the next try; undefined if the job is given up */
  failed(error: unknown, job: J, again: number | undefined): void;
  /** Housekeeping before each look without a wake. */
  sweep?(): Promise<void>;
  /** Unless given, nobody is in a hurry: the looks of the sweeper are enough. */
  waker?: Waker;
  /** Milliseconds between two looks without a wake. */
  sweepEvery: number;
  log: { warn(fields: object, message: string): void };
}

export interface LeaseQueueOptions<J extends Leased> extends Leasing<J> {
  /** Jobs at a time in this process. */
  slots: number;
  /** Whether more may be due than was claimed, of which there is at least one; always by default. */
  more?(claimed: readonly J[]): boolean;
  /** Least milliseconds between two claims (`DrainOptions`). */
  rest?: number;
  /** Does one job, and notes that it is done. What it throws is a failure. */
  work(job: J, lease: Lease): Promise<void>;
  /** When a job is due again that the stop of its process has ended. Unless given, jobs do not watch the signal, and a failure is a failure. */
  whenStopped?: 'at once' | 'with its lease';
}

export interface SetQueueOptions<J extends Leased> extends Leasing<J> {
  /** Jobs that are claimed and done together at most. */
  most: number;
  /** Sets at a time in this process; one by default. */
  slots?: number;
  /**
   * Claims only when it is asked to look or sweeps, and not whenever a set is done, unless the last claim took all that it may: what comes meanwhile
   * is claimed together. For queues that `look` is called for.
   */
  gathers?: boolean;
  /** Does some jobs, and notes of each that it is done. @returns why jobs failed; what it throws is a failure of all */
  work(jobs: readonly J[]): Promise<Map<J, unknown>>;
}

/** Of a lease, how much may pass before `renew` writes. */
const RENEW_AFTER = 1 / 12;

/**
 * Works a table of jobs: each is claimed for a lease, done, and tried again after a while if it fails. A job whose process dies is due again
 * when its lease ends, and is given up when that happened too often. A stop does not wait for a job that watches its signal.
 */
export function startLeaseQueue<J extends Leased>(options: LeaseQueueOptions<J>): Drainer {
  const { slots, lease, more, rest } = options;
  const stopping = new AbortController();
  const { signal } = stopping;

  const run = async (job: J): Promise<void> => {
    if (isSpent(options, job)) return void (await options.giveUp(job));
    try {
      await options.work(job, { signal, renew: renewalOf(job) });
    } catch (error) {
      if (signal.aborted && options.whenStopped) {
        if (options.whenStopped === 'at once') await options.postpone(job, 0);
        return;
      }
      await endFailed(options, job, error);
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

  const drainer = drain<J>(options, {
    ...{ slots, more, rest },
    claim: (free) => options.claim(free, lease),
    run,
    from: (job) => job,
    about: ({ attempts }) => ({ 'haulgate.task.attempt': attempts }),
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
 * The same for jobs that are done together: many are claimed at once, and one that fails is tried again without the others. Claim with `claimSetSql`, so
 * that a job which takes its process down does so alone the next time.
 */
export function startSetQueue<J extends Leased>(options: SetQueueOptions<J>): Drainer {
  const { most, slots = 1, lease, gathers = false } = options;
  /** Whether more may be due than was claimed, and was not looked for. */
  let asked = true;

  const run = async (claimed: readonly J[]): Promise<void> => {
    const jobs: J[] = [];
    for (const job of claimed) {
      if (isSpent(options, job)) await options.giveUp(job);
      else jobs.push(job);
    }
    if (jobs.length === 0) return;
    const all = (error: unknown) => new Map(jobs.map((job) => [job, error]));
    for (const [job, error] of await options.work(jobs).catch(all)) await endFailed(options, job, error);
  };

  const sweep = async () => {
    asked = true;
    await options.sweep?.();
  };
  const drainer = drain<readonly J[]>(
    { ...options, sweep },
    {
      slots,
      claim: async () => {
        if (gathers && !asked) return [];
        asked = false;
        const jobs = await options.claim(most, lease);
        // One that was tried before is claimed alone.
        if (jobs.length >= most || jobs.some(({ attempts }) => attempts > 1)) asked = true;
        return jobs.length > 0 ? [jobs] : [];
      },
      run,
      // Each was asked for by others.
      from: () => ({}),
      about: ({ length }) => ({ 'haulgate.task.jobs': length }),
    },
  );
  return {
    ...drainer,
    look() {
      asked = true;
      drainer.look();
    },
  };
}

/** True if the processes that tried before have died: had they failed, the job would have been given up then. */
const isSpent = <J extends Leased>({ delayAfter }: Leasing<J>, { attempts }: J): boolean =>
  attempts > 1 && delayAfter(attempts - 1) === undefined;

async function endFailed<J extends Leased>(options: Leasing<J>, job: J, error: unknown): Promise<void> {
  const again = options.delayAfter(job.attempts);
  failSpan(error);
  options.failed(error, job, again);
  if (again === undefined) await options.giveUp(job, error);
  else await options.postpone(job, again, error);
}

/** Options of draining a queue, and the attributes of its spans. */
interface Draining<W> extends Pick<DrainOptions<W>, 'slots' | 'claim' | 'run' | 'more' | 'rest'> {
  from(work: W): Origin;
  about(work: W): Record<string, number>;
}

const drain = <W>(
  { name, tracing, sweep, waker, sweepEvery, log }: Pick<Leasing<Leased>, 'name' | 'tracing' | 'sweep' | 'waker' | 'sweepEvery' | 'log'>,
  { from, about, run, ...how }: Draining<W>,
): Drainer =>
  startDrainer<W>({
    ...how,
    run: (work) => {
      const attributes = () => ({ attributes: { 'haulgate.task': name, ...about(work) } });
      return inTask(tracing, `task ${name}`, from(work), attributes, () => run(work));
    },
    // A lease that ran out makes its job due by itself.
    sweep: sweep ?? (async () => {}),
    waker: waker ?? inProcessWaker(),
    sweepEvery,
    report: (error, doing) => log.warn({ err: error }, `${name} ${doing} failed`),
  });

/** The columns of a table that a claim reads and writes. */
interface Claimed {
  due: string;
  attempts: string;
  /** A condition of the jobs that are meant. */
  only?: string;
  /** Further assignments to what is claimed. */
  also?: string;
}

/**
 * Returns the statement that claims due rows of a table, those first that have waited longest: `$1` of them at most, for `$2` seconds. Rows
 * that another process is claiming are left to it.
 * @param due the column with the time from which a row may be claimed; null in rows that are done
 */
export const claimSql = (table: string, { due, attempts, only = 'true', also }: Claimed, returning: string): string =>
  `update ${table} set ${due} = now() + $2 * interval '1 second', ${attempts} = ${attempts} + 1${also ? `, ${also}` : ''}
   where id = any (array(select id from ${table} where ${due} <= now() and ${only} order by ${due} limit $1 for update skip locked))
   returning ${returning}`;

/**
 * The same for jobs that are done together: those that nobody has tried yet, or else the one tried job that has waited longest, alone. `$1` and `$2`
 * are those of `claimSql`.
 */
export const claimSetSql = (table: string, { due, attempts, only = 'true', also }: Claimed, returning: string): string =>
  `with due as materialized (select id, ${attempts} as tries, ${due} as since from ${table} where ${due} <= now() and ${only}
       order by ${due} limit $1 for update skip locked),
     tried as (select id from due where tries > 0 order by since limit 1)
   update ${table} set ${due} = now() + $2 * interval '1 second', ${attempts} = ${attempts} + 1${also ? `, ${also}` : ''}
   where id = any (array(select id from tried union all select id from due where not exists (select from tried)))
   returning ${returning}`;
