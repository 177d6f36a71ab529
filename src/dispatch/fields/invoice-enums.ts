import { stringEnum } from '../../platform/model/columns.ts';

// Work is listed by its invoices, which a higher room keeps.
export const InvoiceState = stringEnum('InvoiceState', [
  'created',
  'in_progress',
  'pending',
  'approved',
  'paid',
  'exported',
  'voided',
  'customer_pending',
  'customer_approved',
  'customer_paid',
]);
export type InvoiceState = keyof typeof InvoiceState;

export const InvoiceableType = stringEnum('InvoiceableType', ['Job', 'DriverDay']);
export type InvoiceableType = keyof typeof InvoiceableType;

export const InvoiceCategoryFilter = stringEnum('InvoiceCategoryFilter', [
  'payables',
  'receivables',
  'vendor_payables',
  'owner_operator_payables',
  'internal_payables',
  'connection_receivables',
  'account_receivables',
]);
export type InvoiceCategoryFilter = keyof typeof InvoiceCategoryFilter;
