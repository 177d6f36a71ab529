import { expect, test } from '@jest/globals';
import { addOn, approveLoads, event, hauled, invoiceOf, makeBooks, ticketed } from '../books.ts';
import { settle } from '../settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const ofCustomer = { customer_rate_value: 2, customer_rate_type: 'RatePerTon' };

/** What a settlement says of how much it is for: its own figures, its loads, its lines, and a charge for each load. */
async function saidOf(settlement: Json): Promise<Json> {
  const of = (rest: string): Promise<Json[]> => books.biller.must('GET', books.biller.path(`/settlements/${settlement.id}${rest}`));
  const [loads, tickets, [group], charges] = [
    await of('/loads'),
    await of('/tickets'),
    (await of('/settlement_line_items')) as Json,
    await of('/add_on_charges'),
  ];
  return {
    quantities: settlement.data.quantities_per_uom,
    delivered: settlement.delivered_quantities.map(({ delivered, unit_of_measure }: Json) => `${delivered} ${unit_of_measure}`),
    loads: loads.length,
    ticketed: tickets.reduce((sum, { quantity }) => sum + Number(quantity), 0),
    lines: group.line_items.map(({ total_quantity }: Json) => total_quantity),
    perLoad: charges.map(({ quantity }) => quantity),
  };
}

test('a load that was taken off an invoice is in no figure of its settlement, and in those of the one that bills it', async () => {
  const { tenant, biller } = books;
  const cover = await addOn(books, 'Cover', { add_on_types: ['settlement'], revenue_cost_rate_type: 'PerLoad', revenue_rate_value: 3 });
  const job = await hauled(books, ['10', '20', null], { order: ofCustomer });
  await tenant.must('PATCH', `/v1/loads/${job.loads[2].id}`, { quantity: 5, unit_of_measure: 'Ton' });
  await approveLoads(biller, job);
  const invoice = await invoiceOf(books, job.id);
  const path = biller.path(`/invoices/${invoice.id}/invoice_line_items`);
  const removed = (await biller.must('GET', path)).find(({ load }: Json) => load.id === job.loads[2].id);
  await biller.must('PATCH', path, { rate_type: 'RatePerTon', invoice_line_items: [{ id: removed.id, _destroy: 1 }] });
  expect((await event(biller, invoice.id, 'approve')).body.data.total_amount).toBe('60');
  const charged = async (invoices: Json[]): Promise<Json> => {
    const { id } = await settle(books, invoices);
    await biller.must('POST', biller.path(`/settlements/${id}/add_on_charges`), { add_on_id: cover.id });
    return biller.must('GET', biller.path(`/settlements/${id}`));
  };
  const first = await charged([invoice]);
  expect(await saidOf(first)).toEqual({
    quantities: ['30 Ton'],
    delivered: ['30 Ton'],
    loads: 2,
    ticketed: 30,
    lines: ['30'],
    perLoad: ['2'],
  });
  // Its ticket comes late: what a supplement bills is on its own settlement, and is counted once.
  await ticketed(tenant, job.loads[2], '6');
  await books.app.settled();
  const listed: Json[] = await biller.must('GET', biller.path(`/orders/${job.order.id}/invoices`));
  const [late] = listed.filter(({ state, total_amount }) => state === 'pending' && total_amount === '12');
  expect((await event(biller, late.id, 'approve')).status).toBe(200);
  expect(await saidOf(await charged([late]))).toEqual({
    quantities: ['6 Ton'],
    delivered: ['6 Ton'],
    loads: 1,
    ticketed: 6,
    lines: ['6'],
    perLoad: ['1'],
  });
});

