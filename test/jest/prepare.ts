import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import 'reflect-metadata';
import { findPgBouncer, startPgBouncer } from '../../scripts/pooler/pgbouncer.ts';
import { entities, published } from '../../src/app/rooms.ts';
import { schemaOfRooms } from '../../src/app/serve.ts';
import { poolerBefore } from '../../src/platform/database/connection/pooler.ts';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded.ts';
import { createOrm, migrate } from '../../src/platform/database/orm.ts';
import { compileDocuments } from '../../src/platform/http/rest/compile.ts';
import { createDatabase } from '../helpers/database.ts';

/**
 * One PostgreSQL for the whole run, a migrated template that every worker clones, and the console's bundle. The REST documents are compared with
 * the schema here, once for all files. @throws DocumentProblems when they do not fit
 */
export async function prepare(): Promise<void> {
  const built = promisify(execFile)(process.execPath, ['src/console/build.mjs']);
  compileDocuments(schemaOfRooms(), 'schema/rest');
  let url = process.env.TEST_DATABASE_URL;
  if (!url) {
    const dataDir = mkdtempSync(join(tmpdir(), 'haulgate-test-'));
    chmodSync(dataDir, 0o711);
    const postgres = await startEmbeddedPostgres({ dataDir, volatile: true, disposable: true });
    url = postgres.url;
    Object.assign(globalThis, { haulgateTestPostgres: { postgres, dataDir } });
  }
  if (process.env.HAULGATE_TEST_POOLER) await startPooler(url);
  const template = `haulgate_template_${process.pid}`;
  const templateUrl = await createDatabase(url, template);
  const orm = await createOrm({ url: templateUrl, entities });
  await migrate(orm, published);
  await orm.close(true);
  await built;
  process.env.HAULGATE_TEST_SERVER = url;
  process.env.HAULGATE_TEST_TEMPLATE = template;
}

/** Starts the pooler through which the product reaches the databases of the run (`npm run test:pooler`). */
async function startPooler(url: string): Promise<void> {
  const binary = findPgBouncer();
  if (!binary) throw new Error('no PgBouncer is here; npm run test:pooler installs one');
  // Connections that nobody uses would keep databases that tests have left, hundreds of them.
  const settings = {
    server_idle_timeout: 5,
    ...(process.env.HAULGATE_TEST_POOLER === 'unprepared' && binary.prepares ? { max_prepared_statements: 0 } : {}),
  };
  const pooler = await startPgBouncer(binary, url, [url], settings);
  Object.assign(globalThis, { haulgateTestPooler: pooler });
  const { prepares } = (await poolerBefore(pooler.through(url)))!;
  Object.assign(process.env, { HAULGATE_TEST_POOLER_PORT: String(pooler.port), HAULGATE_TEST_POOLER_PREPARES: String(prepares) });
  process.stdout.write(
    `the product goes through PgBouncer ${binary.version}, ${prepares ? 'which prepares' : 'without prepared'} statements\n`,
  );
}
