import { beforeAll, expect, test } from '@jest/globals';
import { makeStaffedTenant, readyJob } from '../helpers/staffed-tenant.ts';
import { addOn, approveLoads, event, hauled, invoiceOf, makeBooks } from './books.ts';
import { approvedInvoice, settle } from './settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const PER_TON = { customer_rate_value: 5, customer_rate_type: 'RatePerTon' };

/** The subjects of the rows below: a pending invoice of a load and one of time, and a pending settlement. */
let scene: {
  invoice: Json;
  line: Json;
  timed: Json;
  hours: Json;
  otherLoad: string;
  settlement: Json;
  approved: Json;
  payable: Json;
  canceled: Json;
  foreign: Json;
  voided: string;
  ofOthers: string;
  discarded: string;
  ofDays: string;
};

beforeAll(async () => {
  const { biller, tenant } = books;
  const admin = await tenant.administrator();
  const linesOf = (id: string): Promise<Json[]> => biller.must('GET', biller.path(`/invoices/${id}/invoice_line_items`));
  const job = await hauled(books, ['10'], { order: PER_TON });
  const invoice = await invoiceOf(books, job.id);
  const worked = await hauled(books, ['1'], { order: { customer_rate_value: 90, customer_rate_type: 'RatePerHour' } });
  const timed = await invoiceOf(books, worked.id);
  const approved = await approvedInvoice(books, ['10'], { order: PER_TON });
  const paid = await hauled(books, ['1'], { order: { driver_rate_value: 9, driver_rate_type: 'RateFlatRate' } });
  await tenant.must('PUT', tenant.path(`/jobs/${paid.id}/approve`), {}, admin);
  const payable = await invoiceOf(books, paid.id, 'payable');
  expect((await event(biller, payable.id, 'approve')).status).toBe(200);
  const settled = await approvedInvoice(books, ['10'], { order: PER_TON });
  const other = await makeStaffedTenant(books.app);
  const by = { ...(await other.person({ roles: ['biller'] })), path: other.path };
  const theirs = await hauled(books, ['10'], { at: other, order: PER_TON });
  await approveLoads(by, theirs);
  const foreign = await invoiceOf(books, theirs.id, 'receivable', by);
  expect((await event(by, foreign.id, 'approve')).status).toBe(200);
  const gone = await readyJob(tenant, { loads_per_truck: 1, ...PER_TON });
  const canceled = await invoiceOf(books, gone.id);
  await tenant.must('PUT', tenant.path(`/jobs/${gone.id}/cancel`), {}, admin);
  await books.app.settled();
  expect(await biller.must('GET', biller.path(`/orders/${gone.order.id}/invoices`))).toMatchObject([
    { state: 'voided' },
    { state: 'voided' },
  ]);
  const discarded = await addOn(books, 'Old', { add_on_types: ['settlement'] });
  await tenant.gql('mutation($id: ID!) { deleteAddOn(id: $id) }', { id: discarded.id }, admin);
  const voided = await settle(books, [settled]);
  await biller.must('PUT', biller.path(`/settlements/${voided.id}/void`), {});
  const [line] = await linesOf(invoice.id);
  const [hours] = await linesOf(timed.id);
  scene = {
    ...{
      invoice,
      line,
      timed,
      hours,
      approved,
      payable,
      canceled,
      foreign,
      discarded: discarded.id,
      voided: voided.id,
      otherLoad: worked.loads[0].id,
    },
    settlement: await settle(books, [settled]),
    ofOthers: (await other.must('POST', '/v1/add_ons', { name: 'Theirs', add_on_types: ['settlement'] })).id,
    ofDays: (await addOn(books, 'Per day', { add_on_types: ['driver_day'] })).id,
  };
});

interface Asked {
  method: string;
  path: string;
  body?: object;
}
const settling = (...invoice_ids: string[]): Asked => ({ method: 'POST', path: '/settlements', body: { invoice_ids } });
const editing = (change: object): Asked => ({
  ...{ method: 'PATCH', path: `/invoices/${scene.invoice.id}/invoice_line_items` },
  body: { rate_type: 'RatePerTon', invoice_line_items: [{ id: scene.line.id, ...change }] },
});
const timing = (change: object): Asked => ({
  ...{ method: 'PATCH', path: `/invoices/${scene.timed.id}/invoice_line_items` },
  body: { rate_type: 'RatePerHour', invoice_line_items: [{ id: scene.hours.id, ...change }] },
});
const charging = (charge: object): Asked => ({
  ...{ method: 'POST', path: `/settlements/${scene.settlement.id}/add_on_charges` },
  body: { name: 'Fee', quantity: 1, revenue_rate_value: 1, ...charge },
});
const pricing = (body: object): Asked => ({ method: 'PATCH', path: `/invoices/${scene.invoice.id}`, body });
const generating = (body: object): Asked => ({ method: 'POST', path: `/invoices/${scene.invoice.id}/invoice_line_items/generate`, body });
const bulk = (more: object): Asked => ({
  ...{ method: 'POST', path: '/settlements/bulk_create' },
  body: { start_date: '2026-01-01T12:00:00Z', end_date: '2026-01-31T12:00:00Z', ...more },
});
const LINE = 'invoice_line_items.0.';
const uuid = (n: number): string => `018cc251-f400-7000-8000-${String(n).padStart(12, '0')}`;

