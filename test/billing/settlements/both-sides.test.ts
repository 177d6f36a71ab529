import { expect, test } from '@jest/globals';
import { jobOfChain, makeChain, shortHaul } from '../../helpers/staffed-tenant.ts';
import { approveLoads, billerOf, event, hauled, invoiceOf, makeBooks, ticketed } from '../books.ts';
import { approvedInvoice, settle } from '../settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks({ worker: true });
const day = (n: number) => new Date(Date.now() + n * 86_400_000).toISOString();

test('what an account owes and what it is owed are settled apart, also in bulk', async () => {
  const chain = await makeChain(books.app);
  const { owner, hired } = chain;
  const ofOwner = await billerOf(owner);
  const { id: jobId, go } = await jobOfChain(chain);
  await owner.must('PATCH', `/v1/jobs/${jobId}`, { vendor_rate_value: 3.5, vendor_rate_type: 'RatePerTon' });
  for (const one of shortHaul()) await go(one);
  const [load] = await owner.must('GET', `/v1/jobs/${jobId}/loads`);
  await ticketed(owner, load, '10');
  await approveLoads(ofOwner, { loads: [load] });
  const own = { app: books.app, tenant: owner, biller: ofOwner };
  const payable = await invoiceOf(own, jobId, 'payable');
  expect((await event(ofOwner, payable.id, 'approve')).status).toBe(200);
  await owner.must('PATCH', `/v1/accounts/${hired.id}`, { account_types: ['customer', 'vendor'] }, await owner.administrator());
  const order = { account_id: hired.id, customer_rate_value: 100, customer_rate_type: 'RatePerTon', load_at: day(0) };
  const job = await hauled(own, ['10'], { order });
  await approveLoads(ofOwner, job);
  const receivable = await invoiceOf(own, job.id);
  expect((await event(ofOwner, receivable.id, 'approve')).status).toBe(200);

  const period = { start_date: day(-20), end_date: day(20), bulk_create_for: ['customers'] };
  expect((await ofOwner.http('POST', owner.path('/settlements/bulk_create'), period)).status).toBe(202);
  await books.app.settled();
  const totals = async (side: string) =>
    (await ofOwner.must('GET', owner.path(`/settlements/${side}`))).map(({ total_amount }: Json) => total_amount);
  expect([await totals('receivables'), await totals('payables')]).toEqual([['1000'], []]);
});

test('a settlement that is billed anew charges no installment that another one has charged meanwhile', async () => {
  const { tenant, biller } = books;
  await tenant.must('POST', `/v1/accounts/${tenant.account.id}/auto_add_on_assignments`, {
    ...{ account_type: 'customer', add_on_types: ['settlement'], name: 'Once', quantity: '1', rate: '7' },
    ...{ add_on_rate_type: 'RateForEach', total_installments: 1 },
  });
  const order = { customer_rate_value: 5, customer_rate_type: 'RatePerTon' };
  const first = await settle(books, [await approvedInvoice(books, ['10'], { order })]);
  await biller.must('PUT', biller.path(`/settlements/${first.id}/void`), {});
  const second = await settle(books, [await approvedInvoice(books, ['10'], { order })]);
  const again = await biller.must('POST', biller.path(`/settlements/${first.id}/rebill`));
  expect([first, second, again].map((one: Json) => one.add_on_charges_total_amount)).toEqual(['7', '7', '7']);
  const [{ auto_add_on_installments_count: count }] = await tenant.must('GET', `/v1/accounts/${tenant.account.id}/auto_add_on_assignments`);
  expect(count).toBe(1);

  // Whoever is limited to other sites settles nothing that they do not see, and reads no charge of it by its id.
  const elsewhere = await approvedInvoice(books, ['10'], { order });
  const limited = await tenant.person({ roles: ['biller'] });
  const site = await tenant.must('POST', '/v1/sites', { name: 'Elsewhere', latitude: 41.9, longitude: -87.6 });
  const scope = { resource_id: site.id, resource_type: 'Site' };
  await tenant.must('POST', `/v1/users/${limited.user.id}/resource_scopes`, scope, await tenant.administrator());
  const refused = await limited.http('POST', tenant.path('/settlements'), { invoice_ids: [elsewhere.id] });
  expect([refused.status, refused.body.error.errors.map(({ field }: Json) => field)]).toEqual([422, ['invoice_ids.0']]);
  const [charge] = await biller.must('GET', biller.path(`/settlements/${second.id}/add_on_charges`));
  const read = async (by: Json) => (await by.http('GET', `/v1/add_on_charges/${charge.id}`)).status;
  expect([await read(biller), await read(limited), await read(await tenant.person({ roles: ['dispatcher'] }))]).toEqual([200, 404, 404]);
});
