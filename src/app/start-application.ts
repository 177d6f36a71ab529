import { createSecretKey } from 'node:crypto';
import type { MikroORM } from '@mikro-orm/postgresql';
import { ACCOUNTING_TIMEOUT, accountingSettings } from '../billing/accounting/settings.ts';
import { type FuelPriceSource, fuelPriceSource } from '../billing/fuel/sources/fuel-price-source.ts';
import { supplementsOfWork } from '../billing/invoices/parts/supplement-invoice.ts';
import { matchMeasuredLoads } from '../billing/matching/match-measured.ts';
import { type DemoBilling, startDemoBilling } from '../demo/billing/start-billing.ts';
import { type DemoAccess, seedDemo, seedSandbox } from '../demo/seed.ts';
import { geocoder } from '../directory/contacts/geocoded-addresses.ts';
import { bulkWaker } from '../dispatch/bulk/enqueue.ts';
import { measuredLoads } from '../dispatch/checks/measured-loads.ts';
import { supplements } from '../dispatch/checks/supplements.ts';
import { type Routing, routing } from '../dispatch/orders/estimates/route-estimate.ts';
import { readableRecords } from '../events/changes/readable-records.ts';
import { recordDocuments } from '../events/webhooks/record-documents.ts';
import { WEBHOOK_TIMEOUT, webhookSettings } from '../events/webhooks/settings.ts';
import { uploadSecrets } from '../files/signed-ids.ts';
import { type IdentitySettings, identitySettings } from '../identity/settings.ts';
import { sharedSecrets } from '../identity/tokens/sealing.ts';
import { observeLedger } from '../ingest/metrics.ts';
import { ingestWaker } from '../ingest/wake.ts';
import { type Application, applicationOf } from '../platform/application.ts';
import { readReplicas } from '../platform/database/replicas/open-replicas.ts';
import type { Replicas } from '../platform/database/replicas/replicas.ts';
import { poolOf } from '../platform/database/sql.ts';
import type { Geocoder } from '../platform/geocoding.ts';
import { observePool } from '../platform/http/health.ts';
import type { RemoteSettings } from '../platform/http/remote.ts';
import { observeReplicas } from '../platform/http/replica-figures.ts';
import { smsSecret } from '../platform/http/sms-endpoint.ts';
import type { Lifecycle } from '../platform/lifecycle.ts';
import type { Logger } from '../platform/log.ts';
import { publicUrl } from '../platform/public-url.ts';
import { tasksWaker } from '../platform/queue/tasks-waker.ts';
import type { Waker } from '../platform/queue/waker.ts';
import { cursorSecrets } from '../platform/read/cursor.ts';
import { type ArchiveSettings, archiveSettings, NO_ARCHIVES } from '../platform/storage/archive-settings.ts';
import { incomingFolder, openIncoming } from '../platform/storage/incoming.ts';
import { type FileStorage, fileStorage } from '../platform/storage/storage.ts';
import { type Tracing, tracing } from '../platform/tracing/spans.ts';
import { type TicketReader, ticketReader } from '../proof/reading/ticket-reader.ts';
import { reviewMeasuredLoads } from '../proof/review/review-tasks.ts';
import { exportedLists } from '../reporting/exports/exported-lists.ts';
import { reportingAddress, reportingTrusted } from '../reporting/logins/settings.ts';
import { sandboxSeed } from '../sandbox/sandbox-seed.ts';
import { PROVIDER_TIMEOUT, telematicsSettings } from '../telematics/fleets/settings.ts';
import { positionWaker } from '../telematics/positions/position-tasks.ts';
import { exportedListsOf } from './exported-lists.ts';
import { startLookOut } from './look-out.ts';
import { nameAddress } from './name-address.ts';
import { observeQueues } from './queues.ts';
import { readableRecordsOf } from './readable-records.ts';
import { documentsOfRecords } from './record-documents.ts';
import { type ServeOptions, serve } from './serve.ts';
import { rotateKeys, startSweepers } from './sweepers.ts';
import { startWorkers, type WorkerOptions, type Workers } from './workers.ts';

export interface ApplicationOptions {
  /** The migrated database. */
  orm: MikroORM;
  /** The replicas that may answer reads; none by default. */
  replicas?: Replicas;
  log: Logger;
  /** Closes in reverse order what is opened here. */
  life: Lifecycle;
  identity: Readonly<IdentitySettings>;
  /** The address under which clients reach it, without a slash at its end, by the port on which it listens. */
  publicUrl(port: number): string;
  /** By default, providers of telematics are on public addresses. */
  telematics?: Readonly<RemoteSettings>;
  /** By default, accounting systems are on public addresses. */
  accounting?: Readonly<RemoteSettings>;
  /** By default, endpoints of webhooks are on public addresses. */
  webhooks?: Readonly<RemoteSettings>;
  /** Root of the package, which contains `schema/`. */
  root: string;
  /** Where files are kept. */
  storage: FileStorage;
  /** The settings of the tables whose old rows leave the database for the storage; nothing by default. */
  archives?: ArchiveSettings;
  /** The folder for files that arrive; it is made if it is missing. */
  incoming: string;
  /** Without one, new sites with only an address stay unroutable. */
  geocoder?: Geocoder;
  routing?: Routing;
  /** Without one, people enter what fuel costs. */
  fuelPrices?: FuelPriceSource;
  /** Queues that no worker of the deployment empties, so that nothing is said of them. */
  unworkedQueues?: readonly string[];
  /** Without one, no picture of a ticket is read. */
  reader?: TicketReader;
  /** Signs what the SMS service reports. Without one, it may report nothing. */
  smsSecret?: string;
  /** Gives requests, statements and work in the background spans; none by default. */
  tracing?: Tracing;
  /** Where BI tools reach PostgreSQL. Without it, companies ask who runs the installation. */
  reportingAddress?: { host: string; port: number };
  /** Makes logins for BI tools although they could fill the disk. */
  reportingTrusted?: boolean;
  /** Opens the waker of a queue, which all processes of the product share. */
  openWaker(queue: string): Waker | Promise<Waker>;
  /** Makes the demo company, unless it is there. */
  demo?: boolean;
  workers?: WorkerOptions;
  /** Milliseconds between two looks for due work of all workers at once. Without it, each worker looks for its own. */
  lookEvery?: number;
  /** Deletes what has expired, and rotates keys. `own`: what processes do that only answer requests. Nothing by default. */
  sweepers?: 'own' | 'all';
  /** Answers HTTP; it does not by default. */
  web?: Omit<ServeOptions, 'orm' | 'log'>;
  /** The port of addresses before it listens, and where it does not. */
  port: number;
}

