import { expect, test } from '@jest/globals';
import { approveLoads, hauled, makeBooks, messages } from '../billing/books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

test('a driver does not change what the office has approved by the ticket of the load; the office does, and lets the driver do so again', async () => {
  const { tenant, biller } = books;
  const job = await hauled(books, [null, null]);
  const [load, empty] = job.loads;
  const written = (load_id: string, quantity: number | null) =>
    tenant.driver.must('POST', '/v1/tickets', { load_id, ticket_number: `D-${load_id}`, quantity, unit_of_measure: 'Ton' });
  const [ticket, photo] = [await written(load.id, 10), await written(empty.id, null)];
  await tenant.must('PATCH', `/v1/loads/${empty.id}`, { quantity: 9, unit_of_measure: 'Ton' });
  const change = (body: object, id = ticket.id, by: Json = tenant.driver) => by.http('PATCH', `/v1/tickets/${id}`, body);
  const delivered = async (): Promise<string[]> => {
    const { order_summary } = await tenant.must('GET', `/v1/orders/${job.order.id}`);
    return order_summary.delivered_quantities.map((row: Json) => row.delivered);
  };
  expect((await change({ quantity: 11 })).status).toBe(200);
  await approveLoads(biller, job);
  expect(await delivered()).toEqual(['9', '11']);

  const said = 'is of a load that is approved: the office changes it';
  for (const body of [
    { quantity: 30 },
    { unit_of_measure: 'Tonne' },
    { material_id: tenant.material.id },
    { load_id: null },
    { load_id: empty.id },
  ]) {
    const refused = await change(body);
    expect([body, refused.status, messages(refused)]).toEqual([body, 422, [said]]);
  }
  const kept = await tenant.driver.http('PUT', `/v1/tickets/${ticket.id}/void`, {});
  expect([kept.status, messages(kept), kept.body.error.errors[0].event]).toEqual([409, [said], 'void']);
  expect(await delivered()).toEqual(['9', '11']);
  // What it says besides, and what comes late, is taken; sent back as it is, it is no change.
  expect((await change({ quantity: 11, service_date: '2026-11-23T12:30:00Z' })).status).toBe(200);
  expect((await change({ quantity: 8 }, photo.id)).status).toBe(200);
  expect(await delivered()).toEqual(['19']);

  expect((await change({ quantity: 12 }, ticket.id, tenant)).status).toBe(200);
  await biller.must('PUT', biller.path(`/loads/${load.id}/unapprove`), {});
  expect((await change({ quantity: 13 })).status).toBe(200);
  expect(await delivered()).toEqual(['21']);
});
