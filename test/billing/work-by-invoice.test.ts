import { expect, test } from '@jest/globals';
import { makeStaffedTenant } from '../helpers/staffed-tenant.ts';
import { approveLoads, type Biller, billerOf, event, hauled, invoiceOf, makeBooks } from './books.ts';
import { settle } from './settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const RATES = { customer_rate_value: 2, customer_rate_type: 'RatePerTon', driver_rate_value: 100, driver_rate_type: 'RateFlatRate' };

test('work is found by its invoices, all of filter[invoice] by one and the same', async () => {
  const tenant = await makeStaffedTenant(books.app);
  const biller = await billerOf(tenant);
  const own = { ...books, tenant, biller };
  const jobs = [await hauled(own, ['10'], { order: RATES }), await hauled(own, ['20'], { order: RATES })];
  const [billed, open] = jobs.map(({ order }) => order.id);
  await approveLoads(biller, jobs[0]);
  const receivable = await invoiceOf(own, jobs[0].id);
  expect((await event(biller, receivable.id, 'approve')).status).toBe(200);
  const found = async (list: string, query: string, by: Pick<Biller, 'must' | 'path'> = biller) =>
    (await by.must('GET', by.path(`/${list}?${query}`))).map(({ id }: Json) => id).sort();
  const orders = (query: string, by?: Biller) => found('orders/invoicing', query, by);
  const both = [billed, open].sort();

  expect(await orders('filter[invoice][states][]=approved')).toEqual([billed]);
  expect(await orders('filter[invoice][states][]=pending')).toEqual(both);
  expect(await orders('filter[invoice][states][]=approved&filter[invoice][invoice_category]=payables')).toEqual([]);
  expect(await orders('filter[invoice][states][]=approved&filter[invoice][invoice_category]=receivables')).toEqual([billed]);
  expect(await orders('filter[invoice][rate_types][]=RateFlatRate&filter[invoice][invoice_category]=internal_payables')).toEqual(both);
  expect(await orders('filter[invoice][invoiceable_type]=DriverDay')).toEqual([]);
  expect(await orders(`filter[invoice][company_id]=${tenant.company.id}&filter[invoice][driver_ids][]=${tenant.driver.user.id}`)).toEqual(
    both,
  );
  expect(await orders('filter[invoice][states][]=approved&filter[invoice][start_date]=2200-01-01')).toEqual([]);

  expect(await found('orders/dispatch', 'filter[job][receivable_invoice][states][]=approved')).toEqual([billed]);
  expect(await found('orders/dispatch', 'filter[job][payable_invoice][states][]=approved')).toEqual([]);
  const ofOrder = (query: string) => found(`orders/${billed}/jobs/invoicing`, query);
  expect(await ofOrder('filter[receivable_invoice][states][]=approved&filter[payable_invoice][states][]=pending')).toEqual([jobs[0].id]);
  expect(await ofOrder('filter[payable_invoice][states][]=approved')).toEqual([]);

  expect(await found('invoices', 'filter[grouped]=true')).toEqual([]);
  await settle({ biller }, [receivable]);
  expect(await found('invoices', 'filter[grouped]=true')).toEqual([receivable.id]);
  expect(await found('invoices', 'filter[grouped]=false')).toHaveLength(3);
  expect([await orders('filter[invoice][grouped]=true'), await orders('filter[invoice][grouped]=false')]).toEqual([[billed], both]);

  // A caller who reads no invoices learns nothing of them, and a driver nothing of the debts of customers.
  const dispatcher = { ...(await tenant.person({ roles: ['dispatcher'] })), path: tenant.path };
  for (const query of ['states][]=approved', 'states][]=pending', 'grouped]=false', 'invoice_category]=receivables'])
    expect([query, await orders(`filter[invoice][${query}`, dispatcher)]).toEqual([query, []]);
  expect(await found('orders/dispatch', 'filter[job][receivable_invoice][states][]=approved', dispatcher)).toEqual([]);
  const states = async (name: string) => {
    const list = `query { jobs(filter: { ${name}: { states: [approved, pending] } }) { nodes { id } } }`;
    return (await tenant.driver.gql(list)).data.jobs.nodes.length;
  };
  expect([await states('receivableInvoice'), await states('payableInvoice')]).toEqual([0, 2]);
});
