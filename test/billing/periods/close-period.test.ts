import { expect, test } from '@jest/globals';
import { localDate } from '../../../src/platform/time.ts';
import { machineToken } from '../../helpers/staffed-tenant.ts';
import { untilWaiting } from '../../helpers/until.ts';
import { approveLoads, chargesOfM20, event, hauled, invoiceOf, M10, makeBooks, ticketed, withMinimum } from '../books.ts';
import { approvedInvoice, settle } from '../settled.ts';
import { close, closed, DAY, datesOf, listedIn, NEXT, openBooks, periods, reopen, said } from './closed.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const shared = makeBooks();
const putSettlement = async (books: Awaited<ReturnType<typeof openBooks>>, id: string, name: string, body: object = {}) =>
  books.biller.http('PUT', books.biller.path(`/settlements/${id}/${name}`), body);
const dayOf = async ({ tenant, biller }: Awaited<ReturnType<typeof openBooks>>, id: string): Promise<Json> => {
  const asked = 'query ($id: ID!) { settlement(id: $id) { postingDate reversalDate paidAt } }';
  return (await tenant.gql(asked, { id }, biller.token)).data.settlement;
};

test('what is not approved keeps the books from being closed, unless somebody says why', async () => {
  const books = await openBooks(shared);
  const job = await hauled(books, M10, { order: await withMinimum(books.tenant) });
  await approveLoads(books.biller, job);
  const invoice = await invoiceOf(books, job.id);
  const next = books.biller.path(`/billing/next_period?ends_on=${DAY}`);
  // The driver's pay has no rate.
  const found = {
    ...{ starts_on: DAY, ends_on: DAY, unapproved_invoices: 2, left_over_invoices: 0, unapproved_settlements: 0, unsettled_invoices: 0 },
    ...{ state: 'open', work_reviewed_from: null, billing_reviewed_from: null },
  };
  expect(await books.biller.must('GET', next)).toEqual(found);
  expect(said(await close(books))).toEqual([409, ['cannot be closed: invoices that are not approved: 2']]);
  expect(said(await close(books, { ends_on: DAY, force: true }))).toEqual([422, ['is required']]);
  expect((await event(books.biller, invoice.id, 'approve')).status).toBe(200);
  expect(await books.biller.must('GET', next)).toEqual({ ...found, unapproved_invoices: 1, unsettled_invoices: 1 });
  const period = await closed(books, { ends_on: DAY, force: true, reason: 'the driver has no rate yet' });
  expect(period).toMatchObject({
    ...{ starts_on: DAY, ends_on: DAY, state: 'closed', close_reason: 'the driver has no rate yet', reopen_reason: null },
    closed_by: { type: 'User', id: books.biller.user.id },
    ...{ invoices_count: 1, settlements_count: 0, receivables_total_amount: '294.4', vendor_payables_total_amount: '0' },
    ...{ driver_payables_total_amount: '0', settled_receivables_total_amount: '0' },
    ...{ left_out_invoices_count: 1, left_out_settlements_count: 0 },
  });
  expect(await books.biller.must('GET', periods(books))).toEqual([period]);
  expect(await books.biller.must('GET', periods(books, `/${period.id}`))).toEqual(period);
  expect(await listedIn(books, period.id)).toEqual({ receivables: 294.4, payables: 0, settled: 0 });
  // An invoice that was left over counts in the open period.
  const [payable] = [await invoiceOf(books, job.id, 'payable')];
  const leftOut = async (): Promise<string[]> =>
    (await books.biller.must('GET', books.biller.path(`/invoices?filter[left_out_of_period_id]=${period.id}`))).map(({ id }: Json) => id);
  expect(await leftOut()).toEqual([payable.id]);
  expect(await books.biller.must('GET', books.biller.path(`/billing/next_period?ends_on=${NEXT}`))).toMatchObject({
    ...{ starts_on: NEXT, unapproved_invoices: 1, left_over_invoices: 1 },
  });
  const path = books.biller.path(`/invoices/${payable.id}`);
  await books.biller.must('PATCH', path, { rate_value: 1, rate_type: 'RatePerTon' });
  expect((await event(books.biller, payable.id, 'approve')).status).toBe(200);
  expect(await leftOut()).toEqual([payable.id]);
  expect(await listedIn(books, period.id)).toEqual({ receivables: 294.4, payables: 0, settled: 0 });
  expect(await books.biller.must('GET', periods(books, `/${period.id}`))).toEqual(period);
});

