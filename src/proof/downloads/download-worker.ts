import type { EntityManager } from '@mikro-orm/postgresql';
import { newId } from '../../platform/ids.ts';
import type { BackgroundWorkerOptions } from '../../platform/queue/background-worker.ts';
import type { Drainer } from '../../platform/queue/drainer.ts';
import { type Lease, startLeaseQueue } from '../../platform/queue/lease-queue.ts';
import { keepReceived } from '../../platform/storage/incoming.ts';
import { fileStorage } from '../../platform/storage/storage.ts';
import { tracing } from '../../platform/tracing/spans.ts';
import { bind } from './bind.ts';
import { mimeTypeOf } from './bulk-download.entity.ts';
import { claimDownloads, type DownloadJob, forgetExpired, postponeDownload, settleDownload, stillThere } from './download-queue.ts';
import { pack } from './pack.ts';

/** Seconds a process may be silent before another one takes its archive. It renews its lease before each file, which may take 300. */
const LEASE = 360;
/** Seconds until an archive is tried again, by tries made. */
const DELAYS = [60, 300];
/** Milliseconds between two looks for archives that have expired. */
const FORGET_EVERY = 60_000;

/** Packs archives in the background, one at a time in a process, and removes them after a day. */
export function startDownloadWorker({ em, log, sweepEvery = 1_000 }: BackgroundWorkerOptions): Drainer {
  let forgotten = 0;
  return startLeaseQueue<DownloadJob>({
    name: 'bulk download',
    tracing: tracing.of(em),
    slots: 1,
    lease: LEASE,
    claim: (most, seconds) => claimDownloads(em, most, seconds),
    work: (job, lease) => work(em, job, lease),
    delayAfter: (attempts) => DELAYS[attempts - 1],
    postpone: (job, seconds) => postponeDownload(em, job, seconds),
    giveUp: (job) => settleDownload(em, job, undefined),
    failed: (error, job, again) => log.warn({ err: error, bulkDownload: job.id, again }, 'an archive failed'),
    // A restart does not wait for a gigabyte, and another process goes on with it. The try counted, because it may be what takes processes down.
    whenStopped: 'at once',
    sweep: async () => {
      if (Date.now() - forgotten < FORGET_EVERY) return;
      forgotten = Date.now();
      await removeExpired(em);
    },
    sweepEvery,
    log,
  });
}

/** Forgets archives whose day is over, and removes their bytes; what stays when the storage is away is an orphan, which its sweeper removes. */
export async function removeExpired(em: EntityManager): Promise<void> {
  for (const key of await forgetExpired(em)) await fileStorage.of(em).remove(key);
}

async function work(em: EntityManager, job: DownloadJob, { renew, signal }: Lease): Promise<void> {
  const there = await stillThere(
    em,
    job.files.map(({ key }) => key),
  );
  const files = job.files.filter(({ key }) => there.has(key));
  const archive = await (job.type === 'pdf' ? bind(em, files, job.language, renew, signal) : pack(em, files, renew, signal));
  const key = newId();
  await keepReceived(em, key, archive, mimeTypeOf(job.type));
  if (!(await settleDownload(em, job, { key, size: archive.size, files: files.length }))) await fileStorage.of(em).remove(key);
}
