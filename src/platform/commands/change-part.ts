import type { TxContext } from './transact.ts';

/**
 * Changes a record's contact, address or other part in place. When that changed anything the record has changed with it: its `updated_at`
 * and its `version` move, so that whoever has read it before learns of it.
 */
export function changePart(tx: TxContext, owner: { updatedAt: Date }, part: object, change: () => void): void {
  const columns = () => JSON.stringify(tx.em.getComparator().prepareEntity(part));
  const before = columns();
  change();
  if (columns() !== before) owner.updatedAt = tx.tx.now;
}
