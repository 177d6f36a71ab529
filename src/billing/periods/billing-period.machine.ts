import { stringEnum } from '../../platform/model/columns.ts';
import { defineMachine } from '../../platform/state/machine.ts';

export const BillingPeriodState = stringEnum('BillingPeriodState', ['open', 'closed']);
export type BillingPeriodState = keyof typeof BillingPeriodState;

/** The state of the days that are closed next. The clock moves them on, and nobody notes it. */
export const NextBillingPeriodState = stringEnum('NextBillingPeriodState', ['open', 'review']);
export type NextBillingPeriodState = keyof typeof NextBillingPeriodState;

/** BILLING B10. */
export const billingPeriodMachine = defineMachine({
  model: 'BillingPeriod',
  states: ['open', 'closed'],
  initial: ['open'],
  terminal: [],
  happened: { close: 'closed', reopen: 'reopened' },
  events: {
    close: [{ from: ['open'], to: 'closed' }],
    reopen: [{ from: ['closed'], to: 'open' }],
  },
});
