import { expect, test } from '@jest/globals';
import { makeMachineClient } from '../../src/identity/machine-clients/machine-clients.ts';
import { issueToken } from '../../src/identity/tokens/tokens.ts';
import { drive, jobOfChain, makeChain, makeStaffedTenant, ONE_LOAD, readyJob, shortHaul } from '../helpers/staffed-tenant.ts';
import { approveLoads, type Biller, event, hauled, invoiceOf, linesOf, M10, makeBooks, messages, ticketed, withMinimum } from './books.ts';
import { choose } from './days/worked-days.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

/** The records that a tree of figures comes from. */
const leavesOf = ({ source, parts = [] }: Json): Json[] => [...(source ? [source] : []), ...parts.flatMap(leavesOf)];

test('M10: an invoice adds up from the tickets, waits until the loads are approved, and stays as it is from then on', async () => {
  const job = await hauled(books, M10, { order: await withMinimum(books.tenant) });
  const pending = await invoiceOf(books, job.id);
  expect(pending).toMatchObject({ state: 'pending', rate_value: '4.25', rate_type: 'RatePerTon', approvable: false, job: { id: job.id } });
  expect(pending).toMatchObject({ invoice_line_items_total_amount: '294.4', total_amount: '294.4', total_loads_count: 3 });
  expect(await linesOf(books.biller, pending.id)).toEqual([
    ['23.21', '4.25', '98.64'],
    ['22', '4.25', '93.5'],
    ['24.06', '4.25', '102.26'],
  ]);
  const { data } = await books.biller.gql('query($id: ID!) { invoice(id: $id) { explain } }', { id: pending.id });
  expect(leavesOf(data.invoice.explain)).toContainEqual({ type: 'Ticket', id: expect.any(String), version: expect.any(Number) });
  expect(data.invoice.explain).toMatchObject({ label: 'total', amount: '294.4', operation: 'sum' });
  const refused = await event(books.biller, pending.id, 'approve');
  expect([refused.status, messages(refused)]).toEqual([409, ['cannot be approved: a load has not been approved for billing']]);
  await approveLoads(books.biller, job);
  const approved = await event(books.biller, pending.id, 'approve');
  expect([approved.status, approved.body.data.state, approved.body.data.approved]).toEqual([200, 'approved', true]);
  // The rate card changes, and the invoice does not.
  await books.tenant.must('PATCH', `/v1/rates/${approved.body.data.rate.id}`, { unit_rate: 5, unit_minimum: 30 });
  expect((await invoiceOf(books, job.id)).total_amount).toBe('294.4');
  expect((await event(books.biller, pending.id, 'approve')).status).toBe(409);
  expect((await event(books.biller, pending.id, 'unapprove')).body.data).toMatchObject({
    state: 'pending',
    total_amount: '294.4',
    billing_approved_at: null,
  });
  expect((await event(books.biller, pending.id, 'approve')).status).toBe(200);
  expect((await event(books.biller, pending.id, 'pay')).body.data.state).toBe('paid');
  expect((await event(books.biller, pending.id, 'unapprove')).status).toBe(409);
});

test('what an approved invoice was priced by is kept until its approval is taken back, and a job is paid with what is owed for it', async () => {
  const rates = { customer_rate_value: 2, customer_rate_type: 'RatePerTon', driver_rate_value: 100, driver_rate_type: 'RateFlatRate' };
  const job = await hauled(books, ['10'], { order: rates });
  const admin = await books.tenant.administrator();
  const as = (method: string, path: string, body: object = {}) => books.tenant.http(method, path, body, admin);
  const [ticket] = await books.tenant.must('GET', `/v1/jobs/${job.id}/tickets`);
  await books.tenant.must('PUT', books.tenant.path(`/jobs/${job.id}/approve`), {}, admin);
  const [billed, pay] = [await invoiceOf(books, job.id), await invoiceOf(books, job.id, 'payable')];
  const counts = async () => (await books.biller.must('GET', `/v1/orders/${job.order.id}`)).order_summary;
  expect(await counts()).toMatchObject({ total_payables: 1, total_receivables: 1, approved_payables: 0, approved_receivables: 0 });
  expect((await event(books.biller, billed.id, 'approve')).status).toBe(200);
  expect(await counts()).toMatchObject({ total_payables: 1, approved_payables: 0, approved_receivables: 1 });
  const refused = [
    await as('PUT', books.tenant.path(`/jobs/${job.id}/unapprove`)),
    await as('PUT', books.tenant.path(`/loads/${job.loads[0].id}/unapprove`)),
    await as('PUT', `/v1/tickets/${ticket.id}/void`),
  ];
  expect(refused.map(({ status }) => status)).toEqual([422, 422, 409]);
  for (const answer of refused)
    expect(messages(answer)).toEqual([`is on ${billed.invoice_id}, which is approved; take that approval back first`]);
  // The owner pays the driver when the work is signed off.
  await books.tenant.must('PUT', books.tenant.path(`/jobs/${job.id}/sign_off`), {}, admin);
  expect((await as('PUT', books.tenant.path(`/jobs/${job.id}/pay`))).status).toBe(409);
  expect((await event(books.biller, pay.id, 'approve')).status).toBe(200);
  expect((await books.tenant.must('GET', `/v1/jobs/${job.id}`)).state_events).toContain('pay');
  expect((await event(books.biller, pay.id, 'pay')).body.data.state).toBe('paid');
  expect((await books.tenant.must('GET', `/v1/jobs/${job.id}`)).state).toBe('paid');
});

