import type { MikroORM } from '@mikro-orm/postgresql';
import type { Config } from './config.ts';
import { startPreviewWorker } from './files/previews/preview-worker.ts';
import type { Lifecycle } from './platform/lifecycle.ts';
import type { Logger } from './platform/log.ts';

/** Makes previews of files in this process, as many at a time as the configuration says. */
export async function openPreviews(config: Config, orm: MikroORM, log: Logger, life: Lifecycle): Promise<void> {
  const { HAULGATE_PREVIEW_CONCURRENCY: concurrency } = config;
  if (concurrency === 0) return;
  await life.open(
    'worker of previews',
    () => startPreviewWorker({ em: orm.em, log, concurrency }),
    (worker) => worker.stop(),
  );
}
