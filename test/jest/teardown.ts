import { rmSync } from 'node:fs';
import type { PgBouncer } from '../../scripts/pooler/pgbouncer.ts';
import type { EmbeddedPostgres } from '../../src/platform/database/embedded.ts';

/** Removes the compiled code, stops the run's pooler, if it has one, stops the run's PostgreSQL and removes its folder. */
export default async function teardown(): Promise<void> {
  rmSync(process.env.HAULGATE_TEST_COMPILED!, { recursive: true, force: true });
  const { haulgateTestPostgres: own, haulgateTestPooler: pooler } = globalThis as {
    haulgateTestPostgres?: { postgres: EmbeddedPostgres; dataDir: string };
    haulgateTestPooler?: PgBouncer;
  };
  await pooler?.stop();
  if (!own) return;
  await own.postgres.stop();
  rmSync(own.dataDir, { recursive: true, force: true });
}