export interface RunningApplication {
  application: Application;
  workers: Workers;
  /** The port on which it listens; undefined without `web`. */
  port?: number;
  url: string;
  /** The credentials of the demo company; undefined if it was there before. */
  demo?: Omit<DemoAccess, 'base_url'>;
  /** Where invoices are kept: the demo's work is being billed. */
  demoBilling?: DemoBilling;
}

/**
 * Starts an application on its database: settings and services, demo, workers, sweepers, and the web last. The product and the tests start
 * theirs here, so that both have the same parts.
 */
export async function startApplication(options: ApplicationOptions): Promise<RunningApplication> {
  const { orm, log, life } = options;
  const application = applicationOf(orm.em);
  application
    .provide(readReplicas, options.replicas)
    .provide(identitySettings, options.identity)
    .provide(telematicsSettings, options.telematics ?? { privateHosts: false, timeout: PROVIDER_TIMEOUT })
    .provide(accountingSettings, options.accounting ?? { privateHosts: false, timeout: ACCOUNTING_TIMEOUT })
    .provide(webhookSettings, options.webhooks ?? { privateHosts: false, timeout: WEBHOOK_TIMEOUT })
    .provide(recordDocuments, documentsOfRecords(orm, options.root, options.web?.checked))
    .provide(readableRecords, readableRecordsOf(orm, options.root, options.web?.checked))
    .provide(exportedLists, exportedListsOf(orm, options.root, options.web?.checked))
    .provide(publicUrl, options.publicUrl(options.port))
    .provide(fileStorage, options.storage)
    .provide(archiveSettings, options.archives ?? NO_ARCHIVES)
    .provide(incomingFolder, await openIncoming(options.incoming))
    .provide(geocoder, options.geocoder)
    .provide(routing, options.routing ?? {})
    .provide(ticketReader, options.reader)
    .provide(fuelPriceSource, options.fuelPrices)
    .provide(smsSecret, options.smsSecret)
    .provide(reportingAddress, options.reportingAddress)
    .provide(reportingTrusted, options.reportingTrusted ?? false)
    .provide(tracing, options.tracing)
    .provide(sandboxSeed, seedSandbox)
    .provide(supplements, supplementsOfWork)
    .provide(measuredLoads, [matchMeasuredLoads, reviewMeasuredLoads]);
  await shareSecrets(orm, application);
  const pool = await poolOf(orm.em);
  observePool(application, pool);
  observeReplicas(application, options.replicas);
  observeLedger(application, pool);
  observeQueues(application, pool, options.unworkedQueues);
  const demo = options.demo ? await life.open('demo', () => seedDemo(orm.em)) : undefined;
  for (const [part, queue] of [
    [ingestWaker, 'haulgate-ingest'],
    [bulkWaker, 'haulgate-bulk'],
    [positionWaker, 'haulgate-positions'],
    [tasksWaker, 'haulgate-tasks'],
  ] as const) {
    const waker = await life.open(
      `waker of ${queue}`,
      () => options.openWaker(queue),
      (one) => one.close(),
    );
    application.provide(part, waker);
  }
  if (options.sweepers) await rotateKeys(orm.em, log);
  const workers = await startWorkers({ orm, log }, life, options.workers ?? {});
  if (options.lookEvery !== undefined && Object.keys(workers).length > 0)
    await life.open(
      'look-out',
      () => startLookOut(orm.em, log, workers, options.lookEvery),
      (one) => one.stop(),
    );
  if (options.sweepers) await startSweepers(orm.em, log, life, options.sweepers);
  const { web } = options;
  const listening =
    web &&
    (await life.open(
      'web',
      () => serve({ ...web, orm, log }).catch(nameAddress('PORT', web.host, web.port)),
      (one) => one.close(),
    ));
  // A free port is known only after listening.
  const url = options.publicUrl(listening?.port ?? options.port);
  application.provide(publicUrl, url);
  // It takes a second or two, for which nobody waits.
  const demoBilling =
    options.demo && options.workers?.invoices
      ? await life.open(
          'billing of the demo',
          () => startDemoBilling({ em: orm.em, log }),
          (one) => one.stop(),
        )
      : undefined;
  return { application, workers, port: listening?.port, url, demo, demoBilling };
}

/** Cursors and uploads are signed with secrets that every process of one database has. */
async function shareSecrets({ em }: MikroORM, application: Application): Promise<void> {
  const ofCursors = await sharedSecrets(em, 'haulgate cursors');
  application.provide(
    cursorSecrets,
    ofCursors.map((one) => createSecretKey(one)),
  );
  application.provide(uploadSecrets, await sharedSecrets(em, 'haulgate uploads'));
}
