/** Why an invoice cannot be approved, and what helps, by the code of the API. */
export const SENTENCES: Record<string, string> = {
  job_not_finished: 'Its job is not finished.',
  shift_not_ended: 'The shift is not over.',
  open_load: 'A load of its job is still open: complete it, or take its ticket off if nobody hauled it.',
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
  no_rate: 'It has no rate: no rate card fits the work, and nobody has set one.',
  no_counterparty: 'Nobody is named who pays or is paid.',
  commission_without_receivable: 'It is a commission, and what the customer pays is not known.',
  po_missing: 'The customer wants the number of a purchase order, and the order has none, or another kind of number.',
  fuel_price_missing: 'The index has no price of fuel for the day of the work.',
  stale_edited_line: 'A line that was set by hand differs from the work by now.',
};

/** Why an approved invoice is in no settlement, by the code of the API; nothing where somebody settles it as a matter of course. */
export const UNSETTLED: Record<string, string> = {
  period_closed: 'It is approved, and counts in a week whose books are closed: settle it as work of the open week.',
  exported: 'It was entered in accounting by itself.',
  customer_paid: 'The customer has paid it by itself.',
};

/** A code that is newer than this page is shown as it is. */
export const sentenceOf = (blocker: string): string => SENTENCES[blocker] ?? blocker.replaceAll('_', ' ');

/** The reasons to look at an invoice before it is approved, by the codes of the API. */
export const WARNINGS: Record<string, string> = {
  ticket_conflict: 'The ticket of a load contradicts what was reported, weighed, billed or seen.',
  thin_margin: 'Little is left of it after what the work costs.',
  fuel_price_stale: 'The price of fuel by which it charges is more than ten days old.',
  below_schedule: 'Fuel was cheaper than in the first row of its schedule, so nothing is charged for it.',
};
export const warningOf = (warning: string): string => WARNINGS[warning] ?? wordsOf(warning);

/** Why there is a part of the work, next to the one that it belongs to; nothing of the work itself. */
export const REASONS: Record<string, (parent: string) => string> = {
  regular: () => '',
  partial: (parent) => `loads that were taken off ${parent}`,
  late_ticket: (parent) => `late work, in addition to ${parent}`,
  correction: (parent) => `what differs from ${parent}`,
};
export const reasonOf = ({ reason, parentInvoice }: { reason: string; parentInvoice: { invoiceId: string } | null }): string =>
  (REASONS[reason] ?? (() => wordsOf(reason)))(parentInvoice?.invoiceId ?? 'another invoice');

/** The names of events on their buttons. */
export const ACTS: Record<string, string> = {
  approve: 'Approve',
  unapprove: 'Take the approval back',
  send_settlement: 'Send to the customer',
  pay: 'Note that it is paid',
  undo_pay: 'Take the payment back',
  customer_approve: 'Agree to it',
  customer_pay: 'Report that it is paid',
  carry_forward: 'Charge it with the next settlement',
};

/** The messages when an event was done. */
export const DONE: Record<string, string> = {
  approve: 'approved',
  unapprove: 'no longer approved',
  send_settlement: 'sent',
  pay: 'paid',
  undo_pay: 'no longer paid',
  customer_approve: 'agreed to',
  customer_pay: 'reported as paid',
  carry_forward: 'paid, and charged with the next settlement of the payee',
};

/** The key of an event. */
export const KEYS: Record<string, string> = {
  approve: 'a',
  send_settlement: 's',
  pay: 'p',
  customer_approve: 'a',
  customer_pay: 'p',
  carry_forward: 'n',
};

/** The operations by which figures follow from their parts, in words. */
const OPERATIONS: Record<string, string> = {
  sum: 'the sum of',
  product: 'the product of',
  quotient: 'the quotient of',
  percent: 'percent of',
  atLeast: 'at least, unless it is 0',
  upTo: 'up to the next multiple of',
  rest: 'what is left after',
  least: 'the least of',
  latest: 'the last of',
  reached: 'the one that is reached, of',
  band: 'what is within a band, of',
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

/** Returns the unit of a rate in words: `RatePerTon` is `per ton`. */
export const rateTypeOf = (type: string): string =>
  type
    .replace(/^Rate/, '')
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim();

/** The outcome of a mail. */
const MAILED: Record<string, string> = { initiated: 'on its way', delivered: 'delivered', failed: 'refused' };
export const mailedOf = ({ state, lastError }: { state: string; lastError: string | null }): string =>
  `${MAILED[state] ?? wordsOf(state)}${lastError ? `: ${lastError}` : ''}`;
