import { beforeEach, expect, test } from '@jest/globals';
import { startExportWorker } from '../../../src/billing/accounting/exports/export-worker.ts';
import { acceptedOrder, act, connect, drive, makeStaffedTenant, shortHaul } from '../../helpers/staffed-tenant.ts';
import { until } from '../../helpers/until.ts';
import { approveLoads, type Books, chargesOfM20, event, invoiceOf, M10, makeBooks, messages, ticketed } from '../books.ts';
import { approvedInvoice, settle } from '../settled.ts';
import { Exporting } from './exporting.ts';
import type { LinkedSystem } from './linked-system.ts';
import { nextTry } from './next-try.ts';
import { cents, sum, times } from './read-files.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const shared = makeBooks({ worker: true });
const order = { customer_rate_value: 5, customer_rate_type: 'RatePerTon' };
const scene = new Exporting(shared);
const { read, reaches } = scene;
let books: Books;
let system: LinkedSystem;
beforeEach(() => {
  ({ books, system } = scene);
});

/** Has what waits be tried for the last time. */
const lastTry = () => nextTry(books.app, { companyId: books.tenant.company.id, attempts: 5 });
const amountOf = ({ lines, taxes }: Json): bigint => sum([...lines, ...taxes].map(({ amount }) => cents(amount)));
const UNDER_WAY = 'is on its way to accounting, or was sent there and not answered: wait, export it again, or note whether it is there';
const note = ({ id }: Json, exported_at: string | null, by = books.biller) =>
  by.http('PUT', by.path(`/invoices/${id}/note_export`), { exported_at });

test('an invoice waits for its customer to be mapped, is sent once, and is taken back by a document of its own when it is voided', async () => {
  const { fuel, wash, order: ofM20 } = await chargesOfM20(books);
  const invoice = await approvedInvoice(books, M10, { order: ofM20, charges: [fuel, wash] });
  const number = invoice.invoice_id;
  expect(await read(invoice)).not.toHaveProperty('accounting_export');
  expect((await event(books.biller, invoice.id, 'export')).body.data.state).toBe('approved');
  const waiting = await reaches(invoice, 'failed');
  expect([waiting.state, waiting.accounting_export.last_error]).toEqual([
    'approved',
    `nobody in the accounting system is mapped to ${books.tenant.account.name}`,
  ]);
  expect(system.numbered(number)).toEqual([]);
  await system.map();
  const done = await reaches(invoice, 'exported');
  expect(done).toMatchObject({
    state: 'exported',
    unsettled_reason: 'exported',
    accounting_export: { last_error: null, exported_by: { type: 'User' } },
  });
  expect(done.exported_at).toBe(done.accounting_export.exported_at);
  const [sent, ...more] = system.numbered(number);
  expect(more).toEqual([]);
  expect(sent).toMatchObject({ id: invoice.id, type: 'invoice', customer: 'C-1', total: '1285.64', revision: 1, date: '2026-11-23' });
  expect(sent).not.toHaveProperty('reverses');
  expect(amountOf(sent)).toBe(128_564n);
  // Systems multiply again.
  for (const { quantity, rate, amount } of sent.lines) expect(times(quantity, rate)).toBe(cents(amount));
  const again = await event(books.biller, invoice.id, 'export');
  expect([again.status, messages(again)]).toEqual([409, ['was handed to accounting already']]);
  expect((await books.biller.http('POST', books.biller.path('/settlements'), { invoice_ids: [invoice.id] })).status).toBe(422);
  // Nothing of it is edited: what is wrong of it is taken back with all of it.
  expect((await event(books.biller, invoice.id, 'void')).body.data.state).toBe('voided');
  const voided = await reaches(invoice, 'exported', 'accounting_reversal');
  expect(voided.accounting_export).toEqual(done.accounting_export);
  const [reversal, ...others] = system.numbered(`${number}-R`);
  expect(others).toEqual([]);
  expect(reversal).toMatchObject({ type: 'invoice', customer: 'C-1', total: '-1285.64', revision: 1 });
  expect(reversal.reverses).toEqual({ number, id: done.accounting_export.integration_invoice_id });
  expect([reversal.date, reversal.due_date]).toEqual([voided.reversal_date, voided.reversal_date]);
  expect(reversal.id).not.toBe(invoice.id);
  expect(amountOf(reversal)).toBe(-128_564n);
  // The one that takes its place goes there under its own number.
  const anew = await invoiceOf(books, invoice.job.id);
  expect((await event(books.biller, anew.id, 'approve')).status).toBe(200);
  expect((await event(books.biller, anew.id, 'export')).status).toBe(200);
  await reaches(anew, 'exported');
  expect(sum([...system.got.values()].map(({ document }) => amountOf(document)))).toBe(128_564n);
});

