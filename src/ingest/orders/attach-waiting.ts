import { attachParked, recordsOf } from '../../files/parked-files.ts';
import type { BatchTx, Outcome } from '../importer.ts';
import type { Item } from './order-item.ts';

/** Files that came before their orders (`POST /ingest/files`) are attached with them. */
export async function attachWaiting(tx: BatchTx, items: Item[], outcomes: Map<string, Outcome>): Promise<void> {
  const made = new Map<string, Item>();
  for (const item of items) {
    const outcome = outcomes.get(item.record.id);
    if (outcome?.state === 'processed' && outcome.resultId) made.set(outcome.resultId, item);
  }
  const orders = [...made].map(([id, { draft }]) => ({ id, externalId: draft.externalId }));
  for (const attached of await attachParked((sql, parameters) => tx.query(sql, parameters), tx.company.id, 'Order', orders)) {
    const { record } = made.get(attached.fileAttachableId)!;
    const { event, audit } = recordsOf(attached, tx.company.id, 'Order');
    tx.event(record, event);
    tx.audit(record, audit);
  }
}
