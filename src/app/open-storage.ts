import { join } from 'node:path';
import type { MikroORM } from '@mikro-orm/postgresql';
import { sweepFiles } from '../files/sweep-files.ts';
import type { Application } from '../platform/application.ts';
import type { Lifecycle } from '../platform/lifecycle.ts';
import type { Logger } from '../platform/log.ts';
import { startSweeper } from '../platform/queue/sweeper.ts';
import { incomingFolder, openIncoming } from '../platform/storage/incoming.ts';
import { fileStorage, localStorage, s3Storage } from '../platform/storage/storage.ts';
import type { Config } from './config.ts';

/** Milliseconds between two sweeps of files without a row, which are removed when they are an hour old. */
const FILES_EVERY = 1_800_000;

/** Provides where files arrive and where they are stored, as configured. */
export async function openStorage(application: Application, config: Config, dataDir: string): Promise<void> {
  application.provide(incomingFolder, await openIncoming(join(dataDir, 'incoming')));
  const { HAULGATE_S3_ACCESS_KEY_ID: accessKeyId, HAULGATE_S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  application.provide(
    fileStorage,
    config.HAULGATE_FILES === 'local'
      ? localStorage(join(dataDir, 'files'))
      : await s3Storage({
          bucket: config.HAULGATE_S3_BUCKET,
          region: config.HAULGATE_S3_REGION,
          endpoint: config.HAULGATE_S3_ENDPOINT,
          pathStyle: config.HAULGATE_S3_PATH_STYLE === 'on',
          accessKeyId,
          secretAccessKey,
        }),
  );
}

/** Starts the sweep, which every process runs: each has an incoming folder of its own, and it does no harm if two check the same files. */
export async function sweepStorage(orm: MikroORM, log: Logger, life: Lifecycle): Promise<void> {
  const sweep = async () => {
    const removed = await sweepFiles(orm.em);
    if (removed > 0) log.info({ removed }, 'removed files that belong to nothing');
  };
  const report = (error: unknown) => log.warn({ err: error }, 'files that belong to nothing stay');
  await life.open(
    'sweeper of files',
    () => startSweeper(FILES_EVERY, sweep, report),
    (sweeper) => sweeper.stop(),
  );
}
