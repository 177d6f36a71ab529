import type { EntityManager } from '@mikro-orm/postgresql';
import type { Drainer } from '../../platform/queue/drainer.ts';
import { startLeaseQueue } from '../../platform/queue/lease-queue.ts';
import { claimDays, type DayInvoiceTask, endDay, postponeDay, putOffDay } from '../days/day-tasks.ts';
import { invoiceDay } from '../days/invoice-day.ts';
import { invoiceJob } from './invoice-job.ts';
import { claimInvoicing, endInvoicing, type InvoiceTask, postponeInvoicing, putOffInvoicing } from './invoice-tasks.ts';

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
  const [jobs, days] = [startJobs(options), startDays(options)];
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

function startDays({ em, log, sweepEvery = 500 }: InvoiceWorkerOptions): Drainer {
  return startLeaseQueue<DayInvoiceTask>({
    name: 'invoicing of days',
    slots: 1,
    lease: LEASE,
    claim: (most, seconds) => claimDays(em, most, seconds),
    async work(task) {
      await invoiceDay(em, task);
      await endDay(em, task);
    },
    delayAfter: (attempts) => DELAYS[attempts - 1],
    postpone: (task, seconds) => postponeDay(em, task, seconds),
    giveUp: (task) => putOffDay(em, task),
    failed: (error, { id, attempts }, again) => log.warn({ err: error, driverDay: id, attempts, again }, 'the payable of a day failed'),
    sweepEvery,
    log,
  });
}

function startJobs({ em, log, sweepEvery = 500 }: InvoiceWorkerOptions): Drainer {
  return startLeaseQueue<InvoiceTask>({
    name: 'invoicing',
    slots: 1,
    lease: LEASE,
    claim: (most, seconds) => claimInvoicing(em, most, seconds),
    async work(task) {
      await invoiceJob(em, task);
      await endInvoicing(em, task);
    },
    delayAfter: (attempts) => DELAYS[attempts - 1],
    postpone: (task, seconds) => postponeInvoicing(em, task, seconds),
    giveUp: (task) => putOffInvoicing(em, task),
    failed: (error, { id, attempts }, again) => log.warn({ err: error, job: id, attempts, again }, 'the invoices of a job failed'),
    sweepEvery,
    log,
  });
}
