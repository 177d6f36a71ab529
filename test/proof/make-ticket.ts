import { ref } from '@mikro-orm/core';
import { Job } from '../../src/dispatch/model/job.entity.ts';
import { Load } from '../../src/dispatch/model/load.entity.ts';
import { Order } from '../../src/dispatch/model/order.entity.ts';
import { Ticket } from '../../src/proof/ticket.entity.ts';
import { makeOrder, type Yard } from '../helpers/yard.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

export const makeTicket = (yard: Yard, fields: object): Promise<Ticket> => yard.save(Ticket, { company: ref(yard.company), ...fields });

/** A ticket with nothing missing, on the only load of a new order. */
export async function makeWholeTicket(yard: Yard, more: object = {}): Promise<{ ticket: Ticket; order: Json; load: Json; job: Json }> {
  const order = await makeOrder(yard);
  const [job] = await yard.must('GET', `/v1/orders/${order.id}/jobs`);
  const [load] = await yard.must('GET', yard.path(`/orders/${order.id}/loads`));
  const at = { order: ref(Order, order.id), job: ref(Job, job.id), load: ref(Load, load.id) };
  const rest = {
    ticketNumber: `T-${order.order_id}`,
    quantity: '21.5',
    unitOfMeasure: 'Tonne',
    foreignImageUrl: 'https://files.example/1.jpg',
  };
  return { ticket: await makeTicket(yard, { ...at, ...rest, state: 'pending', ...more }), order, load, job };
}
