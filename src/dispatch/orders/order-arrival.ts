import { attachParked, lockArrivals, recordsOf } from '../../files/parked-files.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { Query } from '../../platform/database/sql.ts';
import { queryIn } from '../../platform/database/sql.ts';

/** Before an order gets an external id: files that wait for it, or arrive meanwhile, will be its own. */
export async function expectFiles(tx: TxContext, companyId: string): Promise<void> {
  await lockArrivals(queryOf(tx), companyId, 'record');
}

/** Attaches the files that wait for an order's external id; after `expectFiles`, when the order is written. */
export async function attachWaiting(tx: TxContext, order: { id: string; externalId?: string | null }, companyId: string): Promise<void> {
  if (!order.externalId) return;
  for (const attached of await attachParked(queryOf(tx), companyId, 'Order', [{ id: order.id, externalId: order.externalId }])) {
    const { event, audit } = recordsOf(attached, companyId, 'Order');
    tx.tx.events.push(event);
    tx.tx.audits.push(audit);
  }
}

const queryOf =
  (tx: TxContext): Query =>
  (sql, parameters) =>
    queryIn(tx.em, sql, parameters);
