import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { httpTicketReader } from '../../src/proof/reading/ticket-reader.ts';
import { sendForm } from '../files/form.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { drive, makeStaffedTenant, ONE_LOAD, readyJob, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { until } from '../helpers/until.ts';
import { jpeg } from '../ingest/files/sample-files.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let reads: object = {};
let asked = 0;
const server = createServer((request, response) => {
  asked++;
  void text(request).then(() => response.end(JSON.stringify(reads)));
});

let app: TestApp;
let tenant: StaffedTenant;
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/read`;
  app = await startTestApp({ worker: true, reader: httpTicketReader({ url, secret: 'a secret of the reader', allowPrivate: true }) });
  tenant = await makeStaffedTenant(app);
});
afterAll(async () => {
  await app.close();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

const seen = (value: unknown) => ({ value, confidence: 99 });
const loadsOf = async (job: string): Promise<Json[]> =>
  (await tenant.must('GET', `/v1/jobs/${job}/loads`)).sort((a: Json, b: Json) => a.ordinality - b.ordinality);
const readingsOf = (job: string): Promise<Json[]> =>
  app.orm.em
    .getConnection()
    .execute('select r.state, r.due_at from ticket_reading r join ticket t on t.id = r.ticket_id where t.job_id = ? order by r.state', [
      job,
    ]);

/** A job with two loads of which the first was hauled from six to five hours ago, and the second from four to three. */
async function hauled(): Promise<Json> {
  const job = await readyJob(tenant, { loads_per_truck: 3 });
  await drive(tenant.driver, job.id, ...ONE_LOAD, ...ONE_LOAD);
  for (const [i, load] of (await loadsOf(job.id)).slice(0, 2).entries())
    await app.orm.em
      .getConnection()
      .execute('update load set summary_arrived_pickup_at = ?, summary_load_completed_at = ? where id = ?', [
        ago(6 - 2 * i),
        ago(5 - 2 * i),
        load.id,
      ]);
  return job;
}
const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
async function photographed(fields: object, answer: object): Promise<Json> {
  reads = answer;
  const ticket = await tenant.must('POST', '/v1/tickets', { unit_of_measure: 'Ton', ...fields });
  expect((await sendForm(app, 'POST', `/v1/tickets/${ticket.id}/image`, [['image', jpeg(), 'all.jpg']], tenant.token)).status).toBe(201);
  const read = async () => {
    await app.settled();
    const [row] = await app.orm.em.getConnection().execute('select due_at from ticket_reading where ticket_id = ?', [ticket.id]);
    return row!.due_at === null;
  };
  await until(read);
  return tenant.must('GET', `/v1/tickets/${ticket.id}`);
}

test('A4: the tickets of one picture become tickets of the job, linked to the loads of their time', async () => {
  const job = await hauled();
  const [first, second] = await loadsOf(job.id);
  asked = 0;
  const one = await photographed(
    { job_id: job.id },
    {
      fields: { ticket_number: seen('A-2'), net_quantity: seen('21.4'), unit: seen('Ton'), service_date: seen(ago(3.5)) },
      full_text: 'TICKET A-2',
      others: [
        {
          fields: { ticket_number: seen('A-1'), net_quantity: seen('20'), unit: seen('Ton'), service_date: seen(ago(5.5)) },
          full_text: 'TICKET A-1',
        },
        { fields: { ticket_number: seen('A-2'), service_date: seen(ago(3.5)) } },
      ],
    },
  );
  expect(one).toMatchObject({ ticket_number: 'A-2', source: 'driver_app', load_id: second.id, state: 'pending' });
  const { data } = await tenant.gql(
    `query($id: ID!) { job(id: $id) { tickets(first: 10) { nodes { id source state ticketNumber quantity loadId imageUrl missingInfo ocrProcessed aiExtractedFullText } } } }`,
    { id: job.id },
  );
  const agent: Json[] = data.job.tickets.nodes.filter((ticket: Json) => ticket.source === 'agent');
  expect(agent.find(({ loadId }) => loadId === first.id)).toMatchObject({
    ...{ ticketNumber: 'A-1', quantity: '20', state: 'pending', missingInfo: false, ocrProcessed: true, aiExtractedFullText: 'TICKET A-1' },
  });
  // The number is taken, and its load has a ticket: a person decides.
  expect(agent.find(({ loadId }) => loadId === null)).toMatchObject({ ticketNumber: null, quantity: null, missingInfo: true });
  expect(agent).toHaveLength(2);
  for (const { id, imageUrl } of agent) {
    expect(Buffer.from(await (await fetch(imageUrl)).arrayBuffer()).equals(jpeg())).toBe(true);
    expect(await tenant.must('GET', `/v1/tickets/${id}/verify`)).toMatchObject({ unbroken: true });
  }
  // Copies are not read again, and each goes with its ticket only.
  expect([asked, (await readingsOf(job.id)).map(({ state, due_at }) => [state, due_at])]).toEqual([1, Array(3).fill(['read', null])]);
  await tenant.must('DELETE', `/v1/tickets/${agent[0].id}`);
  expect((await fetch(agent[1].imageUrl)).status).toBe(200);
  const events: Json[] = await tenant.must('GET', `/v1/jobs/${job.id}/job_events?page[limit]=100`);
  expect(events.filter(({ event_name }) => event_name === 'TicketsUploadedByAgent')).toHaveLength(1);
});

test('a ticket of no visit, of two, or of a load that a person chose is left where it is', async () => {
  const job = await hauled();
  const [first] = await loadsOf(job.id);
  const none = await photographed({ job_id: job.id }, { fields: { service_date: seen(ago(4.5)) } });
  expect(none).toMatchObject({ load_id: null, service_date: expect.any(String) });
  await app.orm.em.getConnection().execute('update load set summary_load_completed_at = ? where id = ?', [ago(3.2), first.id]);
  const both = await photographed({ job_id: job.id }, { fields: { service_date: seen(ago(3.5)) } });
  expect(both.load_id).toBeNull();
  const chosen = await photographed({ load_id: first.id }, { fields: { service_date: seen(ago(3.5)) } });
  expect(chosen.load_id).toBe(first.id);
});

test('a program that uploads a ticket itself is named in the timeline, too', async () => {
  const job = await readyJob(tenant);
  await tenant.must('POST', '/v1/tickets', { job_id: job.id, unit_of_measure: 'Ton', source: 'agent' });
  await tenant.must('POST', '/v1/tickets', { job_id: job.id, unit_of_measure: 'Ton', source: 'web' });
  const events: Json[] = await tenant.must('GET', `/v1/jobs/${job.id}/job_events?page[limit]=100`);
  expect(events.filter(({ event_name }) => event_name === 'TicketsUploadedByAgent')).toHaveLength(1);
});

test.each<[string, unknown]>([
  ['eleven tickets', Array(10).fill({ fields: {} })],
  ['a further ticket of a negative weight', [{ fields: { net_quantity: seen('-1') } }]],
  ['a further ticket without fields', [{}]],
  ['further tickets that are no list', 'two'],
])('a reader that answers %s is not believed', async (_, others) => {
  const ticket = await photographed({}, { fields: { ticket_number: seen(`X-${_}`) }, others });
  expect(ticket).toMatchObject({ ticket_number: null, ocr_processed: false });
});
