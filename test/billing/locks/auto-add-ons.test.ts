import { expect, test } from '@jest/globals';
import { machineToken } from '../../helpers/staffed-tenant.ts';
import { billerOf, event, invoiceOf, makeBooks, messages, rateCard } from '../books.ts';
import { makeOwner, makeWork } from './billed-work.ts';

const books = makeBooks();

test('automatic add-ons of a job or a link are not changed while the invoice is approved that charges them, and other invoices do not matter', async () => {
  const owner = await makeOwner(books);
  const { own } = owner;
  const biller = await billerOf(own);
  const { ids } = await makeWork(books, owner, { passed: true, approved: true });
  for (const [parent, use, side] of [
    [`jobs/${ids.job}`, 'invoicing', 'receivable'],
    [`job_assignments/${ids.jobAssignment}`, 'driver_pay', 'payable'],
  ] as const) {
    const path = `/v1/${parent}/auto_add_on_assignments`;
    const billed = () => invoiceOf({ ...books, tenant: own, biller }, ids.job, side);
    const { id, invoice_id, total_amount: before } = await billed();
    const fee = { name: 'Fee', add_on_types: [use], quantity: 1, revenue_rate_value: 7 };
    const refusal = [422, [`is on ${invoice_id}, which is approved; take that approval back first`]];
    const tried = async (method: string, at: string, body?: object) => {
      const answer = await own.admin.http(method, at, body);
      expect([answer.status, messages(answer)]).toEqual(refusal);
    };
    await tried('POST', path, fee);
    expect(await own.admin.must('GET', path)).toEqual([]);
    expect(await billed()).toMatchObject({ id, state: 'approved', total_amount: before });
    // The other invoice of the job stays approved.
    expect((await event(biller, id, 'unapprove')).status).toBe(200);
    const made = await own.admin.must('POST', path, fee);
    const charged = await billed();
    expect(Number(charged.total_amount) - Number(before)).toBeCloseTo(7, 4);
    expect((await event(biller, id, 'approve')).status).toBe(200);
    const one = `/v1/auto_add_on_assignments/${made.id}`;
    await tried('PATCH', one, { quantity: 2 });
    await tried('DELETE', one);
    expect(await own.admin.must('GET', path)).toMatchObject([{ id: made.id, quantity: '1' }]);
    expect(await billed()).toMatchObject({ id, state: 'approved', total_amount: charged.total_amount });
    expect((await event(biller, id, 'unapprove')).status).toBe(200);
    expect((await own.admin.http('DELETE', one)).status).toBe(204);
    expect((await billed()).total_amount).toBe(before);
    expect((await event(biller, id, 'approve')).status).toBe(200);
  }
});

test('B5: who has an add-on charged for further work learns how many approved invoices keep what they say', async () => {
  const owner = await makeOwner(books);
  const { own, hired } = owner;
  const biller = await billerOf(own);
  const { ids, invoices } = await makeWork(books, owner, { passed: true, approved: true });
  const fee = (use: string) => ({ name: 'Fee', add_on_types: [use], quantity: 1, revenue_rate_value: 7 });
  const made = async (parent: string, more: object, use = 'invoicing') =>
    own.admin.must('POST', `/v1/${parent}/auto_add_on_assignments`, { ...fee(use), ...more });
  const counted = async (...of: Parameters<typeof made>) => (await made(...of)).approved_invoices_count;
  const [customer, vendor] = [{ account_type: 'customer' }, { account_type: 'vendor' }];
  const schedule = await own.must('POST', `/v1/projects/${ids.project}/site_rate_schedules`, {});
  const other = await rateCard(own, 'customer', { type: 'RatePerTon', unit_rate: 4, unit_minimum: 0, unit_increment: 0 });
  const places = [`orders/${ids.order}`, `projects/${ids.project}`, `site_rate_schedules/${schedule.id}`];
  for (const place of places) {
    const one = [await counted(place, customer), await counted(place, vendor, 'driver_pay')];
    expect([place, ...one]).toEqual([place, 1, 1]);
  }
  expect(await counted(`accounts/${own.account.id}`, customer)).toBe(1);
  expect(await counted(`accounts/${hired.id}`, vendor, 'driver_pay')).toBe(1);
  // Work of others, another use, and no work at all.
  expect(await counted(`drivers/${own.driver.user.id}`, {}, 'driver_pay')).toBe(0);
  expect(await counted(`accounts/${own.account.id}`, customer, 'settlement')).toBe(0);
  expect(await counted(`rates/${other.id}`, {})).toBe(0);

  const { id } = await made(`orders/${ids.order}`, customer);
  const change = async (by: Pick<typeof biller, 'must'>) =>
    (await by.must('PATCH', `/v1/auto_add_on_assignments/${id}`, { quantity: 2 })).approved_invoices_count;
  expect(await change(own.admin)).toBe(1);
  const clerk = await machineToken(own, ['edit_order', 'view_customer_rates']);
  expect(await change({ must: (method, path, body) => own.must(method, path, body, clerk) })).toBeNull();
  // A draft follows, and keeps nothing.
  for (const invoice of invoices) expect((await event(biller, invoice, 'unapprove')).status).toBe(200);
  expect(await change(own.admin)).toBe(0);
});
