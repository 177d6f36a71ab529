import type { MikroORM } from '@mikro-orm/postgresql';
import { startExportWorker } from '../billing/accounting/exports/export-worker.ts';
import { startAccountingWorker } from '../billing/accounting/import-worker.ts';
import { startFuelPriceWorker } from '../billing/fuel/sources/price-worker.ts';
import { startInvoiceWorker } from '../billing/invoices/invoice-worker.ts';
import { startBulkWorker } from '../dispatch/bulk/bulk-worker.ts';
import { bulkWaker } from '../dispatch/bulk/enqueue.ts';
import { startNotificationWorker } from '../dispatch/notifications/notification-worker.ts';
import { startWebhookWorker } from '../events/webhooks/webhook-worker.ts';
import { startPreviewWorker } from '../files/previews/preview-worker.ts';
import { ingestWaker } from '../ingest/wake.ts';
import { type IngestWorkerOptions, startIngestWorker } from '../ingest/worker.ts';
import type { Lifecycle } from '../platform/lifecycle.ts';
import type { Logger } from '../platform/log.ts';
import { type DeliveryOptions, startDeliveries } from '../platform/outgoing/deliver.ts';
import { startChaseWorker } from '../proof/chasing/chase-worker.ts';
import { startDownloadWorker } from '../proof/downloads/download-worker.ts';
import { type ReadingWorkerOptions, startReadingWorker } from '../proof/reading/reading-worker.ts';
import { startReviewWorker } from '../proof/review/review-worker.ts';
import { startListExportWorker } from '../reporting/exports/export-worker.ts';
import { startFleetWorker } from '../telematics/fleets/fleet-worker.ts';
import { positionWaker } from '../telematics/positions/position-tasks.ts';
import { startPositionWorker } from '../telematics/positions/position-worker.ts';
import { startMatchWorker } from '../telematics/ticket-matches/match-worker.ts';
import { importers } from './rooms.ts';
import { readerOf } from './serve.ts';

/** The workers of an application: each runs if it has options. `sweepEvery` and `every` are milliseconds between two looks without a wake. */
export interface WorkerOptions {
  bulkActions?: { sweepEvery?: number };
  imports?: Pick<IngestWorkerOptions, 'concurrency' | 'spare' | 'sweepEvery'>;
  downloads?: { sweepEvery?: number };
  fleets?: { sweepEvery?: number };
  accounting?: { sweepEvery?: number };
  accountingExports?: { sweepEvery?: number };
  /** Only with a source. */
  fuelPrices?: { sweepEvery?: number };
  listExports?: { sweepEvery?: number };
  positions?: { sweepEvery?: number };
  reviews?: { sweepEvery?: number };
  ticketMatches?: { sweepEvery?: number };
  chases?: { sweepEvery?: number };
  invoices?: { sweepEvery?: number };
  webhooks?: { sweepEvery?: number };
  notifications?: { sweepEvery?: number; remindEvery?: number };
  /** Only with a reader. */
  readings?: Pick<ReadingWorkerOptions, 'sweepEvery' | 'delays'>;
  previews?: { concurrency: number; sweepEvery?: number };
  deliveries?: Pick<DeliveryOptions, 'mailer' | 'texter' | 'pusher' | 'every'>;
}

/** A worker that runs. */
export interface Worker {
  /** Looks for due work now. */
  look?(): void;
  /** Does what it does now and then: its housekeeping, and a look. */
  sweep(): void;
  /** Resolves when it has nothing to do. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

interface Parts {
  orm: MikroORM;
  log: Logger;
}

/** Every worker of the product, in the order in which they start. */
const WORKERS: {
  [Kind in keyof WorkerOptions]-?: { name: string; start(parts: Parts, options: NonNullable<WorkerOptions[Kind]>): Worker };
} = {
  bulkActions: {
    name: 'worker of bulk actions',
    start: ({ orm: { em }, orm, log }, options) =>
      startBulkWorker({ em, log, readerFor: readerOf(orm), waker: bulkWaker.of(em), ...options }),
  },
  imports: {
    name: 'worker of imports',
    start: ({ orm: { em }, log }, options) => startIngestWorker({ em, log, importers, waker: ingestWaker.of(em), ...options }),
  },
  downloads: { name: 'worker of bulk downloads', start: ({ orm: { em }, log }, options) => startDownloadWorker({ em, log, ...options }) },
  fleets: { name: 'worker of telematics fleets', start: ({ orm: { em }, log }, options) => startFleetWorker({ em, log, ...options }) },
  accounting: {
    name: 'worker of accounting systems',
    start: ({ orm: { em }, log }, options) => startAccountingWorker({ em, log, ...options }),
  },
  accountingExports: {
    name: 'worker of accounting exports',
    start: ({ orm: { em }, log }, options) => startExportWorker({ em, log, ...options }),
  },
  fuelPrices: {
    name: 'worker of fuel prices',
    start: ({ orm: { em }, log }, options) => startFuelPriceWorker({ em, log, ...options }),
  },
  listExports: {
    name: 'worker of list exports',
    start: ({ orm: { em }, log }, options) => startListExportWorker({ em, log, ...options }),
  },
  positions: {
    name: 'worker of positions',
    start: ({ orm: { em }, log }, options) => startPositionWorker({ em, log, waker: positionWaker.of(em), ...options }),
  },
  readings: { name: 'worker of readings', start: ({ orm: { em }, log }, options) => startReadingWorker({ em, log, ...options }) },
  reviews: { name: 'worker of reviews', start: ({ orm: { em }, log }, options) => startReviewWorker({ em, log, ...options }) },
  ticketMatches: {
    name: 'worker of ticket matches',
    start: ({ orm: { em }, log }, options) => startMatchWorker({ em, log, ...options }),
  },
  chases: { name: 'worker of chases', start: ({ orm: { em }, log }, options) => startChaseWorker({ em, log, ...options }) },
  invoices: { name: 'worker of invoices', start: ({ orm: { em }, log }, options) => startInvoiceWorker({ em, log, ...options }) },
  webhooks: { name: 'worker of webhooks', start: ({ orm: { em }, log }, options) => startWebhookWorker({ em, log, ...options }) },
  notifications: {
    name: 'worker of notifications',
    start: ({ orm: { em }, log }, options) => startNotificationWorker({ em, log, ...options }),
  },
  previews: { name: 'worker of previews', start: ({ orm: { em }, log }, options) => startPreviewWorker({ em, log, ...options }) },
  deliveries: { name: 'deliveries', start: ({ orm: { em }, log }, options) => startDeliveries({ em, log, ...options }) },
};

/** The workers that run. */
export type Workers = { readonly [Kind in keyof WorkerOptions]?: Worker };

/** Starts the workers that have options. */
export async function startWorkers(parts: Parts, life: Lifecycle, options: WorkerOptions): Promise<Workers> {
  const workers: { -readonly [Kind in keyof Workers]: Worker } = {};
  for (const kind of Object.keys(WORKERS) as (keyof WorkerOptions)[]) {
    const { name, start } = WORKERS[kind];
    const chosen = options[kind];
    if (!chosen) continue;
    workers[kind] = await life.open(
      name,
      () => start(parts, chosen as never),
      (worker) => worker.stop(),
    );
  }
  return workers;
}
