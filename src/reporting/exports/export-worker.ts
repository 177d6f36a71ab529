import { PassThrough } from 'node:stream';
import type { EntityManager } from '@mikro-orm/postgresql';
import { viewerOfRemembered } from '../../identity/access/viewer.ts';
import { SIGN_IN } from '../../identity/sign-in/sign-in-purpose.ts';
import { asSystem } from '../../platform/commands/system-context.ts';
import type { Viewer } from '../../platform/context.ts';
import { asCompanies, runAsPurpose } from '../../platform/database/scope.ts';
import { inTimeOf } from '../../platform/database/time/sandbox-time.ts';
import { HaulgateError } from '../../platform/errors.ts';
import { translate } from '../../platform/i18n/messages.ts';
import { newId } from '../../platform/ids.ts';
import { sendAllLater } from '../../platform/outgoing/outgoing.ts';
import type { BackgroundWorkerOptions } from '../../platform/queue/background-worker.ts';
import type { Drainer } from '../../platform/queue/drainer.ts';
import { type Lease, startLeaseQueue } from '../../platform/queue/lease-queue.ts';
import { dropReceived, keepReceived, type Received, receive } from '../../platform/storage/incoming.ts';
import { fileStorage } from '../../platform/storage/storage.ts';
import { localDate } from '../../platform/time.ts';
import { tracing } from '../../platform/tracing/spans.ts';
import { KEEPS_REPORTS } from '../reports/reports.ts';
import { withDays } from './due-times.ts';
import { addresseesOf, LARGEST_MEGABYTES, mailsOf, noticesOf, storedNoticesOf, textOfArchived } from './export-mails.ts';
import {
  askedOf,
  claimRuns,
  endSchedule,
  forgetRuns,
  planRuns,
  postponeRun,
  type RunAsked,
  type RunJob,
  type RunOutcome,
  settleRun,
} from './export-queue.ts';
import type { ExportEnd } from './export-schedule.entity.ts';
import { LARGEST_STORED, putIntoStorage, StorageRefused } from './export-storage.ts';
import { type ExportedList, type ExportReader, exportedLists } from './exported-lists.ts';

/** Seconds a process may be silent before another one takes its run; it renews its lease with each part. */
const LEASE = 120;
/** Seconds until a run is tried again, by tries made. */
const DELAYS = [60, 300, 1_800];
/** Milliseconds between two looks for what is forgotten. */
const FORGET_EVERY = 3_600_000;

/** Runs at a time in a process, each of another company. */
const SLOTS = 2;

/** Runs schedules of exports, as their authors may read then. */
export function startListExportWorker({ em, log, sweepEvery = 5_000 }: BackgroundWorkerOptions): Drainer {
  let forgotten = 0;
  return startLeaseQueue<RunJob>({
    name: 'list export',
    tracing: tracing.of(em),
    slots: SLOTS,
    lease: LEASE,
    claim: async (most, seconds) => {
      await planRuns(em);
      return claimRuns(em, most, seconds);
    },
    work: (job, lease) => work(em, job, lease),
    delayAfter: (attempts) => DELAYS[attempts - 1],
    postpone: (job, seconds, error) => postponeRun(em, job, seconds, error === undefined),
    giveUp: async (job) => {
      const asked = await askedOf(em, job.id);
      const said = (of: RunAsked) => ({ name: of.name, company: of.company, tries: DELAYS.length + 1 });
      if (asked) await fail(em, job, asked, translate(asked.language, 'export_failed', said(asked)));
    },
    failed: (error, job, again) => log.warn({ err: error, exportRun: job.id, again }, 'an export failed'),
    whenStopped: 'at once',
    sweep: async () => {
      if (Date.now() - forgotten < FORGET_EVERY) return;
      forgotten = Date.now();
      await forgetRuns(em);
    },
    sweepEvery,
    log,
  });
}

async function work(em: EntityManager, job: RunJob, lease: Lease): Promise<void> {
  const asked = await askedOf(em, job.id);
  if (!asked) return;
  // Nothing of it is sent any more, and the key of its storage is gone.
  if (asked.discarded) return end(em, job, asked);
  const viewer = await runAsPurpose(SIGN_IN, () => viewerOfRemembered(em, asked.actor));
  if (!viewer?.companyIds.includes(asked.companyId)) return end(em, job, asked, 'author_gone');
  if (!viewer.can(KEEPS_REPORTS)) return end(em, job, asked, 'not_permitted');
  try {
    await asCompanies(viewer.companyIds, () => inTimeOf(em, () => exportAs(em, job, asked, viewer, lease)));
  } catch (error) {
    const status = error instanceof HaulgateError ? error.status : 500;
    if (status === 403 || status === 404) return end(em, job, asked, 'not_permitted');
    if (status === 400 || status === 422) return end(em, job, asked, 'not_valid');
    throw error;
  }
}

/** The file would be larger than what is mailed or stored. */
class TooLarge extends Error {}