test('what is on its way, or was not answered, stays as it is until somebody knows, and is there once', async () => {
  await system.map();
  const invoice = await approvedInvoice(books, ['10'], { order });
  system.disturb = (document) => {
    system.take(document);
    return (res) => void res.destroy();
  };
  expect((await event(books.biller, invoice.id, 'export')).status).toBe(200);
  // Asking again changes nothing.
  expect((await event(books.biller, invoice.id, 'export')).status).toBe(200);
  await until(async () => {
    await lastTry();
    return (await read(invoice)).accounting_export.state === 'failed';
  });
  const stuck = await read(invoice);
  expect([stuck.state, stuck.unsettled_reason, stuck.unapprovable]).toEqual(['approved', 'exported', false]);
  expect(stuck.state_events).not.toContain('void');
  for (const name of ['unapprove', 'void']) {
    const refused = await event(books.biller, invoice.id, name);
    expect([refused.status, messages(refused)]).toEqual([409, [UNDER_WAY]]);
  }
  const settled = await books.biller.http('POST', books.biller.path('/settlements'), { invoice_ids: [invoice.id] });
  expect([settled.status, messages(settled), settled.body.error.errors[0].field]).toEqual([422, [UNDER_WAY], 'invoice_ids.0']);
  // Sent again, it is under the same key.
  system.disturb = () => undefined;
  expect((await event(books.biller, invoice.id, 'export')).status).toBe(200);
  await reaches(invoice, 'exported');
  expect(system.got.size).toBe(1);
});

test('somebody looks into the books and says whether it is there', async () => {
  await system.map();
  const lost = async () => {
    const invoice = await approvedInvoice(books, ['10'], { order });
    system.disturb = () => (res) => void res.destroy();
    expect((await event(books.biller, invoice.id, 'export')).status).toBe(200);
    await until(async () => {
      await lastTry();
      return (await read(invoice)).accounting_export.state === 'failed';
    });
    system.disturb = () => undefined;
    return invoice;
  };
  const [absent, present] = [await lost(), await lost()];
  expect((await note(absent, '2999-01-01T00:00:00Z')).status).toBe(422);
  // Whoever says nothing does not say that it is absent.
  for (const body of [{}, { exported_on: '2026-11-24T12:00:00Z' }]) {
    const silent = await books.biller.http('PUT', books.biller.path(`/invoices/${present.id}/note_export`), body);
    expect([silent.status, silent.body.error.errors]).toMatchObject([422, [{ field: 'exported_at', message: 'is required' }]]);
  }
  const NOTE = 'mutation ($id: ID!) { noteInvoiceExport(id: $id, input: {}) { id } }';
  const { errors } = await books.tenant.gql(NOTE, { id: present.id }, books.biller.token);
  expect(errors[0].extensions.errors[0]).toMatchObject({ field: 'exportedAt', message: 'is required' });
  expect((await read(present)).state_events).not.toContain('void');
  expect((await note(absent, null, { ...books.tenant.driver, path: books.tenant.path } as never)).status).toBe(403);
  expect((await note(absent, null)).body.data.state_events).toEqual(expect.arrayContaining(['unapprove', 'void']));
  // It goes with its settlement then.
  expect((await settle(books, [absent])).total_amount).toBe('50');
  const noted = await note(present, '2026-11-24T12:00:00Z');
  expect(noted.body.data).toMatchObject({ state: 'exported', state_events: ['pay', 'void'] });
  expect(await read(present)).toMatchObject({
    exported_at: '2026-11-24T12:00:00.000Z',
    accounting_export: { state: 'exported', last_error: null },
  });
  const certain = await note(present, null);
  expect([certain.status, messages(certain)]).toEqual([409, ['was not sent to accounting without an answer: what became of it is known']]);
  const spanish = await books.biller.http(
    'PUT',
    books.biller.path(`/invoices/${present.id}/note_export`),
    { exported_at: null },
    {
      'Accept-Language': 'es-us',
    },
  );
  expect(messages(spanish)[0]).toMatch(/^no se envió a contabilidad/);
});

