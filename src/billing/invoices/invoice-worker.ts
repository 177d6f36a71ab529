import type { FollowUp, FollowUps } from '../../platform/commands/follow-up-tasks.ts';
import type { BackgroundWorkerOptions } from '../../platform/queue/background-worker.ts';
import type { Drainer } from '../../platform/queue/drainer.ts';
import { startLeaseQueue, startSetQueue } from '../../platform/queue/lease-queue.ts';
import { tracing } from '../../platform/tracing/spans.ts';
import { daysToCompare } from '../days/day-tasks.ts';
import { invoiceDay } from '../days/invoice-day.ts';
import { invoiceJobs } from './comparing/invoice-jobs.ts';
import { invoicesToCompare } from './invoice-tasks.ts';

/** Seconds after which a job is another process's to invoice. */
const LEASE = 60;
/** Jobs that are invoiced together: enough that statements cost little for each, and few enough that nobody waits long for one that is locked. */
const TOGETHER = 50;
/** Seconds until a job is tried again that failed, by tries made. */
const DELAYS = [2, 30, 300, 3_600];

/** Keeps the invoices of jobs and of driver days as the work is, in the background. */
export function startInvoiceWorker(options: BackgroundWorkerOptions): Drainer {
  const [jobs, days] = [startJobs(options), startDays(options)];
  return {
    look() {
      jobs.look();
      days.look();
    },
    sweep() {
      jobs.sweep();
      days.sweep();
    },
    async idle() {
      // Jobs ask for their days, and a day that begins or ends to be paid for its jobs, once.
      for (const queue of [jobs, days, jobs, days]) {
        queue.look();
        await queue.idle();
      }
    },
    stop: async () => void (await Promise.all([jobs.stop(), days.stop()])),
  };
}

function startJobs(options: BackgroundWorkerOptions): Drainer {
  const { em } = options;
  return startSetQueue<FollowUp>({
    ...queueOf('invoicing of jobs', invoicesToCompare, options),
    most: TOGETHER,
    claim: (most, seconds) => invoicesToCompare.claimSet(em, most, seconds),
    async work(tasks) {
      const failed = await invoiceJobs(em, tasks);
      await invoicesToCompare.end(em, ...tasks.filter((task) => !failed.has(task)));
      return failed;
    },
  });
}

function startDays(options: BackgroundWorkerOptions): Drainer {
  const { em } = options;
  return startLeaseQueue<FollowUp>({
    ...queueOf('invoicing of days', daysToCompare, options),
    slots: 1,
    claim: (most, seconds) => daysToCompare.claim(em, most, seconds),
    async work(task) {
      await invoiceDay(em, task);
      await daysToCompare.end(em, task);
    },
  });
}

const queueOf = (name: string, what: FollowUps, { em, log, sweepEvery = 500 }: BackgroundWorkerOptions) => ({
  name,
  tracing: tracing.of(em),
  lease: LEASE,
  delayAfter: (attempts: number) => DELAYS[attempts - 1],
  postpone: (task: FollowUp, seconds: number) => what.postpone(em, task, seconds),
  giveUp: (task: FollowUp) => what.putOff(em, task),
  failed: (error: unknown, { id, attempts }: FollowUp, again: number | undefined) =>
    log.warn({ err: error, record: id, attempts, again }, `${name} failed`),
  sweepEvery,
  log,
});
