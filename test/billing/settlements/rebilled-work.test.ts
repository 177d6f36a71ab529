import { expect, test } from '@jest/globals';
import { makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { untilWaiting } from '../../helpers/until.ts';
import { approveLoads, billerOf, event, hauled, invoiceOf, makeBooks, messages, rateCard, ticketed } from '../books.ts';
import { touch, worked, ZONE } from '../days/worked-days.ts';
import { approvedInvoice, settle } from '../settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const ofCustomer = (value: number) => ({ customer_rate_value: value, customer_rate_type: 'RatePerTon' });
const act = (id: string, name: string, body: object = {}) =>
  books.biller.http('PUT', books.biller.path(`/settlements/${id}/${name}`), body);
const read = (id: string): Promise<Json> => books.biller.must('GET', books.biller.path(`/settlements/${id}`));
const supplement = (id: string, body: object = {}) => books.biller.http('POST', books.biller.path(`/invoices/${id}/supplements`), body);
const rates = (id: string, data: object[], by = books.biller) => by.http('PATCH', `/v1/settlements/${id}/invoices/rebill_rates`, { data });
const rate = (invoice: Json, rebill_rate_value: number | null) => [{ invoice_id: invoice.id, rebill_rate_value }];
/** Voids a settlement and bills it anew. */
async function rebill(settlement: Json): Promise<Json> {
  expect((await act(settlement.id, 'void')).status).toBe(200);
  return books.biller.must('POST', books.biller.path(`/settlements/${settlement.id}/rebill`), {});
}
const staleOf = async (id: string): Promise<boolean> => {
  await books.app.settled();
  return (await books.biller.gql('query($id: ID!) { invoice(id: $id) { stale } }', { id })).data.invoice.stale;
};
const keysOf = ({ status, body }: Json) => [status, body.error?.errors.map(({ field }: Json) => field)];

test('a supplement of what is billed anew is the difference to that, and its rate is not changed below the supplement', async () => {
  const fee = { name: 'Fee', add_on_types: ['invoicing'], revenue_cost_rate_type: 'RatePercentOfTotal', percentage: 10 };
  const { id } = await books.tenant.must('POST', '/v1/add_ons', fee);
  const invoice = await approvedInvoice(books, ['10', '20'], {
    order: { ...ofCustomer(4), tax_rate: 10, tax_freight: true },
    charges: [{ id }],
  });
  expect(invoice.total_amount).toBe('144');
  const anew = await rebill(await settle(books, [invoice]));
  expect((await rates(anew.id, rate(invoice, 5))).body.data).toMatchObject({ total_amount: '144', rebill_total_amount: '180' });
  expect(await staleOf(invoice.id)).toBe(false);
  expect((await supplement(invoice.id)).status).toBe(409);
  // 30 tons at 6 instead of 5, with the fee and the tax of that.
  const made = await supplement(invoice.id, { rate_value: 6, rate_type: 'RatePerTon' });
  expect([made.status, made.body.data.total_amount]).toEqual([201, '36']);
  for (const value of [7, null]) {
    const refused = await rates(anew.id, rate(invoice, value));
    expect([...keysOf(refused), ...messages(refused)]).toEqual([
      422,
      ['data.0.rebill_rate_value'],
      `has the supplement ${made.body.data.invoice_id}; void that first`,
    ]);
  }
  expect((await event(books.biller, made.body.data.id, 'approve')).status).toBe(200);
  expect(await staleOf(invoice.id)).toBe(false);
  // Nothing is billed by it any more: what was corrected is a difference to the invoice itself again.
  expect((await act(anew.id, 'void')).status).toBe(200);
  expect(await staleOf(invoice.id)).toBe(true);
});

test('late work is billed at the rate at which the work is billed anew', async () => {
  const job = await hauled(books, ['10', null], { order: ofCustomer(2) });
  await approveLoads(books.biller, { loads: job.loads.slice(0, 1) });
  const invoice = await invoiceOf(books, job.id);
  const path = books.biller.path(`/invoices/${invoice.id}/invoice_line_items`);
  const removed = (await books.biller.must('GET', path)).find(({ load }: Json) => load.id === job.loads[1].id);
  await books.biller.must('PATCH', path, { rate_type: 'RatePerTon', invoice_line_items: [{ id: removed.id, _destroy: 1 }] });
  await event(books.biller, invoice.id, 'approve');
  const anew = await rebill(await settle(books, [invoice]));
  // A removed line is not billed anew.
  expect((await rates(anew.id, rate(invoice, 3))).body.data.rebill_total_amount).toBe('30');
  await ticketed(books.tenant, job.loads[1], '5');
  await books.app.settled();
  const listed: Json[] = await books.biller.must('GET', books.biller.path(`/orders/${job.order.id}/invoices`));
  expect(listed.filter(({ total_amount }) => total_amount === '15')).toHaveLength(1);
});

test('what was set on lines stays when they are billed anew, and each rate is kept when that is billed anew or corrected', async () => {
  const job = await hauled(books, ['10', '20', '5'], { order: ofCustomer(2) });
  await approveLoads(books.biller, job);
  const draft = await invoiceOf(books, job.id);
  const path = books.biller.path(`/invoices/${draft.id}/invoice_line_items`);
  const [first, , last] = await books.biller.must('GET', path);
  await books.biller.must('PATCH', path, {
    rate_type: 'RatePerTon',
    invoice_line_items: [
      { id: first.id, quantity: 11, only_this_side: true },
      { id: last.id, _destroy: 1 },
    ],
  });
  await event(books.biller, draft.id, 'approve');
  const other = await approvedInvoice(books, ['100'], { order: ofCustomer(1) });
  const anew = await rebill(await settle(books, [draft, other]));
  const discount = { name: 'Discount', revenue_cost_rate_type: 'RatePercentOfTotal', percentage: -10 };
  const charge = await books.biller.must('POST', books.biller.path(`/settlements/${anew.id}/add_on_charges`), discount);
  await books.biller.must('PATCH', `/v1/add_on_charges/${charge.id}`, { rebill_percentage: -20 });
  // 31 tons at 3 and 100 at 1, less 20 %.
  expect((await rates(anew.id, rate(draft, 3))).body.data).toMatchObject({ total_amount: '145.8', rebill_total_amount: '154.4' });
  const twice = await rebill(anew);
  expect(twice).toMatchObject({ total_amount: '145.8', rebill_total_amount: '154.4' });
  expect((await books.biller.must('GET', books.biller.path(`/settlements/${twice.id}/explain`))).explain.rebilled.amount).toBe('154.4');
  // The other invoice is corrected, and the rate of this one stays.
  const changes = [{ invoice_id: other.id, rate_value: 1.5, rate_type: 'RatePerTon' }];
  const corrected = await books.biller.must('POST', books.biller.path(`/settlements/${twice.id}/correct`), {
    reason: 'other rate',
    changes,
  });
  expect(corrected).toMatchObject({ total_amount: '190.8', rebill_total_amount: '194.4', difference_total_amount: '40' });
  // Its lines are corrected, and are billed anew at the same rate.
  const items: Json[] = await books.biller.must('GET', path);
  const line = items.find(({ quantity }) => quantity === '20');
  const lines = [{ invoice_id: draft.id, invoice_line_items: [{ id: line.id, quantity: 21, only_this_side: true }] }];
  const more = await books.biller.must('POST', books.biller.path(`/settlements/${corrected.id}/correct`), {
    reason: 'lines',
    changes: lines,
  });
  expect(more).toMatchObject({ total_amount: '192.6', rebill_total_amount: '196.8' });
  // Its own rate is corrected: that counts from then on.
  const own = [{ invoice_id: draft.id, rate_value: 4, rate_type: 'RatePerTon' }];
  const newest = await books.biller.must('POST', books.biller.path(`/settlements/${more.id}/correct`), { reason: 'rate', changes: own });
  // All lines are made anew at it: 35 tons at 4 and 150.
  expect(newest).toMatchObject({ invoices_total_amount: '290', rebill_total_amount: '232' });
  const DIFFERENCE = 'query($id: ID!) { settlement(id: $id) { differenceTotalAmount } }';
  const differs = async ({ id }: Json) => (await books.biller.gql(DIFFERENCE, { id })).data.settlement.differenceTotalAmount;
  expect([await differs(twice), await differs(more), await differs(newest)]).toEqual(['0', '2.4', '35.2']);
});

test('charges are taken of what the invoices come to when they are billed anew, also after they were edited meanwhile', async () => {
  const invoice = await approvedInvoice(books, ['10'], { order: ofCustomer(10) });
  const settlement = await settle(books, [invoice]);
  const discount = { name: 'Discount', revenue_cost_rate_type: 'RatePercentOfTotal', percentage: -10 };
  await books.biller.must('POST', books.biller.path(`/settlements/${settlement.id}/add_on_charges`), discount);
  await act(settlement.id, 'void');
  await event(books.biller, invoice.id, 'unapprove');
  await books.biller.must('PATCH', books.biller.path(`/invoices/${invoice.id}`), { rate_value: 20, rate_type: 'RatePerTon' });
  await event(books.biller, invoice.id, 'approve');
  const anew = await books.biller.must('POST', books.biller.path(`/settlements/${settlement.id}/rebill`), {});
  expect(anew).toMatchObject({ total_amount: '180', rebill_total_amount: '180' });
  const { explain } = await books.biller.must('GET', books.biller.path(`/settlements/${anew.id}/explain`));
  expect([explain.amount, explain.rebilled.amount]).toEqual(['180', '180']);
});

test('a day that jobs share is shared when it is billed anew, and another rate takes the place of a wage', async () => {
  const own = await makeStaffedTenant(books.app, { timeZone: ZONE });
  const [by, admin] = [await billerOf(own), await own.administrator()];
  const settled = async (jobs: Json[], side: string): Promise<Json> => {
    const invoices: Json[] = [];
    for (const job of jobs) {
      await touch(own, job);
      await own.must('PUT', own.path(`/jobs/${job.id}/approve`), {}, admin);
    }
    for (const job of jobs) {
      const { id } = await invoiceOf({ ...books, tenant: own }, job.id, side, by);
      const approved = await event(by, id, 'approve');
      expect([approved.status, approved.body.error]).toEqual([200, undefined]);
      invoices.push(approved.body.data);
    }
    const settlement = await settle({ biller: by }, invoices);
    await by.must('PUT', by.path(`/settlements/${settlement.id}/void`), {});
    return { ...(await by.must('POST', by.path(`/settlements/${settlement.id}/rebill`), {})), invoices };
  };
  const daily = await rateCard(own, 'customer', {
    type: 'RatePerDay',
    time_rate: 900,
    time_minimum_minutes: 480,
    time_increment_minutes: 0,
  });
  const jobs = [await worked(own, null, { customer_rate_id: daily.id }, 310), await worked(own, null, { customer_rate_id: daily.id }, 190)];
  await books.app.settled();
  const ofDay = await settled(jobs, 'receivable');
  expect(ofDay.rebill_invoices_total_amount).toBe('909');
  const both = ofDay.invoices.flatMap((one: Json) => rate(one, 1_000));
  // With the tax of 1 %.
  expect((await rates(ofDay.id, both, by)).body.data.rebill_invoices_total_amount).toBe('1010');
  for (const { id } of ofDay.invoices) {
    await books.app.settled();
    expect((await by.gql('query($id: ID!) { invoice(id: $id) { stale } }', { id })).data.invoice).toEqual({ stale: false });
  }
  const project = await own.must('POST', '/v1/projects', { name: 'Bridge', account_id: own.account.id });
  const wages = { prevailingWage: true, wages: [{ classification: 'Driver', base: '31.20', fringe: '18.45', credit: '2.10' }] };
  const PROJECT = 'mutation($id: ID!, $input: UpdateProjectInput!) { updateProject(id: $id, input: $input) { id } }';
  expect((await own.gql(PROJECT, { id: project.id, input: wages }, admin)).errors).toBeUndefined();
  const USER = 'mutation($id: ID!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { id } }';
  expect((await own.gql(USER, { id: own.driver.id, input: { wageClassification: 'Driver' } }, admin)).errors).toBeUndefined();
  const paid = await settled([await worked(own, null, { project_id: project.id }, 480)], 'payable');
  expect(paid.rebill_invoices_total_amount).toBe('380.4');
  expect((await rates(paid.id, rate(paid.invoices[0], 50), by)).body.data.rebill_invoices_total_amount).toBe('400');
});

test('no commission is above all of it, also when it is billed anew', async () => {
  const { biller, tenant } = books;
  const share = await rateCard(tenant, 'driver', { type: 'RateCommission', commission_percentage: 30 });
  const job = await hauled(books, ['10'], { order: { ...ofCustomer(10), driver_rate_id: share.id } });
  await approveLoads(biller, job);
  const payable = await invoiceOf(books, job.id, 'payable');
  const path = biller.path(`/invoices/${payable.id}`);
  for (const [at, body] of [
    [path, { rate_value: 120, rate_type: 'RateCommission' }],
    [`${path}/invoice_line_items/generate`, { rate_value: 120, rate_type: 'RateCommission' }],
  ] as const) {
    const refused = await biller.http(at === path ? 'PATCH' : 'POST', at, body);
    expect([...keysOf(refused), ...messages(refused)]).toEqual([422, ['rate_value'], 'must be between 0 and 100']);
  }
  await event(biller, payable.id, 'approve');
  const anew = await rebill(await settle(books, [payable]));
  expect(keysOf(await rates(anew.id, rate(payable, 120)))).toEqual([422, ['data.0.rebill_rate_value']]);
  expect((await rates(anew.id, rate(payable, 40))).body.data.rebill_total_amount).toBe('40');
  // Whoever may not see the rates of a side sets none.
  const dispatcher = await tenant.person({ roles: ['dispatcher'] });
  expect((await rates(anew.id, rate(payable, 50), { ...dispatcher, path: tenant.path })).status).toBe(403);
});

test('a rate and a supplement at once come one after the other', async () => {
  const invoice = await approvedInvoice(books, ['10'], { order: ofCustomer(2) });
  const anew = await rebill(await settle(books, [invoice]));
  let setting: Promise<Json> | undefined;
  await books.app.orm.em.fork().transactional(async (em) => {
    // As whoever makes a supplement has the work.
    await em.execute('select 1 from job where id = ? for update', [invoice.job.id]);
    setting = rates(anew.id, rate(invoice, 3));
    await untilWaiting(books.app);
  });
  expect((await setting!).status).toBe(200);
  const both = await Promise.all([rates(anew.id, rate(invoice, 4)), supplement(invoice.id, { rate_value: 5, rate_type: 'RatePerTon' })]);
  await books.app.settled();
  expect(both[1].status).toBe(201);
  const [rebilled] = await Promise.all([read(anew.id)]);
  const listed: Json[] = await books.biller.must('GET', books.biller.path(`/orders/${invoice.job.order.id}/invoices`));
  const differs = listed.find(({ id }) => id === both[1].body.data.id)!;
  // Whichever was first, all of it is 10 tons at 5.
  expect(Number(rebilled.rebill_total_amount) + Number(differs.total_amount)).toBe(50);
});

test('rates of many invoices take as many statements as that of one, come to the same, and nobody waits for each other for ever', async () => {
  const { biller } = books;
  const invoices: Json[] = [];
  for (const tons of [['10'], ['4', '6'], ['3'], ['7']]) invoices.push(await approvedInvoice(books, tons, { order: ofCustomer(2) }));
  const anew = await rebill(await settle(books, invoices));
  await books.app.settled();
  const set = (...of: [Json, number | null][]) =>
    biller.http('PATCH', `/v1/settlements/${anew.id}/invoices/rebill_rates`, {
      data: of.map(([{ id }, rebill_rate_value]) => ({ invoice_id: id, rebill_rate_value })),
    });
  const counted = async (...of: [Json, number | null][]): Promise<number> => {
    const { value, statements } = await books.app.countStatements(() => set(...of));
    expect([value.status, value.body.error]).toEqual([200, undefined]);
    return statements.filter((sql) => /settlement|invoice|job|add_on|ticket/.test(sql)).length;
  };
  const [a, b, c, d] = invoices;
  await counted([a, 2.5]);
  // What follows from it would be counted with what comes next.
  await books.app.settled();
  const one = await counted([a, 3]);
  await books.app.settled();
  expect(await counted([a, 4], [b, 4], [c, 5], [d, null])).toBe(one);
  // 10 and 10 tons at 4, 3 at 5, and 7 at 2 as before.
  expect(await read(anew.id)).toMatchObject({ rebill_total_amount: '109' });
  // In whatever order they name their invoices, and with a supplement in between.
  const all = [
    set([d, 3], [c, 3], [b, 3], [a, 3]),
    set([a, 6], [b, 6], [c, 6], [d, 6]),
    supplement(c.id, { rate_value: 7, rate_type: 'RatePerTon' }),
  ];
  const answers = await Promise.all(all);
  const statuses = answers.map(({ status }) => status);
  // After the supplement, the rate below it is not changed any more, and nothing of what was asked is done.
  for (const status of statuses.slice(0, 2)) expect([200, 422]).toContain(status);
  expect(statuses[2]).toBe(201);
  await books.app.settled();
  const rebilled = await read(anew.id);
  const value = Number(rebilled.rebill_total_amount);
  expect([30 * 3, 30 * 6, 109]).toContain(value);
  const listed: Json[] = await biller.must('GET', biller.path(`/orders/${c.job.order.id}/invoices`));
  const difference = listed.find(({ id }) => id === answers[2]!.body.data.id);
  const rateOfC = value === 109 ? 5 : value / 30;
  expect(Number(difference.total_amount)).toBe(3 * (7 - rateOfC));
});
