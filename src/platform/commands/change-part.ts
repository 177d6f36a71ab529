import type { TxContext } from './transact.ts';

/**
 * Changes a record's contact, address or other part in place. If anything changed, the record counts as changed too: its `updated_at` and
 * its `version` change, so that a client that has read it before gets a conflict.
 */
export function changePart(tx: TxContext, owner: { updatedAt: Date }, part: object, change: () => void): void {
  const columns = () => JSON.stringify(tx.em.getComparator().prepareEntity(part));
  const before = columns();
  change();
  if (columns() !== before) owner.updatedAt = tx.tx.now;
}
