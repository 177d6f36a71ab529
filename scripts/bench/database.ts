import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MikroORM } from '@mikro-orm/postgresql';
import { entities, published, registerRooms } from '../../src/app/rooms.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/database/embedded.ts';
import { createOrm, migrate } from '../../src/platform/database/orm.ts';
import { closing } from './start.ts';

/** An empty, migrated database on a PostgreSQL of its own, which writes each commit as in production. */
export interface BenchDatabase {
  /** The folder of the cluster, which the product may use, too. */
  data: string;
  postgres: EmbeddedPostgres;
  orm: MikroORM;
}

/** Opens a database for a measurement; `closing` ends it. @param settings of PostgreSQL */
export async function openBenchDatabase(name: string, settings: Record<string, string>): Promise<BenchDatabase> {
  const data = mkdtempSync(join(tmpdir(), `haulgate-${name}-`));
  closing.push(() => rmSync(data, { recursive: true, force: true }));
  const postgres = await startEmbeddedPostgres({ dataDir: data, settings: { ...settings, synchronous_commit: 'on' } });
  closing.push(() => postgres.stop());
  registerRooms();
  const orm = await createOrm({ url: postgres.url, entities });
  closing.push(() => orm.close(true));
  await migrate(orm, published);
  return { data, postgres, orm };
}