test('two workers that look at once send an invoice once; who unlinks the system enters the next one by hand', async () => {
  await system.map();
  const second = startExportWorker({ em: books.app.productOrm.em, log: { warn: () => undefined }, sweepEvery: 20 });
  try {
    const invoices = [await approvedInvoice(books, ['10'], { order }), await approvedInvoice(books, ['20'], { order })];
    await Promise.all(invoices.map(({ id }) => event(books.biller, id, 'export')));
    for (const one of invoices) await reaches(one, 'exported');
    expect([...system.got.values()].map(({ document }) => document.number).toSorted()).toEqual(
      invoices.map((one) => one.invoice_id).toSorted(),
    );
  } finally {
    await second.stop();
  }
  await system.unlink();
  const later = await approvedInvoice(books, ['10'], { order });
  expect((await event(books.biller, later.id, 'export')).body.data.state).toBe('exported');
  expect(await read(later)).not.toHaveProperty('accounting_export');
  const asked = `mutation ($id: ID!, $to: ID) { exportInvoice(id: $id, linkedAccountId: $to) { id } }`;
  const other = await approvedInvoice(books, ['10'], { order });
  const wrong = await books.tenant.gql(asked, { id: other.id, to: other.id }, await books.tenant.administrator());
  expect(wrong.errors[0].extensions.errors[0]).toMatchObject({ field: 'linkedAccountId', message: 'must exist' });
  expect((await read(other)).state).toBe('approved');
});

test('the pay of a driver goes to no system: that somebody entered it is noted, also where one is linked', async () => {
  const { biller, tenant } = books;
  const both = { ...order, driver_rate_value: 100, driver_rate_type: 'RateFlatRate' };
  const { job } = await approvedInvoice(books, ['1'], { order: both });
  const admin = await tenant.administrator();
  await tenant.must('PUT', `/v1/jobs/${job.id}/approve`, {}, admin);
  const pay = await invoiceOf(books, job.id, 'payable');
  expect((await event(biller, pay.id, 'approve')).status).toBe(200);
  const TO = 'mutation ($id: ID!, $to: ID) { exportInvoice(id: $id, linkedAccountId: $to) { state } }';
  const refused = await tenant.gql(TO, { id: pay.id, to: system.id }, admin);
  expect(refused.errors[0].extensions.errors).toMatchObject([
    { field: 'linkedAccountId', message: 'the pay of drivers is not sent to accounting systems: download it as a file' },
  ]);
  expect((await event(biller, pay.id, 'export')).body.data.state).toBe('exported');
  const exported = await read(pay);
  expect(exported.exported_at).toEqual(expect.any(String));
  expect(exported).not.toHaveProperty('accounting_export');
});

test('a vendor exports an invoice for the work of another company, and what came since its approval is billed by a supplement', async () => {
  const { app, biller, tenant: vendor } = books;
  const owner = await makeStaffedTenant(app);
  const hired = await connect(owner, vendor);
  const { jobs } = await acceptedOrder(owner, { vendor_rate_value: 4, vendor_rate_type: 'RatePerTon' });
  const [{ id }] = jobs;
  await act(owner, id, 'assign_vendor', { vendor_id: hired.id });
  await vendor.dispatcher.must('PATCH', `/v1/jobs/${id}`, { driver_id: vendor.driver.user.id });
  await vendor.dispatcher.must('PUT', `/v1/jobs/${id}/request`, {});
  await drive(vendor.driver, id, 'accept', ...shortHaul());
  const [load] = await owner.must('GET', `/v1/jobs/${id}/loads`);
  await owner.must('PATCH', `/v1/loads/${load.id}`, { quantity: 10, unit_of_measure: 'Ton' });
  await approveLoads(biller, { loads: [load] });
  const invoice = await invoiceOf(books, id);
  expect((await event(biller, invoice.id, 'approve')).body.data.total_amount).toBe('40');
  await ticketed(owner, load, '12');
  await app.settled();
  const { data } = await biller.gql('query ($id: ID!) { invoice(id: $id) { stale } }', { id: invoice.id });
  expect(data.invoice.stale).toBe(true);
  const accounts: Json[] = await vendor.must('GET', vendor.path('/accounts'));
  await system.map(accounts.find((one) => one.connected_company?.id === owner.company.id).id);
  expect((await event(biller, invoice.id, 'export')).status).toBe(200);
  await reaches(invoice, 'exported');
  expect(system.numbered(invoice.invoice_id)).toMatchObject([{ total: '40' }]);
  await app.settled();
  const PARTS = `query ($company: ID!) { invoices(companyId: $company, filter: { invoiceCategory: receivables }) { nodes {
    part reason totalAmount stale parentInvoice { id } } } }`;
  const parts = (await biller.gql(PARTS, { company: vendor.company.id })).data.invoices.nodes.toSorted(
    (a: Json, b: Json) => a.part - b.part,
  );
  expect(parts).toEqual([
    { part: 1, reason: 'regular', totalAmount: '40', stale: false, parentInvoice: null },
    { part: 2, reason: 'late_ticket', totalAmount: '8', stale: false, parentInvoice: { id: invoice.id } },
  ]);
});
