import { type Migration, Migrator } from '@mikro-orm/migrations';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { tryOnce, type Waiting, whenFree } from './when-free.ts';

/** A migration, as MikroORM takes it. */
export interface Named {
  name: string;
  class: Function;
}

/**
 * Runs migrations in their order: neighbours in one transaction, unless others are in their way, and each that says that it is not transactional by
 * itself and outside of any (`create index concurrently`). One that fails leaves nothing of itself, and none behind it runs.
 */
export async function runMigrations(orm: MikroORM, migrations: readonly Named[], waiting: Waiting = {}): Promise<void> {
  const parts: { names: string[]; together: boolean }[] = [];
  for (const { name, class: made } of migrations) {
    const together = (made.prototype as Migration).isTransactional();
    const last = parts.at(-1);
    if (last?.together && together) last.names.push(name);
    else parts.push({ names: [name], together });
  }
  for (const { names, together } of parts) {
    orm.config.set('migrations', { ...orm.config.get('migrations'), migrationsList: [...migrations] as never, allOrNothing: together });
    // It reads the settings when it is made.
    const migrator = new Migrator(orm.em);
    if (together) await runTogether(orm, migrator, names, waiting);
    else await migrator.up({ migrations: names });
  }
}

/**
 * Runs migrations in one transaction. As soon as others are in their way each has a transaction of its own: it needs fewer tables at once, and what was
 * done stays. Each begins again until it has its tables, and then these and all behind them go on. The one that was kept from a table asks for that first.
 */
async function runTogether(orm: MikroORM, migrator: Migrator, names: string[], waiting: Waiting): Promise<void> {
  const run = (part: string[]) => (em: EntityManager) => migrator.up({ migrations: part, transaction: em.getTransactionContext() });
  const last = { name: '' };
  migrator.on('migrating', ({ name }) => {
    last.name = name;
  });
  // Prepares outside of the transaction, which would otherwise wait for a connection more than an owner's pool has.
  await migrator.getPending();
  const together = await tryOnce(orm, waiting, run(names));
  if ('result' in together) return;
  // The others need not wait for the table that this one could not have.
  const kept = { name: last.name, first: together.wanted ? [together.wanted] : [] };
  for (const name of names) await whenFree(orm, { step: name, ...waiting, first: name === kept.name ? kept.first : [] }, run([name]));
}
