import { expect, test } from '@jest/globals';
import { makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { billerOf, hauled, invoiceOf, linesOf, makeBooks } from '../books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

test('a quote has the minimum and the tiers by which invoices are made, also next to a value that goes before that of the rate card', async () => {
  const of = await makeStaffedTenant(books.app);
  const cardOf = (more: object): Promise<Json> =>
    of.must('POST', '/v1/rates', { name: 'Card', owner_type: 'customer', unit_rate: 9, unit_increment: 0, ...more });
  const plain = await cardOf({ type: 'RatePerTon', unit_minimum: 0 });
  const least = await cardOf({ type: 'RatePerTon', unit_minimum: 20 });
  const loads = await cardOf({ type: 'RatePerLoad', unit_minimum: 20 });
  const project = await of.must('POST', '/v1/projects', { name: 'Least', account_id: of.account.id, customer_rate_id: plain.id });
  const said = async (): Promise<Json> =>
    (await of.admin.must('GET', of.path(`/projects/${project.id}/quote`))).rates.map((rate: Json) => [
      rate.rate_type,
      rate.value,
      rate.minimum_quantity,
      rate.minimum_minutes,
    ]);
  expect(await said()).toEqual([['RatePerTon', '9', null, null]]);
  await of.must('PATCH', `/v1/projects/${project.id}`, { customer_rate_id: loads.id });
  // A load is one, whatever a rate card says.
  expect(await said()).toEqual([['RatePerLoad', '9', null, null]]);
  const both = { customer_rate_id: least.id, customer_rate_value: 11, customer_rate_type: 'RatePerTon' };
  await of.must('PATCH', `/v1/projects/${project.id}`, both);
  expect(await said()).toEqual([['RatePerTon', '11', '20', null]]);
  const by = await billerOf(of);
  const job = await hauled(books, ['10'], { at: of, order: { project_id: project.id } });
  expect(await linesOf(by, (await invoiceOf(books, job.id, 'receivable', by)).id)).toEqual([['20', '11', '220']]);
});
