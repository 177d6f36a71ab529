import type { Warning } from '../importer.ts';
import type { Named } from '../payload/order-draft.ts';

/** A payload after it was read. */
export interface TicketDraft {
  ticketNumber: string;
  serviceDate: Date;
  /** Decimal text, in `unit`. */
  quantity: string;
  /** The weights of the loaded and of the empty truck, in `unit`; null if they were not sent. */
  gross: string | null;
  tare: string | null;
  /** The weighmaster. */
  weighedBy?: string;
  /** The quantity as it was sent, in `givenUnit`. */
  givenQuantity: string;
  unit: string;
  /** The unit as it was sent. */
  givenUnit: string;
  truckId: string;
  platformOrderId?: string;
  orderExternalId?: string;
  dispatchNumber?: string;
  material?: Named;
  customer?: Named;
  vendor?: Named;
  site?: Named;
  notes?: string;
  warnings: Warning[];
}
