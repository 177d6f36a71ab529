import { stringEnum } from '../../platform/model/columns.ts';

export const InvoiceSide = stringEnum('InvoiceSide', ['receivable', 'payable']);
export type InvoiceSide = keyof typeof InvoiceSide;

/** Why there is an invoice: for the work, for some of its loads, or for what differs from what was billed. */
export const InvoiceReason = stringEnum('InvoiceReason', ['regular', 'partial', 'late_ticket', 'correction']);
export type InvoiceReason = keyof typeof InvoiceReason;

export const InvoiceBlocker = stringEnum('InvoiceBlocker', [
  'job_not_finished',
  'shift_not_ended',
  'open_load',
  'day_not_finished',
  'load_not_approved',
  'job_not_approved',
  'driver_day_not_approved',
  'ticket_missing',
  'ticket_incomplete',
  'missing_quantity',
  'missing_time',
  'unit_mismatch',
  'no_rate',
  'no_counterparty',
  'commission_without_receivable',
  'fuel_price_missing',
  'stale_edited_line',
  'po_missing',
  'ticket_conflict',
]);
export type InvoiceBlocker = keyof typeof InvoiceBlocker;

/** Why no settlement has an invoice (BILLING B2.2 "why is my ticket not in the settlement"). */
export const UnsettledReason = stringEnum('UnsettledReason', ['not_approved', 'period_closed', 'exported', 'customer_paid', 'to_settle']);
export type UnsettledReason = keyof typeof UnsettledReason;

/** A reason to look at an invoice; it can be approved all the same. */
export const InvoiceWarning = stringEnum('InvoiceWarning', ['thin_margin', 'ticket_conflict', 'fuel_price_stale', 'below_schedule']);
export type InvoiceWarning = keyof typeof InvoiceWarning;

export const InvoiceLineItemType = stringEnum('InvoiceLineItemType', ['InvoiceLineItem', 'MaterialRateLineItem', 'FreightRateLineItem']);
export type InvoiceLineItemType = keyof typeof InvoiceLineItemType;
