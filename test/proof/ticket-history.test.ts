import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import fc from 'fast-check';
import { poolOf } from '../../src/platform/database/sql.ts';
import { Ticket } from '../../src/proof/ticket.entity.ts';
import { sendForm } from '../files/form.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { runs } from '../helpers/properties.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { jpeg } from '../ingest/files/sample-files.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ limits: { perCaller: 100_000, perAddress: 20 }, newDatabase: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

/** As the owner of the database, whom nothing stops. */
const sql = async (text: string, values: unknown[] = []): Promise<Json[]> =>
  (await (await poolOf(app.orm.em.fork())).query(text, values)).rows;
const verify = (id: string): Promise<Json> => tenant.must('GET', `/v1/tickets/${id}/verify`);
let numbers = 0;

/** A ticket on a load, with a picture, that was written seven times. */
async function written(): Promise<string> {
  const { id: orderId } = await makeOrder(tenant);
  const [load] = await tenant.must('GET', tenant.path(`/orders/${orderId}/loads`));
  const body = { unit_of_measure: 'Ton', quantity: 20, service_date: '2026-11-20T15:00:00Z', ticket_number: `H-${++numbers}` };
  const { id } = await tenant.must('POST', '/v1/tickets', body);
  await tenant.must('PATCH', `/v1/tickets/${id}`, { quantity: 21.5 });
  await tenant.must('PATCH', `/v1/tickets/${id}`, { load_id: load.id });
  for (let n = 0; n < 2; n++) {
    const answer = await sendForm(app, 'POST', `/v1/tickets/${id}/image`, [['image', jpeg(), 'ticket.jpg']], tenant.token);
    expect(answer.status).toBe(201);
  }
  await tenant.must('PUT', `/v1/tickets/${id}/approve`);
  const amended = await tenant.gql('mutation ($id: ID!, $input: AmendTicketInput!) { amendTicket(id: $id, input: $input) { id } }', {
    ...{ id, input: { quantity: '22', reason: 'Weighed again' } },
  });
  expect(amended.errors).toBeUndefined();
  return id;
}

