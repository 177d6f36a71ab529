import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../src/directory/accounts/account.entity.ts';
import { Job } from '../../src/dispatch/model/job.entity.ts';
import { Load } from '../../src/dispatch/model/load.entity.ts';
import { Order } from '../../src/dispatch/model/order.entity.ts';
import { asCompanies } from '../../src/platform/database/scope.ts';
import { queryIn } from '../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { connect, makeStaffedTenant, plannedOrder, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { makeTicket, makeWholeTicket } from './make-ticket.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ newDatabase: true });
});
afterAll(() => app.close());

const projectOf = (of: StaffedTenant): Promise<Json> =>
  of.must('POST', '/v1/projects', { name: 'SH 130', account_id: of.account.id, external_id: 'CSJ 0440-06', po_job_number: 'PO-7' });
const listed = (of: StaffedTenant, project: string, query = ''): Promise<Json[]> =>
  of.admin.must('GET', of.path(`/projects/${project}/agency_tickets?page[limit]=100${query}`));

/** A ticket of an order, served at an hour of a day of the company (Chicago is six hours behind). */
const served = (of: StaffedTenant, { id, jobs }: { id: string; jobs: Json[] }, at: string, fields: object = {}) =>
  makeTicket(of, {
    ...{ order: ref(Order, id), job: ref(Job, jobs[0].id), state: 'pending', unitOfMeasure: 'Ton', material: ref(of.material) },
    ...{ serviceDate: new Date(at), ...fields },
  });

test('tickets of a project add up by day, material and unit, over its orders', async () => {
  const of = await makeStaffedTenant(app);
  const project = await projectOf(of);
  const [one, other] = [await plannedOrder(of, { project_id: project.id }), await plannedOrder(of, { project_id: project.id })];
  const elsewhere = await plannedOrder(of);
  await served(of, one, '2026-11-20T15:00:00Z', { ticketNumber: 'A1', quantity: '20.1', acceptance: 'delivered' });
  await served(of, other, '2026-11-20T16:00:00Z', { ticketNumber: 'A2', quantity: '21.5', acceptance: 'delivered', wastedQuantity: '1.5' });
  await served(of, one, '2026-11-20T17:00:00Z', { ticketNumber: 'A3', quantity: '22', acceptance: 'rejected' });
  await served(of, one, '2026-11-20T18:00:00Z', { ticketNumber: 'A4', quantity: '23', state: 'voided', voidedAt: new Date() });
  await served(of, one, '2026-11-20T19:00:00Z', { ticketNumber: 'A5', quantity: '10', unitOfMeasure: 'Yard' });
  await served(of, one, '2026-11-20T20:00:00Z', { ticketNumber: 'A6', quantity: '9' });
  // Midnight of the company is at six o'clock.
  await served(of, one, '2026-11-21T05:59:00Z', { ticketNumber: 'A7', quantity: '1' });
  await served(of, one, '2026-11-21T06:00:00Z', { ticketNumber: 'B1', quantity: '5' });
  await served(of, elsewhere, '2026-11-20T15:30:00Z', { ticketNumber: 'C1', quantity: '99' });
  const total = (loads_count: number, quantity: string, accepted_quantity: string) => ({ loads_count, quantity, accepted_quantity });
  const all = await listed(of, project.id);
  expect(all.map(({ ticket_number, running_total }) => [ticket_number, running_total])).toEqual([
    ['A1', total(1, '20.1', '20.1')],
    ['A2', total(2, '41.6', '40.1')],
    ['A3', null],
    ['A4', null],
    ['A5', total(1, '10', '0')],
    ['A6', total(3, '50.6', '40.1')],
    ['A7', total(4, '51.6', '40.1')],
    ['B1', total(1, '5', '0')],
  ]);
  expect(all[0]).toMatchObject({ customer_name: 'Customer', material_name: 'Gravel', acceptance: 'delivered' });
  expect(all[0].order.project).toEqual({ id: project.id, name: 'SH 130', external_id: 'CSJ 0440-06', po_job_number: 'PO-7' });
  const day = await listed(of, project.id, '&filter[from_date]=2026-11-21&filter[to_date]=2026-11-21');
  expect(day.map(({ ticket_number }) => ticket_number)).toEqual(['B1']);
  expect(await listed(of, project.id, '&filter[updated_since]=2099-01-01T00:00:00Z')).toEqual([]);
  // A page of one has the same totals: they are those of the day, and not of the page.
  const page = await of.admin.must(
    'GET',
    of.path(`/projects/${project.id}/agency_tickets?page[limit]=1&filter[from_date]=2026-11-20T20:00:00Z`),
  );
  expect(page.map(({ running_total }: Json) => running_total.quantity)).toEqual(['50.6']);
  // Without a project the order itself is what adds up.
  const query = '{ tickets(sort: { serviceDate: asc }) { nodes { ticketNumber runningTotal { loadsCount quantity } } } }';
  const { data } = await of.admin.gql(query);
  expect(data.tickets.nodes.find(({ ticketNumber }: Json) => ticketNumber === 'C1').runningTotal).toEqual({
    loadsCount: 1,
    quantity: '99',
  });
  const csv = await of.app.http('GET', of.path(`/projects/${project.id}/agency_tickets`), {
    token: of.admin.token,
    headers: { Accept: 'text/csv' },
  });
  const [head, ...lines] = String(csv.body).trim().split('\r\n');
  expect(lines).toHaveLength(8);
  for (const column of [
    'ticket_number',
    'order.project.external_id',
    'running_total.quantity',
    'weighed_by',
    'wasted_quantity',
    'amendments',
  ])
    expect(head!.split(',')).toContain(column);
});

