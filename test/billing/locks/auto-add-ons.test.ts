import { expect, test } from '@jest/globals';
import { billerOf, event, invoiceOf, makeBooks, messages } from '../books.ts';
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
