import { expect, test } from '@jest/globals';
import { approveLoads, chargesOfM20, event, hauled, invoiceOf, M10, makeBooks, messages, withMinimum } from '../books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const at = (id: string) => books.biller.path(`/invoices/${id}/add_on_charges`);
const amounts = (charges: Json[]) => charges.map(({ name, total_amount }) => [name, total_amount]).sort();

test('charges are added to a pending invoice, are part of its price and stay when the work changes', async () => {
  const order = { customer_rate_value: 2, customer_rate_type: 'RatePerTon', tax_rate: 10, tax_freight: true, tax_add_ons: true };
  const job = await hauled(books, ['10', '20'], { order });
  await approveLoads(books.biller, job);
  const requested = await books.tenant.must('POST', `/v1/jobs/${job.id}/add_on_charges`, {
    name: 'Wash',
    quantity: 1,
    revenue_rate_value: 25,
  });
  const draft = await invoiceOf(books, job.id);
  expect(draft.total_amount).toBe('91');
  const made = await books.biller.http('POST', at(draft.id), { name: 'Permit', quantity: 2, revenue_rate_value: 7.5 });
  expect([made.status, made.body.data]).toMatchObject([201, { name: 'Permit', total_amount: '15', add_on_applicable_type: 'Invoice' }]);
  const share = { name: 'Discount', add_on_rate_type: 'RatePercentOfTotal', percentage: -10 };
  const copy = (await books.biller.must('GET', at(draft.id))).find(({ name }: Json) => name === 'Wash');
  const changed = await books.biller.must('PATCH', at(draft.id), { add_on_charges: [{ id: made.body.data.id, quantity: 3 }, share] });
  expect(amounts(changed)).toEqual([
    ['Discount', '-6'],
    ['Permit', '22.5'],
    ['Wash', '25'],
  ]);
  // 60 freight, 41.5 charges, 6 tax of the freight.
  const priced = await invoiceOf(books, job.id);
  expect(priced).toMatchObject({ total_amount: '107.5', add_on_charges_total_amount: '41.5', add_on_charges_count: 3 });
  await books.tenant.must('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: 0 });
  expect((await invoiceOf(books, job.id)).total_amount).toBe('101.5');
  // A copy follows its request, here and by itself.
  const refused = await books.biller.http('PATCH', at(draft.id), {
    add_on_charges: [
      { name: 'More', quantity: 1 },
      { id: copy.id, quantity: 2 },
    ],
  });
  expect([refused.status, refused.body.error.errors.map(({ field }: Json) => field)]).toEqual([422, ['add_on_charges.1.id']]);
  const admin = await books.tenant.administrator();
  expect((await books.tenant.http('PATCH', `/v1/add_on_charges/${copy.id}`, { quantity: 2 }, admin)).status).toBe(422);
  expect((await books.tenant.http('PATCH', `/v1/add_on_charges/${made.body.data.id}`, { quantity: 1 }, admin)).status).toBe(200);
  expect((await invoiceOf(books, job.id)).total_amount).toBe('86.5');
  expect((await books.tenant.http('DELETE', `/v1/add_on_charges/${made.body.data.id}`, undefined, admin)).status).toBe(204);
  expect((await invoiceOf(books, job.id)).total_amount).toBe('79');
  // A request is withdrawn with its copy alone.
  await books.tenant.must('DELETE', `/v1/add_on_charges/${requested.id}`, undefined, admin);
  expect((await invoiceOf(books, job.id)).total_amount).toBe('54');
  expect((await event(books.biller, draft.id, 'approve')).status).toBe(200);
  const late = await books.biller.http('POST', at(draft.id), { name: 'Late', quantity: 1, revenue_rate_value: 1 });
  expect([late.status, messages(late)]).toEqual([422, ['cannot be changed while approved; only a pending invoice can']]);
});

test('an add-on of an invoice is for its side, and nobody else adds to it', async () => {
  const job = await hauled(books, ['10'], { order: { driver_rate_value: 100, driver_rate_type: 'RateFlatRate' } });
  const pay = await invoiceOf(books, job.id, 'payable');
  const addOn = (add_on_types: string[], name: string) =>
    books.tenant.must('POST', books.tenant.path('/add_ons'), { name, add_on_types, quantity: 1, revenue_rate_value: 5 });
  const [invoicing, forPay] = [await addOn(['invoicing'], 'For customers'), await addOn(['driver_pay'], 'For drivers')];
  expect((await books.biller.http('POST', at(pay.id), { name: 'x', add_on_id: invoicing.id })).status).toBe(422);
  expect((await books.biller.http('POST', at(pay.id), { name: 'x', add_on_id: forPay.id })).status).toBe(201);
  expect((await invoiceOf(books, job.id, 'payable')).total_amount).toBe('105');
  expect((await books.tenant.driver.http('POST', at(pay.id), { name: 'mine', quantity: 1, revenue_rate_value: 1 })).status).toBe(403);
});

test('a percentage is taken of the lines, or of lines and fuel where the add-on says so, which its charges keep', async () => {
  const { tenant, biller } = books;
  const { fuel } = await chargesOfM20(books);
  const MADE = 'mutation($input: CreateAddOnInput!) { createAddOn(input: $input) { id percentageBase } }';
  const share = { addOnTypes: ['invoicing'], revenueCostRateType: 'RatePercentOfTotal', percentage: '10' };
  const add = async (input: object) => tenant.gql(MADE, { input: { ...share, ...input } }, await tenant.administrator());
  const { data: plain } = await add({ name: 'Of lines' });
  const { data: withFuel } = await add({ name: 'Of lines and fuel', percentageBase: 'lines_and_fuel' });
  expect([plain.createAddOn.percentageBase, withFuel.createAddOn.percentageBase]).toEqual(['lines', 'lines_and_fuel']);
  const { errors } = await add({ name: 'Wrong', percentageBase: 'lines_and_fuel', revenueCostRateType: 'PerLoad' });
  expect(errors[0].extensions.errors).toMatchObject([{ field: 'percentageBase' }]);
  const load_at = '2026-11-22T13:00:00Z';
  const job = await hauled(books, M10, { order: { ...(await withMinimum(tenant)), load_at } });
  for (const { id } of [plain.createAddOn, withFuel.createAddOn, fuel])
    await tenant.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { add_on_id: id });
  const { id } = await invoiceOf(books, job.id);
  const charges = async () => {
    await books.app.settled();
    const found: Json[] = await biller.must('GET', biller.path(`/invoices/${id}/add_on_charges`));
    return Object.fromEntries(found.map(({ name, total_amount }) => [name, total_amount]));
  };
  expect(await charges()).toEqual({ 'Of lines': '29.44', 'Of lines and fuel': '30.62', Fuel: '11.78' });
  // An add-on that becomes something else says of what no more; its charges stay as they were.
  const CHANGE = 'mutation($id: ID!, $input: UpdateAddOnInput!) { updateAddOn(id: $id, input: $input) { percentageBase } }';
  const changed = await tenant.gql(
    CHANGE,
    { id: withFuel.createAddOn.id, input: { revenueCostRateType: 'RateForEach' } },
    await tenant.administrator(),
  );
  expect(changed.data).toEqual({ updateAddOn: { percentageBase: 'lines' } });
  await tenant.must('PATCH', `/v1/orders/${job.order.id}`, { tax_rate: 1 });
  expect(await charges()).toMatchObject({ 'Of lines and fuel': '30.62' });
});

