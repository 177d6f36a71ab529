/** Why an invoice cannot be approved, and what helps, by the code of the API. */
export const SENTENCES: Record<string, string> = {
  job_not_finished: 'Its job is not finished.',
  shift_not_ended: 'The shift is not over.',
  open_load: 'A load of its job is still open: complete or cancel it.',
  day_not_finished: 'Another job of the driver that is paid with it on that day is not finished.',
  load_not_approved: 'A load has not been approved for billing.',
  job_not_approved: 'Its job has not been approved for billing.',
  driver_day_not_approved: 'The day of the driver has not been approved for billing.',
  ticket_conflict: 'The ticket of a load contradicts what was reported, weighed, billed or seen: correct it, or say why it is right.',
  ticket_missing: 'The order wants the ticket of each load, and one is missing: add it, or say that it will not come.',
  ticket_incomplete: 'The ticket of a load has no quantity: complete it, or void it.',
  missing_quantity: 'A load has no quantity: its ticket, or a report, is missing.',
  missing_time: 'Nobody knows the time that its rate pays.',
  unit_mismatch: 'The unit of a load cannot be converted to that of the rate: give its material a density, or correct the ticket.',
  no_rate: 'It has no rate: no card fits the work, and nobody has set one.',
  no_counterparty: 'Nobody is named who pays or is paid.',
  commission_without_receivable: 'It is a commission, and what the customer pays is not known.',
  po_missing: 'The customer wants the number of a purchase order, and the order has none, or another kind of number.',
  fuel_price_missing: 'The index has no price of fuel for the day of the work.',
  stale_edited_line: 'A line that was set by hand differs from the work by now.',
};

/** A code that is newer than this page is shown as it is. */
export const sentenceOf = (blocker: string): string => SENTENCES[blocker] ?? blocker.replaceAll('_', ' ');

/** What an event is called on its button. */
export const ACTS: Record<string, string> = {
  approve: 'Approve',
  unapprove: 'Take the approval back',
  send_settlement: 'Send to the customer',
  pay: 'Note that it is paid',
  undo_pay: 'Take the payment back',
  customer_approve: 'Agree to it',
  customer_pay: 'Report that it is paid',
};

/** What is said when it was done. */
export const DONE: Record<string, string> = {
  approve: 'approved',
  unapprove: 'no longer approved',
  send_settlement: 'sent',
  pay: 'paid',
  undo_pay: 'no longer paid',
  customer_approve: 'agreed to',
  customer_pay: 'reported as paid',
};

/** The key of an event. */
export const KEYS: Record<string, string> = { approve: 'a', send_settlement: 's', pay: 'p', customer_approve: 'a', customer_pay: 'p' };

/** How a figure follows from its parts, in words. */
const OPERATIONS: Record<string, string> = {
  sum: 'the sum of',
  product: 'the product of',
  quotient: 'the quotient of',
  percent: 'percent of',
  atLeast: 'at least, unless it is 0',
  upTo: 'up to the next multiple of',
  rest: 'what is left after',
  least: 'the least of',
  portion: 'a share in whole units of',
  split: 'a share in cents of',
};
export const howOf = (operation: string, places: number | undefined): string =>
  `${OPERATIONS[operation] ?? operation}${places === undefined ? '' : `, rounded to ${places} places`}`;

/** Writes an amount of money: two places at least, and its thousands apart. No number is computed, so none is rounded. */
export function money(text: string | null, currency = ''): string {
  if (text === null) return 'not shown to you';
  const [whole, places = ''] = text.replace(/^-/, '').split('.');
  const grouped = whole!.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${text.startsWith('-') ? '-' : ''}${grouped}.${places.padEnd(2, '0')}${currency && ` ${currency}`}`;
}

export const wordsOf = (state: string): string => state.replaceAll('_', ' ');
