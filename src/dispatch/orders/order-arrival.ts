import { attachParked, lockArrivals, recordsOf } from '../../files/parked-files.ts';
import type { RecordsOf } from '../../platform/commands/records.ts';
import type { SetTx } from '../../platform/commands/set-tx.ts';

/**
 * Locks the arrival of files and tickets. Call it before orders get external ids, dispatch numbers or another day, and before jobs move to
 * another day or are added, perhaps on one on which their order had none: files and tickets that wait for them, or arrive meanwhile, are then
 * attached and linked. It must be the first lock.
 */
export const expectArrivals = ({ query }: SetTx, companyId: string): Promise<void> => lockArrivals(query, companyId, 'record');

/** An order, and the external id that files wait for. */
export interface Arrived {
  id: string;
  externalId: string;
}

/**
 * Attaches the files that wait for the external ids of orders (`POST /ingest/files`). Call it after `expectArrivals`, when the orders are
 * written.
 */
export async function attachWaiting<T extends Arrived>(
  { query }: SetTx,
  companyId: string,
  orders: readonly T[],
  inNameOf: RecordsOf<T>,
): Promise<void> {
  const byId = new Map(orders.map((order) => [order.id, order]));
  for (const attached of await attachParked(query, companyId, 'Order', orders)) {
    const { event, audit } = recordsOf(attached, companyId, 'Order');
    const records = inNameOf(byId.get(attached.fileAttachableId)!);
    records.events.push(event);
    records.audits.push(audit);
  }
}