const ROWS: [row: string, asks: () => Asked, status: number, fields: string[]][] = [
  ['invoice_ids: none', () => settling(), 422, ['invoice_ids']],
  ['invoice_ids: foreign', () => settling(scene.foreign.id), 422, ['invoice_ids.0']],
  ['invoice_ids: 10,001', () => settling(...Array.from({ length: 10_001 }, (_, i) => uuid(i))), 422, ['invoice_ids']],
  ["invoice_ids: own customer's and vendor's mixed", () => settling(scene.approved.id, scene.payable.id), 422, ['invoice_ids.1']],
  ['invoice_id of a canceled job', () => settling(scene.canceled.id), 422, ['invoice_ids.0']],
  ['quantity -1', () => editing({ quantity: -1 }), 422, [`${LINE}quantity`]],
  ['quantity 1e12', () => editing({ quantity: 1e12 }), 422, [`${LINE}quantity`]],
  ['quantity "1,5"', () => editing({ quantity: '1,5' }), 422, [`${LINE}quantity`]],
  ['quantity NaN', () => editing({ quantity: 'NaN' }), 422, [`${LINE}quantity`]],
  ['quantity with 5 decimals', () => editing({ quantity: 1.00001 }), 422, [`${LINE}quantity`]],
  ['percentage 101', () => charging({ revenue_cost_rate_type: 'RatePercentOfTotal', percentage: 101 }), 422, ['percentage']],
  ['percentage -101', () => charging({ revenue_cost_rate_type: 'RatePercentOfTotal', percentage: -101 }), 422, ['percentage']],
  ['rate_type unknown', () => pricing({ rate_value: 1, rate_type: 'RatePerMile' }), 422, ['rate_type']],
  ['RateCommission with rate_value 120', () => pricing({ rate_value: 120, rate_type: 'RateCommission' }), 422, ['rate_value']],
  ['generate RateCommission with rate_value 120', () => generating({ rate_value: 120, rate_type: 'RateCommission' }), 422, ['rate_value']],
  ['generate without rate_value', () => generating({ rate_type: 'RatePerTon' }), 422, ['rate_value']],
  [
    'pay_end before pay_start',
    () => timing({ pay_start_time: '2026-11-16T12:00:00Z', pay_end_time: '2026-11-16T11:00:00Z' }),
    422,
    [`${LINE}pay_end_time`],
  ],
  [
    'adjustment that turns minutes negative',
    () => timing({ billing_adjustment_minutes: -1_440 }),
    422,
    [`${LINE}billing_adjustment_minutes`],
  ],
  ['add_on of another company', () => charging({ add_on_id: scene.ofOthers }), 422, ['add_on_id']],
  ['add_on discarded', () => charging({ add_on_id: scene.discarded }), 422, ['add_on_id']],
  ['add_on of the wrong type: driver_day on a settlement', () => charging({ add_on_id: scene.ofDays }), 422, ['add_on_id']],
  ['load_id of another job', () => editing({ load_id: scene.otherLoad }), 422, [`${LINE}load_id`]],
  [
    'rebill_rates for a non-rebill',
    () => ({
      ...{ method: 'PATCH', path: `/v1/settlements/${scene.settlement.id}/invoices/rebill_rates` },
      body: { data: [{ invoice_id: scene.invoice.id, rebill_rate_value: 4 }] },
    }),
    422,
    ['original_settlement'],
  ],
  [
    'exported_at in the future',
    () => ({ method: 'PATCH', path: `/v1/settlements/${scene.settlement.id}`, body: { exported_at: '2999-01-01T00:00:00Z' } }),
    422,
    ['exported_at'],
  ],
  ['bulk_create start after end', () => bulk({ start_date: '2026-02-01T12:00:00Z' }), 422, ['start_date']],
  ['bulk_create span > 366 days', () => bulk({ end_date: '2027-01-02T12:00:00Z' }), 422, ['end_date']],
  [
    'driver_ids with bulk_create_for [customers]',
    () => bulk({ bulk_create_for: ['customers'], driver_ids: [books.tenant.driver.user.id] }),
    422,
    ['driver_ids'],
  ],
  ['void twice, an invoice', () => ({ method: 'PUT', path: `/invoices/${scene.canceled.id}/void` }), 409, ['state']],
  ['void twice, a settlement', () => ({ method: 'PUT', path: `/settlements/${scene.voided}/void`, body: {} }), 409, ['state']],
];

// Rows that are tried elsewhere, each by a test that names it: an e-mail, a PNG named .pdf and 10 MB + 1 in documents/email-settlement.test.ts, a linked
// account in documents/export-settlement.test.ts, fuel prices in fuel-surcharges.test.ts, a period that is closed already in periods/close-period.test.ts.
test.each(ROWS)('B14: %s', async (_row, asks, status, fields) => {
  const { method, path, body } = asks();
  const ask = (language: string) =>
    books.biller.http(method, path.startsWith('/v1/') ? path : books.biller.path(path), body, { 'Accept-Language': language });
  const [english, spanish] = [await ask('en'), await ask('es-us')];
  for (const answer of [english, spanish])
    expect([answer.status, answer.body.error?.errors.map(({ field }: Json) => field)]).toEqual([status, fields]);
  // Each message is in the language that was asked for.
  const messagesOf = (answer: Json): string[] => answer.body.error.errors.map(({ message }: Json) => message);
  for (const [i, message] of messagesOf(spanish).entries()) expect(message).not.toBe(messagesOf(english)[i]);
});

test('B14: invoice_ids: one twice counts once, and nothing of what was refused has changed', async () => {
  const { biller } = books;
  const twice = await biller.must('POST', biller.path('/settlements'), { invoice_ids: [scene.approved.id, scene.approved.id] });
  expect(twice).toMatchObject({ total_amount: '50', jobs_count: 1 });
  expect(await biller.must('GET', biller.path(`/settlements/${scene.settlement.id}`))).toMatchObject({
    state: 'pending',
    total_amount: '50',
  });
  expect(await biller.must('GET', biller.path(`/invoices/${scene.invoice.id}/invoice_line_items`))).toMatchObject([
    { id: scene.line.id, quantity: '10', total_amount: '50' },
  ]);
});
