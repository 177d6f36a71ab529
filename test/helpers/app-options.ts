import { join } from 'node:path';
import { type WorkerOptions } from '../../src/app/workers.ts';
import type { StreamLimits } from '../../src/platform/http/open-streams.ts';
import { folderMailer, type Mailer } from '../../src/platform/outgoing/mail.ts';
import type { Pusher } from '../../src/platform/outgoing/push.ts';
import { folderTexter, type Texter } from '../../src/platform/outgoing/sms.ts';
import type { ArchiveSettings } from '../../src/platform/storage/archive-settings.ts';
import { type FileStorage } from '../../src/platform/storage/storage.ts';
import type { Tracing } from '../../src/platform/tracing/spans.ts';
import type { TicketReader } from '../../src/proof/reading/ticket-reader.ts';

export interface TestAppOptions {
  /** Takes the lines of the log, from warnings on. */
  logTo?: { write(line: string): void };
  /**
   * Finds the rows that other files of the worker have left: for files whose tests look at nothing but their own companies, and name nothing
   * that is unique in the whole product (telephone numbers, addresses of people). By default the database has no rows but those of migrations.
   */
  shared?: boolean;
  /** On a database that no other file uses, for tests that change its tables or count what PostgreSQL does. */
  newDatabase?: boolean;
  /** Also runs the workers of the import ledger and bulk actions, as `HAULGATE_ROLE=all` does. */
  worker?: boolean;
  /** Also notifies people; elsewhere nobody looks through all jobs for who is to be reminded. */
  notifications?: boolean;
  /** Also keeps the invoices of jobs up to date. */
  invoices?: boolean;
  /** Also sends webhooks, also to private addresses. */
  webhooks?: boolean;
  /** Makes previews of files (with `settled`). */
  previews?: boolean;
  /** Has pictures of tickets read by it; what failed is tried again at once. */
  reader?: TicketReader;
  /** Gives requests and tasks spans. */
  tracing?: Tracing;
  /** Sends mails and texts, by default into `folder`. */
  deliveries?: true | { mailer: Mailer; texter: Texter; pusher?: Pusher };
  /** Signs what the SMS service reports. */
  smsSecret?: string;
  /** Sign-in attempts from one network in five minutes; unlimited by default. */
  signInsPerAddress?: number;
  /** Creates the demo company (about 1 s); its logins are in `access`. */
  demo?: boolean;
  /** Where files are stored; a separate folder by default. */
  storage?: FileStorage;
  /** Whether clients may query the GraphQL schema; as in production by default. */
  introspection?: boolean;
  /** The settings of the tables whose old rows leave the database for the storage; nothing by default. */
  archives?: ArchiveSettings;
  /** Requests a minute; unlimited by default. */
  limits?: { perCaller: number; perAddress: number };
  trustedProxies?: string[];
  corsOrigins?: string[];
  /** Where the map of the console loads its tiles; nowhere by default. */
  tiles?: { url: string; attribution: string };
  /** Concurrent requests of one caller, and milliseconds of each of their statements; unlimited by default. */
  requestsAtOnce?: number;
  statementMs?: number;
  /** Sockets and streams that are open at a time; as in production by default. */
  streams?: Partial<StreamLimits>;
  /** Milliseconds that an export may take; as in production by default. */
  longestExport?: number;
  /** Milliseconds that a request may take; as in production by default. */
  timeout?: number;
  /** On this migrated database, which other applications may share, with replicas if there are any; with `mostLag`, milliseconds that one may be behind. */
  server?: { url: string; readUrls: readonly string[]; mostLag: number };
  /** Connections of the product; ten by default. */
  poolSize?: number;
  /** Has PostgreSQL plan statements, and connections keep them, as in production: for tests of that. The database must not be shared. */
  productionPlans?: boolean;
  /** `silent` by default; `HAULGATE_TEST_LOG=debug` shows everything of a run. */
  logLevel?: string;
}

/** Milliseconds between two looks of a worker that nobody wakes: `settled` has them look at once, and each look costs processor time. */
const SELDOM = 2_000;

/** The workers that an application of tests runs. */
export function workersOf({ worker, notifications, invoices, webhooks, previews, reader }: TestAppOptions): WorkerOptions {
  return {
    ...(worker
      ? {
          bulkActions: { sweepEvery: SELDOM },
          imports: { concurrency: 2, sweepEvery: SELDOM },
          downloads: { sweepEvery: SELDOM },
          fleets: { sweepEvery: SELDOM },
          accounting: { sweepEvery: SELDOM },
          accountingExports: { sweepEvery: SELDOM },
          listExports: { sweepEvery: SELDOM },
          positions: { sweepEvery: SELDOM },
          reviews: { sweepEvery: SELDOM },
          ticketMatches: { sweepEvery: SELDOM },
          chases: { sweepEvery: SELDOM },
        }
      : {}),
    ...(invoices ? { invoices: { sweepEvery: SELDOM } } : {}),
    ...(webhooks ? { webhooks: { sweepEvery: SELDOM } } : {}),
    ...(notifications ? { notifications: { sweepEvery: SELDOM, remindEvery: 0 } } : {}),
    ...(reader ? { readings: { sweepEvery: SELDOM, delays: [0, 0, 0] } } : {}),
    ...(previews ? { previews: { concurrency: 2, sweepEvery: 3_600_000 } } : {}),
  };
}

/** The worker that sends mails and texts, if it is wanted. */
export function deliveriesOf({ deliveries }: TestAppOptions, folder: string): WorkerOptions {
  if (!deliveries) return {};
  const intoFolder = {
    mailer: folderMailer(join(folder, 'mail'), 'Haulgate <desk@haulgate.test>', () => {}),
    texter: folderTexter(join(folder, 'sms'), () => {}),
  };
  return { deliveries: { ...(deliveries === true ? intoFolder : deliveries), every: 3_600_000 } };
}
