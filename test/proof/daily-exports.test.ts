import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { fieldsOf, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { makeTicket, makeWholeTicket } from './make-ticket.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await makeTenant(app);
});

const DAY = '2026-11-01';
const path = (day = DAY) => tenant.path(`/data_export/tickets/day/${day}`);
const make = (fields: object) => makeTicket(tenant, { createdAt: new Date('2026-11-01T18:00:00Z'), ...fields });

/** The sheet as its reader gets it. */
async function sheet(day = DAY, token = tenant.token): Promise<Record<string, string>[]> {
  const { file_url } = await tenant.must('GET', path(day), undefined, token);
  const answer = await fetch(file_url, { headers: { Authorization: `Bearer ${token}` } });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  return parse(await answer.text(), { bom: true, columns: true });
}

test("the tickets of a day of the company are a sheet, and the day ends in the company's zone", async () => {
  // The last and the first minute of a day of 25 hours in Chicago, and one minute more at each end.
  const times = ['2026-11-01T04:59:00Z', '2026-11-01T05:00:00Z', '2026-11-02T05:59:00Z', '2026-11-02T06:00:00Z'];
  const made = [];
  for (const [i, at] of times.entries()) made.push(await make({ ticketNumber: `D-${i}`, createdAt: new Date(at) }));
  const before = Date.now();
  const answer = await tenant.must('GET', path());
  expect(answer).toEqual({ day: DAY, created_at: expect.any(String), file_url: expect.stringContaining(`${path()}/file`) });
  expect(Date.parse(answer.created_at)).toBeGreaterThanOrEqual(before);
  expect((await sheet()).map(({ id }) => id)).toEqual([made[1]!.id, made[2]!.id]);
  expect((await sheet('2026-11-02')).map(({ id }) => id)).toEqual([made[3]!.id]);
  expect(await sheet('2030-01-01')).toEqual([]);
});

test('the sheet has the tickets of the list of that day, including voided ones, whatever its length', async () => {
  const { ticket } = await makeWholeTicket(tenant, { createdAt: new Date('2026-11-01T12:00:00Z'), quantity: '21.55' });
  await make({ ticketNumber: 'V-1', state: 'voided', voidedAt: new Date(), quantity: '5' });
  // More than one page of the list.
  for (let i = 0; i < 120; i++) await make({ ticketNumber: `N-${i}`, quantity: '0.1', createdAt: new Date(Date.UTC(2026, 10, 1, 19, i)) });
  const listed: Json[] = [];
  let after = '';
  do {
    const { body, headers } = await tenant.http(
      'GET',
      `/v1/tickets?page[limit]=100&filter[from_date]=${DAY}&filter[to_date]=${DAY}&sort[created_at]=asc${after}`,
    );
    listed.push(...body.data);
    const next = /page%5Bafter%5D=([^&>]+)[^>]*>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    after = next ? `&page[after]=${next}` : '';
  } while (after);
  const rows = await sheet();
  expect(rows.length).toBe(122);
  const cell = (value: unknown) => (value === null ? '' : String(value));
  const columns = Object.keys(rows[0]!);
  expect(columns).toEqual(expect.arrayContaining(['created_at', 'ticket_number', 'quantity', 'customer_name', 'driver_name', 'state']));
  expect(rows).toEqual(listed.map((one) => Object.fromEntries(columns.map((name) => [name, cell(one[name])]))));
  expect(rows[0]).toMatchObject({ id: ticket.id, quantity: '21.55', customer_name: 'Customer', state: 'pending' });
});

test('no cell is a formula, and line breaks stay in their cell', async () => {
  await make({
    ticketNumber: '=HYPERLINK("http://evil.example")',
    notes: 'two\r\nlines, "quoted"',
    externalTruckId: '@SUM(A1)',
    quantity: '-3',
  });
  expect(await sheet()).toEqual([
    expect.objectContaining({
      ticket_number: `'=HYPERLINK("http://evil.example")`,
      notes: 'two\r\nlines, "quoted"',
      external_truck_id: "'@SUM(A1)",
      quantity: '-3',
    }),
  ]);
});

test('drivers get their own tickets, other companies none', async () => {
  const { ticket, order, job } = await makeWholeTicket(tenant, { createdAt: new Date('2026-11-01T18:00:00Z') });
  await make({ ticketNumber: 'LOOSE' });
  expect(await sheet(DAY, tenant.driver.token)).toEqual([]);
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`);
  await tenant.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: tenant.driver.id });
  expect((await sheet(DAY, tenant.driver.token)).map(({ id }) => id)).toEqual([ticket.id]);
  const stranger = await makeTenant(app);
  for (const end of ['', '/file']) {
    expect((await tenant.http('GET', path() + end, undefined, stranger.token)).status).toBe(404);
    expect((await tenant.http('GET', path() + end, undefined, '')).status).toBe(401);
  }
});

test.each(['2026-02-30', 'yesterday', '2026-11-1', '0000-01-01'])('%s is no day', async (day) => {
  for (const end of ['', '/file']) {
    const answer = await tenant.http('GET', path(day) + end);
    expect([answer.status, fieldsOf(answer)]).toEqual([422, ['date']]);
  }
});

test('GraphQL returns the same, by default of the own company', async () => {
  const query = `query($c: ID) { dailyTicketExport(date: "${DAY}", companyId: $c) { day createdAt fileUrl } }`;
  const own = await tenant.must('GET', path());
  for (const c of [null, tenant.company.id]) {
    const { data } = await tenant.gql(query, { c });
    expect(data.dailyTicketExport).toEqual({ day: DAY, createdAt: expect.any(String), fileUrl: own.file_url });
  }
});

test('a page of a hundred tickets takes one statement', async () => {
  for (let i = 0; i < 101; i++) await make({ ticketNumber: `S-${i}` });
  await sheet('2026-11-05');
  const cost = async (day: string) => (await app.countStatements(() => sheet(day))).statements.length;
  expect((await cost(DAY)) - (await cost('2026-11-05'))).toBe(1);
});

test('its URL opens the sheet without a token, with what whoever asked for it may read by then', async () => {
  const kept = await make({ ticketNumber: 'S-1' });
  const person = await tenant.person({ roles: ['dispatcher'] });
  const { file_url } = await tenant.must('GET', path(), undefined, person.token);
  const open = async (url: string) => {
    const answer = await fetch(url);
    return { status: answer.status, text: await answer.text() };
  };
  const opened = await open(file_url);
  expect([opened.status, parse(opened.text, { bom: true, columns: true }).map(({ id }: Json) => id)]).toEqual([200, [kept.id]]);
  // It opens this sheet alone.
  const signature = file_url.split('?')[1];
  const stranger = await makeTenant(app);
  const other = (by: Tenant, day: string) => `${app.url}${by.path(`/data_export/tickets/day/${day}`)}/file?${signature}`;
  expect((await open(other(tenant, '2026-11-02'))).status).toBe(404);
  expect((await open(other(stranger, DAY))).status).toBe(404);
  expect((await open(file_url.split('?')[0])).status).toBe(401);
  // A driver reads own tickets only, with a token or without.
  const driver = await tenant.person({ roles: ['driver'] });
  const own = await tenant.must('GET', path(), undefined, driver.token);
  expect(parse((await open(own.file_url)).text, { bom: true, columns: true })).toEqual([]);
  // A person who was deactivated reads nothing any more.
  await tenant.must('DELETE', `/v1/users/${person.user.id}`);
  expect((await open(file_url)).status).toBe(404);
});