test('a settlement of what corrects hours is for no load anew: it lists and prints none, as its quantities say', async () => {
  const { tenant, biller } = books;
  const job = await hauled(books, ['10', '20'], { order: { customer_rate_value: 100, customer_rate_type: 'RatePerHour' } });
  await tenant.must('PATCH', `/v1/jobs/${job.id}`, { billable_hours: 4 });
  await approveLoads(biller, job);
  await biller.must('PUT', biller.path(`/jobs/${job.id}/approve`), {});
  const invoice = await invoiceOf(books, job.id);
  expect((await event(biller, invoice.id, 'approve')).body.data.total_amount).toBe('400');
  const first = await settle(books, [invoice]);
  expect(await saidOf(first)).toMatchObject({ quantities: ['30 Ton'], delivered: ['30 Ton'], loads: 2, ticketed: 30 });
  await biller.must('PATCH', `/v1/jobs/${job.id}`, { billable_hours: 5, supplement: true });
  await books.app.settled();
  const listed: Json[] = await biller.must('GET', biller.path(`/orders/${job.order.id}/invoices`));
  const [more] = listed.filter(({ state, total_amount }) => state === 'pending' && total_amount === '100');
  expect((await event(biller, more.id, 'approve')).status).toBe(200);
  expect(await saidOf(await settle(books, [more]))).toMatchObject({ quantities: [], delivered: [], loads: 0, ticketed: 0 });
});

test('a settlement of a commission is for the loads that its commission is for, whatever else was hauled', async () => {
  const { biller } = books;
  const job = await hauled(books, ['10', '20'], {
    order: { ...ofCustomer, driver_rate_value: 2, driver_rate_type: 'RateFlatCommission' },
  });
  await approveLoads(biller, job);
  const invoice = await invoiceOf(books, job.id);
  const path = biller.path(`/invoices/${invoice.id}/invoice_line_items`);
  const without = async (load: Json): Promise<void> => {
    const removed = (await biller.must('GET', path)).find((line: Json) => line.load.id === load.id);
    await biller.must('PATCH', path, { rate_type: 'RatePerTon', invoice_line_items: [{ id: removed.id, _destroy: 1 }] });
    await books.app.settled();
  };
  await without(job.loads[1]);
  const pay = await invoiceOf(books, job.id, 'payable');
  expect((await event(biller, pay.id, 'approve')).body.data.total_amount).toBe('20');
  expect(await saidOf(await settle(books, [pay]))).toMatchObject({
    quantities: ['10 Ton'],
    delivered: ['10 Ton'],
    loads: 1,
    lines: ['10'],
  });
});

test('a load that was taken off an invoice is in none of its charges for each load, and in those of the supplement that bills it', async () => {
  const { tenant, biller } = books;
  const cover = await addOn(books, 'Tarp', { revenue_cost_rate_type: 'PerLoad', revenue_rate_value: 3 });
  const job = await hauled(books, ['10', '20', null], { order: ofCustomer });
  await tenant.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { add_on_id: cover.id });
  await approveLoads(biller, job);
  const invoice = await invoiceOf(books, job.id);
  const path = biller.path(`/invoices/${invoice.id}/invoice_line_items`);
  const removed = (await biller.must('GET', path)).find(({ load }: Json) => load.id === job.loads[2].id);
  await biller.must('PATCH', path, { rate_type: 'RatePerTon', invoice_line_items: [{ id: removed.id, _destroy: 1 }] });
  const chargesOf = async ({ id }: Json): Promise<string[][]> =>
    (await biller.must('GET', biller.path(`/invoices/${id}/add_on_charges`))).map((one: Json) => [one.quantity, one.total_amount]);
  expect((await event(biller, invoice.id, 'approve')).body.data).toMatchObject({ total_amount: '66', total_loads_count: 2 });
  expect(await chargesOf(invoice)).toEqual([['2', '6']]);
  await settle(books, [invoice]);
  await ticketed(tenant, job.loads[2], '6');
  await books.app.settled();
  const listed: Json[] = await biller.must('GET', biller.path(`/orders/${job.order.id}/invoices`));
  const [late] = listed.filter(({ state }) => state === 'pending');
  expect(late).toMatchObject({ total_amount: '15', total_loads_count: 1 });
  expect(await chargesOf(late)).toEqual([['1', '3']]);
});

