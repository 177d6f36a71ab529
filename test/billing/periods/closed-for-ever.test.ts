import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs, SEED } from '../../helpers/properties.ts';
import { approveLoads, type Books, event, hauled, invoiceOf, makeBooks, ticketed } from '../books.ts';
import { pagesOf } from '../documents/printed.ts';
import { settle } from '../settled.ts';
import { close, closed, DAY, listedIn, openBooks, periods } from './closed.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const shared = makeBooks();
const FORCED = { ends_on: DAY, force: true, reason: 'pay comes later' };
const RATES = { customer_rate_value: 4.25, customer_rate_type: 'RatePerTon', driver_rate_value: 1, driver_rate_type: 'RatePerTon' };

/** A company with three jobs of a closed day: one approved, one in a settlement that is approved, and one that nobody has approved. */
async function closedDay(): Promise<{ books: Books; jobs: Json[]; invoices: Json[]; settlement: Json; period: Json }> {
  const books = await openBooks(shared);
  const jobs: Json[] = [];
  for (let i = 0; i < 3; i++) jobs.push(await hauled(books, ['10', null], { order: RATES }));
  const invoices: Json[] = [];
  for (const job of jobs) {
    await approveLoads(books.biller, { loads: job.loads.slice(0, 1) });
    const draft = await invoiceOf(books, job.id);
    const path = books.biller.path(`/invoices/${draft.id}/invoice_line_items`);
    const empty = (await books.biller.must('GET', path)).filter((line: Json) => line.delivered_quantity === '0');
    const removed = empty.map(({ id }: Json) => ({ id, _destroy: 1 }));
    await books.biller.must('PATCH', path, { rate_type: 'RatePerTon', invoice_line_items: removed });
    invoices.push(await invoiceOf(books, job.id));
  }
  for (const { id } of invoices.slice(0, 2)) expect((await event(books.biller, id, 'approve')).status).toBe(200);
  const settlement = await settle(books, [invoices[1]!]);
  await books.biller.must('PUT', books.biller.path(`/settlements/${settlement.id}/approve`), {});
  return { books, jobs, invoices, settlement, period: await closed(books, FORCED) };
}

/** A settlement as it is printed, and as accounting gets it; no file of what was voided before accounting had it. */
async function paperOf(
  { app, biller }: Books,
  id: string,
): Promise<{ state: string; bytes: Buffer; pages: string[]; file: string | null }> {
  const { state } = await biller.must('GET', biller.path(`/settlements/${id}`));
  const get = (path: string) => fetch(app.url + biller.path(path), { headers: { Authorization: `Bearer ${biller.token}` } });
  const [pdf, file] = [await get(`/settlements/${id}/pdf`), await get(`/accounting_file?format=quickbooks_desktop&settlement_ids[]=${id}`)];
  expect([state, pdf.status, file.status]).toEqual([state, 200, state === 'voided' ? 422 : 200]);
  const bytes = Buffer.from(await pdf.arrayBuffer());
  return { state, bytes, pages: await pagesOf(bytes), file: state === 'voided' ? null : await file.text() };
}

const PERIOD = `query ($id: ID!) { billingPeriod(id: $id) {
  receivables: receivablesTotalAmount settled: settledReceivablesTotalAmount invoices: invoicesCount settlements: settlementsCount } }`;
const totalsOf = async ({ biller }: Books, { id }: Json): Promise<Json> => (await biller.gql(PERIOD, { id })).data?.billingPeriod;

