import { stringEnum } from '../../platform/model/columns.ts';
import { defineMachine } from '../../platform/state/machine.ts';

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
export const InvoiceStateEvent = stringEnum('InvoiceStateEvent', [
  'approve',
  'customer_pay',
  'export',
  'pay',
  'send_invoice',
  'unapprove',
  'void',
]);
export type InvoiceStateEvent = keyof typeof InvoiceStateEvent;

/** States in which what an invoice says follows the work (BILLING B2.1). */
export const FOLLOWING: readonly InvoiceState[] = ['created', 'in_progress', 'pending'];

/** Nothing is missing that has to be known before (BILLING B2.2). */
export const isApprovable = ({ blockers }: { state: string; blockers: readonly string[] }): boolean => blockers.length === 0;

/** BILLING B2.1. Invoices are not sent to customers or to accounting yet, so the states after that are reached by no event. */
export const invoiceMachine = defineMachine({
  model: 'Invoice',
  states: ['created', 'in_progress', 'pending', 'approved', 'paid', 'voided'],
  initial: ['created'],
  terminal: ['voided'],
  internal: ['begin', 'generate', 'reopen'],
  happened: {
    begin: 'begun',
    generate: 'generated',
    reopen: 'reopened',
    approve: 'approved',
    unapprove: 'unapproved',
    pay: 'paid',
    void: 'voided',
  },
  events: {
    begin: [{ from: ['created'], to: 'in_progress' }],
    generate: [{ from: ['created', 'in_progress'], to: 'pending' }],
    // Work goes on that was finished.
    reopen: [{ from: ['pending'], to: 'in_progress' }],
    approve: [{ from: ['pending'], to: 'approved', guard: isApprovable }],
    unapprove: [{ from: ['approved'], to: 'pending' }],
    pay: [{ from: ['approved'], to: 'paid' }],
    void: [{ from: ['created', 'in_progress', 'pending', 'approved', 'paid'], to: 'voided' }],
  },
});
