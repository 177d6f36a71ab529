import type { InvoiceState } from '../../dispatch/fields/invoice-enums.ts';
import { stringEnum } from '../../platform/model/columns.ts';
import { defineMachine } from '../../platform/state/machine.ts';
import type { InvoiceReason } from './invoice-enums.ts';

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

/** The events of an invoice, in addition to those of the public enum. */
export type InvoiceEvent = keyof typeof InvoiceStateEvent | 'customer_approve' | 'customer_release';

/** What is done to an invoice that a settlement has only with that settlement (BILLING B5). */
export const WITH_SETTLEMENT: readonly string[] = ['export', 'pay', 'send_invoice', 'unapprove', 'void'];

/** States in which what an invoice says follows the work (BILLING B2.1). */
export const FOLLOWING: readonly InvoiceState[] = ['created', 'in_progress', 'pending'];

/** Parts that bill what differs from what was billed (BILLING B2.4). */
export const isSupplement = ({ reason }: { reason: InvoiceReason }): boolean => reason === 'late_ticket' || reason === 'correction';

interface Subject {
  state: string;
  blockers: readonly string[];
  side?: string;
  exportedAt?: unknown;
  exportState?: string;
}
/** Nothing is missing that has to be known before (BILLING B2.2). */
export const isApprovable = ({ blockers }: Subject): boolean => blockers.length === 0;
/** Accounting has not got it by itself: it gets it once. */
const isNew = ({ exportedAt }: Subject): boolean => !exportedAt;
/** Nobody knows whether accounting has it: it is on its way, or was sent and not answered. What accounting has got is taken back by a document (BILLING B12). */
const isKnown = ({ exportState }: Subject): boolean => exportState !== 'pending' && exportState !== 'uncertain';

const SENT_STATES = ['customer_pending', 'customer_approved', 'customer_paid'] as const;

/** Only what a customer owes is sent to it. An absent side does not forbid. */
const isReceivable = ({ side }: Subject): boolean => side !== 'payable';

/** States from which an invoice is paid. */
const PAYABLE = ['approved', 'exported', ...SENT_STATES] as const;
/** The state in which an invoice was before its settlement was paid. */
export type StateBeforePay = (typeof PAYABLE)[number];

/** BILLING B2.1. */
export const invoiceMachine = defineMachine({
  model: 'Invoice',
  states: [
    ...(['created', 'in_progress', 'pending', 'approved', 'paid', 'exported', 'voided'] as const),
    ...(['customer_pending', 'customer_approved', 'customer_paid'] as const),
  ],
  initial: ['created'],
  terminal: ['voided'],
  // The customer's approval is no event of the public enum.
  internal: ['begin', 'generate', 'reopen', 'customer_approve', 'customer_release'],
  reversals: ['undo_pay'],
  happened: {
    begin: 'begun',
    generate: 'generated',
    reopen: 'reopened',
    approve: 'approved',
    unapprove: 'unapproved',
    send_invoice: 'sent',
    customer_approve: 'customer_approved',
    customer_pay: 'customer_paid',
    customer_release: 'released',
    export: 'exported',
    pay: 'paid',
    undo_pay: 'payment_undone',
    void: 'voided',
  },
  events: {
    begin: [{ from: ['created'], to: 'in_progress' }],
    generate: [{ from: ['created', 'in_progress'], to: 'pending' }],
    // Work goes on that was finished.
    reopen: [{ from: ['pending'], to: 'in_progress' }],
    approve: [{ from: ['pending'], to: 'approved', guard: isApprovable }],
    customer_approve: [{ from: ['customer_pending'], to: 'customer_approved' }],
    customer_pay: [{ from: ['customer_pending', 'customer_approved'], to: 'customer_paid' }],
    // With the settlement by which it was sent.
    customer_release: [{ from: ['customer_pending', 'customer_approved'], to: 'approved' }],
    export: [{ from: ['approved', 'paid', ...SENT_STATES], to: 'exported', guard: isNew, refusal: 'invoice_in_accounting' }],
    // An exported one is paid, too.
    pay: [{ from: PAYABLE, to: 'paid' }],
    // The settlement by which it was paid takes it back.
    undo_pay: [
      { from: ['paid'], to: (_invoice, { stateBefore }: { stateBefore?: StateBeforePay }) => stateBefore ?? 'approved', among: PAYABLE },
    ],
    send_invoice: [{ from: ['approved'], to: 'customer_pending', guard: isReceivable }],
    unapprove: [
      { from: ['approved'], to: 'pending', guard: isKnown, refusal: 'invoice_under_way' },
      { from: SENT_STATES, to: 'pending', guard: () => false, refusal: 'invoice_sent' },
    ],
    void: [
      {
        from: ['created', 'in_progress', 'pending', 'approved', 'paid', 'exported', ...SENT_STATES],
        to: 'voided',
        guard: isKnown,
        refusal: 'invoice_under_way',
      },
    ],
  },
});
