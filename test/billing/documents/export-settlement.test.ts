import { expect, test } from '@jest/globals';
import { localDate } from '../../../src/platform/time.ts';
import { makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { until } from '../../helpers/until.ts';
import { type Biller, billerOf, chargesOfM20, M10, messages } from '../books.ts';
import { approvedInvoice } from '../settled.ts';
import {
  act,
  admin,
  approvedSettlement,
  books,
  disturbance,
  exportOf,
  got,
  mapped,
  read,
  send,
  sentOf,
  taken,
  tryNow,
} from './exported-settlements.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

test('a settlement waits for its customer to be mapped, is sent once, and stays as it is from then on', async () => {
  const { fuel, wash, order } = await chargesOfM20(books);
  const invoice = await approvedInvoice(books, M10, { order, charges: [fuel, wash] });
  const settlement = await approvedSettlement([invoice]);
  expect(settlement).not.toHaveProperty('integration_settlement_export');
  const asked = await send(settlement);
  expect([asked.status, asked.body]).toEqual([202, undefined]);
  expect(await exportOf(settlement, 'failed')).toMatchObject({
    last_error: `nobody in the accounting system is mapped to ${books.tenant.account.name}`,
  });
  expect(sentOf(settlement)).toEqual([]);
  await mapped(async () => {
    const done = await exportOf(settlement, 'exported');
    expect(done).toMatchObject({ integration_invoice_id: expect.stringMatching(/^DOC-/), last_error: null, exported_by: { type: 'User' } });
    expect((await read(settlement)).exported_at).toBe(done.exported_at);
    const [sent, ...more] = sentOf(settlement);
    expect(more).toEqual([]);
    expect(sent).toMatchObject({ number: settlement.settlement_id, type: 'invoice', customer: 'C-1', total: '1285.64', revision: 1 });
    expect(sent.taxes).toEqual([{ description: 'Freight, Material', rate: '8.25', amount: '96.08' }]);
    const cents = (list: Json[]) => list.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
    expect(cents(sent.lines) + cents(sent.taxes)).toBe(128_564);
    // Systems multiply again.
    for (const { quantity, rate, amount } of sent.lines)
      expect((Number(quantity) * Number(rate)).toFixed(2)).toBe(Number(amount).toFixed(2));
    const refused = await act(settlement, 'unapprove');
    expect([refused.status, messages(refused)]).toEqual([409, ['was exported to accounting, or is on its way there']]);
    const again = await send(settlement);
    expect([again.status, again.body.error.errors[0].field]).toEqual([422, 'state']);
    // A settlement that was exported before it was paid says nothing of the payment.
    expect((await act(settlement, 'pay')).status).toBe(200);
    expect((await act(settlement, 'void')).status).toBe(409);
    expect((await act(settlement, 'undo_pay')).body.data).toMatchObject({ state: 'approved' });
    // An exported settlement is taken back by the same lines the other way round, and none of it is edited.
    const voided = await act(settlement, 'void');
    expect([voided.status, voided.body.data?.state]).toEqual([200, 'voided']);
    const reversals = () => [...got.values()].filter(({ document }) => document.reverses?.number === settlement.settlement_id);
    await until(async () => reversals().length > 0);
    const { document: reversal } = reversals()[0]!;
    expect(reversal).toMatchObject({ number: `${settlement.settlement_id}-R`, type: 'invoice', customer: 'C-1', total: '-1285.64' });
    expect(reversal.reverses).toEqual({ number: settlement.settlement_id, id: done.integration_invoice_id });
    expect(cents(reversal.lines) + cents(reversal.taxes)).toBe(-128_564);
    const asked = `query ($id: ID!) { settlement(id: $id) { exportedAt reversalSettlementExport { state integrationInvoiceId } } }`;
    await until(async () => {
      const { body } = await books.app.graphql(asked, { id: settlement.id }, { token: admin });
      return body.data.settlement.reversalSettlementExport?.state === 'exported';
    });
    // A file has it, too, for who keeps the books by hand.
    const path = `/accounting_file?format=quickbooks_desktop&settlement_ids[]=${settlement.id}`;
    const file = await fetch(books.app.url + books.tenant.path(path), { headers: { Authorization: `Bearer ${admin}` } });
    const owed = (await file.text()).split('\r\n').find((line) => line.startsWith('TRNS'));
    expect(owed!.split('\t').slice(1, 7)).toEqual(expect.arrayContaining(['CREDIT MEMO', '-1285.64', `${settlement.settlement_id}-R`]));
  });
});

test('what is exported after it was paid is not unpaid; what a system did not answer may be in the books, and is not voided', async () => {
  await mapped(async () => {
    const settlement = await approvedSettlement();
    await act(settlement, 'pay');
    await send(settlement);
    await exportOf(settlement, 'exported');
    expect((await act(settlement, 'undo_pay')).status).toBe(409);

    const lost = await approvedSettlement();
    disturbance.of = (asked) => {
      if (JSON.parse(asked.body).id !== lost.id) return undefined;
      taken(asked);
      return (res) => void res.destroy();
    };
    await send(lost);
    await until(async () => {
      await tryNow();
      return (await read(lost)).integration_settlement_export.state === 'failed';
    });
    const { last_error } = (await read(lost)).integration_settlement_export;
    expect(last_error).toMatch(/^the accounting system has not answered as it should “.+”$/);
    const asked = `query ($id: ID!) { settlement(id: $id) { stateEvents integrationSettlementExport { lastErrorCode } } }`;
    const { body } = await books.app.graphql(asked, { id: lost.id }, { token: admin });
    expect(body.data.settlement.integrationSettlementExport).toEqual({ lastErrorCode: 'not_answered' });
    expect(body.data.settlement.stateEvents).not.toContain('void');
    for (const event of ['unapprove', 'void']) {
      const refused = await act(lost, event);
      expect([refused.status, messages(refused)]).toEqual([
        409,
        ['was sent to accounting, which has not answered: export it again, or note in exported_at whether it is there'],
      ]);
    }
    // Somebody looks into the books: it is not there.
    const noted = await books.biller.http('PATCH', `/v1/settlements/${lost.id}`, { exported_at: null });
    expect(noted.status).toBe(200);
    disturbance.of = () => undefined;
    expect((await act(lost, 'void')).status).toBe(200);
    expect(sentOf(lost)).toHaveLength(1);
  });
});

test('a settlement is in accounting on the day on which it counts, and is taken back on the day on which it is voided', async () => {
  await mapped(async () => {
    const settlement = await approvedSettlement();
    await send(settlement);
    await exportOf(settlement, 'exported');
    const zone = books.tenant.company.timeZone;
    const before = localDate(new Date(), zone);
    expect((await act(settlement, 'void')).status).toBe(200);
    const reversals = () => [...got.values()].filter(({ document }) => document.reverses?.number === settlement.settlement_id);
    await until(async () => reversals().length > 0);
    const { document: reversal } = reversals()[0]!;
    expect([before, localDate(new Date(), zone)]).toContain(reversal.date);
    expect(reversal.due_date).toBe(reversal.date);
    // Its work is of that day; it is due when the paper says, which was drawn up when it was approved.
    const [sent] = sentOf(settlement);
    expect(sent.date).toBe('2026-11-23');
    expect([before, localDate(new Date(), zone)]).toContain(sent.due_date);
    const { data } = await books.tenant.gql('query ($id: ID!) { settlement(id: $id) { postingDate reversalDate } }', settlement, admin);
    expect(data.settlement).toEqual({ postingDate: sent.date, reversalDate: reversal.date });
    // A file has it, also when its invoices say something else by now.
    const [{ id }] = await books.biller.must('GET', books.tenant.path(`/settlements/${settlement.id}/invoices`));
    await books.biller.must('PUT', books.tenant.path(`/invoices/${id}/unapprove`), {});
    await books.biller.must('PATCH', books.tenant.path(`/invoices/${id}`), { rate_value: 7, rate_type: 'RatePerTon' });
    const path = `/accounting_file?format=xero&settlement_ids[]=${settlement.id}`;
    const file = await fetch(books.app.url + books.tenant.path(path), { headers: { Authorization: `Bearer ${admin}` } });
    expect([file.status, await file.text()]).toEqual([200, expect.stringContaining(`${settlement.settlement_id}-R`)]);
  });
});

test('B14, exported_at with a linked account; who may export, and what: permission, foreign companies, systems that are none', async () => {
  const settlement = await approvedSettlement();
  expect((await send(settlement, books.tenant.driver as never)).status).toBe(403);
  const said: string[] = [];
  for (const language of ['en', 'es-us']) {
    const input = { exported_at: '2020-01-01T00:00:00Z' };
    const byHand = await books.biller.http('PATCH', `/v1/settlements/${settlement.id}`, input, { 'Accept-Language': language });
    expect([byHand.status, byHand.body.error.errors[0].field]).toEqual([422, 'exported_at']);
    said.push(byHand.body.error.errors[0].message);
  }
  expect(said[1]).not.toBe(said[0]);
  const other = await makeStaffedTenant(books.app);
  const stranger: Biller = await billerOf(other);
  expect((await send(settlement, stranger)).status).toBe(404);
  const none = await other.http('POST', other.path(`/settlements/${settlement.id}/export`));
  expect(none.status).toBe(404);
  const asked = `mutation ($id: ID!, $to: ID) { exportSettlement(id: $id, linkedAccountId: $to) { id } }`;
  const wrong = await books.app.graphql(asked, { id: settlement.id, to: settlement.id }, { token: admin });
  expect(wrong.body.errors[0].extensions.errors[0]).toMatchObject({ field: 'linkedAccountId', message: 'must exist' });
});
