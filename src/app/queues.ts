import type { Pool } from 'pg';
import { Gauge } from 'prom-client';
import { TEST_EVENT } from '../events/webhooks/triggers.ts';
import type { InApplication } from '../platform/application.ts';
import { definePurpose, runAsPurpose } from '../platform/database/scope.ts';
import { applicationMetrics } from '../platform/http/health.ts';

/** Says how long due work of all companies waits, for the operator, and in which queues there is any, for the workers. */
export const QUEUES_WATCH = definePurpose('queues', {
  import_task: ['select (next_attempt_at, lease_until)'],
  invoice_task: ['select (due_at)'],
  day_invoice_task: ['select (due_at)'],
  webhook_subscription: ['select (id, failing_since, paused_at, disabled_at, notified_at)'],
  webhook_delivery: ['select (subscription_id, due_at, trigger)'],
  webhook_replay: ['select (id)'],
  outgoing_message: ['select (next_at)'],
  export_schedule: ['select (due_at, discarded_at)'],
  export_run: ['select (next_at)'],
  change_pending: ['select (id, changed_at)'],
  outbox_event: ['select (position, created_at)'],
  notification_cursor: ['select (position)'],
  bulk_action: ['select (next_at, lease_until, finished_at)'],
  bulk_download: ['select (due_at)'],
  load_review_task: ['select (due_at)'],
  ticket_chase_task: ['select (due_at)'],
  ticket_match_task: ['select (due_at)'],
  ticket_reading: ['select (due_at)'],
  position_task: ['select (due_at)'],
  telematics_fleet: ['select (next_poll_at)'],
  linked_account: ['select (next_import_at)'],
  settlement_export: ['select (next_at)'],
  fuel_price_index: ['select (next_read_at)'],
  file_attachment: ['select (preview_due_at)'],
  ticket: ['select (preview_due_at)'],
});

/** Seconds that due work may lie before somebody should have taken it. */
const OVERDUE = 300;
const HOUR = 3_600;

/** The workers that are called when there is something in a queue, as `WorkerOptions` calls them. */
type WorkerKind =
  | ('accounting' | 'accountingExports' | 'bulkActions' | 'chases' | 'deliveries' | 'downloads' | 'fleets' | 'fuelPrices' | 'invoices')
  | ('listExports' | 'notifications' | 'positions' | 'previews' | 'readings' | 'reviews' | 'ticketMatches' | 'webhooks');

/** A queue that workers empty. */
export interface Queue {
  /** The name of the queue in figures. */
  queue: string;
  /** The name of its contents, for people. */
  what: string;
  /** That must be there, as it is not before the first start of this version. */
  table: string;
  /** Returns the statement of the `most` rows that have been `due` for longest and that nobody has. What is tried again later is not due. */
  rows(most: number): string;
  /** Seconds. */
  patience: number;
  /** The worker that is called when there is something in it; none if nobody needs to be. */
  worker?: WorkerKind;
  /** A statement that has rows while the worker has something to do; by default while there are `rows`. */
  wants?: string;
}

function queueOf(
  queue: string,
  worker: WorkerKind | undefined,
  what: string,
  [table, due]: readonly [table: string, due: string],
  { where = 'true', patience = OVERDUE }: { where?: string; patience?: number } = {},
): Queue {
  const rows = (most: number) => `select ${due} as due from ${table} where ${due} <= now() and ${where} order by ${due} limit ${most}`;
  return { queue, what, table, rows, patience, worker };
}

