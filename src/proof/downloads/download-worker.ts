import type { EntityManager } from '@mikro-orm/postgresql';
import { newId } from '../../platform/ids.ts';
import { type Drainer, startDrainer } from '../../platform/queue/drainer.ts';
import { inProcessWaker } from '../../platform/queue/in-process-waker.ts';
import { keepReceived } from '../../platform/storage/incoming.ts';
import { fileStorage } from '../../platform/storage/storage.ts';
import { bind } from './bind.ts';
import { mimeTypeOf } from './bulk-download.entity.ts';
import { claimDownloads, type DownloadJob, forgetExpired, postponeDownload, settleDownload, stillThere } from './download-queue.ts';
import { pack } from './pack.ts';

export interface DownloadWorkerOptions {
  em: EntityManager;
  log: { warn(fields: object, message: string): void };
  /** Milliseconds between two looks; 1000 by default. */
  sweepEvery?: number;
}

/** Seconds a process may be silent before another one takes its archive. It renews its lease before each file, which may take 300. */
const LEASE = 360;
/** Milliseconds between two such words. */
const WORD_EVERY = 30_000;
/** Seconds until an archive is tried again, by tries made. */
const DELAYS = [60, 300];
/** Milliseconds between two looks for archives that have expired. */
const FORGET_EVERY = 60_000;

/** Packs archives in the background, one at a time in a process, and removes them after a day. */
export function startDownloadWorker({ em, log, sweepEvery = 1_000 }: DownloadWorkerOptions): Drainer {
  let forgotten = 0;
  const stopping = new AbortController();
  const drainer = startDrainer<DownloadJob>({
    slots: 1,
    claim: (free) => claimDownloads(em, free, LEASE),
    run: (job) => work(em, job, log, stopping.signal),
    sweep: async () => {
      if (Date.now() - forgotten < FORGET_EVERY) return;
      forgotten = Date.now();
      await removeExpired(em);
    },
    // An archive takes longer than the next look of the sweeper.
    waker: inProcessWaker(),
    sweepEvery,
    report: (error, doing) => log.warn({ err: error }, `bulk download ${doing} failed`),
  });
  return {
    ...drainer,
    async stop() {
      // A restart does not wait for a gigabyte.
      stopping.abort();
      await drainer.stop();
    },
  };
}

/** Forgets archives whose day is over, and removes their bytes; what stays when the storage is away is an orphan, which its sweeper removes. */
export async function removeExpired(em: EntityManager): Promise<void> {
  for (const key of await forgetExpired(em)) await fileStorage.of(em).remove(key);
}

async function work(em: EntityManager, job: DownloadJob, log: DownloadWorkerOptions['log'], signal: AbortSignal): Promise<void> {
  try {
    // The processes that packed it died, or this one did.
    if (job.attempts > DELAYS.length + 1) return void (await settleDownload(em, job, undefined));
    const there = await stillThere(
      em,
      job.files.map(({ key }) => key),
    );
    const files = job.files.filter(({ key }) => there.has(key));
    let said = Date.now();
    const stay = async () => {
      if (Date.now() - said < WORD_EVERY) return;
      said = Date.now();
      await postponeDownload(em, job, LEASE);
    };
    const archive = await (job.type === 'pdf' ? bind(em, files, job.language, stay, signal) : pack(em, files, stay, signal));
    const key = newId();
    await keepReceived(em, key, archive, mimeTypeOf(job.type));
    if (!(await settleDownload(em, job, { key, size: archive.size, files: files.length }))) await fileStorage.of(em).remove(key);
  } catch (error) {
    // The next process takes it up at once; the try counted, for it may be what takes processes down.
    if (signal.aborted) return void (await postponeDownload(em, job, 0));
    const again = DELAYS[job.attempts - 1];
    log.warn({ err: error, bulkDownload: job.id, again }, 'an archive failed');
    if (again === undefined) await settleDownload(em, job, undefined);
    else await postponeDownload(em, job, again);
  }
}