test('nothing that counts in a closed period is taken back, and what corrects it counts in the open one', async () => {
  const books = await openBooks(shared);
  const { order } = await chargesOfM20(books);
  const job = await hauled(books, [...M10, null], { order: { ...order, driver_rate_value: 1, driver_rate_type: 'RatePerTon' } });
  await approveLoads(books.biller, { loads: job.loads.slice(0, -1) });
  const draft = await invoiceOf(books, job.id);
  const lines = books.biller.path(`/invoices/${draft.id}/invoice_line_items`);
  const unticketed = (await books.biller.must('GET', lines)).filter((line: Json) => line.delivered_quantity === '0');
  const removed = { rate_type: 'RatePerTon', invoice_line_items: unticketed.map(({ id }: Json) => ({ id, _destroy: 1 })) };
  await books.biller.must('PATCH', lines, removed);
  expect((await event(books.biller, draft.id, 'approve')).status).toBe(200);
  const period = await closed(books, { ends_on: DAY, force: true, reason: 'pay comes later' });
  const before = await listedIn(books, period.id);
  for (const name of ['unapprove', 'void'])
    expect(said(await event(books.biller, draft.id, name))).toEqual([409, ['counts in a period that is closed']]);
  // A2: nor is the approval of the work, of which nobody can take back the invoice first.
  const unapproved = await books.biller.http('PUT', `/v1/loads/${job.loads[0].id}/unapprove`, {});
  expect(said(unapproved)).toEqual([422, ['counts in a period that is closed']]);
  const [ticket]: Json[] = await books.biller.must('GET', books.biller.path('/tickets?page[limit]=100'));
  const admin = await books.tenant.administrator();
  const VOID = 'mutation($id: ID!, $supplement: Boolean) { voidTicket(id: $id, input: { supplement: $supplement }) { id } }';
  const voids = (more: object) => books.tenant.gql(VOID, { id: ticket.id, ...more }, admin);
  expect(JSON.stringify((await voids({})).errors)).toContain('which is approved');
  // A ticket that comes late, and one that is taken back.
  await ticketed(books.tenant, job.loads[3], '22.8');
  const [first, late, ...more] = await datesOf(books, job.id);
  expect(more).toEqual([]);
  expect(first).toMatchObject({ state: 'approved', stale: false, serviceDate: DAY, postingDate: DAY, forPeriod: null });
  expect(late).toMatchObject({ state: 'pending', reason: 'late_ticket', serviceDate: DAY, postingDate: null, forPeriod: null });
  expect((await voids({ supplement: true })).errors).toBeUndefined();
  await approveLoads(books.biller, { loads: job.loads.slice(-1) });
  await books.app.settled();
  const answer = await event({ ...books.biller, http: books.tenant.admin.http }, late.id, 'approve');
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  const [, dated] = await datesOf(books, job.id);
  expect(dated).toMatchObject({ state: 'approved', serviceDate: DAY, postingDate: NEXT, forPeriod: { id: period.id } });
  expect(await listedIn(books, period.id)).toEqual(before);
  expect(await books.biller.must('GET', periods(books, `/${period.id}`))).toEqual(period);
});

test('B9: invoices of a closed period are settled in the open one when somebody says so', async () => {
  const books = await openBooks(shared);
  const pay = { driver_rate_value: 100, driver_rate_type: 'RatePerLoad' };
  const invoice = await approvedInvoice(books, M10, { order: { ...(await withMinimum(books.tenant)), ...pay } });
  const period = await closed(books, { ends_on: DAY, force: true, reason: 'pay comes later' });
  const path = books.biller.path('/settlements');
  const refused = await books.biller.http('POST', path, { invoice_ids: [invoice.id] });
  expect(said(refused)).toEqual([422, ['counts in a period that is closed; say `in_open_period` to settle it in the open one']]);
  expect(refused.body.error.errors[0].field).toBe('invoice_ids.0');
  const bulk = { start_date: `${DAY}T12:00:00Z`, end_date: `${DAY}T12:00:00Z`, bulk_create_for: ['customers'] };
  const countOf = async (): Promise<number> => (await books.biller.must('GET', books.biller.path('/settlements/receivables'))).length;
  expect((await books.biller.http('POST', `${path}/bulk_create`, bulk)).status).toBe(202);
  await books.app.settled();
  expect(await countOf()).toBe(0);
  const settlement = await settle(books, [invoice], { in_open_period: true });
  expect((await putSettlement(books, settlement.id, 'approve')).status).toBe(200);
  expect(await dayOf(books, settlement.id)).toMatchObject({ postingDate: NEXT });
  expect(await listedIn(books, period.id)).toEqual({ receivables: 294.4, payables: 0, settled: 0 });
});

