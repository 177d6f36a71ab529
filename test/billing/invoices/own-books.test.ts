import { expect, test } from '@jest/globals';
import { jobOfChain, makeChain, shortHaul } from '../../helpers/staffed-tenant.ts';
import { approveLoads, type Biller, event, hauled, invoiceOf, makeBooks, messages, ticketed } from '../books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

test('along a chain each company has its own books, and the terms of a link are the same on both of its sides', async () => {
  const chain = await makeChain(books.app);
  const { owner, middle, last } = chain;
  const people = await Promise.all([owner, middle, last].map((one) => one.person({ roles: ['biller'] })));
  const [ofOwner, ofMiddle, ofLast] = people.map((one, i) => ({ ...one, path: [owner, middle, last][i]!.path })) as [
    Biller,
    Biller,
    Biller,
  ];
  const { id, go } = await jobOfChain(chain);
  await owner.must('PATCH', `/v1/jobs/${id}`, {
    customer_rate_value: 4.25,
    customer_rate_type: 'RatePerTon',
    vendor_rate_value: 3.6,
    vendor_rate_type: 'RatePerTon',
  });
  for (const one of shortHaul()) await go(one);
  const [load] = await owner.must('GET', `/v1/jobs/${id}/loads`);
  await ticketed(owner, load, '23.21');
  const totals = async (by: Biller) => {
    await books.app.settled();
    return (await by.must('GET', by.path('/invoices')))
      .toReversed()
      .map(({ total_amount, state, rate_value }: Json) => [total_amount, state, rate_value]);
  };
  expect(await totals(ofOwner)).toEqual([
    ['98.64', 'pending', '4.25'],
    ['83.56', 'pending', '3.6'],
  ]);
  const [theirs, owed] = await totals(ofMiddle);
  expect([theirs, owed]).toEqual([
    ['83.56', 'pending', '3.6'],
    ['0', 'pending', null],
  ]);
  expect(await totals(ofLast)).toHaveLength(2);
  // B8: what was agreed on for the link counts on both sides of it, and not what the job says of vendors.
  const links: Json[] = await owner.must('GET', owner.path(`/jobs/${id}/job_assignments`));
  const agree = (of: object) => owner.must('PATCH', `/v1/job_assignments/${links[0].id}`, of);
  await agree({ rate_value: 3.9, rate_type: 'RatePerTon' });
  expect([(await totals(ofOwner))[1], (await totals(ofMiddle))[0]]).toEqual(Array(2).fill(['90.52', 'pending', '3.9']));
  // A commission of what the owner receives, of which the receiver reads what it gets: 33 % of 98.64, and then of 116.05.
  await agree({ rate_value: 33, rate_type: 'RateCommission' });
  expect([(await totals(ofOwner))[1]![0], (await totals(ofMiddle))[0]![0]]).toEqual(['32.55', '32.55']);
  const ofCustomer = owner.path(`/invoices/${(await invoiceOf(books, id, 'receivable', ofOwner)).id}`);
  await ofOwner.must('PATCH', ofCustomer, { rate_value: 5, rate_type: 'RatePerTon' });
  expect([(await totals(ofOwner))[1]![0], (await totals(ofMiddle))[0]![0]]).toEqual(['38.3', '38.3']);
  // It is previewed at the rate that the owner set by hand, of which nothing is said.
  const [previewed] = await ofMiddle.must('GET', ofMiddle.path(`/billing/previews?job_ids[]=${id}&side=receivable`));
  expect(previewed.invoices.map(({ total_amount }: Json) => total_amount)).toEqual(['38.3']);
  expect(JSON.stringify(previewed).includes('116.05')).toBe(false);
  const share = await invoiceOf(books, id, 'receivable', ofMiddle);
  expect([share.commission_rate_value, share.commission_rate_type]).toEqual(['1.65', 'RatePerTon']);
  await ofMiddle.must('PATCH', ofMiddle.path(`/invoices/${share.id}`), { rate_value: null });
  expect((await invoiceOf(books, id, 'receivable', ofMiddle)).total_amount).toBe('38.3');
  const [link] = (await middle.must('GET', middle.path(`/jobs/${id}/job_assignments`))).filter((one: Json) => one.id === links[0].id);
  expect([link.commission_rate_value, link.commission_rate_type]).toEqual(['1.65', 'RatePerTon']);
  const { explain } = await ofMiddle.must('GET', ofMiddle.path(`/invoices/${share.id}/explain`));
  expect([explain.amount, JSON.stringify(explain).includes('116.05')]).toEqual(['38.3', false]);
  await ofOwner.must('PATCH', ofCustomer, { rate_value: null });
  await agree({ rate_value: null, rate_type: null });
  // Nobody reads or changes another one's books.
  const [, first] = await ofOwner.must('GET', ofOwner.path('/invoices'));
  for (const by of [ofMiddle, ofLast, books.biller]) {
    expect((await by.http('PUT', by.path(`/invoices/${first.id}/approve`))).status).toBe(404);
    expect((await by.gql('query($id: ID!) { invoice(id: $id) { id } }', { id: first.id })).errors[0].extensions.code).toBe(
      'object_not_found',
    );
  }
  const [, receivable] = await ofMiddle.must('GET', ofMiddle.path('/invoices'));
  expect(messages(await event(ofMiddle, receivable.id, 'approve'))).toEqual([
    'cannot be approved: a load has not been approved for billing',
  ]);
  // Each previews its own side of the work of another company, and what it cannot see there is no job.
  for (const [by, amounts] of [
    [ofOwner, ['98.64', '83.56']],
    [ofMiddle, ['83.56', null]],
    [ofLast, [null, null]],
  ] as const) {
    const [preview] = await by.must('GET', by.path(`/billing/previews?job_ids[]=${id}`));
    expect(preview.invoices.map(({ total_amount }: Json) => total_amount)).toEqual(amounts);
  }
  const foreign = await books.biller.http('GET', books.biller.path(`/billing/previews?job_ids[]=${id}`));
  expect([foreign.status, foreign.body.error.errors.map(({ field }: Json) => field)]).toEqual([422, ['job_ids[0]']]);
  expect(await books.biller.must('GET', books.biller.path(`/billing/previews?filter[ids][]=${id}`))).toEqual([]);
  await approveLoads(ofMiddle, { loads: [load] });
  // Each company approves for itself, and its draft knows it at once.
  await books.app.settled();
  expect((await ofMiddle.must('GET', ofMiddle.path('/invoices'))).map(({ approvable }: Json) => approvable)).toEqual([false, true]);
  expect((await event(ofMiddle, receivable.id, 'approve')).body.data).toMatchObject({ state: 'approved', total_amount: '83.56' });
  // B8: what is owed to a company of the family is internal, to whoever of it asks.
  const internal = async (by: Biller): Promise<number> =>
    (await by.must('GET', by.path('/invoices?filter[invoice_category]=internal_payables'))).length;
  expect([await internal(ofOwner), await internal(ofMiddle)]).toEqual([0, 0]);
  const sql = 'update company set parent_company_id = ? where id = any(?)';
  await books.app.orm.em.execute(sql, [owner.company.id, `{${middle.company.id},${last.company.id}}`]);
  expect([await internal(ofOwner), await internal(ofMiddle)]).toEqual([1, 1]);
});