test('a draft follows the work: late tickets, corrections, reports without a ticket, voided tickets', async () => {
  const job = await hauled(books, ['10', null], { order: { customer_rate_value: 2, customer_rate_type: 'RatePerTon' } });
  const draft = await invoiceOf(books, job.id);
  expect([draft.total_amount, draft.state]).toEqual(['20', 'pending']);
  const { data } = await books.biller.gql('query($id: ID!) { invoice(id: $id) { blockers stale invoiceLineItems { totalAmount } } }', {
    id: draft.id,
  });
  expect(data.invoice.blockers.sort()).toEqual(['load_not_approved', 'missing_quantity']);
  // A company that approves no work before its invoices waits for none.
  const blockers = async (): Promise<string[]> => {
    await books.app.settled();
    const { data } = await books.biller.gql('query($id: ID!) { invoice(id: $id) { blockers } }', { id: draft.id });
    return data.invoice.blockers;
  };
  await choose(books.tenant, { approvalBeforeInvoice: false });
  expect(await blockers()).toEqual(['missing_quantity']);
  await choose(books.tenant, { approvalBeforeInvoice: true });
  expect(await blockers()).toContain('load_not_approved');
  const late = await ticketed(books.tenant, job.loads[1], '7.5');
  expect((await invoiceOf(books, job.id)).total_amount).toBe('35');
  await books.tenant.must('PATCH', `/v1/tickets/${late.id}`, { quantity: 8 });
  expect((await invoiceOf(books, job.id)).total_amount).toBe('36');
  await books.tenant.must('PUT', `/v1/tickets/${late.id}/void`, {});
  await books.tenant.must('PATCH', `/v1/loads/${job.loads[1].id}`, { quantity: 6, unit_of_measure: 'Yard' });
  expect((await books.biller.gql('query($id: ID!) { invoice(id: $id) { blockers } }', { id: draft.id })).data.invoice.blockers).toContain(
    'load_not_approved',
  );
  await books.app.settled();
  const blocked = await event(books.biller, draft.id, 'approve');
  expect(messages(blocked)).toContain('cannot be approved: the unit of a load cannot be converted to that of the rate');
});

test('B2.2: a ticket that the order wants and that is missing, or has no quantity, keeps an invoice from being approved', async () => {
  const { tenant, biller, app } = books;
  const order = { customer_rate_value: 2, customer_rate_type: 'RatePerTon', chase_missing_tickets: true };
  const job = await hauled(books, ['10', null], { order });
  await tenant.must('PATCH', `/v1/loads/${job.loads[1].id}`, { quantity: 6, unit_of_measure: 'Ton' });
  await approveLoads(biller, job);
  const { id } = await invoiceOf(books, job.id);
  const refusal = async () => {
    await app.settled();
    return messages(await event(biller, id, 'approve'));
  };
  expect(await refusal()).toEqual(['cannot be approved: the ticket of a load is missing']);
  const bare = await tenant.must('POST', '/v1/tickets', { load_id: job.loads[1].id, ticket_number: 'T-bare', unit_of_measure: 'Ton' });
  expect(await refusal()).toEqual(['cannot be approved: the ticket of a load has no quantity']);
  await tenant.must('PUT', `/v1/tickets/${bare.id}/void`, {});
  // Somebody says that it will not come: what was reported counts.
  const WAIVE = 'mutation($id: ID!) { waiveMissingTickets(id: $id, input: { reason: "the printer was broken" }) { id } }';
  expect((await tenant.gql(WAIVE, { id: job.id }, await tenant.administrator())).errors).toBeUndefined();
  await app.settled();
  expect((await event(biller, id, 'approve')).body.data.total_amount).toBe('32');
});

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
  expect([foreign.status, foreign.body.error.errors.map(({ field }: Json) => field)]).toEqual([422, ['job_ids.0']]);
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

