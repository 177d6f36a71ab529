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

interface Subject {
  state: string;
  stateBeforePay?: string | null;
  exportedAt?: unknown;
  exportState?: string;
}
const isHere = ({ exportedAt, exportState }: Subject): boolean => !exportedAt && exportState !== 'pending';

/** BILLING B9. What accounting has got, or is about to get, is not taken back. */
export const settlementMachine = defineMachine({
  model: 'Settlement',
  states: ['pending', 'approved', 'paid', 'voided'],
  initial: ['pending'],
  terminal: ['voided'],
  happened: { approve: 'approved', unapprove: 'unapproved', pay: 'paid', undo_pay: 'payment_undone', void: 'voided' },
  events: {
    approve: [{ from: ['pending'], to: 'approved' }],
    unapprove: [{ from: ['approved'], to: 'pending', guard: isHere, refusal: 'settlement_exported' }],
    pay: [{ from: ['approved'], to: 'paid' }],
    undo_pay: [
      {
        from: ['paid'],
        to: ({ stateBeforePay }: Subject) => (stateBeforePay as 'approved' | null | undefined) ?? 'approved',
        among: ['approved'],
        guard: isHere,
        refusal: 'settlement_exported',
      },
    ],
    void: [{ from: ['pending', 'approved'], to: 'voided', guard: isHere, refusal: 'settlement_exported' }],
  },
});