test('a charge of a job or a day says on which of its invoices it is put, and is refused where that is not open', async () => {
  const { tenant, biller } = books;
  const order = { customer_rate_value: 2, customer_rate_type: 'RatePerTon', driver_rate_value: 100, driver_rate_type: 'RateFlatRate' };
  const [job, other] = [await hauled(books, ['10', '20'], { order }), await hauled(books, ['10'], { order })];
  await approveLoads(biller, job);
  const [draft, elsewhere] = [await invoiceOf(books, job.id), await invoiceOf(books, other.id)];
  const charges = `/v1/jobs/${job.id}/add_on_charges`;
  const wash = { name: 'Wash', quantity: 1, revenue_rate_value: 25 };
  const admin = await tenant.administrator();
  const made = await tenant.http('POST', charges, { ...wash, invoice_id: draft.id }, admin);
  expect([made.status, made.body.data]).toMatchObject([
    201,
    { add_on_applicable_type: 'Invoice', add_on_applicable_id: draft.id, invoice: { id: draft.id }, total_amount: '25' },
  ]);
  expect((await invoiceOf(books, job.id)).total_amount).toBe('85');
  const changed = await tenant.must('PATCH', charges, { add_on_charges: [{ name: 'Asked', quantity: 1, revenue_rate_value: 1 }, { ...wash, invoice_id: draft.id }] }, admin); // biome-ignore format: one idea
  const [asked] = changed.filter(({ invoice }: Json) => !invoice);
  expect([amounts(changed), 'invoice' in asked]).toEqual([
    [
      ['Asked', '1'],
      ['Wash', '25'],
    ],
    false,
  ]);
  // Named as it is, it may be sent back as it was read.
  const echo = await biller.http('PATCH', at(draft.id), { add_on_charges: [{ id: made.body.data.id, quantity: 2, invoice_id: draft.id }] });
  expect([echo.status, (await invoiceOf(books, job.id)).total_amount]).toEqual([200, '136']);
  const refusals: [string, string, object, string][] = [
    ['POST', charges, { ...wash, invoice_id: elsewhere.id }, 'invoice_id'],
    ['PATCH', charges, { add_on_charges: [wash, { ...wash, invoice_id: elsewhere.id }] }, 'add_on_charges.1.invoice_id'],
    ['PATCH', charges, { add_on_charges: [{ id: asked.id, invoice_id: draft.id }] }, 'add_on_charges.0.invoice_id'],
    ['PATCH', `/v1/add_on_charges/${asked.id}`, { invoice_id: draft.id }, 'invoice_id'],
    ['PATCH', `/v1/add_on_charges/${made.body.data.id}`, { invoice_id: elsewhere.id }, 'invoice_id'],
    ['POST', at(draft.id), { ...wash, invoice_id: elsewhere.id }, 'invoice_id'],
  ];
  for (const [method, path, body, field] of refusals) {
    const { status, body: answer } = await tenant.http(method, path, body, admin);
    expect([path, status, answer.error.errors?.map((item: Json) => item.field)]).toEqual([path, 422, [field]]);
  }
  expect((await invoiceOf(books, job.id)).total_amount).toBe('136');
  // A person who may only request charges puts none on an invoice.
  expect((await tenant.driver.http('POST', charges, { ...wash, invoice_id: draft.id })).status).toBe(403);
  expect((await event(biller, draft.id, 'approve')).status).toBe(200);
  const late = await tenant.http('POST', charges, { ...wash, invoice_id: draft.id }, admin);
  expect([late.status, messages(late)]).toEqual([422, ['cannot be changed while approved; only a pending invoice can']]);
});
