import { afterAll, beforeAll, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { type Deliveries, startDeliveries } from '../../../src/platform/outgoing/deliver.ts';
import { type Mail, MailRefused } from '../../../src/platform/outgoing/mail.ts';
import { pdfOf } from '../../files/sample-pdf.ts';
import { makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { until } from '../../helpers/until.ts';
import { type Biller, billerOf, makeBooks } from '../books.ts';
import { approvedInvoice, settle } from '../settled.ts';
import { pagesOf } from './printed.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** The mails that were taken, and what becomes of the next ones. */
const taken: Mail[] = [];
let fate: (mail: Mail) => void = () => undefined;
const mailer = {
  async send(mail: Mail) {
    fate(mail);
    taken.push(mail);
  },
  close: () => undefined,
};
const books = makeBooks();
// On the connections of the product, which policies and purposes bind.
let deliveries: Deliveries;
beforeAll(() => {
  const log = { info: () => undefined, warn: () => undefined };
  deliveries = startDeliveries({ em: books.app.productOrm.em, mailer, texter: { send: async () => undefined }, log, every: 50 });
});
afterAll(() => deliveries.stop());

const bill = async (more: object = {}): Promise<Json> =>
  settle(books, [await approvedInvoice(books, ['10'], { order: { customer_rate_value: 5, customer_rate_type: 'RatePerTon' } })], more);
async function send(
  settlement: Json,
  email: string,
  pdf?: { bytes: Uint8Array; name?: string },
  { by = books.biller, scoped = true, key = '', language = 'en' } = {},
) {
  const form = new FormData();
  form.set('email', email);
  if (pdf) form.set('pdf', new File([pdf.bytes as never], pdf.name ?? 'bill.pdf'));
  const path = `/settlements/${settlement.id}/email_settlement`;
  const headers = { Authorization: `Bearer ${by.token}`, 'Accept-Language': language, ...(key ? { 'Idempotency-Key': key } : {}) };
  const answer = await fetch(books.app.url + (scoped ? by.path(path) : `/v1${path}`), { method: 'PUT', body: form, headers });
  const text = await answer.text();
  return { status: answer.status, body: text ? JSON.parse(text) : undefined };
}
const deliveriesOf = (settlement: Json, by: Biller = books.biller): Promise<Json[]> =>
  by.must('GET', by.path(`/settlements/${settlement.id}/settlement_email_deliveries`));
/** Waits until the last mail of a settlement has ended so. */
async function ended(settlement: Json, state: string): Promise<Json> {
  let found: Json;
  await until(async () => {
    found = (await deliveriesOf(settlement)).find((one) => one.state === state);
    return found !== undefined;
  });
  return found;
}
const mailsTo = (email: string) => taken.filter(({ to }) => to === email);
/** Lets what failed be tried again now, and waits for it. */
async function tryAgain(): Promise<void> {
  await books.app.orm.em.execute('update outgoing_message set next_at = now()');
  await deliveries.idle();
}

test('a settlement is sent as it is printed, once, and both paths say so', async () => {
  const settlement = await bill();
  expect(settlement).not.toHaveProperty('last_settlement_email_delivery');
  expect(await send(settlement, 'ap@customer.example')).toEqual({ status: 204, body: undefined });
  const delivery = await ended(settlement, 'delivered');
  expect(delivery).toMatchObject({ email: 'ap@customer.example', settlement_id: settlement.id, sender_user: { id: books.biller.id } });
  const [mail, ...more] = mailsTo('ap@customer.example');
  expect(more).toEqual([]);
  expect(mail!.subject).toContain(`Invoice ${settlement.settlement_id}`);
  const [attached] = mail!.attachments!;
  expect(attached).toMatchObject({ name: `${settlement.settlement_id}.pdf`, type: 'application/pdf' });
  expect((await pagesOf(attached!.content)).join()).toContain('50.00');
  // The figures are in the document alone.
  expect(mail!.subject + mail!.text + attached!.name).not.toMatch(/\d+[.,]\d\d/);
  const read = await books.biller.must('GET', books.biller.path(`/settlements/${settlement.id}`));
  expect(read.last_settlement_email_delivery).toMatchObject({ id: delivery.id, state: 'delivered' });
  expect(await books.biller.must('GET', `/v1/settlements/${settlement.id}/settlement_email_deliveries`)).toHaveLength(1);
});

test('an uploaded PDF is sent as it is; a request that is repeated is one mail', async () => {
  const settlement = await bill();
  const bytes = pdfOf();
  for (const _ of [1, 2])
    expect((await send(settlement, 'twice@customer.example', { bytes }, { key: `mail-${settlement.id}`, scoped: false })).status).toBe(204);
  await ended(settlement, 'delivered');
  const sent = mailsTo('twice@customer.example');
  expect(sent).toHaveLength(1);
  expect(sent[0]!.attachments![0]!.content.equals(bytes)).toBe(true);
  expect(await deliveriesOf(settlement)).toHaveLength(1);
  // Also if ours cannot be drawn up, because its parts do not add up to what it says.
  const other = await bill();
  await books.app.orm.em.execute('update settlement set total_amount = total_amount + 1 where id = ?', [other.id]);
  await send(other, 'own@customer.example', { bytes });
  await ended(other, 'delivered');
  expect(mailsTo('own@customer.example')[0]!.subject).toContain(`Invoice ${other.settlement_id}`);
});

test('B14, email "a@b", a PNG named .pdf, 10 MB + 1: what cannot be sent is refused with its field, and nothing is sent', async () => {
  const { biller, tenant } = books;
  const settlement = await bill();
  const png = new Uint8Array(
    await sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
      .png()
      .toBuffer(),
  );
  const fields = async (to: Json, email: string, pdf?: { bytes: Uint8Array }) => {
    const [{ status, body }, spanish] = [await send(to, email, pdf), await send(to, email, pdf, { language: 'es-us' })];
    expect(spanish.body.error.errors[0].message).not.toBe(body.error.errors[0].message);
    return [status, body.error.errors.map(({ field }: Json) => field)];
  };
  expect(await fields(settlement, 'a@b')).toEqual([422, ['email']]);
  expect(await fields(settlement, '')).toEqual([422, ['email']]);
  expect(await fields(settlement, 'a@b.example, c@d.example')).toEqual([422, ['email']]);
  expect(await fields(settlement, 'a@b.example', { bytes: png })).toEqual([422, ['pdf']]);
  expect(await fields(settlement, 'a@b.example', { bytes: new Uint8Array(10 * 1024 * 1024 + 1) })).toEqual([422, ['pdf']]);
  expect(await fields(settlement, 'a@b.example', { bytes: new Uint8Array() })).toEqual([422, ['pdf']]);
  const dispatcher = { ...(await tenant.person({ roles: ['dispatcher'] })), path: tenant.path } as Biller;
  expect((await send(settlement, 'a@b.example', undefined, { by: dispatcher })).status).toBe(403);
  const stranger = await billerOf(await makeStaffedTenant(books.app));
  expect((await send(settlement, 'a@b.example', undefined, { by: stranger })).status).toBe(404);
  expect((await stranger.http('GET', `/v1/settlements/${settlement.id}/settlement_email_deliveries`)).status).toBe(404);
  expect(await deliveriesOf(settlement)).toEqual([]);
  const asked = `mutation ($id: ID!) { emailSettlement(id: $id, input: { email: "nobody" }) { id } }`;
  const { body } = await books.app.graphql(asked, { id: settlement.id }, { token: biller.token });
  expect(body.errors).toHaveLength(1);
});

test('an address that is refused has failed at once, a server that is away after five tries', async () => {
  const settlement = await bill();
  try {
    fate = () => {
      throw new MailRefused('550 no such user');
    };
    await send(settlement, 'gone@customer.example');
    expect(await ended(settlement, 'failed')).toMatchObject({ email: 'gone@customer.example' });
    let tries = 0;
    fate = ({ to }) => {
      if (to !== 'later@customer.example') return;
      tries++;
      throw new Error('connect ECONNREFUSED');
    };
    const other = await bill();
    await send(other, 'later@customer.example');
    await until(async () => {
      await tryAgain();
      return (await deliveriesOf(other))[0]?.state === 'failed';
    });
    expect(tries).toBe(5);
    const asked = `query ($id: ID!) { settlementEmailDeliveries(settlementId: $id) { nodes { lastError } } }`;
    const { body } = await books.app.graphql(asked, { id: other.id }, { token: books.biller.token });
    expect(body.data.settlementEmailDeliveries.nodes).toEqual([{ lastError: 'it could not be sent' }]);
  } finally {
    fate = () => undefined;
  }
});

test('a process that dies after the mail was taken does not send it again', async () => {
  const settlement = await bill();
  await send(settlement, 'once@customer.example');
  await ended(settlement, 'delivered');
  const [{ id }] = await deliveriesOf(settlement);
  // As if the row of the message had survived.
  await books.app.orm.em.execute(
    `insert into outgoing_message (id, channel, kind, recipient, language, params, request_id, next_at, give_up_at)
     values (gen_random_uuid(), 'mail', 'settlement', 'once@customer.example', 'en', ?, gen_random_uuid(), now(), now() + interval '1 day')`,
    [JSON.stringify({ delivery: id })],
  );
  await deliveries.idle();
  await until(
    async () => (await books.app.orm.em.execute(`select from outgoing_message where recipient = 'once@customer.example'`)).length === 0,
  );
  expect(mailsTo('once@customer.example')).toHaveLength(1);
});
