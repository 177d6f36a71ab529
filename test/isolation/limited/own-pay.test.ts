import { expect, test } from '@jest/globals';
import { User } from '../../../src/directory/people/user.entity.ts';
import { hauled, invoiceOf, makeBooks, settledWork } from '../../billing/books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

test('a dispatcher who drives as well reads their own pay, and neither what customers owe nor what others are paid', async () => {
  const { app, tenant, biller } = books;
  const { job, id: settlement, invoiceId } = await settledWork(books);
  const { id: pay } = await invoiceOf(books, job.id, 'payable');
  await app.orm.em.fork().nativeUpdate(User, { id: tenant.driver.id }, { roles: ['driver', 'dispatcher'] }, { filters: { tenant: false } });
  app.configure({ viewerCacheMs: 0 });
  const { driver, dispatcher } = tenant;
  expect((await dispatcher.http('GET', tenant.path('/invoices'))).status).toBe(404);
  const [own, ...others] = await driver.must('GET', tenant.path('/invoices'));
  expect([own.id, own.total_amount, others]).toEqual([pay, '200', []]);
  expect(await driver.must('GET', tenant.path('/settlements/receivables'))).toEqual([]);
  const statuses = [];
  for (const path of [
    `/invoices/${invoiceId}`,
    `/invoices/${invoiceId}/invoice_line_items`,
    `/settlements/${settlement}/invoices`,
    `/invoices/${pay}`,
  ])
    statuses.push((await driver.http('GET', tenant.path(path))).status);
  expect(statuses).toEqual([404, 404, 404, 200]);
  const query = `query ($job: ID!, $ids: [ID!]!) { nodes(ids: $ids) { id }
    job(id: $job) { receivableInvoice { id } payableInvoice { id } } invoices { count { value } } settlements { count { value } } }`;
  const { data }: Json = await driver.gql(query, { job: job.id, ids: [invoiceId, settlement, pay] });
  expect(data).toEqual({
    nodes: [null, null, { id: pay }],
    job: { receivableInvoice: null, payableInvoice: { id: pay } },
    invoices: { count: { value: 1 } },
    settlements: { count: { value: 0 } },
  });
  // The other role shows all of the work.
  expect((await driver.must('GET', tenant.path('/jobs'))).length).toBeGreaterThan(0);
  expect((await biller.must('GET', tenant.path('/invoices'))).length).toBe(2);
});

test('who may not change an invoice learns nothing of the charges on it by changing them', async () => {
  const { tenant, biller } = books;
  const job = await hauled(books, ['10'], { order: { customer_rate_value: 100, customer_rate_type: 'RatePerLoad' } });
  await tenant.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { name: 'Wash', quantity: 1, revenue_rate_value: 5 });
  const { id } = await invoiceOf(books, job.id);
  const [copy] = await biller.must('GET', biller.path(`/invoices/${id}/add_on_charges`));
  const change = async (by: { http: typeof biller.http }) =>
    (await by.http('PATCH', `/v1/add_on_charges/${copy.id}`, { name: 'Mine' })).status;
  expect([await change(tenant.dispatcher), await change(biller)]).toEqual([403, 422]);
});