test('B-I12: a closed period comes to the same for ever, whatever is done afterwards', async () => {
  const { books, jobs, invoices, settlement, period } = await closedDay();
  expect(period).toMatchObject({ receivables_total_amount: '85', settled_receivables_total_amount: '42.5', invoices_count: 2 });
  const { biller, tenant, app } = books;
  const put = (path: string, body: object = {}) => biller.http('PUT', biller.path(path), body);
  const admin = await tenant.administrator();
  const tickets: Json[] = await biller.must('GET', biller.path('/tickets?page[limit]=100'));
  const AMEND = `mutation ($id: ID!, $quantity: Decimal!) { amendTicket(id: $id, input: { quantity: $quantity, reason: "wrong", supplement: true }) { id } }`;
  const invoiceAt = (i: number): Json => invoices[i % invoices.length];
  const everyInvoice = async (): Promise<Json[]> => biller.must('GET', biller.path('/invoices?page[limit]=100'));
  const everySettlement = async (): Promise<Json[]> => biller.must('GET', biller.path('/settlements/receivables?page[limit]=100'));
  /** The acts that people may try, on one of the records. A refused one changes nothing, too. */
  const acts: Record<string, (i: number) => Promise<unknown>> = {
    approve: async (i) => event(biller, (await everyInvoice()).at(i % 8)?.id ?? invoiceAt(i).id, 'approve'),
    unapprove: (i) => event(biller, invoiceAt(i).id, 'unapprove'),
    void: (i) => event(biller, invoiceAt(i).id, 'void'),
    pay: (i) => event(biller, invoiceAt(i).id, 'pay'),
    rate: (i) => biller.http('PATCH', biller.path(`/invoices/${invoiceAt(i).id}`), { rate_value: 5 + i, rate_type: 'RatePerTon' }),
    correct: (i) =>
      biller.http('POST', biller.path(`/invoices/${invoiceAt(i).id}/supplements`), { rate_value: 5 + i, rate_type: 'RatePerTon' }),
    amend: (i) => tenant.gql(AMEND, { id: tickets[i % tickets.length].id, quantity: String(11 + (i % 7)) }, admin),
    late: async (i) => {
      const load = jobs[i % jobs.length].loads[1];
      if (!load.ticketed) await ticketed(tenant, load, '12');
      load.ticketed = true;
      await put(`/loads/${load.id}/approve`);
    },
    charge: (i) =>
      tenant.http('POST', `/v1/jobs/${jobs[i % jobs.length].id}/add_on_charges`, { name: 'Wash', quantity: 1, revenue_rate_value: 25 }),
    settle: async (i) =>
      biller.http('POST', biller.path('/settlements'), { invoice_ids: [(await everyInvoice()).at(i % 8)?.id], in_open_period: true }),
    approveSettlement: async (i) => put(`/settlements/${(await everySettlement()).at(i % 4)?.id}/approve`),
    voidSettlement: () => put(`/settlements/${settlement.id}/void`),
    voidAnother: async (i) => put(`/settlements/${(await everySettlement()).at(i % 4)?.id}/void`),
    rebill: () => biller.http('POST', biller.path(`/settlements/${settlement.id}/rebill`)),
    paySettlement: () => put(`/settlements/${settlement.id}/pay`),
    undoPay: () => put(`/settlements/${settlement.id}/undo_pay`),
    unapproveLoad: (i) => put(`/loads/${jobs[i % jobs.length].loads[0].id}/unapprove`),
  };
  const paper = await paperOf(books, settlement.id);
  expect([paper.state, paper.file]).toEqual(['approved', expect.stringContaining('\t42.5\tAR-1')]);
  const one = fc.tuple(fc.constantFrom(...Object.keys(acts)), fc.nat(20));
  await fc.assert(
    fc.asyncProperty(fc.array(one, { minLength: 4, maxLength: 8 }), async (chosen) => {
      for (const [name, i] of chosen) await acts[name]!(i);
      await app.settled();
      expect(await listedIn(books, period.id)).toEqual({ receivables: 85, payables: 0, settled: 42.5 });
      const { updated_at: _, ...now } = await biller.must('GET', periods(books, `/${period.id}`));
      expect(period).toMatchObject(now);
      // In GraphQL, on paper and for accounting, too.
      expect(await totalsOf(books, period)).toEqual({ receivables: '85', settled: '42.5', invoices: 2, settlements: 1 });
      const { state, bytes, pages, file } = await paperOf(books, settlement.id);
      if (state === 'voided') expect([pages.map((page) => page.replace(' – Voided', '')), file]).toEqual([paper.pages, null]);
      else expect([bytes.equals(paper.bytes), file]).toEqual([true, paper.file]);
    }),
    { numRuns: runs(6), seed: SEED, endOnFailure: true },
  );
  // Something of it has happened: what was corrected and came late counts elsewhere.
  expect((await everyInvoice()).length).toBeGreaterThan(invoices.length * 2);
});

test('an invoice that is approved while its period is closed counts in it, or later, and never in both', async () => {
  const books = await openBooks(shared);
  const invoices: Json[] = [];
  for (let i = 0; i < 4; i++) {
    const job = await hauled(books, ['10'], { order: RATES });
    await approveLoads(books.biller, job);
    invoices.push(await invoiceOf(books, job.id));
  }
  const [answer, ...approved] = await Promise.all([
    close(books, FORCED),
    ...invoices.map(({ id }) => event(books.biller, id, 'approve')),
    close(books, FORCED),
  ]);
  const again = approved.pop();
  expect(approved.map(({ status }) => status)).toEqual(invoices.map(() => 200));
  expect([answer.status, again?.status].toSorted()).toEqual([201, 422]);
  const period = (answer.status === 201 ? answer : again)!.body.data;
  const { receivables } = await listedIn(books, period.id);
  expect(String(receivables)).toBe(period.receivables_total_amount);
  const later = await closed(books, { ...FORCED, ends_on: '2026-11-24' });
  expect(Number(period.receivables_total_amount) + Number(later.receivables_total_amount)).toBe(170);
});
