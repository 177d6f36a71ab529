import type { MikroORM } from '@mikro-orm/postgresql';
import { migrationNames } from '../platform/database/migrations.ts';
import { poolOf } from '../platform/database/sql.ts';
import { applicationMetrics, type Build, type Health } from '../platform/http/health.ts';

export interface HealthOptions {
  build: Build;
  isStopping?: () => boolean;
  /** False while Redis is configured and lost. */
  redis?: () => boolean;
  /** Returns the figures of all processes that share the port, which `/metrics` adds up; only this process's by default. */
  family?: Health['family'];
}

/** Milliseconds within which the database must answer. */
const PATIENCE = 2_000;

/** Returns the health: ready means that the process is not stopping and the database answers. */
export function healthOf(orm: MikroORM, options: HealthOptions): Health {
  const migrations = migrationNames();
  return {
    build: options.build,
    figures: applicationMetrics.of(orm.em),
    family: options.family,
    async parts() {
      const applied = await within(PATIENCE, async () => {
        const { rows } = await (await poolOf(orm.em)).query<{ name: string }>('select name from migration');
        return new Set(rows.map((row) => row.name));
      });
      return {
        db: applied !== undefined,
        migrations: applied !== undefined && migrations.every((name) => applied.has(name)),
        redis: options.redis?.() ?? true,
      };
    },
    async ready() {
      if (options.isStopping?.()) throw new Error('stopping');
      const answers = await within(PATIENCE, async () => (await (await poolOf(orm.em)).query('select 1')).rows);
      if (!answers) throw new Error('the database does not answer');
    },
  };
}

/** Returns the value, or undefined if the work fails or takes longer. */
async function within<T>(ms: number, work: () => Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([work().catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
