import { Readable } from 'node:stream';
import type { EntityManager } from '@mikro-orm/postgresql';
import { newId } from '../../platform/ids.ts';
import type { Drainer } from '../../platform/queue/drainer.ts';
import { startLeaseQueue } from '../../platform/queue/lease-queue.ts';
import { keepReceived, receive } from '../../platform/storage/incoming.ts';
import { fileStorage } from '../../platform/storage/storage.ts';
import { tracing } from '../../platform/tracing/spans.ts';
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
export function startPreviewWorker({ em, log, concurrency, sweepEvery = 2_000 }: PreviewWorkerOptions): Drainer {
  return startLeaseQueue<PreviewJob>({
    name: 'preview',
    tracing: tracing.of(em),
    slots: concurrency,
    lease: LEASE,
    claim: (most, seconds) => claimPreviews(em, most, seconds),
    work: (job, { signal }) => work(em, log, job, signal),
    delayAfter: (attempts) => DELAYS[attempts - 1],
    postpone: (job, seconds) => postponePreview(em, job, seconds),
    giveUp: (job) => settlePreview(em, job, undefined),
    failed: (error, job, again) => log.warn({ ...aboutOf(job), err: error, again }, 'a preview failed'),
    // A restart does not wait for a file of a minute.
    whenStopped: 'with its lease',
    sweepEvery,
    log,
  });
}

const aboutOf = ({ table, id, attempts }: PreviewJob) => ({ of: table, id, attempts });

async function work(em: EntityManager, log: PreviewWorkerOptions['log'], job: PreviewJob, signal: AbortSignal): Promise<void> {
  try {
    const kept = await keep(em, await renderPreview(await fileStorage.of(em).read(job.key), job.mimeType, { signal }));
    if (!(await settlePreview(em, job, kept))) await fileStorage.of(em).remove(kept.id);
  } catch (error) {
    const unshown = error instanceof NoPreview || (error instanceof Unsure && job.attempts >= UNSURE_TRIES);
    // A stop ends the process that makes the preview, which says nothing about the file.
    if (!unshown || signal.aborted) throw error;
    await settlePreview(em, job, undefined);
    log.info({ ...aboutOf(job), reason: error.message }, 'a file has no preview');
  }
}

async function keep(em: EntityManager, picture: Buffer): Promise<{ id: string; mimeType: string; size: number }> {
  const received = await receive(em, Readable.from([picture]));
  const id = newId();
  await keepReceived(em, id, received, PREVIEW_TYPE);
  return { id, mimeType: PREVIEW_TYPE, size: received.size };
}