test('a job is answered to billing with its invoices, to those who read them and in their own books', async () => {
  const rates = { customer_rate_value: 2, customer_rate_type: 'RatePerTon', driver_rate_value: 100, driver_rate_type: 'RateFlatRate' };
  const job = await hauled(books, ['10'], { order: rates });
  const [billed, pay] = [await invoiceOf(books, job.id), await invoiceOf(books, job.id, 'payable')];
  const path = books.tenant.path(`/jobs/${job.id}/invoicing`);
  const { receivable_invoice, payable_invoice } = await books.biller.must('GET', path);
  expect(receivable_invoice).toMatchObject({ id: billed.id, invoice_id: billed.invoice_id, total_amount: '20', state: 'pending' });
  expect(payable_invoice).toMatchObject({ id: pay.id, total_amount: '100', rate_type: 'RateFlatRate' });
  const [listed] = await books.biller.must('GET', books.tenant.path(`/orders/${job.order.id}/jobs/invoicing`));
  expect([listed.receivable_invoice.id, listed.payable_invoice.id]).toEqual([billed.id, pay.id]);
  const ofDispatcher = await books.tenant.dispatcher.must('GET', path);
  expect([ofDispatcher.receivable_invoice, ofDispatcher.payable_invoice]).toEqual([undefined, undefined]);
  const ofDriver = await books.tenant.driver.must('GET', path);
  expect([ofDriver.receivable_invoice, ofDriver.payable_invoice?.total_amount]).toEqual([undefined, '100']);
  const approved = await books.tenant.must('PUT', books.tenant.path(`/jobs/${job.id}/approve`), {}, await books.tenant.administrator());
  expect(approved.receivable_invoice.id).toBe(billed.id);
  await event(books.biller, billed.id, 'void');
  await books.app.settled();
  expect((await books.biller.must('GET', path)).receivable_invoice.id).not.toBe(billed.id);
});