/** Makes the file of a run as its author may read now, keeps or stores it, and mails it or where it is. */
async function exportAs(em: EntityManager, job: RunJob, asked: RunAsked, viewer: Viewer, lease: Lease): Promise<void> {
  const { renew, signal } = lease;
  const day = localDate(new Date(asked.due), asked.zone);
  const list = { companyId: asked.companyId, list: asked.list, query: withDays(asked.query, day), format: asked.format };
  // A file that is too large for a mail is stored nevertheless, if there is a storage.
  const max = asked.storage ? LARGEST_STORED : LARGEST_MEGABYTES;
  const written = await writeList(em, list, { viewer, language: asked.language }, max, lease);
  const said = { name: asked.name, company: asked.company };
  if (!written) return fail(em, job, asked, translate(asked.language, 'export_too_large', { ...said, max }));
  const { received, records, archivedBefore } = written;
  const { name: plain, type } = exportedLists.of(em).fileOf(list);
  const name = plain.replace(/(?=\.\w+$)/, `-${day}`);
  try {
    if (asked.storage) {
      const { path, size } = received;
      await putIntoStorage(em, { scheduleId: job.scheduleId, storage: asked.storage, name, path, size, type, renew, signal });
    }
  } catch (error) {
    await dropReceived(received.path);
    if (!(error instanceof StorageRefused)) throw error;
    return fail(em, job, asked, translate(asked.language, 'export_storage_refused', { ...said, problem: error.message }));
  }
  const isMailed = received.size <= LARGEST_MEGABYTES * 1_000_000;
  const key = asked.recipients.length > 0 && isMailed ? newId() : undefined;
  if (key) await keepReceived(em, key, received, 'application/octet-stream');
  else await dropReceived(received.path);
  const made = { key, name, size: received.size, records, archivedBefore };
  const settled = await asSystem(em, asked.companyId, async (tx) => {
    if (!(await settleRun(tx.em, job.id, { state: 'success', file: made }))) return false;
    // In the same transaction, so that whoever dies, it is sent once.
    await sendAllLater(tx, isMailed ? mailsOf(job.id, asked) : storedNoticesOf(asked, day, textOfStored(asked, day, made)));
    return true;
  });
  if (!settled && key) await fileStorage.of(em).remove(key);
}

interface WrittenList {
  received: Received;
  records: number;
  /** What is older has left for archives, and is not in the file. */
  archivedBefore: string | undefined;
}

/** Writes a list into a file of this machine. @param max megabytes @returns undefined if it would be larger, of which nothing stays */
async function writeList(
  em: EntityManager,
  list: ExportedList,
  reader: ExportReader,
  max: number,
  { renew, signal }: Lease,
): Promise<WrittenList | undefined> {
  const file = new PassThrough();
  let [records, bytes] = [0, 0];
  const write = async (piece: string | Uint8Array, count: number) => {
    signal.throwIfAborted();
    records += count;
    bytes += Buffer.byteLength(piece);
    // Nobody takes it: the rest is not read, and fills no disk.
    if (bytes > max * 1_000_000) throw new TooLarge();
    // A disk that is full ends the file, which nothing drains then.
    if (!file.destroyed && !file.write(piece)) await new Promise<void>((go) => file.once('drain', go).once('close', go));
    if (file.destroyed) throw new Error('the file of an export could not be written');
    await renew();
  };
  let archivedBefore: string | undefined;
  const reading = exportedLists
    .of(em)
    .export(reader, list, write)
    .then(
      (archived) => {
        archivedBefore = archived?.before;
        file.end();
      },
      (error: Error) => void file.destroy(error),
    );
  try {
    const received = await receive(em, file).finally(() => reading);
    return { received, records, archivedBefore };
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  }
}

/** Says where a file lies that nobody is mailed. */
function textOfStored(
  { language, company, storage }: RunAsked,
  day: string,
  { name: file, size, records, archivedBefore }: NonNullable<RunOutcome['file']>,
): string {
  const { bucket, prefix } = storage!;
  const said = { file, count: records, company, day, size: Math.ceil(size / 1_000_000), max: LARGEST_MEGABYTES, bucket };
  return translate(language, 'export_stored_text', { ...said, place: `${prefix}${file}` }) + textOfArchived(language, archivedBefore);
}

/** Ends a run without a file, and says why. The schedule goes on. */
async function fail(em: EntityManager, { id }: RunJob, asked: RunAsked, error: string): Promise<void> {
  const addressees = await addresseesOf(em, asked);
  await asSystem(em, asked.companyId, async (tx) => {
    if (await settleRun(tx.em, id, { state: 'error', error })) await sendAllLater(tx, noticesOf(addressees, asked, error));
  });
}

/** A schedule that may not or cannot go on ends, and everybody who waits for it learns why. Of one that was deleted, the run ends. */
async function end(em: EntityManager, { id, scheduleId }: RunJob, asked: RunAsked, reason?: ExportEnd): Promise<void> {
  const said = { name: asked.name, company: asked.company, author: asked.author };
  const error = translate(asked.language, `export_ended_${reason ?? 'deleted'}`, said);
  const addressees = await addresseesOf(em, asked);
  await asSystem(em, asked.companyId, async (tx) => {
    if (!(await settleRun(tx.em, id, { state: 'error', error })) || !reason) return;
    await endSchedule(tx.em, scheduleId, reason);
    if (!asked.discarded) await sendAllLater(tx, noticesOf(addressees, asked, error));
  });
}
