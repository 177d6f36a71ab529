import { expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { billerOf, hauled, invoiceOf, M10, rateCard } from '../billing/books.ts';
import { drive, makeStaffedTenant, ONE_LOAD, readyJob } from '../helpers/staffed-tenant.ts';
import { type Asking, asked, books, CHICAGO, groupsOf, measured, scene } from './asked-metrics.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** The path of a page next to this one. */
function linkOf(headers: Headers, rel: string): string | undefined {
  const link = new RegExp(`<([^>]+)>; rel="${rel}"`).exec(headers.get('link') ?? '')?.[1];
  if (!link) return undefined;
  const { pathname, search } = new URL(link, 'http://here');
  return pathname + search;
}

/** Everything of a list, page by page. */
async function listed(who: Asking, path: string): Promise<Json[]> {
  const found: Json[] = [];
  for (let next: string | undefined = who.path(`${path}${path.includes('?') ? '&' : '?'}page[limit]=2`); next; ) {
    const { status, body, headers } = await who.http('GET', next);
    expect(status).toBe(200);
    found.push(...body.data);
    next = linkOf(headers, 'next');
  }
  return found;
}

test('a metric is what the lists say, in groups of the company or another zone', async () => {
  const { at, first, second, admin, biller } = await scene();
  const rest = 'measures[]=loads&measures[]=delivered_quantity&measures[]=ticketed_quantity';
  expect(await groupsOf(admin, `${rest}&group_by[]=day`)).toEqual([
    ['2026-11-02', 'loads 3', 'delivered_quantity Ton 68.67', 'ticketed_quantity Ton 68.67'],
    ['2026-11-03', 'loads 3', 'delivered_quantity Ton 10', 'delivered_quantity Yard 7', 'ticketed_quantity Ton 9'],
  ]);
  const exported = async (accept: string) =>
    (await admin.http('GET', at.path(`/metrics?${rest}&group_by[]=day`), undefined, { Accept: accept })).body;
  expect(parse(await exported('text/csv'), { bom: true }).map((row: string[]) => row.join(' '))).toEqual([
    'day day_label measure unit value',
    '2026-11-02  loads  3',
    '2026-11-02  delivered_quantity Ton 68.67',
    '2026-11-02  ticketed_quantity Ton 68.67',
    '2026-11-03  loads  3',
    '2026-11-03  delivered_quantity Ton 10',
    '2026-11-03  delivered_quantity Yard 7',
    '2026-11-03  ticketed_quantity Ton 9',
  ]);
  const { body } = await asked(admin, `${rest}&group_by[]=day`);
  expect(
    String(await exported('application/x-ndjson'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(body.data);
  // In UTC the second job begins on the next day.
  expect((await groupsOf(admin, `${rest}&group_by[]=day&time_zone=UTC`)).map(([day]) => day)).toEqual(['2026-11-02', '2026-11-04']);
  expect(await groupsOf(admin, 'measures[]=loads&group_by[]=week&filter[end_date]=2026-11-02')).toEqual([['2026-11-02', 'loads 3']]);
  expect(await groupsOf(admin, 'measures[]=loads&group_by[]=month&group_by[]=state&filter[start_date]=2026-11-03')).toEqual([
    ['2026-11-01 completed', 'loads 3'],
  ]);
  // An instant means its day in the zone of the answer.
  const span = 'filter[start_date]=2026-11-04T05:30:00Z&filter[end_date]=2026-11-03T20:00:00-06:00';
  expect(await groupsOf(admin, `measures[]=loads&group_by[]=day&${span}`)).toEqual([['2026-11-03', 'loads 3']]);
  const loads = (
    await Promise.all([first, second].map(({ order }) => listed(admin, `/orders/${order.id}/loads?filter[states][]=completed`)))
  ).flat();
  expect(await measured(admin, 'measures[]=loads')).toEqual([`loads ${loads.length}`]);
  const total = async (side: string) =>
    (await listed(biller, `/invoices?filter[invoice_category]=${side}`)).reduce((sum, { total_amount }) => sum + Number(total_amount), 0);
  const [owed, owing] = [await total('receivables'), await total('payables')];
  const [receivable, payable, margin] = await measured(biller, 'measures[]=receivable&measures[]=payable&measures[]=margin');
  expect(receivable).toBe(`receivable USD ${owed}`);
  expect(payable).toBe(`payable USD ${owing}`);
  expect(margin).toBe(`margin USD ${Number((owed - owing).toFixed(2))}`);
  // The pay of drivers is a cost of the customer for whom they drive.
  const ofCustomer = (await groupsOf(biller, 'measures[]=payable&measures[]=margin&group_by[]=customer')).map(([, ...values]) => values);
  expect(ofCustomer).toEqual([[payable, margin]]);
  const orders = await groupsOf(admin, 'measures[]=loads&measures[]=jobs&measures[]=orders&group_by[]=order');
  expect(orders.map(([, ...values]) => values)).toEqual([
    ['loads 3', 'jobs 1', 'orders 1'],
    ['loads 3', 'jobs 1', 'orders 1'],
  ]);
  const names = await groupsOf(admin, 'measures[]=loads&group_by[]=customer&group_by[]=pickup_site&group_by[]=driver');
  expect(names).toHaveLength(1);
  expect(names[0]![0]).toContain(at.pickup.name);
  expect(await groupsOf(admin, `measures[]=loads&group_by[]=dropoff_site&filter[order_ids][]=${first.order.id}`)).toEqual([
    [at.dropoff.name, 'loads 3'],
  ]);
  const gql = await at.admin.gql(
    `query($filter: MetricFilter) { metrics(measures: [loads, delivered_quantity], groupBy: [day], filter: $filter, first: 1) {
      nodes { keys { dimension value label } values { measure unit value } } pageInfo { hasNextPage } count { value } } }`,
    { filter: { orderIds: [second.order.id] } },
  );
  expect(gql.data.metrics).toEqual({
    nodes: [
      {
        keys: [{ dimension: 'day', value: '2026-11-03', label: null }],
        values: [
          { measure: 'loads', unit: null, value: '3' },
          { measure: 'delivered_quantity', unit: 'Ton', value: '10' },
          { measure: 'delivered_quantity', unit: 'Yard', value: '7' },
        ],
      },
    ],
    pageInfo: { hasNextPage: false },
    count: { value: 1 },
  });
});

test('hours, starts, approvals and cycles are those of the records', async () => {
  const { at, admin } = await scene();
  const late = await readyJob(at, { load_at: '2026-11-05T13:00:00Z', loads_per_truck: 2 });
  await drive(at.driver, late.id, ...ONE_LOAD, ...ONE_LOAD, 'complete');
  await at.must('PATCH', `/v1/jobs/${late.id}/summary`, { approved_work_time_minutes: 75 }, at.admin.token);
  const jobs = await listed(admin, '/jobs');
  const hours = jobs.reduce((sum, { billable_hours }) => sum + Number(billable_hours), 0);
  const [count, started, , worked, open] = await measured(
    admin,
    'measures[]=jobs&measures[]=started_jobs&measures[]=on_time_starts&measures[]=job_hours&measures[]=jobs_to_approve',
  );
  expect([count, started, open]).toEqual(['jobs 3', 'started_jobs 3', 'jobs_to_approve 3']);
  expect(worked).toBe(`job_hours hours ${hours}`);
  expect(await measured(admin, 'measures[]=loads_to_approve')).toEqual(['loads_to_approve 8']);
  const order = await at.admin.must('GET', `/v1/orders/${late.order.id}`);
  const [cycle, stay] = await measured(admin, `measures[]=cycle_minutes&measures[]=on_site_minutes&filter[order_ids][]=${late.order.id}`);
  expect(cycle).toBe(`cycle_minutes minutes ${order.load_cycle_avg}`);
  expect(stay).toBe('on_site_minutes minutes 0');
  // A mean of nothing is not zero, and a sum of nothing is.
  expect(
    await measured(admin, 'measures[]=loads&measures[]=cycle_minutes&measures[]=delivered_quantity&filter[start_date]=2030-01-01'),
  ).toEqual(['loads 0', 'cycle_minutes minutes']);
});

test('pages go through all groups once, forwards and backwards', async () => {
  const { admin } = await scene();
  const query = 'measures[]=loads&group_by[]=order&group_by[]=day';
  const all = (await asked(admin, query)).body.data;
  expect(all).toHaveLength(2);
  const first = await asked(admin, `${query}&page[limit]=1`);
  const second = await admin.http('GET', linkOf(first.headers, 'next')!);
  expect([...first.body.data, ...second.body.data]).toEqual(all);
  expect(linkOf(second.headers, 'next')).toBeUndefined();
  expect((await admin.http('GET', linkOf(second.headers, 'prev')!)).body.data).toEqual(first.body.data);
  // A cursor belongs to its question.
  const cursor = new URLSearchParams(linkOf(first.headers, 'next')!.split('?')[1]).get('page[after]')!;
  expect((await asked(admin, `measures[]=jobs&group_by[]=order&group_by[]=day&page[after]=${cursor}`)).status).toBe(400);
});

test('what was bought is part of the margin', async () => {
  const at = await makeStaffedTenant(books.app, CHICAGO);
  const material = {
    material_id: at.material.id,
    material_rate_sell_price: 12.5,
    material_rate_buy_price: 9.8,
    material_rate_unit_of_measure: 'Ton',
  };
  const terms = {
    customer_rate_id: (await rateCard(at, 'customer', { type: 'RatePerTon', unit_rate: 4.25, unit_minimum: 22, unit_increment: 0 })).id,
  };
  const job = await hauled(books, M10, {
    at,
    order: { ...terms, ...material, material_rate_itemized: true, load_at: '2026-11-02T13:00:00Z' },
  });
  const biller = await billerOf(at);
  const invoice = await invoiceOf(books, job.id, 'receivable', biller);
  const [cost, margin] = await measured({ http: biller.http, path: at.path }, 'measures[]=material_cost&measures[]=margin&group_by[]=day');
  // 227.46 + 209.72 + 235.79, as in M22.
  expect(cost).toBe('material_cost USD 672.97');
  expect(margin).toBe(`margin USD ${Number((Number(invoice.total_amount) - 672.97).toFixed(2))}`);
});

test('what cannot be answered names the field', async () => {
  const { admin } = await scene();
  // Loads and invoices have different states.
  expect((await asked(admin, 'measures[]=margin&group_by[]=state')).status).toBe(422);
  const wrong = async (query: string) => {
    const { status, body } = await asked(admin, query);
    return [status, ...(body.error?.errors ?? []).map(({ field, message }: Json) => `${field}: ${message}`)];
  };
  expect(await wrong('')).toEqual([422, 'measures: is required']);
  expect(await wrong('measures[]=loads&measures[]=loads&time_zone=Mars')).toEqual([
    422,
    'measures: names loads twice',
    'time_zone: is not an IANA time zone, such as America/Chicago',
  ]);
  expect(await wrong(`measures[]=orders&measures[]=loads&group_by[]=day&group_by[]=driver&filter[driver_ids][]=${admin.path('')}`)).toEqual(
    [422, 'filter[driver_ids]: is not a UUID'],
  );
  expect(await wrong('measures[]=orders&measures[]=loads&group_by[]=day&group_by[]=driver&filter[states][]=x')).toEqual([
    422,
    'group_by[1]: orders has no driver',
  ]);
  const four = ['day', 'week', 'month', 'company'].map((one) => `group_by[]=${one}`).join('&');
  expect(await wrong(`measures[]=loads&${four}`)).toEqual([422, 'group_by: has more than 3 elements']);
  expect((await wrong('measures[]=tons'))[0]).toBe(422);
  // Zeros would look like a week without work.
  const days = (from: string, to: string) => `measures[]=loads&filter[start_date]=${from}&filter[end_date]=${to}`;
  expect(await wrong(days('2026-11-22', '2026-11-16'))).toEqual([422, 'filter[end_date]: must not be before the start']);
  expect(await wrong(days('2026-11-16', '2026-11-16'))).toEqual([200]);
  const states = (...names: string[]) => `measures[]=jobs&measures[]=orders&${names.map((one) => `filter[states][]=${one}`).join('&')}`;
  expect(await wrong(states('complete'))).toEqual([422, expect.stringMatching(/^filter\[states\]: .*\bcompleted\b/)]);
  // A state of jobs, and one of orders.
  expect(await wrong(states('in_review', 'accepted'))).toEqual([200]);
  expect(await wrong('measures[]=import_failures&filter[states][]=failed')).toEqual([200]);
  // Of imports only what failed is counted.
  for (const state of ['fail', 'processed'])
    expect(await wrong(`measures[]=import_failures&filter[states][]=${state}`)).toEqual([
      422,
      'filter[states]: must be one of failed, exhausted',
    ]);
  expect(await wrong('measures[]=loads&filter[company_ids][]=ours')).toEqual([422, 'filter[company_ids]: is not a UUID']);
  const { data } = (await admin.http('GET', '/v1/metric_definitions')).body;
  expect(data.find(({ measure }: Json) => measure === 'margin')).toMatchObject({
    by_unit: true,
    permissions: ['view_settlements', 'view_customer_rates', 'view_vendor_rates', 'view_driver_rates'],
    unit: null,
  });
  const units = data.flatMap(({ measure, unit }: Json) => (unit ? [`${measure} ${unit}`] : []));
  expect(units).toEqual(['job_hours hours', 'on_site_minutes minutes', 'cycle_minutes minutes']);
});

test('a document asks a few questions at once, because each reads what lists only page through', async () => {
  const biller = await billerOf(books.tenant);
  const ask = (questions: number) => {
    const fields = Array.from({ length: questions }, (_, i) => `m${i}: metrics(measures: [loads]) { nodes { values { value } } }`);
    return biller.gql(`{ ${fields.join(' ')} }`);
  };
  expect((await ask(5)).errors).toBeUndefined();
  expect((await ask(9)).errors[0].extensions).toMatchObject({ code: 'bad_request', measure: 'cost' });
});