test('an accepted job has drafts on both sides, which follow who does it and are deleted with it', async () => {
  const job = await readyJob(books.tenant, { customer_rate_value: 2, customer_rate_type: 'RatePerTon' });
  const [draft, pay] = [await invoiceOf(books, job.id), await invoiceOf(books, job.id, 'payable')];
  expect([draft, pay].map(({ state, total_amount, editable }) => [state, total_amount, editable])).toEqual(
    Array(2).fill(['created', '0', false]),
  );
  await drive(books.tenant.driver, job.id, 'enroute');
  expect((await invoiceOf(books, job.id)).state).toBe('in_progress');
  const other = await readyJob(books.tenant, { customer_rate_value: 2, customer_rate_type: 'RatePerTon' });
  const theirs = await invoiceOf(books, other.id, 'payable');
  await books.tenant.must('PUT', `/v1/jobs/${other.id}/unassign`, {});
  await books.app.settled();
  expect((await books.biller.http('GET', `/v1/jobs/${other.id}/payable`)).status).toBe(404);
  expect((await books.biller.gql('query($id: ID!) { invoice(id: $id) { state } }', { id: theirs.id })).data.invoice.state).toBe('voided');
  expect((await books.tenant.http('DELETE', `/v1/jobs/${other.id}`, undefined, await books.tenant.administrator())).status).toBe(204);
  expect((await books.biller.gql('query($id: ID!) { invoice(id: $id) { state } }', { id: theirs.id })).errors[0].extensions.code).toBe(
    'object_not_found',
  );
});

