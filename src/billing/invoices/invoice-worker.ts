import type { EntityManager } from '@mikro-orm/postgresql';
import type { FollowUp, FollowUps } from '../../platform/commands/follow-up-tasks.ts';
import type { Drainer } from '../../platform/queue/drainer.ts';
import { startLeaseQueue } from '../../platform/queue/lease-queue.ts';
import { daysToCompare } from '../days/day-tasks.ts';
import { invoiceDay } from '../days/invoice-day.ts';
import { invoiceJob } from './invoice-job.ts';
import { invoicesToCompare } from './invoice-tasks.ts';

export interface InvoiceWorkerOptions {
  em: EntityManager;
  log: { warn(fields: object, message: string): void };
  /** Milliseconds between two looks; 500 by default. */
  sweepEvery?: number;
}

/** Seconds after which a job is another process's to invoice. */
const LEASE = 60;
/** Seconds until a job is tried again that failed, by tries made. */
const DELAYS = [2, 30, 300, 3_600];

/** Keeps the invoices of jobs and of driver days as the work is, in the background. */
export function startInvoiceWorker(options: InvoiceWorkerOptions): Drainer {
  const [jobs, days] = [start(JOBS, options), start(DAYS, options)];
  return {
    look() {
      jobs.look();
      days.look();
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

interface Kept {
  /** Names the work in the log. */
  name: string;
  what: FollowUps;
  work(em: EntityManager, task: FollowUp): Promise<void>;
}
const JOBS: Kept = { name: 'invoicing of jobs', what: invoicesToCompare, work: invoiceJob };
const DAYS: Kept = { name: 'invoicing of days', what: daysToCompare, work: invoiceDay };

function start({ name, what, work }: Kept, { em, log, sweepEvery = 500 }: InvoiceWorkerOptions): Drainer {
  return startLeaseQueue<FollowUp>({
    name,
    slots: 1,
    lease: LEASE,
    claim: (most, seconds) => what.claim(em, most, seconds),
    async work(task) {
      await work(em, task);
      await what.end(em, task);
    },
    delayAfter: (attempts) => DELAYS[attempts - 1],
    postpone: (task, seconds) => what.postpone(em, task, seconds),
    giveUp: (task) => what.putOff(em, task),
    failed: (error, { id, attempts }, again) => log.warn({ err: error, record: id, attempts, again }, `${name} failed`),
    sweepEvery,
    log,
  });
}
