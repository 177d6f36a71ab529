import { type Migration, Migrator } from '@mikro-orm/migrations';
import type { MikroORM } from '@mikro-orm/postgresql';
import { type Waiting, whenFree } from './when-free.ts';

/** A migration, as MikroORM takes it. */
export interface Named {
  name: string;
  class: Function;
}

/**
 * Runs migrations in their order, each in a transaction of its own, and one that says that it is not transactional outside of any (`create index
 * concurrently`). In a new database neighbours share a transaction. One that fails leaves nothing of itself, and none behind it runs.
 * @param isNew the database has nothing yet, and nobody who uses it
 */
export async function runMigrations(
  orm: MikroORM,
  migrations: readonly Named[],
  { isNew = false, ...waiting }: Waiting & { isNew?: boolean } = {},
): Promise<void> {
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
    if (together) await runInTransactions(orm, migrator, isNew ? [names] : names.map((name) => [name]), waiting);
    else await migrator.up({ migrations: names });
  }
}

/**
 * Runs migrations, each part in one transaction, which begins again until it has its tables. The parts are small where others use the database: who waits
 * for a table waits until the part is done, and a part that needs few tables soon has them.
 */
async function runInTransactions(orm: MikroORM, migrator: Migrator, parts: readonly string[][], waiting: Waiting): Promise<void> {
  // Prepares outside of the transaction, which would otherwise wait for a connection more than an owner's pool has.
  await migrator.getPending();
  for (const part of parts)
    await whenFree(orm, { step: part.at(-1)!, ...waiting }, (em) =>
      migrator.up({ migrations: part, transaction: em.getTransactionContext() }),
    );
}
