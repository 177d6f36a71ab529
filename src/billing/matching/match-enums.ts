import { stringEnum } from '../../platform/model/columns.ts';

/** The kinds of differences of a load (BILLING B10). */
export const LoadVariance = stringEnum('LoadVariance', [
  'qty_ticket_vs_load',
  'qty_ticket_vs_invoice',
  'qty_scale_vs_scale',
  'time_vs_gps',
  'gps_absent',
  'price_vs_order',
  'no_ticket',
  'no_invoice',
  'qty_bill_vs_ticket',
  'price_bill_vs_invoice',
  'amount_bill_vs_invoice',
  'date_bill_vs_load',
  'no_load',
  'twice_billed',
]);
export type LoadVariance = keyof typeof LoadVariance;

/** Those by which a ticket contradicts something else; an invoice of such a load is pointed out. */
export const TICKET_CONFLICTS: readonly LoadVariance[] = [
  'qty_ticket_vs_load',
  'qty_ticket_vs_invoice',
  'qty_scale_vs_scale',
  'time_vs_gps',
  'gps_absent',
  'qty_bill_vs_ticket',
];

export const LoadMatchResult = stringEnum('LoadMatchResult', ['matched', 'tolerated', 'variance', 'waived']);
export type LoadMatchResult = keyof typeof LoadMatchResult;
