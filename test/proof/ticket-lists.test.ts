import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Order } from '../../src/dispatch/model/order.entity.ts';
import { asCompanies } from '../../src/platform/database/scope.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import { Ticket } from '../../src/proof/ticket.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
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

const make = (fields: object): Promise<Ticket> => makeTicket(tenant, fields);
const whole = (more: object = {}) => makeWholeTicket(tenant, more);
const put = (id: string, event: string, token?: string) => tenant.http('PUT', `/v1/tickets/${id}/${event}`, undefined, token);

test('tickets are listed for the company, an order and a job, newest first', async () => {
  const { ticket, order, job } = await whole({ createdAt: new Date('2026-11-01T12:00:00Z') });
  const loose = await make({ ticketNumber: 'L-1', order: ref(Order, order.id), createdAt: new Date('2026-11-02T12:00:00Z') });
  const alone = await make({ ticketNumber: 'L-2', createdAt: new Date('2026-11-03T12:00:00Z') });
  const ids = async (path: string) => (await tenant.must('GET', path)).map(({ id }: Json) => id);
  expect(await ids('/v1/tickets')).toEqual([alone.id, loose.id, ticket.id]);
  expect(await ids(tenant.path('/tickets'))).toEqual([alone.id, loose.id, ticket.id]);
  expect(await ids(`/v1/orders/${order.id}/tickets`)).toEqual([loose.id, ticket.id]);
  expect(await ids(tenant.path(`/orders/${order.id}/tickets`))).toEqual([loose.id, ticket.id]);
  expect(await ids(`/v1/jobs/${job.id}/tickets`)).toEqual([ticket.id]);
});

test('a dashboard finds tickets by their quantity, when they were served, and by what they lack', async () => {
  const served = new Date('2026-11-02T12:00:00Z');
  const { ticket } = await whole({ quantity: '20.5', serviceDate: served });
  const bare = await make({ ticketNumber: null, quantity: null });
  const small = await make({ ticketNumber: 'S-1', quantity: '3', serviceDate: new Date('2026-11-03T12:00:00Z') });
  const found = async (filter: object): Promise<string[]> => {
    const { errors, data } = await tenant.gql('query ($filter: TicketFilter) { tickets(filter: $filter) { nodes { id } } }', { filter });
    expect(errors).toBeUndefined();
    return data.tickets.nodes.map(({ id }: Json) => id).sort();
  };
  expect(await found({ quantity: { min: '20.5' } })).toEqual([ticket.id]);
  expect(await found({ quantity: { max: 20.4999 } })).toEqual([small.id]);
  expect(await found({ quantity: { min: 3, max: '20.5' } })).toEqual([ticket.id, small.id].sort());
  expect(await found({ serviceDate: { from: served.toISOString(), before: '2026-11-03T12:00:00Z' } })).toEqual([ticket.id]);
  expect(await found({ without: 'job' })).toEqual([bare.id, small.id].sort());
  expect(await found({ without: ['job', 'quantity', 'ticketNumber'] })).toEqual([bare.id]);
  expect(await found({ not: [{ without: 'quantity' }], or: [{ quantity: { max: 5 } }] })).toEqual([small.id]);
});

test('lists are filtered by days of the company, flag, source and state, and searched', async () => {
  // 2026-11-02T05:30Z is still the 1st in Chicago.
  const first = await make({ ticketNumber: 'AB-1', flagged: true, createdAt: new Date('2026-11-02T05:30:00Z') });
  const second = await make({
    ticketNumber: 'AB-2',
    source: 'api_integration',
    externalTruckId: 'BIG RED',
    createdAt: new Date('2026-11-02T06:30:00Z'),
  });
  const ids = async (query: string) => (await tenant.must('GET', `/v1/tickets?${query}`)).map(({ id }: Json) => id);
  expect(await ids('filter[to_date]=2026-11-01')).toEqual([first.id]);
  expect(await ids('filter[from_date]=2026-11-02')).toEqual([second.id]);
  expect(await ids('filter[flagged]=true')).toEqual([first.id]);
  expect(await ids('filter[flagged]=false')).toEqual([second.id]);
  expect(await ids('filter[sources][]=api_integration&filter[sources][]=web')).toEqual([second.id]);
  expect(await ids('filter[states][]=new')).toEqual([second.id, first.id]);
  expect(await ids('search[datagrid]=ab big')).toEqual([second.id]);
  expect((await tenant.http('GET', '/v1/tickets?filter[sources][]=carrier_pigeon')).status).toBe(422);
  expect((await tenant.http('GET', '/v1/tickets?filter[from_date]=soon')).status).toBe(422);
});

