import { stringEnum } from '../../platform/model/columns.ts';
import { defineMachine } from '../../platform/state/machine.ts';

export const SettlementState = stringEnum('SettlementState', [
  'pending',
  'approved',
  'paid',
  'customer_pending',
  'customer_approved',
  'customer_paid',
  'voided',
]);
export type SettlementState = keyof typeof SettlementState;
export const SettlementStateEvent = stringEnum('SettlementStateEvent', [
  'approve',
  'customer_pay',
  'pay',
  'send_settlement',
  'unapprove',
  'undo_pay',
  'void',
]);
export type SettlementStateEvent = keyof typeof SettlementStateEvent;

/** States of what was sent to the customer's company. */
const SENT_STATES = ['customer_pending', 'customer_approved', 'customer_paid'] as const;
/** States from which a settlement is paid. */
export const PAYABLE = ['approved', ...SENT_STATES] as const;

interface Subject {
  state: string;
  side?: string;
  stateBeforePay?: string | null;
  exportedAt?: unknown;
  exportState?: string;
  exportedBeforePay?: boolean;
}
/** Only what a customer owes is sent to it. An absent side does not forbid. */
const isReceivable = ({ side }: Subject): boolean => side !== 'payable';
/** Nobody knows whether accounting has it: it is on its way, or was sent and not answered. */
const isUnderWay = ({ exportState }: Subject): boolean => exportState === 'pending' || exportState === 'uncertain';
const isHere = (of: Subject): boolean => !of.exportedAt && !isUnderWay(of);
/** A settlement that was exported before it was paid says nothing of the payment (BILLING B9). */
const isNotExportedAsPaid = (of: Subject): boolean => Boolean(of.exportedBeforePay) || isHere(of);

/** A settlement is not taken back while the customer has it. */
const isSent = { from: SENT_STATES, guard: () => false, refusal: 'settlement_sent' };

/** BILLING B9. What accounting is about to get is not taken back, nor what the customer has; what accounting has got is, by a reversal (B12). */
export const settlementMachine = defineMachine({
  model: 'Settlement',
  states: ['pending', 'approved', 'paid', 'voided', ...SENT_STATES],
  initial: ['pending'],
  terminal: ['voided'],
  // The acts of the customer are no events of the public enum, apart from paying.
  internal: ['customer_approve', 'customer_release'],
  happened: {
    approve: 'approved',
    unapprove: 'unapproved',
    send_settlement: 'sent',
    customer_approve: 'customer_approved',
    customer_pay: 'customer_paid',
    customer_release: 'released',
    pay: 'paid',
    undo_pay: 'payment_undone',
    void: 'voided',
  },
  events: {
    approve: [{ from: ['pending'], to: 'approved' }],
    unapprove: [
      { from: ['approved'], to: 'pending', guard: isHere, refusal: 'settlement_exported' },
      { ...isSent, to: 'pending' },
    ],
    send_settlement: [{ from: ['approved'], to: 'customer_pending', guard: isReceivable }],
    customer_approve: [{ from: ['customer_pending'], to: 'customer_approved' }],
    customer_pay: [{ from: ['customer_pending', 'customer_approved'], to: 'customer_paid' }],
    // It is changed or voided by whoever sent it, and may be sent again.
    customer_release: [{ from: ['customer_pending', 'customer_approved'], to: 'approved' }],
    pay: [{ from: PAYABLE, to: 'paid' }],
    undo_pay: [
      {
        from: ['paid'],
        to: ({ stateBeforePay }: Subject) => (stateBeforePay as 'approved' | null | undefined) ?? 'approved',
        among: PAYABLE,
        guard: isNotExportedAsPaid,
        refusal: 'settlement_exported',
      },
    ],
    void: [
      { from: ['pending', 'approved'], to: 'voided', guard: (of) => !isUnderWay(of), refusal: 'settlement_under_way' },
      { ...isSent, to: 'voided' },
    ],
  },
});