test('a load whose material only its order says adds up with those of that material, and with no other ones', async () => {
  const of = await makeStaffedTenant(app);
  const project = await projectOf(of);
  const sand = await of.must('POST', '/v1/materials', { name: 'Sand' });
  const loadsOf = async (material_id: string): Promise<Json[]> => {
    const order = await plannedOrder(of, { project_id: project.id, loads_per_truck: 2, material_id });
    const loads: Json[] = await of.must('GET', `/v1/jobs/${order.jobs[0].id}/loads`);
    return loads.map((load) => ({ ...load, order }));
  };
  const [[said, unsaid], [other]] = [await loadsOf(of.material.id), await loadsOf(sand.id)];
  const ticket = ({ id, order }: Json, at: string, fields: object) =>
    served(of, order, `2026-11-20T${at}:00Z`, { acceptance: 'delivered', load: ref(Load, id), ...fields });
  await ticket(said, '15:00', { ticketNumber: 'G1', quantity: '20' });
  await ticket(unsaid, '16:00', { ticketNumber: 'G2', quantity: '21', material: null });
  await ticket(other, '17:00', { ticketNumber: 'S1', quantity: '5', material: null });
  const rows = (await listed(of, project.id)).map((one) => `${one.ticket_number} ${one.material_name} ${one.running_total.quantity}`);
  expect(rows).toEqual(['G1 Gravel 20', 'G2 Gravel 41', 'S1 Sand 5']);
});

test('amendments are next to what was issued', async () => {
  const of = await makeStaffedTenant(app);
  const project = await projectOf(of);
  const { ticket, order, job } = await makeWholeTicket(of, {
    grossQuantity: '36',
    tareQuantity: '14.5',
    weighedBy: 'W. Master',
    source: 'agent',
  });
  await app.orm.em.fork().execute('update orders set project_id = ? where id = ?', [project.id, order.id]);
  const seller = await of.save(Account, { company: ref(of.company), name: 'Pit & Sons', accountTypes: ['vendor'] });
  await app.orm.em.fork().execute('update job set material_rate_supplier_account_id = ? where id = ?', [seller.id, job.id]);
  await of.must('PUT', `/v1/tickets/${ticket.id}/approve`);
  for (const quantity of ['21', '20'])
    await of.gql('mutation ($id: ID!, $input: AmendTicketInput!) { amendTicket(id: $id, input: $input) { id } }', {
      id: ticket.id,
      input: { quantity, reason: 'Weighed again' },
    });
  const [found] = await listed(of, project.id);
  expect(found).toMatchObject({
    ...{ quantity: '20', original_quantity: '21.5', gross_quantity: '36', original_gross_quantity: '36', original_tare_quantity: '14.5' },
    ...{ weighed_by: 'W. Master', supplier_name: 'Pit & Sons', source: 'agent' },
  });
  expect(found.amendments.map(({ field, before, after, reason }: Json) => [field, before, after, reason])).toEqual([
    ['quantity', '21.5', '21', 'Weighed again'],
    ['quantity', '21', '20', 'Weighed again'],
  ]);
  expect(found.load.load_id).toMatch(/-1$/);
});

