import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startExportWorker } from '../../../src/billing/accounting/exports/export-worker.ts';
import { accountingSettings } from '../../../src/billing/accounting/settings.ts';
import { localDate } from '../../../src/platform/time.ts';
import { makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { until } from '../../helpers/until.ts';
import { type Asked, FakeProvider, type Reply } from '../../telematics/fake-provider.ts';
import { type Biller, billerOf, chargesOfM20, M10, makeBooks, messages } from '../books.ts';
import { approvedInvoice, settle } from '../settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks({ worker: true });
let system: FakeProvider;
let linked: string;
let admin: string;
/** The documents that the system got, by key: a system with the same key answers as before. */
const got = new Map<string, { id: string; document: Json }>();
let disturb: (asked: Asked) => Reply | undefined = () => undefined;

beforeAll(async () => {
  const { app, tenant } = books;
  app.application.provide(accountingSettings, { privateHosts: true, timeout: 2_000 });
  system = await new FakeProvider().start();
  system.answer = (asked) => {
    if (asked.method === 'GET')
      return { data: asked.path.endsWith('/items') ? [{ id: 'I-1', name: 'Freight' }] : LISTS[asked.path.replace('/other', '')] };
    const disturbed = disturb(asked);
    if (disturbed) return disturbed;
    return { id: taken(asked) };
  };
  admin = await tenant.administrator();
  linked = await link(system.url);
});

afterAll(() => system.stop());

/** Links the system that is at an address. */
async function link(server: string): Promise<string> {
  const { link_token } = await books.tenant.must('POST', '/v1/integrations/link_tokens', {}, admin);
  const { body } = await books.app.http('POST', `/accounting/setup/${link_token}`, {
    body: { system: 'http', name: 'Books', server, token: 'secret-of-books' },
    headers: { accept: 'application/json' },
  });
  const made = await books.tenant.must('POST', '/v1/integrations/linked_accounts', { public_token: body.public_token }, admin);
  await books.app.settled();
  return made.id;
}

const LISTS: Record<string, object[]> = {
  '/customers': [{ id: 'C-1', name: 'Somebody else' }],
  '/vendors': [],
  '/ledger_accounts': [{ id: 'L-1', name: 'Receivables', type: 'AccountsReceivable' }],
};

function taken({ body }: Asked): string {
  const document = JSON.parse(body);
  const key = `${document.id}:${document.revision}`;
  const known = got.get(key) ?? { id: `DOC-${got.size + 1}`, document };
  got.set(key, known);
  return known.id;
}
const sentOf = (settlement: Json): Json[] =>
  [...got.values()].filter(({ document }) => document.id === settlement.id).map(({ document }) => document);

const send = (settlement: Json, by: { token: string } = { token: admin }) =>
  books.app.http('POST', books.tenant.path(`/settlements/${settlement.id}/export`), { token: by.token });
const read = ({ id }: Json): Promise<Json> => books.biller.must('GET', books.tenant.path(`/settlements/${id}`));
const act = ({ id }: Json, event: string) => books.biller.http('PUT', books.tenant.path(`/settlements/${id}/${event}`), {});
async function approvedSettlement(invoices?: Json[]): Promise<Json> {
  const order = { customer_rate_value: 5, customer_rate_type: 'RatePerTon' };
  const settlement = await settle(books, invoices ?? [await approvedInvoice(books, ['10'], { order })]);
  expect((await act(settlement, 'approve')).status).toBe(200);
  return settlement;
}
const exportOf = async (settlement: Json, state: string): Promise<Json> => {
  let found: Json;
  await until(async () => {
    found = (await read(settlement)).integration_settlement_export;
    return found?.state === state;
  });
  return found;
};
const tryNow = () => books.app.orm.em.execute('update settlement_export set next_at = now() where next_at is not null');
async function mapped<T>(work: () => Promise<T>): Promise<T> {
  const [customer] = await books.tenant.must('GET', `/v1/integrations/linked_accounts/${linked}/customers`, undefined, admin);
  const set = (id: string | null) =>
    books.tenant.must('PATCH', `/v1/integrations/customers/${customer.id}`, { customer_account_id: id }, admin);
  await set(books.tenant.account.id);
  try {
    return await work();
  } finally {
    await set(null);
  }
}

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
    expect(sent.taxes).toEqual([{ description: null, rate: '8.25', amount: '96.08' }]);
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
    disturb = (asked) => {
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
    disturb = () => undefined;
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

test('what a system may have goes to no other one until somebody knows', async () => {
  await mapped(async () => {
    const settlement = await approvedSettlement();
    disturb = (asked) => (JSON.parse(asked.body).id === settlement.id ? (res) => void res.destroy() : undefined);
    await send(settlement);
    await until(async () => {
      await tryNow();
      return (await read(settlement)).integration_settlement_export.state === 'failed';
    });
    disturb = () => undefined;
    const other = await link(`${system.url}/other`);
    const ask = `mutation ($id: ID!, $to: ID) { exportSettlement(id: $id, linkedAccountId: $to) { id } }`;
    const elsewhere = await books.app.graphql(ask, { id: settlement.id, to: other }, { token: admin });
    expect(elsewhere.body.errors[0].extensions.errors[0]).toMatchObject({
      ...{ field: 'linkedAccountId', message: 'must be the system to which it was sent, which has not answered and may have it' },
    });
    await books.tenant.must('DELETE', `/v1/integrations/linked_accounts/${other}`, undefined, admin);
    expect((await send(settlement)).status).toBe(202);
    await exportOf(settlement, 'exported');
    expect(sentOf(settlement)).toHaveLength(1);
  });
});

test('a system that is away, slow or without words gets the document again under the same key, and has it once', async () => {
  await mapped(async () => {
    const settlement = await approvedSettlement();
    const replies: ((asked: Asked) => Reply | undefined)[] = [
      () => ({ status: 503 }),
      // It has the document, and the connection breaks before it says so.
      (asked) => {
        taken(asked);
        return (res) => void res.destroy();
      },
      () => 'no JSON',
      () => () => undefined,
    ];
    disturb = (asked) => (JSON.parse(asked.body).id === settlement.id ? replies.shift()?.(asked) : undefined);
    expect((await send(settlement)).status).toBe(202);
    // While it is on its way, it stays as it is; asking again changes nothing.
    expect((await act(settlement, 'void')).status).toBe(409);
    expect((await send(settlement)).status).toBe(202);
    await until(async () => {
      await tryNow();
      return (await read(settlement)).integration_settlement_export.state === 'exported';
    });
    expect(replies).toEqual([]);
    expect(sentOf(settlement)).toHaveLength(1);
    // An export that is given up says how the last try failed, and not the one before.
    const away = await approvedSettlement();
    let reply: Reply = { status: 503 };
    disturb = (asked) => (JSON.parse(asked.body).id === away.id ? reply : undefined);
    await send(away);
    await until(async () => (await read(away)).integration_settlement_export.last_error?.includes('503'));
    reply = 'no JSON';
    await books.app.orm.em.execute(`update settlement_export set attempts = 5, next_at = now() where settlement_id = '${away.id}'`);
    expect((await exportOf(away, 'failed')).last_error).toContain('JSON');
    disturb = () => undefined;
  });
});

test('a document that is refused says why, and may be corrected', async () => {
  await mapped(async () => {
    const settlement = await approvedSettlement();
    disturb = (asked) =>
      JSON.parse(asked.body).id === settlement.id ? { status: 422, body: { error: 'The period is closed.' } } : undefined;
    await send(settlement);
    expect(await exportOf(settlement, 'failed')).toMatchObject({
      last_error: 'the accounting system does not take the document (422) “The period is closed.”',
    });
    disturb = () => undefined;
    expect((await act(settlement, 'unapprove')).status).toBe(200);
    const unapproved = await send(settlement);
    expect([unapproved.status, messages(unapproved)]).toEqual([422, ['is pending; only an approved settlement can be exported']]);
    expect((await act(settlement, 'approve')).status).toBe(200);
    await send(settlement);
    await exportOf(settlement, 'exported');
    expect(sentOf(settlement)).toHaveLength(1);
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

test('two workers that look at once send a document once', async () => {
  await mapped(async () => {
    const second = startExportWorker({ em: books.app.productOrm.em, log: { warn: () => undefined }, sweepEvery: 20 });
    try {
      const settlements = [await approvedSettlement(), await approvedSettlement()];
      await Promise.all(settlements.map((one) => send(one)));
      for (const one of settlements) await exportOf(one, 'exported');
      for (const one of settlements) expect(sentOf(one)).toHaveLength(1);
    } finally {
      await second.stop();
    }
  });
});
