import { ref } from '@mikro-orm/core';
import { Job } from '../../src/dispatch/model/job.entity.ts';
import { Load } from '../../src/dispatch/model/load.entity.ts';
import { Order } from '../../src/dispatch/model/order.entity.ts';
import { Ticket } from '../../src/proof/ticket.entity.ts';
import { makeOrder, type Tenant } from '../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

export const makeTicket = (tenant: Tenant, fields: object): Promise<Ticket> =>
  tenant.save(Ticket, { company: ref(tenant.company), ...fields });

/** A ticket with nothing missing, on the only load of a new order. */
export async function makeWholeTicket(tenant: Tenant, more: object = {}): Promise<{ ticket: Ticket; order: Json; load: Json; job: Json }> {
  const order = await makeOrder(tenant);
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const [load] = await tenant.must('GET', tenant.path(`/orders/${order.id}/loads`));
  const at = { order: ref(Order, order.id), job: ref(Job, job.id), load: ref(Load, load.id) };
  const rest = {
    ticketNumber: `T-${order.order_id}`,
    quantity: '21.5',
    unitOfMeasure: 'Tonne',
    foreignImageUrl: 'https://files.example/1.jpg',
  };
  return { ticket: await makeTicket(tenant, { ...at, ...rest, state: 'pending', ...more }), order, load, job };
}
