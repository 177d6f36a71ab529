import type { MikroORM } from '@mikro-orm/postgresql';
import { startPreviewWorker } from '../files/previews/preview-worker.ts';
import type { Lifecycle } from '../platform/lifecycle.ts';
import type { Logger } from '../platform/log.ts';
import { startDownloadWorker } from '../proof/downloads/download-worker.ts';
import type { Config } from './config.ts';

/** Starts the preview workers, as many as configured, and the packing of archives in this process. */
export async function openFileWorkers(config: Config, orm: MikroORM, log: Logger, life: Lifecycle): Promise<void> {
  await life.open(
    'worker of bulk downloads',
    () => startDownloadWorker({ em: orm.em, log }),
    (worker) => worker.stop(),
  );
  const { HAULGATE_PREVIEW_CONCURRENCY: concurrency } = config;
  if (concurrency === 0) return;
  await life.open(
    'worker of previews',
    () => startPreviewWorker({ em: orm.em, log, concurrency }),
    (worker) => worker.stop(),
  );
}