test('freight by the hour is for all loads: one whose material was taken off is in the charges for each load, as in the settlement', async () => {
  const { tenant, biller } = books;
  const flag = await addOn(books, 'Flag', { revenue_cost_rate_type: 'PerLoad', revenue_rate_value: 3 });
  const material = { material_rate_sell_price: 12.5, material_rate_unit_of_measure: 'Ton', material_rate_itemized: true };
  const order = { customer_rate_value: 100, customer_rate_type: 'RatePerHour', ...material };
  const job = await hauled(books, ['10', '20'], { order });
  await tenant.must('PATCH', `/v1/jobs/${job.id}`, { billable_hours: 4 });
  await tenant.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { add_on_id: flag.id });
  await approveLoads(biller, job);
  await biller.must('PUT', biller.path(`/jobs/${job.id}/approve`), {});
  const invoice = await invoiceOf(books, job.id);
  const path = biller.path(`/invoices/${invoice.id}/invoice_line_items`);
  const removed = (await biller.must('GET', path)).find(({ load }: Json) => load?.id === job.loads[1].id);
  await biller.must('PATCH', path, { rate_type: 'RatePerHour', invoice_line_items: [{ id: removed.id, _destroy: 1 }] });
  const approved = (await event(biller, invoice.id, 'approve')).body.data;
  // Hours, the material of one load, and two flags.
  expect(approved.total_amount).toBe('531');
  const [charge] = await biller.must('GET', biller.path(`/invoices/${invoice.id}/add_on_charges`));
  expect([charge.quantity, charge.total_amount]).toEqual(['2', '6']);
  expect((await biller.must('GET', biller.path(`/settlements/${(await settle(books, [invoice])).id}/loads`))).length).toBe(2);
});

test('a load that was taken off the invoice of the customer is in no charge for each load of what is paid by commission', async () => {
  const { tenant, biller } = books;
  const paid = { add_on_types: ['driver_pay'], revenue_cost_rate_type: 'PerLoad', revenue_rate_value: 3, cost_rate_value: 3 };
  const sweep = await addOn(books, 'Sweep', paid);
  const order = { ...ofCustomer, driver_rate_value: 2, driver_rate_type: 'RateFlatCommission' };
  const job = await hauled(books, ['10', '20', null], { order });
  await tenant.must('POST', `/v1/jobs/${job.id}/add_on_charges`, { add_on_id: sweep.id });
  await tenant.must('PATCH', `/v1/loads/${job.loads[2].id}`, { quantity: 5, unit_of_measure: 'Ton' });
  await approveLoads(biller, job);
  // Of each ton 2, and 3 for each load.
  expect((await invoiceOf(books, job.id, 'payable')).total_amount).toBe('79');
  const invoice = await invoiceOf(books, job.id);
  const path = biller.path(`/invoices/${invoice.id}/invoice_line_items`);
  const removed = (await biller.must('GET', path)).find(({ load }: Json) => load.id === job.loads[2].id);
  await biller.must('PATCH', path, { rate_type: 'RatePerTon', invoice_line_items: [{ id: removed.id, _destroy: 1 }] });
  await books.app.settled();
  const pay = await invoiceOf(books, job.id, 'payable');
  const chargesOf = async ({ id }: Json): Promise<string[][]> =>
    (await biller.must('GET', biller.path(`/invoices/${id}/add_on_charges`))).map((one: Json) => [one.quantity, one.total_amount]);
  expect(await chargesOf(pay)).toEqual([['2', '6']]);
  for (const { id } of [invoice, pay]) expect((await event(biller, id, 'approve')).status).toBe(200);
  const settlement = await settle(books, [pay]);
  expect(settlement.total_amount).toBe('66');
  expect((await saidOf(settlement)).loads).toBe(2);
  await settle(books, [invoice]);
  // The supplement that bills it when its ticket comes pays for it, too.
  await ticketed(tenant, job.loads[2], '6');
  await books.app.settled();
  const listed: Json[] = await biller.must('GET', biller.path(`/orders/${job.order.id}/invoices`));
  const late = listed.filter(({ state }) => state === 'pending');
  expect(late.map(({ total_amount }) => total_amount).toSorted()).toEqual(['12', '15']);
  expect(await chargesOf(late.find(({ total_amount }) => total_amount === '15'))).toEqual([['1', '3']]);
});
