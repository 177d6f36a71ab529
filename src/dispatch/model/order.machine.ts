import { defineMachine } from '../../platform/state/machine.ts';
import { OrderState, type OrderStateEvent } from './states.ts';

/** The facts about an order's jobs and loads that the machine's conditions read. */
export interface OrderJobFacts {
  /** A job has been under way, or is. */
  jobsStarted: boolean;
  /** A job is on the road right now (to_pickup to unloaded). */
  jobsHauling: boolean;
  /** A load is approved for billing, or an invoice of its company is (BILLING B5). */
  billingApproved: boolean;
  accountDiscarded: boolean;
}

/** SQL: `billingApproved` of order `o`. Bills are a higher room's, and what is approved of them is a fact of the order. */
export const billingApprovedSql = (
  o: string,
): string => `(exists (select 1 from load bl where bl.order_id = ${o}.id and bl.billing_approved_at is not null)
  or exists (select 1 from invoice bi where bi.order_id = ${o}.id and bi.company_id = ${o}.company_id and bi.billing_approved_at is not null and bi.state <> 'voided'))`;

type Subject = { state: OrderState; heldFrom?: OrderState | null };
type Facts = Partial<OrderJobFacts>;
const notStarted = (_order: Subject, facts: Facts) => !facts.jobsStarted;

/** DOMAIN 1.1. */
export const orderMachine = defineMachine<OrderState, OrderStateEvent, Subject, OrderJobFacts>({
  model: 'Order',
  states: Object.values(OrderState),
  initial: ['created', 'pending_request', 'hold'],
  terminal: ['completed', 'canceled'],
  happened: {
    request: 'requested',
    accept: 'accepted',
    reject: 'rejected',
    hold: 'held',
    weather_hold: 'weather_held',
    start: 'started',
    complete: 'completed',
    cancel: 'canceled',
  },
  events: {
    request: [
      { from: ['created', 'rejected'], to: 'pending_request' },
      {
        from: ['hold', 'weather_hold'],
        to: 'pending_request',
        guard: (order) => order.heldFrom === 'pending_request' || order.heldFrom === 'created' || !order.heldFrom,
      },
    ],
    accept: [
      {
        from: ['created', 'pending_request', 'rejected'],
        to: 'accepted',
        guard: (_order, facts) => !facts.accountDiscarded,
        refusal: 'account_discarded',
      },
      { from: ['hold', 'weather_hold'], to: 'accepted', guard: notStarted, refusal: 'jobs_started' },
    ],
    reject: [{ from: ['pending_request'], to: 'rejected' }],
    hold: [{ from: ['created', 'pending_request', 'accepted', 'in_progress', 'weather_hold'], to: 'hold' }],
    weather_hold: [{ from: ['created', 'pending_request', 'accepted', 'in_progress', 'hold'], to: 'weather_hold' }],
    start: [
      { from: ['accepted'], to: 'in_progress' },
      {
        from: ['hold', 'weather_hold'],
        to: 'in_progress',
        guard: (order, facts) => order.heldFrom === 'in_progress' || facts.jobsStarted === true,
      },
    ],
    complete: [
      { from: ['in_progress', 'accepted'], to: 'completed', guard: (_order, facts) => !facts.jobsHauling, refusal: 'jobs_hauling' },
    ],
    cancel: [
      {
        from: ['created', 'pending_request', 'accepted', 'rejected', 'in_progress', 'hold', 'weather_hold'],
        to: 'canceled',
        guard: (_order, facts) => !facts.billingApproved,
        refusal: 'billing_approved',
      },
    ],
  },
});