test('each command that writes a ticket adds a link, and the history is unbroken since the first', async () => {
  const id = await written();
  const [first] = await sql('select written_at from ticket_history where ticket_id = $1 and number = 1', [id]);
  const verified = { ticket_id: id, unbroken: true, since: new Date(first.written_at).toISOString(), links_count: 7, breaks: [] };
  expect(await verify(id)).toMatchObject(verified);
  await tenant.must('PUT', `/v1/tickets/${id}/void`);
  expect(await verify(id)).toMatchObject({ ...verified, links_count: 8 });
  // A change without effect adds nothing.
  const other = await tenant.must('POST', '/v1/tickets', { unit_of_measure: 'Ton', quantity: 5 });
  await tenant.must('PATCH', `/v1/tickets/${other.id}`, { quantity: 5 });
  expect((await verify(other.id)).links_count).toBe(1);
  const twin = await tenant.gql('query ($id: ID!) { ticketVerification(ticketId: $id) { unbroken linksCount hash } }', { id });
  expect(twin.data.ticketVerification).toEqual({ unbroken: true, linksCount: 8, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect((await (await makeTenant(app)).http('GET', `/v1/tickets/${id}/verify`)).status).toBe(404);
});

test('a byte that is changed in the row or in its history is found', async () => {
  const id = await written();
  await sql(`create table kept_ticket as select * from ticket where id = '${id}'`);
  await sql(`create table kept_history as select * from ticket_history where ticket_id = '${id}'`);
  const columns = ['ticket_number', 'image_name', 'image_mime_type', 'image_size', 'quantity', 'service_date', 'flagged', 'unit_of_measure']
    .concat(['version', 'notes', 'ocr_processed', 'created_at', 'gross_quantity', 'tare_quantity', 'acceptance'])
    .map((column) => `${column} = k.${column}`);
  const restore = async () => {
    await sql(`update ticket t set ${columns.join(', ')} from kept_ticket k where t.id = k.id`);
    await sql('delete from ticket_history where ticket_id = $1', [id]);
    await sql('insert into ticket_history select * from kept_history');
  };
  const text = fc.constantFrom('ticket_number', 'image_name', 'image_mime_type');
  const ofRow = [
    text.map((column) => `update ticket set ${column} = overlay(${column} placing '~' from 1 for 1) where id = $1`),
    fc
      .constantFrom(
        ...['quantity = quantity + 0.0001', "service_date = service_date + interval '1 microsecond'", 'flagged = not flagged'],
        ...["unit_of_measure = 'Tonne'", 'version = version + 1', "notes = ' '", 'image_size = image_size + 1', 'ocr_processed = true'],
        ...["created_at = created_at - interval '1 microsecond'", 'gross_quantity = 1, tare_quantity = 0', "acceptance = 'rejected'"],
      )
      .map((set) => `update ticket set ${set} where id = $1`),
  ];
  const number = fc.integer({ min: 1, max: 7 });
  const ofLink = fc
    .tuple(number, fc.nat({ max: 1_000 }), fc.constantFrom('content', 'hash', 'time', 'number', 'gone'))
    .map(([at, byte, what]) => {
      const set: Record<string, string> = {
        content: `update ticket_history set content = overlay(content placing case when substr(content, ${byte} % length(content) + 1, 1) = '~' then '!' else '~' end from ${byte} % length(content) + 1 for 1)`,
        hash: `update ticket_history set hash = set_byte(hash, ${byte % 32}, (get_byte(hash, ${byte % 32}) + 1) % 256)`,
        time: `update ticket_history set written_at = written_at + interval '1 microsecond'`,
        number: 'update ticket_history set number = number + 100',
        gone: 'delete from ticket_history',
      };
      return `${set[what]} where ticket_id = $1 and number = ${at}`;
    });
  await fc.assert(
    fc.asyncProperty(fc.oneof(...ofRow, ofLink), async (statement) => {
      await sql(statement, [id]);
      const { unbroken, since, breaks } = await verify(id);
      expect([statement, unbroken, breaks.length > 0]).toEqual([statement, false, true]);
      // The part after the last break is whole.
      if (statement.startsWith('update ticket set'))
        expect([since, breaks]).toEqual([null, [{ number: null, written_at: null, reason: 'row_changed' }]]);
      await restore();
      expect((await verify(id)).unbroken).toBe(true);
    }),
    { numRuns: runs(60) },
  );
});

test('a whole that was changed later is said to be unbroken since then', async () => {
  const id = await written();
  await sql(`update ticket_history set content = replace(content, ',Ton,', ',Tin,') where ticket_id = $1 and number = 3`, [id]);
  const [fourth] = await sql('select written_at from ticket_history where ticket_id = $1 and number = 4', [id]);
  const verified = await verify(id);
  expect(verified).toMatchObject({ unbroken: false, since: new Date(fourth.written_at).toISOString() });
  expect(verified.breaks).toMatchObject([{ number: 3, reason: 'link_changed' }]);
  await sql('delete from ticket_history where ticket_id = $1', [id]);
  expect(await verify(id)).toMatchObject({ unbroken: false, since: null, breaks: [{ reason: 'history_missing' }] });
});

test('a ticket that was written before its history began is not said to be unbroken, until it is written again', async () => {
  const { id } = await tenant.save(Ticket, { company: ref(tenant.company), ticketNumber: `H-${++numbers}` });
  const unknown = { unbroken: false, since: null, links_count: 0, hash: null };
  expect(await verify(id)).toMatchObject({ ...unknown, breaks: [{ number: null, written_at: null, reason: 'history_missing' }] });
  const { verify_url: url } = await verify(id);
  const everybody = (await app.http('GET', new URL(url).pathname)).body.data;
  // Nothing had been written down that the URL could vouch for.
  expect(everybody).toMatchObject({ ...unknown, as_issued: true });
  await tenant.must('PATCH', `/v1/tickets/${id}`, { quantity: 5 });
  const [first] = await sql('select written_at from ticket_history where ticket_id = $1', [id]);
  expect(await verify(id)).toMatchObject({ unbroken: true, since: new Date(first.written_at).toISOString(), links_count: 1, breaks: [] });
});

test('everybody who has the link may verify a ticket, and learns nothing of what was hauled', async () => {
  const id = await written();
  const { verify_url: url, hash } = await verify(id);
  expect(url).toMatch(/\/v1\/ticket_verifications\/[\w.-]+$/);
  const path = new URL(url).pathname;
  const ask = (at = path) => app.http('GET', at);
  const answer = await ask();
  const whole = { unbroken: true, as_issued: true, since: expect.any(String), links_count: 7, hash };
  expect([answer.status, answer.body]).toEqual([200, { data: { ticket_number: expect.stringMatching(/^H-/), ...whole } }]);
  for (const wrong of [`${path}x`, path.replace(/.\.([^.]+)$/, 'A.$1'), path.slice(0, -2)]) expect((await ask(wrong)).status).toBe(404);
  // Whoever owns the database can write row and history anew, but not so that the links that were given away agree.
  await sql(`update ticket set quantity = 1 where id = $1`, [id]);
  await sql('delete from ticket_history where ticket_id = $1', [id]);
  await sql(
    `insert into ticket_history select t.id, 1, t.company_id, now(), ticket_content(t), ticket_link_hash(uuid_send(t.id), 1, now(), ticket_content(t)) from ticket t where t.id = $1`,
    [id],
  );
  expect((await ask()).body.data).toMatchObject({ unbroken: true, as_issued: false, links_count: 1 });
  // It is counted for the address that asks.
  let last = await ask();
  for (let n = 0; n < 25 && last.status === 200; n++) last = await ask();
  expect(last.status).toBe(429);
});

test('the product itself can only add to the histories', async () => {
  const pool = await poolOf(app.productOrm.em.fork());
  for (const table of ['ticket_history', 'ticket_amendment'])
    for (const statement of [`update ${table} set company_id = company_id`, `delete from ${table}`])
      await expect(pool.query(statement)).rejects.toThrow(/permission denied/);
});