test('lists are filtered by side, state, day and parties', async () => {
  const own = await makeStaffedTenant(books.app);
  const by = { ...(await own.person({ roles: ['biller'] })), path: own.path };
  const job = await hauled(books, ['10'], { at: own, order: { customer_rate_value: 2, customer_rate_type: 'RatePerTon' } });
  await books.app.settled();
  const list = async (query: string): Promise<string[]> =>
    (await by.must('GET', by.path(`/invoices?${query}`))).map(({ invoice_id }: Json) => invoice_id);
  const all = await list('');
  expect(all).toHaveLength(2);
  const [payable, receivable] = all;
  expect(await list('filter[invoice_category]=receivables')).toEqual([receivable]);
  expect(await list('filter[invoice_category]=internal_payables')).toEqual([payable]);
  expect(await list('filter[invoice_category]=vendor_payables')).toEqual([]);
  expect(await list('filter[invoice_category]=account_receivables&filter[states][]=pending&filter[rate_types][]=RatePerTon')).toEqual([
    receivable,
  ]);
  expect(await list(`filter[customer_account_ids][]=${own.account.id}&filter[driver_ids][]=${own.driver.id}`)).toEqual([receivable]);
  expect(await list(`filter[pickup_site_ids][]=${own.pickup.id}`)).toEqual(all);
  expect(await list('filter[start_date]=2026-11-23&filter[end_date]=2026-11-23')).toEqual(all);
  expect(await list('filter[start_date]=2026-11-24')).toEqual([]);
  expect(await list(`search[datagrid]=${receivable}`)).toEqual([receivable]);
  expect((await by.must('GET', by.path(`/orders/${job.order.id}/invoices`))).map(({ invoice_id }: Json) => invoice_id)).toEqual(all);
  expect((await by.http('GET', by.path('/invoices?filter[states][]=open'))).status).toBe(422);
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

test('jobs are previewed as their invoices would be written: all of them page by page, before they are done, and to those who see their rates', async () => {
  const at = (rest: string) => books.biller.path(`/billing/previews${rest}`);
  const rates = { customer_rate_value: 2, customer_rate_type: 'RatePerTon', driver_rate_value: 50, driver_rate_type: 'RateCommission' };
  const done = await hauled(books, ['10', '20'], { order: { ...rates, tax_rate: 10, tax_freight: true } });
  const draft = await invoiceOf(books, done.id);
  const [edited] = await books.biller.must('GET', books.biller.path(`/invoices/${draft.id}/invoice_line_items`));
  const byHand = { invoice_line_items: [{ id: edited.id, rate: 3 }] };
  expect((await books.biller.http('PATCH', books.biller.path(`/invoices/${draft.id}/invoice_line_items`), byHand)).status).toBe(200);
  const open = await readyJob(books.tenant, { loads_per_truck: 2, ...rates });
  await drive(books.tenant.driver, open.id, ...ONE_LOAD);
  const [hauledLoad] = (await books.tenant.must('GET', `/v1/jobs/${open.id}/loads`)).filter(({ state }: Json) => state === 'completed');
  await ticketed(books.tenant, hauledLoad, '12.5');
  await books.app.settled();

  // A pending invoice says the same. An approved one is previewed as its work is now.
  const previews: Json[] = [];
  for (let next: string | undefined = at('?page[limit]=4'); next; ) {
    const { body, headers } = await books.biller.http('GET', next);
    previews.push(...body.data);
    next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]?.replace(/^https?:\/\/[^/]+/, '');
  }
  const jobs: Json[] = await books.biller.must('GET', books.biller.path('/jobs?page[limit]=100'));
  expect(previews.map(({ job_id }) => job_id)).toEqual(jobs.map(({ id }) => id));
  let compared = 0;
  for (const { invoice_id, total_amount, tax_total_amount, line_items, blockers, state } of previews.flatMap(({ invoices }) => invoices)) {
    if (state !== 'pending') continue;
    const { data } = await books.biller.gql(
      'query($id: ID!) { invoice(id: $id) { totalAmount taxTotalAmount blockers rateValue invoiceLineItems { quantity totalAmount } } }',
      { id: invoice_id },
    );
    const { invoice } = data;
    expect([total_amount ?? '0', tax_total_amount, blockers]).toEqual([invoice.totalAmount, invoice.taxTotalAmount, invoice.blockers]);
    const lines = line_items.map((line: Json) => `${line.quantity} ${line.total_amount}`).sort();
    expect(lines).toEqual(invoice.invoiceLineItems.map((line: Json) => `${line.quantity} ${line.totalAmount}`).sort());
    compared++;
  }
  expect(compared).toBeGreaterThan(1);

  const [ofOpen] = await books.biller.must('GET', at(`?job_ids[]=${open.id}&explain=true`));
  const [receivable, pay] = ofOpen.invoices;
  expect([receivable.total_amount, receivable.blockers, receivable.line_items.length]).toEqual([
    '25',
    ['job_not_finished', 'load_not_approved'],
    1,
  ]);
  expect([pay.total_amount, leavesOf(receivable.explain).some(({ type }) => type === 'Ticket'), pay.explain.amount]).toEqual([
    '12.5',
    true,
    '12.5',
  ]);
  expect(ofOpen.totals).toEqual([
    { side: 'receivable', currency: 'CAD', total_amount: '25' },
    { side: 'payable', currency: 'CAD', total_amount: '12.5' },
  ]);
  const [ofDone] = await books.biller.must('GET', at(`?job_ids[]=${done.id}&side=receivable`));
  expect(ofDone.invoices.map(({ side, total_amount, explain }: Json) => [side, total_amount, explain])).toEqual([
    ['receivable', '77', undefined],
  ]);

  // A client that does not see the price for the customer sees no preview of it, nor in the explanation of a share of it.
  const em = books.app.orm.em.fork();
  const tokenOf = async (...permissions: string[]) => {
    const { client } = makeMachineClient(em, books.tenant.company, { name: permissions.join(), permissions: permissions as never });
    await em.flush();
    return (await issueToken(em, 'machine', client.id)).token;
  };
  const asks = async (token: string) => books.tenant.http('GET', at(`?job_ids[]=${open.id}&explain=true`), undefined, token);
  const partly = await asks(await tokenOf('edit_invoice', 'view_driver_rates'));
  expect(partly.body.data[0].invoices.map(({ side, total_amount, explain }: Json) => [side, total_amount, explain])).toEqual([
    ['payable', '12.5', undefined],
  ]);
  expect((await asks(await tokenOf('edit_invoice'))).status).toBe(404);
  expect((await asks(await tokenOf('view_customer_rates', 'view_settlements'))).status).toBe(404);

  // Bad input, by its field.
  const wrong = async (query: string) => {
    const { status, body } = await books.biller.http('GET', at(query));
    return [status, body.error.errors.map(({ field }: Json) => field)];
  };
  expect(await wrong(`?job_ids[]=${open.id}&job_ids[]=none`)).toEqual([422, ['job_ids']]);
  expect(await wrong(`?${Array(101).fill(`job_ids[]=${open.id}`).join('&')}`)).toEqual([422, ['job_ids']]);
  expect(await wrong('?side=both')).toEqual([422, ['side']]);
});
