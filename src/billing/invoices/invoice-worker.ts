import type { EntityManager } from '@mikro-orm/postgresql';
import type { Drainer } from '../../platform/queue/drainer.ts';
import { startLeaseQueue } from '../../platform/queue/lease-queue.ts';
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

/** Keeps the invoices of jobs as the work is, in the background. */
export function startInvoiceWorker({ em, log, sweepEvery = 500 }: InvoiceWorkerOptions): Drainer {
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