/** Every queue whose work is due at a time. What each worker claims is in its own statements; `test/app/queues.test.ts` compares the tables. */
export const QUEUES: readonly Queue[] = [
  // Its worker has a waker and a pause of its own (HAULGATE_INGEST_SWEEP_MS).
  queueOf('imports', undefined, 'imported records', ['import_task', 'next_attempt_at'], { where: 'lease_until is null' }),
  queueOf('invoices', 'invoices', 'invoices to compare', ['invoice_task', 'due_at']),
  queueOf('days', 'invoices', 'days to pay', ['day_invoice_task', 'due_at']),
  {
    queue: 'webhooks',
    what: 'deliveries to webhooks',
    table: 'webhook_delivery',
    // Those of an endpoint that fails, or is switched off, wait for it and not for a worker.
    rows: (most) => `select d.due from webhook_subscription s cross join lateral (
        select due_at as due from webhook_delivery where subscription_id = s.id and due_at <= now() order by due_at limit ${most}) d
      where s.failing_since is null and s.paused_at is null and s.disabled_at is null order by d.due limit ${most}`,
    patience: OVERDUE,
    worker: 'webhooks',
    // Also what is tried again, tests of endpoints that get nothing else, what is to be sent once more, and mails about endpoints that were switched off.
    wants: `select from webhook_subscription s where s.paused_at is null and s.disabled_at is null
        and exists (select from webhook_delivery d where d.subscription_id = s.id and d.due_at <= now())
      union all select from webhook_delivery where trigger = '${TEST_EVENT}' and due_at <= now()
      union all select from webhook_replay
      union all select from webhook_subscription where disabled_at is not null and notified_at is null`,
  },
  queueOf('messages', 'deliveries', 'mails and texts', ['outgoing_message', 'next_at']),
  queueOf('export_schedules', 'listExports', 'schedules of exports', ['export_schedule', 'due_at'], { where: 'discarded_at is null' }),
  // Those of a company wait for each other.
  queueOf('exports', 'listExports', 'scheduled exports', ['export_run', 'next_at'], { patience: HOUR }),
  {
    queue: 'changes',
    what: 'changes that are in no feed',
    table: 'change_pending',
    rows: (most) => `select changed_at as due from change_pending order by id limit ${most}`,
    patience: OVERDUE,
  },
  {
    queue: 'notifications',
    what: 'events of which nobody is notified',
    table: 'outbox_event',
    rows: (most) =>
      `select created_at as due from outbox_event where position > (select position from notification_cursor) order by position limit ${most}`,
    patience: OVERDUE,
    worker: 'notifications',
  },
  queueOf('bulk_actions', 'bulkActions', 'bulk actions', ['bulk_action', 'next_at'], {
    where: 'finished_at is null and (lease_until is null or lease_until < now())',
  }),
  queueOf('downloads', 'downloads', 'bulk downloads', ['bulk_download', 'due_at']),
  queueOf('reviews', 'reviews', 'loads to review', ['load_review_task', 'due_at']),
  queueOf('chases', 'chases', 'missing tickets to ask for', ['ticket_chase_task', 'due_at']),
  queueOf('ticket_matches', 'ticketMatches', 'tickets to compare with positions', ['ticket_match_task', 'due_at']),
  queueOf('readings', 'readings', 'pictures of tickets to read', ['ticket_reading', 'due_at']),
  queueOf('positions', 'positions', 'positions to work', ['position_task', 'due_at']),
  queueOf('fleets', 'fleets', 'fleets to ask for positions', ['telematics_fleet', 'next_poll_at']),
  queueOf('accounting_imports', 'accounting', 'accounting systems to read', ['linked_account', 'next_import_at']),
  queueOf('accounting_exports', 'accountingExports', 'documents for accounting systems', ['settlement_export', 'next_at']),
  queueOf('fuel_prices', 'fuelPrices', 'prices of fuel to read', ['fuel_price_index', 'next_read_at'], { patience: HOUR }),
  // Each takes up to 15 seconds, and hundreds may come at once.
  queueOf('file_previews', 'previews', 'previews of files', ['file_attachment', 'preview_due_at'], { patience: HOUR }),
  queueOf('ticket_previews', 'previews', 'previews of tickets', ['ticket', 'preview_due_at'], { patience: HOUR }),
];

/**
 * Adds to the metrics of an application for how long the oldest due work of each queue has waited. It is read from the database: every process reports the
 * same, so it is not added up. Called once for each.
 * @param leftOut queues that no worker of this deployment empties
 */
export function observeQueues(application: InApplication, pool: Pool, leftOut: readonly string[] = []): void {
  const shown = QUEUES.filter(({ queue }) => !leftOut.includes(queue));
  const statement = shown
    .map(
      ({ queue, rows }) =>
        `select '${queue}' as queue, coalesce(greatest(extract(epoch from now() - (select due from (${rows(1)}) r)), 0), 0)::float8 as seconds`,
    )
    .join(' union all ');
  new Gauge({
    name: 'haulgate_queue_oldest_due_seconds',
    help: 'Seconds the oldest due work has waited that nobody has taken, by queue.',
    labelNames: ['queue'],
    registers: [applicationMetrics.of(application)],
    aggregator: 'first',
    async collect() {
      this.reset();
      // Without the database there is no figure; haulgate_import_ledger_readable says so.
      const found = await runAsPurpose(QUEUES_WATCH, () => pool.query<{ queue: string; seconds: number }>(statement)).catch(
        () => undefined,
      );
      for (const { queue, seconds } of found?.rows ?? []) this.set({ queue }, seconds);
    },
  });
}
