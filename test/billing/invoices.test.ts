import { expect, test } from '@jest/globals';
import { makeMachineClient } from '../../src/identity/machine-clients/machine-clients.ts';
import { issueToken } from '../../src/identity/tokens/tokens.ts';
import { drive, makeStaffedTenant, ONE_LOAD, readyJob } from '../helpers/staffed-tenant.ts';
import { approveLoads, event, hauled, invoiceOf, linesOf, M10, makeBooks, messages, ticketed, withMinimum } from './books.ts';
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