test('a vendor, a driver and strangers read no totals and no originals of tickets of others', async () => {
  const [of, vendor] = [await makeStaffedTenant(app), await makeStaffedTenant(app)];
  const hired = await connect(of, vendor);
  const project = await projectOf(of);
  const order = await plannedOrder(of, { project_id: project.id, vendor_id: hired.id });
  const [load] = await of.admin.must('GET', of.path(`/orders/${order.id}/loads`));
  await served(of, order, '2026-11-20T15:00:00Z', { ticketNumber: 'V1', quantity: '20', load: ref(Load, load.id) });
  const own = await plannedOrder(of, { project_id: project.id, driver_id: of.driver.id });
  const driven = await served(of, own, '2026-11-20T16:00:00Z', { ticketNumber: 'V2', quantity: '10' });
  const fields = '{ ticketNumber quantity originalQuantity supplierName runningTotal { quantity } }';
  const query = `query ($id: ID!) { ticket(id: $id) ${fields} }`;
  expect((await of.admin.gql(query, { id: driven.id })).data.ticket.runningTotal).toEqual({ quantity: '30' });
  const kept = { originalQuantity: null, supplierName: null, runningTotal: null };
  const passed = `query ($id: ID!) { job(id: $id) { loads { nodes { ticket ${fields} } } } }`;
  const { data } = await vendor.dispatcher.gql(passed, { id: order.jobs[0].id });
  expect(data.job.loads.nodes).toEqual([{ ticket: { ticketNumber: 'V1', quantity: '20', ...kept } }]);
  expect((await of.driver.gql(query, { id: driven.id })).data.ticket).toMatchObject({
    ticketNumber: 'V2',
    quantity: '10',
    runningTotal: null,
  });
  for (const path of [`/v1/projects/${project.id}/agency_tickets`, vendor.path(`/projects/${project.id}/agency_tickets`)])
    expect((await vendor.admin.http('GET', path)).status).toBe(404);
});

