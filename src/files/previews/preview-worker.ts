import { Readable } from 'node:stream';
import type { EntityManager } from '@mikro-orm/postgresql';
import { newId } from '../../platform/ids.ts';
import { type Drainer, startDrainer } from '../../platform/queue/drainer.ts';
import { inProcessWaker } from '../../platform/queue/in-process-waker.ts';
import { keepReceived, receive } from '../../platform/storage/incoming.ts';
import { fileStorage } from '../../platform/storage/storage.ts';
import { claimPreviews, type PreviewJob, postponePreview, settlePreview } from './preview-queue.ts';
import { NoPreview, PREVIEW_TYPE, renderPreview, Unsure } from './render-preview.ts';

export interface PreviewWorkerOptions {
  em: EntityManager;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** Files at a time, each in a separate process. */
  concurrency: number;
  /** Milliseconds between two looks; 2000 by default. */
  sweepEvery?: number;
}

/** Seconds after which a file is somebody else's; longer than a process may take. */
const LEASE = 360;
/** Seconds until a file is tried again that failed for a reason of ours, by tries made. */
const DELAYS = [5, 60, 600, 3_600];
/** Tries of a file that may only have been slow. */
const UNSURE_TRIES = 2;

/**
 * Makes the previews of files in the background, each in a separate process (render-preview.ts). A file that cannot be shown has no preview
 * and is not tried again; one that failed through a fault of ours (the storage is away) is tried five times.
 */
export function startPreviewWorker(options: PreviewWorkerOptions): Drainer {
  const { em, log } = options;
  const stopping = new AbortController();
  const drainer = startDrainer<PreviewJob>({
    slots: options.concurrency,
    claim: (free) => claimPreviews(em, free, LEASE),
    run: (job) => work(options, job, stopping.signal),
    // A lease that ran out is due again by itself.
    sweep: async () => {},
    // Nobody waits for a preview: the looks of the sweeper are enough.
    waker: inProcessWaker(),
    sweepEvery: options.sweepEvery ?? 2_000,
    report: (error, doing) => log.warn({ err: error }, `preview ${doing} failed`),
  });
  return {
    ...drainer,
    async stop() {
      // A restart does not wait for a file of a minute; it is due again when its lease ends.
      stopping.abort();
      await drainer.stop();
    },
  };
}

async function work({ em, log }: PreviewWorkerOptions, job: PreviewJob, signal: AbortSignal): Promise<void> {
  const about = { of: job.table, id: job.id, attempts: job.attempts };
  try {
    // The processes that made it died, or this one did.
    if (job.attempts > DELAYS.length + 1) return void (await settlePreview(em, job, undefined));
    const kept = await keep(em, await renderPreview(await fileStorage.of(em).read(job.key), job.mimeType, { signal }));
    if (!(await settlePreview(em, job, kept))) await fileStorage.of(em).remove(kept.id);
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof NoPreview || (error instanceof Unsure && job.attempts >= UNSURE_TRIES)) {
      await settlePreview(em, job, undefined);
      return log.info({ ...about, reason: error.message }, 'a file has no preview');
    }
    const delay = DELAYS[job.attempts - 1];
    if (delay === undefined) await settlePreview(em, job, undefined);
    else await postponePreview(em, job, delay);
    log.warn({ ...about, err: error, again: delay }, 'a preview failed');
  }
}

async function keep(em: EntityManager, picture: Buffer): Promise<{ id: string; mimeType: string; size: number }> {
  const received = await receive(em, Readable.from([picture]));
  const id = newId();
  await keepReceived(em, id, received, PREVIEW_TYPE);
  return { id, mimeType: PREVIEW_TYPE, size: received.size };
}
