import { rmSync } from 'node:fs';
import type { EmbeddedPostgres } from '../../src/platform/database/embedded.ts';

/** Stops the run's PostgreSQL and removes its folder. */
export default async function teardown(): Promise<void> {
  const { haulgateTestPostgres: own } = globalThis as { haulgateTestPostgres?: { postgres: EmbeddedPostgres; dataDir: string } };
  if (!own) return;
  await own.postgres.stop();
  rmSync(own.dataDir, { recursive: true, force: true });
}