test('B5: a settlement of a closed period is voided in the open one, and billed anew there', async () => {
  const books = await openBooks(shared);
  const pay = { driver_rate_value: 100, driver_rate_type: 'RatePerLoad' };
  const invoice = await approvedInvoice(books, M10, { order: { ...(await withMinimum(books.tenant)), ...pay } });
  const settlement = await settle(books, [invoice]);
  expect((await putSettlement(books, settlement.id, 'approve')).status).toBe(200);
  const period = await closed(books, { ends_on: DAY, force: true, reason: 'pay comes later' });
  expect(period).toMatchObject({ settlements_count: 1, settled_receivables_total_amount: '294.4' });
  expect(said(await putSettlement(books, settlement.id, 'unapprove'))).toEqual([409, ['counts in a period that is closed']]);
  const before = localDate(new Date(), books.tenant.company.timeZone);
  expect((await putSettlement(books, settlement.id, 'void', { void_reason: 'another rate' })).status).toBe(200);
  const { reversalDate: today, ...others } = await dayOf(books, settlement.id);
  expect(others).toEqual({ postingDate: DAY, paidAt: null });
  expect([before, localDate(new Date(), books.tenant.company.timeZone)]).toContain(today);
  const anew = await books.biller.must('POST', books.biller.path(`/settlements/${settlement.id}/rebill`));
  await books.biller.must('PATCH', `/v1/settlements/${anew.id}/invoices/rebill_rates`, {
    data: [{ invoice_id: invoice.id, rebill_rate_value: 4.5 }],
  });
  expect((await putSettlement(books, anew.id, 'approve')).status).toBe(200);
  // The invoice that is taken back and the one that takes its place count on one day, of which the period has the difference: 311.72 less 294.40.
  expect(await dayOf(books, anew.id)).toMatchObject({ postingDate: today, reversalDate: null });
  expect(await listedIn(books, period.id)).toEqual({ receivables: 294.4, payables: 0, settled: 294.4 });
  const later = await closed(books, { ends_on: NEXT, force: true, reason: 'pay comes later' });
  expect(later).toMatchObject({ starts_on: NEXT, invoices_count: 0, settlements_count: 0, settled_receivables_total_amount: '0' });
  // Today is not over: what both come to is looked at as if it was.
  const em = books.app.orm.em.fork();
  await em.execute(`update settlement set reversal_date = '2026-11-25' where id = ?`, [settlement.id]);
  await em.execute(`update settlement set posting_date = '2026-11-25' where id = ?`, [anew.id]);
  const both = await closed(books, { ends_on: '2026-11-25', force: true, reason: 'pay comes later' });
  expect(both).toMatchObject({ settlements_count: 1, settled_receivables_total_amount: '17.32' });
});

test('what was paid when its period was closed stays paid, and what is paid later can be taken back', async () => {
  const books = await openBooks(shared);
  const pay = { driver_rate_value: 100, driver_rate_type: 'RatePerLoad' };
  const order = { ...(await withMinimum(books.tenant)), ...pay };
  const [before, after] = [await approvedInvoice(books, ['10'], { order }), await approvedInvoice(books, ['10'], { order })];
  const [early, late] = [await settle(books, [before]), await settle(books, [after])];
  for (const { id } of [early, late]) expect((await putSettlement(books, id, 'approve')).status).toBe(200);
  expect((await putSettlement(books, early.id, 'pay')).status).toBe(200);
  await closed(books, { ends_on: DAY, force: true, reason: 'pay comes later' });
  expect((await putSettlement(books, late.id, 'pay')).status).toBe(200);
  expect(said(await putSettlement(books, early.id, 'undo_pay'))).toEqual([409, ['counts in a period that is closed']]);
  expect((await putSettlement(books, late.id, 'undo_pay')).status).toBe(200);
});

test('the last closed period is opened again while nothing of it is exported', async () => {
  const books = await openBooks(shared);
  const order = { ...(await withMinimum(books.tenant)), driver_rate_value: 100, driver_rate_type: 'RatePerLoad' };
  const invoice = await approvedInvoice(books, M10, { order });
  const force = { force: true, reason: 'pay comes later' };
  const first = await closed(books, { ends_on: DAY, ...force });
  const second = await closed(books, { ends_on: NEXT, ...force });
  expect(said(await reopen(books, first.id))).toEqual([409, ['is followed by a closed period; open that first']]);
  expect(said(await reopen(books, first.id, ' '))[0]).toBe(422);
  expect((await reopen(books, second.id)).body.data).toMatchObject({
    state: 'open',
    closed_at: null,
    reopen_reason: 'a mistake',
    invoices_count: null,
  });
  expect((await reopen(books, second.id)).status).toBe(409);
  const opened = await reopen(books, first.id);
  expect([opened.status, opened.body.error]).toEqual([200, undefined]);
  expect((await books.biller.must('GET', periods(books))).map(({ id }: Json) => id)).toEqual([first.id]);
  expect((await event(books.biller, invoice.id, 'unapprove')).status).toBe(200);
  expect((await event(books.biller, invoice.id, 'approve')).status).toBe(200);
  expect(await closed(books, { ends_on: NEXT, ...force })).toMatchObject({ id: first.id, starts_on: DAY, ends_on: NEXT });
  // The audit log has who did it, when, and what it was.
  const log: Json[] = await books.tenant.admin.must('GET', `/v1/audit_entries?filter[subject_id]=${first.id}`);
  const states = log.map(({ object_changes: { state }, created_by }) => [state?.[1], created_by?.id]).toReversed();
  expect(states).toEqual(['closed', 'open', 'closed'].map((state) => [state, books.biller.user.id]));
  // Whoever opens books again and whoever exports something of them wait for each other.
  const em = books.app.orm.em.fork();
  const settlement = await settle(books, [await approvedInvoice(books, ['10'], { order })], { in_open_period: true });
  expect((await putSettlement(books, settlement.id, 'approve')).status).toBe(200);
  const exports = [
    () => event(books.biller, invoice.id, 'export'),
    () => books.biller.http('PATCH', `/v1/settlements/${settlement.id}`, { exported_at: '2026-11-24T12:00:00Z' }),
  ];
  for (const start of exports) {
    await em.begin();
    await em.execute(`select pg_advisory_xact_lock(hashtextextended('haulgate:books:' || ?, 0))`, [books.tenant.company.id]);
    const exporting = start();
    await untilWaiting(books.app);
    await em.commit();
    expect((await exporting).status).toBe(200);
  }
  expect(said(await reopen(books, first.id))).toEqual([409, ['cannot be opened again: something of it was handed to accounting']]);
});