test('the tickets of a day are found by an index, however many the project has', async () => {
  const of = await makeStaffedTenant(app);
  const project = await projectOf(of);
  const { id } = await served(of, await plannedOrder(of, { project_id: project.id }), '2026-11-20T15:00:00Z', { quantity: '20' });
  const sql = app.orm.em.getConnection();
  await sql.execute(
    `insert into ticket (id, company_id, order_id, state, source, unit_of_measure, quantity, service_date)
     select gen_random_uuid(), t.company_id, t.order_id, t.state, t.source, t.unit_of_measure, 20, t.service_date + n * interval '1 hour'
     from ticket t, generate_series(1, 3000) n where t.id = ?`,
    [id],
  );
  await sql.execute('analyze ticket');
  const [totals] = await app.overhear(
    () => listed(of, project.id),
    ({ sql }) => sql.includes('as "loadsCount"'),
  );
  const plan = await asCompanies([of.company.id], () =>
    app.productOrm.em.fork().transactional(async (em) => {
      // Whatever other tests have left in the tables.
      for (const way of ['seqscan', 'hashjoin', 'mergejoin', 'material']) await queryIn(em, `set local enable_${way} = off`);
      const rows = await queryIn<{ 'QUERY PLAN': string }>(em, `explain ${totals!.sql}`, [[id], [of.company.id]]);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    }),
  );
  expect(plan).toMatch(/ticket_served_idx[^\n]*\n\s+Index Cond: \(\(order_id = k\.order_id\)[^\n]*k\.begins_at[^\n]*k\.ends_at/);
});

test('pages of the tickets of many orders are those of the whole list, forward and backward, whatever was served at one moment or voided', async () => {
  const of = await makeStaffedTenant(app);
  const project = await projectOf(of);
  const orders = await Promise.all([1, 2, 3, 4, 5].map(() => plannedOrder(of, { project_id: project.id })));
  const at = (hour: number) => `2026-11-20T${String(hour).padStart(2, '0')}:00:00Z`;
  // Two orders have many, the others few; three tickets are of one moment.
  const hours = [[8, 9, 10, 11, 12, 13, 14], [9, 9, 15, 16, 17, 18], [9], [19], [7, 20]];
  for (const [i, order] of orders.entries())
    for (const hour of hours[i]!)
      await served(of, order, at(hour), { quantity: '1', ...(hour === 10 ? { state: 'voided', voidedAt: new Date() } : {}) });
  const all = (await listed(of, project.id)).map(({ id }) => id);
  expect(all).toHaveLength(17);
  const list = `query ($id: ID!, $first: Int, $after: String, $last: Int, $before: String) { agencyTickets(projectId: $id, first: $first, after: $after, last: $last, before: $before) {
    nodes { id } pageInfo { hasNextPage hasPreviousPage endCursor startCursor } } }`;
  for (const size of [1, 3, 4, 16, 17]) {
    const [forward, backward]: [string[], string[]] = [[], []];
    for (let after: string | null = null, more = true; more; ) {
      const { nodes, pageInfo }: Json = (await of.admin.gql(list, { id: project.id, first: size, after })).data.agencyTickets;
      forward.push(...nodes.map(({ id }: Json) => id));
      [after, more] = [pageInfo.endCursor, pageInfo.hasNextPage];
    }
    for (let before: string | null = null, more = true; more; ) {
      const { nodes, pageInfo }: Json = (await of.admin.gql(list, { id: project.id, last: size, before })).data.agencyTickets;
      backward.unshift(...nodes.map(({ id }: Json) => id));
      [before, more] = [pageInfo.startCursor, pageInfo.hasPreviousPage];
    }
    expect([size, forward, backward]).toEqual([size, all, all]);
  }
  const ranged = await listed(of, project.id, `&page[limit]=2&filter[from_date]=${at(9)}&filter[to_date]=${at(9)}`);
  expect(ranged.map(({ service_date }) => service_date)).toEqual([expect.stringContaining('T09'), expect.stringContaining('T09')]);
  const count = 'query ($id: ID!) { agencyTickets(projectId: $id, first: 2) { count { value } nodes { id } } }';
  expect((await of.admin.gql(count, { id: project.id })).data.agencyTickets).toMatchObject({ count: { value: 17 } });
});

test('a cursor of another day, or a cursor that pages backward before a row, leaves no ticket out', async () => {
  const of = await makeStaffedTenant(app);
  const project = await projectOf(of);
  const order = await plannedOrder(of, { project_id: project.id });
  const at = (hour: number) => `2026-11-20T${String(hour).padStart(2, '0')}:00:00Z`;
  for (let hour = 6; hour < 20; hour++) await served(of, order, at(hour), { quantity: '1' });
  const all = (await listed(of, project.id)).map(({ id }) => id);
  const list = `query ($id: ID!, $first: Int, $after: String, $last: Int, $before: String, $filter: AgencyTicketFilter) {
    agencyTickets(projectId: $id, first: $first, after: $after, last: $last, before: $before, filter: $filter) { nodes { id } pageInfo { startCursor endCursor } } }`;
  const page = async (args: object): Promise<Json> => {
    const { nodes, pageInfo } = (await of.admin.gql(list, { id: project.id, ...args })).data.agencyTickets;
    return { ids: nodes.map(({ id }: Json) => id), ...pageInfo };
  };
  const early = await page({ first: 2, filter: { fromDate: at(6) } });
  expect((await page({ first: 2, after: early.endCursor, filter: { fromDate: at(12) } })).ids).toEqual(all.slice(6, 8));
  const late = await page({ last: 2, filter: { toDate: at(19) } });
  expect((await page({ last: 2, before: late.startCursor, filter: { toDate: at(12) } })).ids).toEqual(all.slice(5, 7));
  // A page of REST before a row, and then what is before that page, asked for with another row.
  const rest = (query: string) => of.admin.http('GET', of.path(`/projects/${project.id}/agency_tickets?page[limit]=2${query}`));
  const { startCursor } = await page({ first: 2, after: (await page({ first: 4 })).endCursor });
  const second = await rest(`&page[after]=${encodeURIComponent((await page({ first: 10 })).endCursor)}`);
  const previous = /page%5Bafter%5D=([^>&]+)[^>]*>; rel="prev"/.exec(second.headers.get('link')!)![1]!;
  const before = await rest(`&page[after]=${previous}&page[before]=${encodeURIComponent(startCursor)}`);
  expect(before.body.data.map(({ id }: Json) => id)).toEqual(all.slice(2, 4));
});

test('a page of a project with a hundred thousand tickets reads those of the page and sorts no others, by one statement', async () => {
  const of = await makeStaffedTenant(app);
  const project = await projectOf(of);
  const orders = await Promise.all([1, 2, 3, 4].map(() => plannedOrder(of, { project_id: project.id })));
  const sql = app.orm.em.getConnection();
  // What follows from a ticket is another matter, and would take minutes.
  await sql.execute('alter table ticket disable trigger user');
  await sql.execute(
    `insert into ticket (id, company_id, order_id, state, source, unit_of_measure, quantity, service_date)
     select gen_random_uuid(), ?::uuid, (?::uuid[])[1 + n % 4], 'pending', 'web', 'Ton', 20, timestamptz '2026-01-05T06:00:00Z' + n * interval '1 minute'
     from generate_series(0, 99999) n`,
    [of.company.id, `{${orders.map(({ id }) => id).join()}}`],
  );
  await sql.execute('alter table ticket enable trigger user');
  await sql.execute('analyze ticket');
  const list = 'query ($id: ID!) { agencyTickets(projectId: $id) { nodes { id serviceDate } } }';
  let minutes: number[] = [];
  const statements = await app.overhear(
    async () => {
      const { nodes } = (await of.admin.gql(list, { id: project.id })).data.agencyTickets;
      minutes = nodes.map(({ serviceDate }: Json) => (Date.parse(serviceDate) - Date.parse('2026-01-05T06:00:00Z')) / 60_000);
    },
    ({ sql }) => /\bfrom "?ticket\b/.test(sql),
  );
  expect(minutes).toEqual(Array.from({ length: 25 }, (_, i) => i));
  expect(statements).toHaveLength(1);
  const [company, near] = [`'${of.company.id}'`, `'{${project.id},${of.company.id},-infinity,25}'`];
  const asked = statements[0]!.sql
    .replaceAll(/\$\d+::text\[\]/g, `${near}::text[]`)
    .replaceAll(/project_id = \$\d+::uuid/g, `project_id = '${project.id}'`)
    .replaceAll(/\$\d+::uuid\[\]/g, `'{${of.company.id}}'::uuid[]`)
    .replaceAll(/\$\d+::uuid/g, `${company}::uuid`);
  expect(asked).not.toMatch(/\$\d/);
  const [explained] = await asCompanies([of.company.id], () =>
    app.productOrm.em.fork().transactional((em) => queryIn<{ 'QUERY PLAN': Json }>(em, `explain (analyze, format json) ${asked}`)),
  );
  const rowsOf = (node: Json): number[] => [
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    ...(node.Plans ?? []).flatMap(rowsOf),
  ];
  const { Plan } = [explained!['QUERY PLAN']].flat()[0];
  expect(Math.max(...rowsOf(Plan))).toBeLessThan(1000);
});
