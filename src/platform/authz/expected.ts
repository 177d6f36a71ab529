import type { EventSubscriber, FlushEventArgs } from '@mikro-orm/core';
import type { Context } from '../context.ts';
import { queryIn } from '../database/sql.ts';
import { PreconditionFailed } from '../errors.ts';

/** A record, and what it has of the time or the number of its last change. */
interface Changing {
  id: string;
  version?: number;
  updatedAt?: Date | null;
}

/** Milliseconds by which the same time may differ, because the database keeps it more exactly than answers have it. */
const SAME_TIME = 1;

/** By transaction the record that a client expects in some state, while it is compared without a lock; null when nobody else can change it any more. */
const seen = new WeakMap<object, Changing | null>();

/**
 * Compares a record that a transaction finds with the state that the client has seen (`If-Match`). It takes no lock: only the command knows what is
 * locked before the record. What was found without a lock is compared once more, when the command locks it, at the latest when it writes it
 * (`comparesWritten`).
 * @param isLocked nobody else can change it from here to the end of the transaction
 * @throws PreconditionFailed when it is in another state
 */
export function requireExpected({ em, expects }: Context, record: Changing, isLocked: boolean): void {
  if (expects?.id !== record.id || seen.get(em) === null) return;
  // One of another kind has the same id, as an account has that of its billing profile.
  if (expects.version !== undefined && record.version === undefined) return;
  compare(expects, record);
  seen.set(em, isLocked ? null : record);
}

/** Compares what a command has found without a lock when it writes it, under the lock that is needed to write it. */
export function comparesWritten(tx: Context): EventSubscriber {
  return {
    async onFlush({ uow }: FlushEventArgs) {
      const record = seen.get(tx.em);
      const change = record && uow.getChangeSets().find(({ entity }) => entity === record);
      if (!change || !tx.expects) return;
      const { tableName, properties } = change.meta as unknown as { tableName: string; properties: Partial<Record<string, object>> };
      const columns = [...(properties.version ? ['version'] : []), ...(properties.updatedAt ? ['updated_at as "updatedAt"'] : [])];
      const [row] = await queryIn<{ version?: number; updatedAt?: string | Date | null }>(
        tx.em,
        `select ${columns.join(', ')} from "${tableName}" where id = $1 for no key update`,
        [record.id],
      );
      // A row that nobody here may lock is not written either.
      if (row) compare(tx.expects, { id: record.id, version: row.version, updatedAt: row.updatedAt ? new Date(row.updatedAt) : null });
      seen.set(tx.em, null);
    },
  };
}

function compare({ version, updatedAt }: NonNullable<Context['expects']>, record: Changing): void {
  const later = updatedAt !== undefined && record.updatedAt ? Math.abs(record.updatedAt.getTime() - updatedAt) : 0;
  if ((version !== undefined && version !== record.version) || later > SAME_TIME) throw new PreconditionFailed();
}
