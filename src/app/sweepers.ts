import type { EntityManager } from '@mikro-orm/postgresql';
import { archiveOld } from '../archives/archive-old.ts';
import { keepPartitionsAhead } from '../archives/partitions.ts';
import { Pieces } from '../archives/pieces.ts';
import { strangerTo } from '../archives/storage-mark.ts';
import { deleteExpiredSetUps } from '../billing/accounting/accounting-secrets.ts';
import { remindOfDocuments } from '../directory/compliance/reminders.ts';
import { endForgottenShifts } from '../dispatch/drivers/forgotten-shifts.ts';
import { deleteOldNotifications } from '../dispatch/notifications/notification-texts.ts';
import { noteEndedShares } from '../events/changes/ended-shares.ts';
import { moveChanges } from '../events/changes/move-changes.ts';
import { deleteOldChanges } from '../events/changes/retention.ts';
import { deleteOldWebhooks } from '../events/webhooks/retention.ts';
import { sweepFiles } from '../files/sweep-files.ts';
import { deleteEndedSessions } from '../identity/sessions/sessions.ts';
import { deleteExpiredSecrets } from '../identity/sign-in/one-time-secrets.ts';
import { recheckDomains } from '../identity/sso/domains/recheck-domains.ts';
import { keepSigningKeys } from '../identity/tokens/key-rotation.ts';
import { forgetSigningKeys } from '../identity/tokens/signing-keys.ts';
import { deleteExpiredKeys } from '../platform/http/rest/idempotency.ts';
import type { Lifecycle } from '../platform/lifecycle.ts';
import type { Logger } from '../platform/log.ts';
import { startSweeper } from '../platform/queue/sweeper.ts';
import { inTask, tracing } from '../platform/tracing/spans.ts';
import { deleteExpiredPhotoLinks } from '../proof/chasing/photo-links.ts';
import { WATCH_EVERY } from '../reporting/logins/login-limits.ts';
import { watchReportingLogins } from '../reporting/logins/login-roles.ts';
import { deleteSandboxes } from '../sandbox/delete-sandboxes.ts';
import { deleteOldPositions } from '../telematics/positions/retention.ts';

interface SweeperSpec {
  name: string;
  /** Milliseconds between two sweeps. */
  every: number;
  /** The message of the log if a sweep fails. */
  failure: string;
  /** Whether processes that only answer requests sweep as well. */
  everywhere?: boolean;
  sweep(em: EntityManager, log: Logger, report: (error: unknown) => void): Promise<unknown>;
}

/** Every sweeper of the product. */
const SWEEPERS: readonly SweeperSpec[] = [
  { name: 'sweeper of signing keys', every: 600_000, failure: 'signing keys stay as they are', everywhere: true, sweep: rotateKeys },
  // Each process has a folder of arriving files of its own. That two look for the same orphans does no harm.
  {
    name: 'sweeper of files',
    every: 1_800_000,
    failure: 'files that belong to nothing stay',
    everywhere: true,
    sweep: (em, log) => removeFiles(em, log),
  },
  // They are kept for seven days.
  { name: 'sweeper of idempotency keys', every: 60_000, failure: 'expired idempotency keys stay', sweep: (em) => deleteExpiredKeys(em) },
  {
    name: 'sweeper of sessions',
    every: 600_000,
    failure: 'sessions that ended stay',
    sweep: (em) => Promise.all([deleteEndedSessions(em), deleteExpiredSecrets(em), deleteExpiredPhotoLinks(em), deleteExpiredSetUps(em)]),
  },
  // The record of each domain is looked up once a day.
  { name: 'sweeper of domain proofs', every: 600_000, failure: 'e-mail domains are not asked for their records', sweep: checkDomains },
  {
    name: 'sweeper of forgotten shifts',
    every: 60_000,
    failure: 'a shift that was forgotten lasts',
    sweep: (em, _log, report) => endForgottenShifts(em, report),
  },
  {
    name: 'sweeper of notifications',
    every: 3_600_000,
    failure: 'notifications that are too old stay',
    sweep: (em) => deleteOldNotifications(em),
  },
  { name: 'sweeper of webhooks', every: 3_600_000, failure: 'webhooks that are too old stay', sweep: (em) => deleteOldWebhooks(em) },
  // Readers move them, too: this is for companies whose feed nobody reads.
  { name: 'mover of changes', every: 15_000, failure: 'changes wait for their feeds', sweep: (em) => moveChanges(em) },
  {
    name: 'sweeper of shares',
    every: 15_000,
    failure: 'the feeds do not say that shares have expired',
    sweep: (em) => noteEndedShares(em),
  },
  { name: 'sweeper of changes', every: 3_600_000, failure: 'changes that are too old stay', sweep: (em) => deleteOldChanges(em) },
  {
    name: 'maker of partitions',
    every: 3_600_000,
    failure: 'partitions of next month or year are not made yet',
    sweep: (em, _log, report) => keepPartitionsAhead(em, report),
  },
  {
    name: 'sweeper of old positions',
    every: 3_600_000,
    failure: 'positions that are too old stay',
    sweep: (em, _log, report) => deleteOldPositions(em, report),
  },
  {
    name: 'keeper of archives',
    every: 3_600_000,
    failure: 'what should be archived stays in the database',
    sweep: (em, log, report) => archiveOld(em, log, report),
  },
  {
    name: 'sweeper of sandboxes',
    every: 300_000,
    failure: 'a sandbox that is over stays',
    sweep: (em, _log, report) => deleteSandboxes(em, report),
  },
  {
    name: 'watch over reporting logins',
    every: WATCH_EVERY,
    failure: 'sessions of reporting logins last',
    sweep: (em) => watchReportingLogins(em),
  },
  {
    name: 'reminders of compliance documents',
    every: 600_000,
    failure: 'a reminder of a compliance document waits',
    sweep: (em, _log, report) => remindOfDocuments(em, report),
  },
];

/** Rotates the signing keys of tokens. */
export async function rotateKeys(em: EntityManager, log: Logger): Promise<void> {
  const { made, removed } = await keepSigningKeys(em);
  forgetSigningKeys(em);
  if (made.length + removed.length > 0) log.info({ made, removed }, 'signing keys changed');
}

/** Removes files that belong to nothing. @param age milliseconds that they must have @throws SharedStorage if others may belong to another database */
export async function removeFiles(em: EntityManager, log: Logger, age?: number): Promise<void> {
  const pieces = new Pieces(em);
  const removed = await sweepFiles(em, age, await strangerTo((sql, values) => pieces.ask(sql, values)));
  if (removed > 0) log.info({ removed }, 'removed files that belong to nothing');
}

async function checkDomains(em: EntityManager, log: Logger, report: (error: unknown) => void): Promise<void> {
  const given = await recheckDomains(em, report);
  if (given.length > 0) log.warn({ domains: given }, 'e-mail domains without their record lead to no identity provider any more');
}

/** @param which `own`: only those of processes that answer requests and nothing else */
export async function startSweepers(em: EntityManager, log: Logger, life: Lifecycle, which: 'own' | 'all'): Promise<void> {
  for (const { name, every, failure, everywhere, sweep } of SWEEPERS) {
    if (which === 'own' && !everywhere) continue;
    const report = (error: unknown) => log.warn({ err: error }, failure);
    const about = { attributes: { 'haulgate.task': name } };
    await life.open(
      name,
      () =>
        startSweeper(
          every,
          () =>
            inTask(
              tracing.of(em),
              name,
              {},
              () => about,
              async () => void (await sweep(em, log, report)),
            ),
          report,
        ),
      (sweeper) => sweeper.stop(),
    );
  }
}
