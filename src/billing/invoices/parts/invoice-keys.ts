import { defineUnique } from '../../../platform/commands/unique.ts';

/** A job has one live invoice for each side, link and part, a day one for each part, and a line for each load and band of its rate. */
export const invoiceKeys = [
  defineUnique('invoice_books_key', { model: 'Invoice', field: 'jobId' }),
  defineUnique('invoice_driver_day_key', { model: 'Invoice', field: 'driverDayId' }),
  defineUnique('invoice_line_item_key', { model: 'InvoiceLineItem', field: 'loadId' }),
  // A load is billed once, whatever parts there are: which books a line bills its load in, the database notes.
  defineUnique('invoice_line_item_billed_key', { model: 'InvoiceLineItem', field: 'loadId' }),
];
