import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../helpers/properties.ts';
import { jobOfChain, makeChain, makeStaffedTenant, shortHaul } from '../helpers/staffed-tenant.ts';
import { untilWaiting } from '../helpers/until.ts';
import { approveLoads, billerOf, chargesOfM20, event, hauled, invoiceOf, makeBooks, messages, ticketed } from './books.ts';
import { choose } from './days/worked-days.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

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
  for (const one of shortHaul()) await go(one);
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
  // Nor is that link paid otherwise, as long as the invoice is approved.
  const [link] = data.job.jobAssignments;
  const pays = (rate_value: number) =>
    owner.http('PATCH', `/v1/job_assignments/${link.id}`, { rate_value, rate_type: 'RatePerTon' }, admin);
  const refused = await pays(4);
  expect([refused.status, messages(refused)]).toEqual([
    422,
    [`is on ${payable.invoice_id}, which is approved; take that approval back first`],
  ]);
  expect((await owner.gql('query($id: ID!) { job(id: $id) { jobAssignments { id } } }', { id }, admin)).data).toEqual(data);
  expect(await invoiceOf({ ...books, tenant: owner, biller }, id, 'payable')).toMatchObject({ id: payable.id, state: 'approved' });
  expect((await event(biller, payable.id, 'unapprove')).status).toBe(200);
  expect((await pays(4)).status).toBe(200);
  expect(await invoiceOf({ ...books, tenant: owner, biller }, id, 'payable')).toMatchObject({ total_amount: '40' });
});

const leavesOf = ({ parts = [], ...leaf }: Json): Json[] => (parts.length > 0 ? parts.flatMap(leavesOf) : [leaf]);

test('B-I4, B-I7: an approved invoice says the same whatever is done to what it was priced by, names the version of each, and follows again once it is unapproved', async () => {
  const own = await makeStaffedTenant(books.app);
  const [by, admin] = [await billerOf(own), await own.administrator()];
  const scene = { ...books, tenant: own, biller: by };
  const { index, fuel, wash, order } = await chargesOfM20(scene);
  const job = await hauled(scene, ['23.21', '21.4'], { order });
  for (const { id } of [fuel, wash]) await own.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { add_on_id: id, quantity: 1 });
  await approveLoads(by, job);
  const { id } = await invoiceOf(scene, job.id);
  const [ticket] = await own.must('GET', `/v1/jobs/${job.id}/tickets`);
  /** All that it says, apart from when it was touched and what may be done with it. */
  const said = async (): Promise<Json> => {
    await books.app.settled();
    const shown = await by.must('GET', `/v1/jobs/${job.id}/receivable`);
    // The records that it refers to are shown as they are: an account may have another name by now, and a rate card another price.
    const own = Object.entries(shown).filter(([name, value]) => typeof value !== 'object' && !['updated_at', 'version'].includes(name));
    const [lines, charges, explained] = await Promise.all(
      ['invoice_line_items', 'add_on_charges', 'explain'].map((of) => by.must('GET', by.path(`/invoices/${id}/${of}`))),
    );
    return { invoice: Object.fromEntries(own), lines, charges, explain: explained.explain };
  };
  const versions = new Map<string, number>();
  for (const table of ['ticket', 'load', 'orders'])
    for (const row of await books.app.orm.em.fork().execute(`select id, version from ${table}`)) versions.set(row.id, row.version);
  expect((await event(by, id, 'approve')).status).toBe(200);
  const approved = await said();
  const sources = leavesOf(approved.explain).flatMap(({ source }) => (versions.has(source?.id) ? [source] : []));
  expect(new Set(sources.map(({ type }) => type))).toEqual(new Set(['Ticket', 'Order']));
  for (const source of sources) expect([source, versions.get(source.id)]).toEqual([source, source.version]);

  const any = (method: string, path: string, body: object = {}) => own.http(method, path, body, admin);
  const acts: Record<string, (n: number) => Promise<{ status: number }>> = {
    ticket: (n) => any('PATCH', `/v1/tickets/${ticket.id}`, { quantity: 5 + n }),
    'void of a ticket': () => any('PUT', `/v1/tickets/${ticket.id}/void`),
    load: (n) => any('PATCH', `/v1/loads/${job.loads[n % 2].id}`, { quantity: 3 + n, unit_of_measure: 'Ton' }),
    'load that is taken back': (n) => any('PUT', own.path(`/loads/${job.loads[n % 2].id}/unapprove`)),
    rate: (n) => any('PATCH', `/v1/orders/${job.order.id}`, { customer_rate_value: 1 + n, customer_rate_type: 'RatePerTon' }),
    tax: (n) => any('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: n, tax_freight: n % 2 === 0 }),
    material: (n) => any('PATCH', `/v1/orders/${job.order.id}`, { material_rate_sell_price: n }),
    rateCard: (n) => any('PATCH', `/v1/rates/${(order as Json).customer_rate_id}`, { unit_rate: 1 + n, unit_minimum: n }),
    'price of fuel': (n) =>
      any('POST', `/v1/fuel_price_indices/${index.id}/fuel_prices`, { date: `2026-11-${String(17 + (n % 6))}`, price: 3 + n / 10 }),
    'add-on': (n) => any('PATCH', `/v1/add_ons/${wash.id}`, { revenue_rate_value: n, name: `Wash ${n}` }),
    wish: (n) => any('POST', `/v1/jobs/${job.id}/add_on_charges`, { add_on_id: wash.id, quantity: n }),
    profile: (n) =>
      any('PATCH', own.path(`/accounts/${own.account.id}/billing_profile`), {
        tax_exempt_number: n % 2 ? `EX-${n}` : null,
        fuel_lag_weeks: n % 3,
      }),
    line: (n) =>
      any('PATCH', own.path(`/invoices/${id}/invoice_line_items`), {
        rate_type: 'RatePerTon',
        invoice_line_items: [{ id: approved.lines[0].id, quantity: n }],
      }),
    'rate by hand': (n) => any('PATCH', own.path(`/invoices/${id}`), { rate_value: 1 + n, rate_type: 'RatePerTon' }),
    charge: (n) => any('POST', own.path(`/invoices/${id}/add_on_charges`), { name: 'Fee', quantity: 1, revenue_rate_value: n }),
    cancel: () => any('PUT', `/v1/orders/${job.order.id}/cancel`),
    removal: (n) => any('DELETE', `/v1/loads/${job.loads[n % 2].id}`),
  };
  const tried = new Map<string, Set<number>>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...Object.keys(acts)), fc.integer({ min: 1, max: 20 })), { minLength: 4, maxLength: 8 }),
      async (chosen) => {
        for (const [name, n] of chosen) tried.set(name, (tried.get(name) ?? new Set()).add((await acts[name]!(n)).status));
        expect(await said()).toEqual(approved);
      },
    ),
    { numRuns: runs(5), endOnFailure: true },
  );
  // Some of it was refused, and some was done.
  const answered = new Set([...tried.values()].flatMap((statuses) => [...statuses]));
  expect([answered.has(200), answered.has(422), [...answered].every((status) => status < 500)]).toEqual([true, true, true]);
  // Taken back, it is what the work comes to by now; approved and taken back without anything between, it is the same.
  const put = async (name: string) => expect([name, (await event(by, id, name)).status]).toEqual([name, 200]);
  await put('unapprove');
  const now = await said();
  expect(now).not.toEqual({ ...approved, invoice: { ...approved.invoice, state: 'pending', billing_approved_at: null } });
  await put('approve');
  await put('unapprove');
  expect(await said()).toEqual(now);
});
