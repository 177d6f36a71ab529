import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { poolOf } from '../../src/platform/database/sql.ts';
import { AddressRefused } from '../../src/platform/http/calls/public-addresses.ts';
import { httpTicketReader } from '../../src/proof/reading/ticket-reader.ts';
import { subscribed } from '../events/subscribed.ts';
import { sendForm } from '../files/form.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';
import { jpeg } from '../ingest/files/sample-files.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const SECRET = 'a secret of the reader';
/** The requests to the reader since the last answer was set, and how it answers. */
let asked: { headers: IncomingMessage['headers']; body: Buffer }[] = [];
let answer: (response: ServerResponse, turn: number) => void;
const server = createServer(async (request, response) => {
  asked.push({ headers: request.headers, body: await buffer(request) });
  answer(response, asked.length);
});
const reads = (json: unknown, status = 200) => {
  asked = [];
  const text = typeof json === 'string' ? json : JSON.stringify(json);
  answer = (response) => void response.writeHead(status, { 'Content-Type': 'application/json' }).end(text);
};

let app: TestApp;
let tenant: Tenant;
let url: string;
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/read`;
  // The product waits 20 seconds for an answer.
  app = await startTestApp({ worker: true, reader: httpTicketReader({ url, secret: SECRET, allowPrivate: true, timeout: 1_000 }) });
  tenant = await makeTenant(app, { company: { aiReviewLoads: true } });
});
afterAll(async () => {
  await app.close();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

const readingOf = async (id: string): Promise<Json> =>
  (
    await (
      await poolOf(app.orm.em.fork())
    ).query('select * from ticket_reading where ticket_id = $1 order by created_at desc limit 1', [id])
  ).rows[0];
const ticketOf = (id: string) => tenant.must('GET', `/v1/tickets/${id}`);

/** A ticket that says what is given, with a picture. */
async function photographed(given: object = {}): Promise<{ id: string; before: Json }> {
  const { id } = await tenant.must('POST', '/v1/tickets', { unit_of_measure: 'Ton', ...given });
  expect((await sendForm(app, 'POST', `/v1/tickets/${id}/image`, [['image', jpeg(), 'ticket.jpg']], tenant.token)).status).toBe(201);
  return { id, before: await ticketOf(id) };
}
const ended = (id: string) =>
  until(async () => {
    await app.settled();
    return (await readingOf(id)).due_at === null;
  });

const seen = (value: unknown, confidence = 97.5) => ({ value, confidence });
const WHOLE = {
  ...{ ticket_number: seen('R-100', 99), net_quantity: seen('20', 96), unit: seen('Tonne', 98), gross: seen(34.5), tare: seen(14.5) },
  ...{ service_date: seen('2026-11-20T15:00:00Z', 95), material: seen('gravel'), truck: seen('TRK-7', 94.9), site: seen('QUARRY') },
};

test('a picture is sent to the reader under a signature, and what it is sure of fills what is empty', async () => {
  reads({ fields: WHOLE, full_text: 'QUARRY\nNET 20 T' });
  const { id } = await photographed({ ticket_number: 'Mine' });
  await ended(id);
  const { headers, body } = asked[0]!;
  expect([asked.length, body.equals(jpeg()), headers['content-type']]).toEqual([1, true, 'image/jpeg']);
  const [, seconds, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-haulgate-signature']))!;
  const hints = String(headers['x-haulgate-hints']);
  expect(createHmac('sha256', SECRET).update(`${seconds}.${hints}.`).update(body).digest('hex')).toBe(signature);
  expect(JSON.parse(Buffer.from(hints, 'base64url').toString())).toEqual({ company: tenant.company.id, order: null, job: null });
  expect(await ticketOf(id)).toMatchObject({
    // A person's value stays, and one of which the reader is not sure is not taken.
    ...{
      ticket_number: 'Mine',
      external_truck_id: null,
      quantity: '20',
      unit_of_measure: 'Tonne',
      service_date: '2026-11-20T15:00:00.000Z',
    },
    ...{ material_name: 'Gravel', ocr_processed: true, ai_processed: true, ocr_ticket_number: 'R-100', ocr_ticket_number_confidence: '99' },
    // 20 Tonne in Ton, as sure as quantity and unit together.
    ...{ ocr_net_quantity_ton: '22.0462', ocr_net_quantity_ton_confidence: '96', ocr_service_date_raw_str: '2026-11-20T15:00:00Z' },
  });
  const weights = await tenant.gql('query ($id: ID!) { ticket(id: $id) { grossQuantity tareQuantity site { name } } }', { id });
  expect(weights.data.ticket).toEqual({ grossQuantity: '34.5', tareQuantity: '14.5', site: { name: 'Quarry' } });
  const metadata = await tenant.must('GET', `/v1/tickets/${id}/ai_metadata`);
  expect(metadata).toMatchObject({ ai_extracted_full_text: 'QUARRY\nNET 20 T', ai_confidence_score: '95' });
  expect(metadata.ai_structured_data.ticket_number).toEqual({ value: 'R-100', confidence: 99 });
  expect((await tenant.must('GET', `/v1/tickets/${id}/verify`)).unbroken).toBe(true);
});

test('what the reader doubts is left to a person, and the review of the load says what was read', async () => {
  const { id: orderId } = await makeOrder(tenant);
  const [load] = await tenant.must('GET', tenant.path(`/orders/${orderId}/loads`));
  reads({ fields: { ticket_number: seen('R-200', 61.5), net_quantity: seen(21.4, 94.99), unit: seen('Ton', 99) } });
  const { id } = await photographed({ load_id: load.id });
  await ended(id);
  expect(await ticketOf(id)).toMatchObject({ ticket_number: null, quantity: null, ocr_ticket_number: 'R-200', state: 'pending' });
  await app.settled();
  const { ai_review: review } = await tenant.must('GET', `/v1/loads/${load.id}`);
  expect(review.status).toBe('flagged');
  expect(review.issues).toEqual([
    'missing_quantity: nobody says how much it was; 21.4 was read, 94.99 % sure',
    'missing_number: the ticket has no number; R-200 was read, 61.5 % sure',
  ]);
  // The company takes more risk.
  const fillFrom = async (percent: number | null) => {
    const setting = 'mutation ($p: Int) { updateCompanySettings(input: { readingFillsFromPercent: $p }) { readingFillsFromPercent } }';
    const answer = await app.graphql(setting, { p: percent }, { token: await tenant.administrator() });
    return answer.body.data.updateCompanySettings.readingFillsFromPercent;
  };
  expect(await fillFrom(90)).toBe(90);
  const answer = await sendForm(app, 'POST', `/v1/tickets/${id}/image`, [['image', jpeg(), 'again.jpg']], tenant.token);
  expect(answer.status).toBe(201);
  await ended(id);
  expect(await ticketOf(id)).toMatchObject({ ticket_number: null, quantity: '21.4' });
  expect(await fillFrom(null)).toBe(95);
});

test('a number that another ticket has is read, but not taken over', async () => {
  await tenant.must('POST', '/v1/tickets', { unit_of_measure: 'Ton', ticket_number: 'Used' });
  reads({ fields: { ticket_number: seen('Used') } });
  const { id } = await photographed();
  await ended(id);
  expect(await ticketOf(id)).toMatchObject({ ticket_number: null, ocr_ticket_number: 'Used' });
});

test.each<[string, unknown]>([
  ['a negative tonnage', { fields: { ...WHOLE, net_quantity: seen('-20') } }],
  ['the date 0001-01-01', { fields: { ...WHOLE, service_date: seen('0001-01-01') } }],
  ['a date in the future', { fields: { ...WHOLE, service_date: seen('2999-01-01') } }],
  ['a day that there is not', { fields: { ...WHOLE, service_date: seen('2026-02-30T07:00') } }],
  ['a date that is read in two ways', { fields: { ...WHOLE, service_date: seen('03/04/2026 07:00') } }],
  ['a number for a date', { fields: { ...WHOLE, service_date: seen('7') } }],
  ['a confidence of 101', { fields: { ...WHOLE, truck: seen('TRK-7', 101) } }],
  ['a confidence that is a text', { fields: { truck: { value: 'TRK-7', confidence: '99' } } }],
  ['a text of 5 MB', { fields: WHOLE, full_text: 'x'.repeat(5_000_000) }],
  ['a quantity of 1e300', { fields: { net_quantity: seen(1e300) } }],
  ['an unknown unit', { fields: { unit: seen('Stone') } }],
  ['no fields', { full_text: 'x' }],
  ['a list', []],
  ['no JSON', '<html>'],
])('A11: a reader that answers %s is not believed, and the ticket is untouched', async (_, wrong) => {
  reads(wrong);
  const { id, before } = await photographed();
  await ended(id);
  expect(await readingOf(id)).toMatchObject({ state: 'failed', fields: null, error: expect.any(String) });
  // Image addresses are signed anew every quarter of an hour.
  const { image_url: _then, ...rest } = before;
  expect(await ticketOf(id)).toMatchObject(rest);
  expect(asked).toHaveLength(1);
});

test.each([
  ['a time without an offset', '2026-11-20T07:00', '2026-11-20T13:00:00.000Z'],
  ['the same in summer', '2026-07-20 07:00:30', '2026-07-20T12:00:30.000Z'],
  ['the earlier of two times in autumn', '2025-11-02T01:30', '2025-11-02T06:30:00.000Z'],
  ['a date', '2026-11-20', '2026-11-20T06:00:00.000Z'],
  ['a time with an offset', '2026-11-20T07:00-05:00', '2026-11-20T12:00:00.000Z'],
])('the time of a scale is that of its company: %s', async (_, value, served) => {
  reads({ fields: { service_date: seen(value) } });
  const { id } = await photographed();
  await ended(id);
  expect(await ticketOf(id)).toMatchObject({ service_date: served, ocr_service_date_raw_str: value });
});

test('a reader that fails or stalls is asked three times', async () => {
  reads({});
  answer = (response, turn) => {
    if (turn === 1) response.writeHead(503).end();
    else if (turn === 2) response.destroy();
    else response.end(JSON.stringify({ fields: { ticket_number: seen('At last') } }));
  };
  const { id } = await photographed();
  await ended(id);
  expect([(await ticketOf(id)).ticket_number, asked.length]).toEqual(['At last', 3]);
  asked = [];
  const subscription = await subscribed(tenant, 'Ticket::error', 'Ticket::update');
  // It never answers.
  answer = () => {};
  const stalled = await photographed();
  await ended(stalled.id);
  expect(await readingOf(stalled.id)).toMatchObject({ state: 'failed', attempts: 4, error: 'the reader did not answer' });
  expect([asked.length, (await ticketOf(stalled.id)).ocr_processed]).toEqual([4, false]);
  const [delivery] = await subscription.deliveries();
  expect(delivery).toMatchObject({ trigger: 'Ticket::error', subject_id: stalled.id });
}, 30_000);

test('what nobody can read is said to be unreadable, and so is the review of its load', async () => {
  const { id: orderId } = await makeOrder(tenant);
  const [load] = await tenant.must('GET', tenant.path(`/orders/${orderId}/loads`));
  reads({ unreadable: true });
  const { id } = await photographed({ load_id: load.id });
  await ended(id);
  expect(await readingOf(id)).toMatchObject({ state: 'unreadable' });
  expect(await ticketOf(id)).toMatchObject({ ocr_processed: true, ocr_ticket_number: null });
  await app.settled();
  expect((await tenant.must('GET', `/v1/loads/${load.id}`)).ai_review.status).toBe('unreadable');
});

test('a reader on a private address is called only if the operator says so', async () => {
  const reader = httpTicketReader({ url: url.replace('http:', 'https:'), secret: SECRET, allowPrivate: false });
  await expect(reader.read(jpeg(), { company: 'c', order: null, job: null }, 'UTC')).rejects.toThrow(AddressRefused);
});
