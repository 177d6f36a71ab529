import { expect, test } from '@jest/globals';
import { jobOfChain, makeChain, ONE_LOAD } from '../helpers/staffed-tenant.ts';
import { untilWaiting } from '../helpers/until.ts';
import { approveLoads, billerOf, event, hauled, invoiceOf, makeBooks, messages, ticketed } from './books.ts';
import { choose } from './worked-days.ts';

const books = makeBooks();

test('whoever has an order gets its jobs, too, while their invoices are to be compared', async () => {
  const job = await hauled(books, ['10']);
  const draft = await invoiceOf(books, job.id);
  let compared: Promise<void> | undefined;
  await books.app.orm.em.fork().transactional(async (em) => {
    await em.execute('select 1 from orders where id = ? for update', [job.order.id]);
    const due = 'insert into invoice_task (id, company_id, due_at) select id, company_id, now() from job where id = ?';
    await books.app.orm.em.fork().execute(due, [job.id]);
    compared = books.app.settled();
    await untilWaiting(books.app);
    // As a command does that approves the day of a driver.
    expect(await em.execute('select id from job where id = ? for update nowait', [job.id])).toEqual([{ id: job.id }]);
  });
  await compared;
  expect((await invoiceOf(books, job.id)).id).toBe(draft.id);
});

test('B5: an order is not canceled while an invoice of it is approved', async () => {
  const { tenant, biller } = books;
  // Nothing is approved but the invoice.
  await choose(tenant, { approvalBeforeInvoice: false });
  const job = await hauled(books, ['10'], { order: { customer_rate_value: 500, customer_rate_type: 'RateFlatRate' } });
  const { id } = await invoiceOf(books, job.id);
  expect((await event(biller, id, 'approve')).status).toBe(200);
  const admin = await tenant.administrator();
  const order = () => tenant.http('GET', `/v1/orders/${job.order.id}`, undefined, admin);
  const cancel = () => tenant.http('PUT', `/v1/orders/${job.order.id}/cancel`, {}, admin);
  const refused = await cancel();
  expect([refused.status, messages(refused)[0]]).toEqual([
    409,
    expect.stringContaining('a load or an invoice of it is approved for billing'),
  ]);
  expect((await order()).body.data.state_events).not.toContain('cancel');
  expect((await event(biller, id, 'unapprove')).status).toBe(200);
  expect((await order()).body.data.state_events).toContain('cancel');
  expect((await cancel()).status).toBe(200);
  await choose(tenant, { approvalBeforeInvoice: true });
});

test('nobody takes work back from a vendor whom an approved invoice pays for it', async () => {
  const chain = await makeChain(books.app);
  const { owner } = chain;
  const biller = await billerOf(owner);
  const { id, go } = await jobOfChain(chain);
  await owner.must('PATCH', `/v1/jobs/${id}`, { vendor_rate_value: 3.5, vendor_rate_type: 'RatePerTon' });
  for (const one of [...ONE_LOAD, 'complete']) await go(one);
  const [load] = await owner.must('GET', `/v1/jobs/${id}/loads`);
  await ticketed(owner, load, '10');
  await approveLoads(biller, { loads: [load] });
  const payable = await invoiceOf({ ...books, tenant: owner, biller }, id, 'payable');
  expect((await event(biller, payable.id, 'approve')).status).toBe(200);
  const admin = await owner.administrator();
  const { data } = await owner.gql('query($id: ID!) { job(id: $id) { jobAssignments { id } } }', { id }, admin);
  // The link of the invoice stays, whoever is to get the job instead.
  const tries = [
    () => owner.http('PUT', `/v1/jobs/${id}/unassign`, {}, admin),
    () => owner.http('PUT', `/v1/jobs/${id}/assign_vendor`, { vendor_id: chain.hired.id }, admin),
    () => owner.http('PATCH', `/v1/jobs/${id}`, { driver_id: owner.driver.id }, admin),
  ];
  for (const one of tries) expect((await one()).status).toBe(409);
  expect((await owner.gql('query($id: ID!) { job(id: $id) { jobAssignments { id } } }', { id }, admin)).data).toEqual(data);
  expect(await invoiceOf({ ...books, tenant: owner, biller }, id, 'payable')).toMatchObject({ id: payable.id, state: 'approved' });
});
