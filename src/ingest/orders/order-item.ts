import type { ClaimedRecord } from '../importer.ts';
import type { OrderDraft } from '../payload/order-draft.ts';
import type { ExistingOrder } from './existing-orders.ts';

/** A record that will be written: its draft, the order it matched (if any), and what its nested records resolved to. */
export interface Item {
  record: ClaimedRecord;
  draft: OrderDraft;
  existing?: ExistingOrder;
  accountId: string;
  serviceId: string;
  materialId: string | null;
  equipmentTypeId: string | null;
  vendorId: string | null;
  /** The supplier of the material, if the payload names one who can be. */
  supplierId: string | null;
  dispatchNumberId: string | null;
  foremanIds: string[];
  collaboratorIds: string[];
  salespersonIds: string[];
  /** It names a record that does not exist, and is not created for a locked order. */
  lacks: boolean;
}
