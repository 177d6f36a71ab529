import { buffer } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import sharp from 'sharp';
import { printDocument } from '../../../src/billing/settlements/documents/print-document.ts';
import type { SettlementDocument } from '../../../src/billing/settlements/documents/settlement-document.ts';
import { makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { processorTime } from '../../helpers/until.ts';
import { type Biller, chargesOfM20, event, hauled, invoiceOf, M10, makeBooks } from '../books.ts';
import { approvedInvoice, settle } from '../settled.ts';
import { pagesOf } from './printed.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

const pathOf = ({ id }: Json, by: Pick<Biller, 'path'> = books.biller) => by.path(`/settlements/${id}/pdf`);
async function fetched(settlement: Json, { by = books.biller as { token: string }, query = '' } = {}) {
  const answer = await fetch(books.app.url + pathOf(settlement) + query, { headers: { Authorization: `Bearer ${by.token}` } });
  return { status: answer.status, headers: answer.headers, bytes: new Uint8Array(await answer.arrayBuffer()) };
}
const textOf = async (settlement: Json) => (await pagesOf((await fetched(settlement)).bytes)).join('\n');

test('an invoice on paper says who bills whom, each line, charge and tax, and adds up', async () => {
  const { biller, tenant } = books;
  const { fuel, wash, order } = await chargesOfM20(books);
  const first = await approvedInvoice(books, M10, { order: { ...order, po_job_number: 'PO-4711' }, charges: [fuel, wash] });
  const second = await approvedInvoice(books, ['1'], {
    order: { customer_rate_value: 467.5, customer_rate_type: 'RatePerLoad', po_job_number: 'PO-0815' },
  });
  const settlement = await settle(books, [first, second], { include_loads_in_pdf: true, settlement_line_item_groupings: ['material'] });
  const pdf = await fetched(settlement);
  expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  expect(pdf.headers.get('content-disposition')).toContain(`filename="${settlement.settlement_id}.pdf"`);
  const text = (await pagesOf(pdf.bytes)).join('\n');
  const { legal_name, dba_name } = await biller.must('GET', `/v1/companies/${tenant.company.id}`);
  for (const part of ['Invoice – Draft', settlement.settlement_id, dba_name ?? legal_name, tenant.account.name, 'Bill to', 'Page 1 of 1'])
    expect(text).toContain(part);
  // Each figure of the answers, and nothing else as the total.
  for (const amount of ['294.40', '858.38', '467.50', '11.78', '25.00', '96.08', '1,753.14']) expect(text).toContain(amount);
  expect(text).toMatch(/Total (CAD|USD)\s+1,753\.14/);
  expect(text).toContain('Tax (Freight, Material) 8.25 %');
  expect(text).toContain('Purchase order: PO-0815, PO-4711');
  for (const ticket of await biller.must('GET', biller.path(`/settlements/${settlement.id}/tickets`)))
    expect(text).toContain(ticket.ticket_number);
  // Equal documents are equal bytes.
  expect(Buffer.from((await fetched(settlement)).bytes).equals(pdf.bytes)).toBe(true);
  const a4 = await fetched(settlement, { query: '?paper=a4' });
  expect(Buffer.from(a4.bytes).toString('latin1')).toContain('[0 0 595.28 841.89]');
  expect((await fetched(settlement, { query: '?paper=napkin' })).status).toBe(422);
  // An approved settlement stays as it was, whatever becomes of the terms and the names.
  const put = (name: string) => biller.must('PUT', biller.path(`/settlements/${settlement.id}/${name}`), {});
  await put('approve');
  const approved = await fetched(settlement);
  expect((await pagesOf(approved.bytes)).join('\n')).not.toContain('Draft');
  await tenant.admin.must('PATCH', `/v1/accounts/${tenant.account.id}`, { name: 'Called otherwise' });
  await tenant.must('PATCH', `/v1/materials/${tenant.material.id}`, { name: 'Other stone' });
  await biller.must('PATCH', biller.path(`/accounts/${tenant.account.id}/billing_profile`), { terms_days: 77 });
  expect(Buffer.from((await fetched(settlement)).bytes).equals(approved.bytes)).toBe(true);
  await put('pay');
  expect(await textOf(settlement)).toContain(tenant.account.name);
  await put('undo_pay');
  await put('unapprove');
  await put('approve');
  const anew = await textOf(settlement);
  for (const part of ['Called otherwise', 'Other stone', '77']) expect(anew).toContain(part);
  await biller.must('PATCH', biller.path(`/accounts/${tenant.account.id}/billing_profile`), { terms_days: null });
});

test('a rebill says what it replaces, and the difference', async () => {
  const { biller } = books;
  const invoice = await approvedInvoice(books, ['10'], { order: { customer_rate_value: 5, customer_rate_type: 'RatePerTon' } });
  const voided = await settle(books, [invoice]);
  await biller.must('PUT', biller.path(`/settlements/${voided.id}/void`), { void_reason: 'rate' });
  expect(await textOf(voided)).toContain('Voided');
  const rebill = await biller.must('POST', biller.path(`/settlements/${voided.id}/rebill`));
  await biller.must('PATCH', `/v1/settlements/${rebill.id}/invoices/rebill_rates`, {
    data: [{ invoice_id: invoice.id, rebill_rate_value: 6 }],
  });
  const text = await textOf(rebill);
  for (const part of ['Replaces', voided.settlement_id, `Billed by ${voided.settlement_id}`, '60.00', '50.00', 'Difference', '10.00'])
    expect(text).toContain(part);
  // One that nobody approved, and whose invoices say something else by now, is not known any more.
  await biller.must('PUT', biller.path(`/settlements/${rebill.id}/void`), {});
  expect((await event(biller, invoice.id, 'unapprove')).status).toBe(200);
  await biller.must('PATCH', biller.path(`/invoices/${invoice.id}`), { rate_value: 7, rate_type: 'RatePerTon' });
  const refused = await biller.http('GET', pathOf(voided));
  expect([refused.status, refused.body.error.errors[0].message]).toEqual([409, expect.stringContaining('its invoices were changed since')]);
});

test('a driver gets a statement of the pay alone; others see no paper without the rates of its side', async () => {
  const { biller, tenant } = books;
  const rates = { driver_rate_value: 100, driver_rate_type: 'RateFlatRate', customer_rate_value: 777, customer_rate_type: 'RateFlatRate' };
  const job = await hauled(books, ['10'], { order: rates });
  const admin = await tenant.administrator();
  await tenant.must('PUT', tenant.path(`/jobs/${job.id}/approve`), {}, admin);
  const pay = await invoiceOf(books, job.id, 'payable');
  expect((await event(biller, pay.id, 'approve')).status).toBe(200);
  const settlement = await settle(books, [pay], { include_loads_in_pdf: true });
  const text = (await pagesOf((await fetched(settlement, { by: tenant.driver as never })).bytes)).join('\n');
  expect(text).toContain('Pay statement');
  expect(text).toContain('100.00');
  expect(text).not.toMatch(/777/);
  expect(text).not.toContain(tenant.account.name);
  const dispatcher = await tenant.person({ roles: ['dispatcher'] });
  expect((await fetched(settlement, { by: dispatcher as never })).status).toBe(403);
  const bill = await settle(books, [
    await approvedInvoice(books, ['10'], { order: { customer_rate_value: 2, customer_rate_type: 'RatePerTon' } }),
  ]);
  expect((await fetched(bill, { by: tenant.driver as never })).status).toBe(404);
  const stranger = await makeStaffedTenant(books.app);
  expect((await fetched(bill, { by: stranger as never })).status).toBe(404);
  expect((await fetched({ id: 'x' })).status).toBe(404);
});

test('a document speaks the language and writes the dates of its company, with names in any alphabet', async () => {
  const { biller, tenant } = books;
  const admin = await tenant.administrator();
  const company = `/v1/companies/${tenant.company.id}`;
  const before = await biller.must('GET', company);
  await tenant.must('PATCH', company, { language: 'fr', date_format: 'DD/MM/YYYY' }, admin);
  await tenant.must('PATCH', `/v1/accounts/${tenant.account.id}`, { name: 'Wałęsa & Łódź Σίγμα' }, admin);
  const settings = `mutation ($id: ID!) { updateCompanySettings(companyId: $id, input: { paymentTermsDays: 30 }) { paymentTermsDays } }`;
  const changed = await books.app.graphql(settings, { id: tenant.company.id }, { token: admin });
  expect(changed.body.errors).toBeUndefined();
  const invoice = await approvedInvoice(books, ['1000'], { order: { customer_rate_value: 2.5, customer_rate_type: 'RatePerTon' } });
  const settlement = await settle(books, [invoice]);
  const text = await textOf(settlement);
  for (const part of ['Facture', 'Brouillon', '2 500,00', 'tonnes courtes', 'Net 30 jours', 'Wałęsa & Łódź Σίγμα', 'Page 1 de 1'])
    expect(text).toContain(part);
  expect(text).toMatch(/\b\d\d\/\d\d\/20\d\d\b/);
  await tenant.must('PATCH', company, { language: before.language, date_format: before.date_format }, admin);
});

test('a company prints its logo, made anew from what was uploaded', async () => {
  const { tenant } = books;
  const admin = await tenant.administrator();
  const invoice = await approvedInvoice(books, ['10'], { order: { customer_rate_value: 2, customer_rate_type: 'RatePerTon' } });
  const settlement = await settle(books, [invoice]);
  const pictures = async () =>
    Buffer.from((await fetched(settlement)).bytes)
      .toString('latin1')
      .match(/\/Subtype \/Image/g)?.length ?? 0;
  expect(await pictures()).toBe(0);
  const png = await sharp({ create: { width: 60, height: 20, channels: 4, background: 'red' } })
    .png()
    .toBuffer();
  await tenant.must('POST', tenant.path('/logo'), { logo: png.toString('base64') }, admin);
  expect(await pictures()).toBe(1);
});

test('a document of 200 pages repeats its heads, counts its pages, and takes less than three seconds', async () => {
  const party = (name: string) => ({ name, address: ['100 Main Street'], contact: [] });
  const sums = { linesTotal: '0', invoiceCharges: [], taxes: [], invoicesTotal: '0', charges: [], total: '0', replaces: null };
  const said: SettlementDocument = {
    ...{
      id: '1',
      number: 'AR-1',
      kind: 'customer',
      state: 'approved',
      currency: 'USD',
      language: 'en',
      dateFormat: 'MM/DD/YYYY',
      country: 'US',
    },
    ...{ date: '2026-11-20', dueDate: '2026-11-20', termsDays: 0, startsOn: '2026-11-16', endsOn: '2026-11-20', createdAt: new Date(0) },
    ...{ company: party('Haulers'), counterparty: party('Customer'), logo: null, groups: [], ...sums },
    loads: Array.from({ length: 8_400 }, (_, i) => ({
      ...{ date: '2026-11-16', load: `J-1-${i}`, order: 'ORD-1', material: 'Flex base', truck: 'Truck 7', ticket: `T-${i}` },
      ...{ quantity: '23.21', unit: 'Ton' },
    })),
  };
  let bytes = Buffer.alloc(0);
  const took = await processorTime(async () => {
    bytes = await buffer(await printDocument(said, { size: 'letter', logo: null }));
  });
  const pages = await pagesOf(bytes);
  expect(pages.length).toBeGreaterThan(199);
  expect(pages[100]).toContain(`Page 101 of ${pages.length}`);
  expect(pages.filter((page) => /Order\s+Load\s+Material/.test(page))).toHaveLength(pages.length);
  // Each load is on one page.
  expect(new Set(pages.flatMap((page) => page.match(/J-1-\d+/g) ?? [])).size).toBe(8_400);
  expect(took).toBeLessThan(3_000);
});