test('B14, period of yesterday overlapping: a day is closed once it is over, and only once', async () => {
  const books = await openBooks(shared);
  const [empty] = [await closed(books, { ends_on: DAY })];
  expect(empty).toMatchObject({ starts_on: DAY, ends_on: DAY, invoices_count: 0 });
  for (const ends_on of [DAY, '2026-11-22']) {
    expect(said(await close(books, { ends_on }))).toEqual([422, [`is closed already: the books are closed through ${DAY}`]]);
    const spanish = await books.biller.http('POST', periods(books), { ends_on }, { 'Accept-Language': 'es-us' });
    expect(said(spanish)).toEqual([422, [expect.stringMatching(/^ya está cerrado/)]]);
  }
  expect(said(await close(books, { ends_on: '2999-01-01' }))).toEqual([422, ['is not over yet']]);
  expect((await close(books, { ends_on: 'yesterday' })).status).toBe(422);
  // Without a day, it is the week after what is closed: Sunday to Saturday, unless the company says otherwise.
  const days = async (): Promise<Json> => {
    const { data, errors } = await books.tenant.gql('{ nextBillingPeriod { startsOn endsOn } }', {}, books.biller.token);
    return errors ? errors[0].extensions.errors[0].message : data.nextBillingPeriod;
  };
  expect([{ startsOn: NEXT, endsOn: '2026-11-28' }, 'is not over yet']).toContainEqual(await days());
  const settings = 'mutation ($id: ID!) { updateCompanySettings(companyId: $id, input: { periodStartsOn: 3 }) { periodStartsOn } }';
  const { errors } = await books.tenant.gql(settings, { id: books.tenant.company.id }, await books.tenant.administrator());
  expect(errors).toBeUndefined();
  expect(await days()).toEqual({ startsOn: NEXT, endsOn: NEXT });
});

test('who closes books has the permission, and sees all of them', async () => {
  const books = await openBooks(shared);
  const body = { ends_on: DAY };
  for (const roles of [['dispatcher'], ['manager'], ['driver']]) {
    const person = await books.tenant.person({ roles });
    expect((await person.http('POST', periods(books), body)).status).toBe(403);
  }
  const limited = await books.tenant.person({ roles: ['biller'] });
  await books.tenant.admin.must('POST', `/v1/users/${limited.user.id}/resource_scopes`, {
    ...{ resource_id: books.tenant.pickup.id, resource_type: 'Site' },
  });
  expect((await limited.http('POST', periods(books), body)).status).toBe(403);
  const period = await closed(books);
  expect(await limited.must('GET', periods(books))).toEqual([]);
  const other = await openBooks(shared);
  expect((await other.biller.http('GET', periods(books, `/${period.id}`))).status).toBe(404);
  expect((await other.biller.http('PUT', other.biller.path(`/billing/periods/${period.id}/reopen`), { reason: 'x' })).status).toBe(404);
  expect((await other.biller.http('POST', periods(books), body)).status).toBe(404);
  const vendors = await machineToken(books.tenant, ['view_settlements', 'view_vendor_rates']);
  expect(await books.tenant.must('GET', periods(books, `/${period.id}`), undefined, vendors)).toMatchObject({
    ...{ receivables_total_amount: null, settled_receivables_total_amount: null, driver_payables_total_amount: null },
    ...{ vendor_payables_total_amount: '0', settled_vendor_payables_total_amount: '0', settled_driver_payables_total_amount: null },
  });
});