test('the records of a ticket are found by an index, with row-level security, too', async () => {
  await whole();
  const { statements } = await app.countStatements(() => tenant.must('GET', '/v1/tickets?page[limit]=1'));
  const page = statements.find((sql) => sql.includes('waypoint'))!;
  const plan = await asCompanies([tenant.company.id], () =>
    app.productOrm.em.fork().transactional(async (em) => {
      // Tables of a test are small: where PostgreSQL reads them whole all the same, no index may be asked.
      await em.execute('set local enable_seqscan = off');
      const rows = await em.execute<{ 'QUERY PLAN': string }[]>(`explain (costs off) ${page.replaceAll('$1', `'${tenant.company.id}'`)}`);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    }),
  );
  for (const table of ['waypoint', 'account', 'equipment', 'material', 'site']) {
    expect(plan).not.toMatch(new RegExp(`Seq Scan on ${table}\\b`));
    expect(plan).toMatch(new RegExp(`(Index (Only )?Scan using ${table}_\\w+ on|Bitmap Heap Scan on) ${table}\\b`));
  }
});

test('a page of one and a page of thirty take the same number of statements', async () => {
  for (let i = 0; i < 30; i++) await make({ ticketNumber: `P-${i}`, material: ref(tenant.material) });
  const cost = async (limit: number) => {
    const { value, statements } = await app.countStatements(() => tenant.must('GET', `/v1/tickets?page[limit]=${limit}`));
    expect(value.length).toBe(limit);
    return statements.length;
  };
  await cost(1);
  expect(await cost(30)).toBe(await cost(1));
  expect(await cost(30)).toBeLessThanOrEqual(2);
});

test('an order sums its tickets, and delivered loads by their tickets; voided ones are left out', async () => {
  const { ticket, order, load } = await whole({ serviceDate: new Date('2026-11-23T15:00:00Z') });
  const loose = await make({
    ticketNumber: 'L-1',
    quantity: '3',
    serviceDate: new Date('2026-11-24T15:00:00Z'),
    order: ref(Order, order.id),
  });
  const pool = await poolOf(app.orm.em.fork());
  await pool.query(`update load set state = 'completed', quantity = 20, unit_of_measure = 'Ton' where id = $1`, [load.id]);
  const summary = async () => (await tenant.must('GET', tenant.path(`/orders/${order.id}`))).order_summary;
  expect(await summary()).toMatchObject({
    total_tickets_count: 2,
    // 3 Ton are 2.7216 Tonne, in which most is ticketed; the order counts loads.
    total_tickets_quantity: '24.2216',
    first_ticket_at: '2026-11-23T15:00:00.000Z',
    delivered_quantities: [{ delivered: '21.5', unit_of_measure: 'Tonne', ticketed: true }],
    material_gross_ticketed_delivered_quantity: '21.5',
  });
  for (const { id } of [ticket, loose]) await put(id, 'void');
  expect(await summary()).toMatchObject({
    total_tickets_count: 0,
    total_tickets_quantity: '0',
    first_ticket_at: null,
    delivered_quantities: [{ delivered: '20', unit_of_measure: 'Ton', ticketed: false }],
    material_gross_ticketed_delivered_quantity: null,
  });
});

test("an order's tickets are summed by vendor, truck and unit, with those that lack a job", async () => {
  const { order } = await whole({ externalTruckId: 'T9', externalVendorName: 'Fast Haul', unitOfMeasure: 'Ton' });
  const on = { order: ref(Order, order.id), externalTruckId: 'T9', externalVendorName: 'Fast Haul', unitOfMeasure: 'Ton' };
  await make({ ...on, ticketNumber: 'R-1', quantity: '3.25', source: 'api_integration' });
  await make({ ...on, ticketNumber: 'R-2', quantity: '100', state: 'voided', voidedAt: new Date() });
  await make({ order: ref(Order, order.id), ticketNumber: 'R-3', unitOfMeasure: 'Yard' });
  const path = tenant.path(`/orders/${order.id}/tickets/rollup_summary`);
  const truck = { external_vendor_name: 'Fast Haul', external_truck_id: 'T9', unit_of_measure: 'Ton', total_tickets_missing_job_count: 1 };
  expect(await tenant.must('GET', path)).toEqual([
    {
      external_vendor_name: '',
      external_truck_id: '',
      unit_of_measure: 'Yard',
      total_tickets_count: 1,
      total_tickets_missing_job_count: 1,
      total_tickets_quantity: 0,
      total_tickets_missing_job_quantity: 0,
    },
    { ...truck, total_tickets_count: 2, total_tickets_quantity: 24.75, total_tickets_missing_job_quantity: 3.25 },
  ]);
  expect(await tenant.must('GET', `${path}?filter[sources][]=api_integration`)).toEqual([
    { ...truck, total_tickets_count: 1, total_tickets_quantity: 3.25, total_tickets_missing_job_quantity: 3.25 },
  ]);
});

test('loads are found by whether their ticket is flagged', async () => {
  const { ticket, order, load } = await whole();
  const flagged = async (is: boolean) =>
    (await tenant.must('GET', tenant.path(`/orders/${order.id}/loads?filter[ticket][flagged]=${is}`))).map(({ id }: Json) => id);
  expect([await flagged(true), await flagged(false)]).toEqual([[], [load.id]]);
  await tenant.must('PATCH', `/v1/tickets/${ticket.id}`, { flagged: true });
  expect([await flagged(true), await flagged(false)]).toEqual([[load.id], []]);
});
