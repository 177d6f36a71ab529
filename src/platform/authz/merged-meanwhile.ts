import { ChangeSetType, type EventSubscriber, type FlushEventArgs } from '@mikro-orm/core';
import type { Context } from '../context.ts';
import { currentIds, isMergeable } from '../database/former-ids.ts';
import { queryIn } from '../database/sql.ts';
import { isLocked } from './authorization.ts';

/**
 * Locks what a transaction changes of records that can be merged, if the command has not locked it by `find`: PostgreSQL updates no row of a record
 * that was merged since it was read, and says nothing. Such a transaction has lost a race, and finds the record that stays when it runs again.
 */
export function locksMergeable(tx: Context): EventSubscriber {
  const held = new Set<string>();
  return {
    async onFlush({ uow }: FlushEventArgs) {
      const changed = new Map<string, string[]>();
      for (const { type, meta, entity } of uow.getChangeSets()) {
        const { id } = entity as { id: string };
        if (type !== ChangeSetType.UPDATE || !isMergeable(meta.class as Function)) continue;
        if (held.has(id) || isLocked(tx, meta.class as Function, id)) continue;
        changed.set(meta.tableName, [...(changed.get(meta.tableName) ?? []), id]);
      }
      for (const [table, ids] of changed) {
        // In one order, as everywhere.
        const sql = `select id from "${table}" where id = any($1::uuid[]) order by id for no key update`;
        const found = new Set((await queryIn<{ id: string }>(tx.em, sql, [ids])).map(({ id }) => id));
        for (const id of ids) held.add(id);
        const gone = ids.filter((id) => !found.has(id));
        // A row that nobody here may lock is not written either.
        if (gone.length > 0 && (await currentIds(tx, gone)).size > 0)
          throw Object.assign(new Error('a record was merged meanwhile'), { code: '40001' });
      }
    },
  };
}
