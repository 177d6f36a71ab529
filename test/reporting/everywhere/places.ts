import { expect } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { checkInvariants } from '../../src/reporting/invariants/check-invariants.ts';
import { INVARIANTS_OF_BOOKS } from '../../src/reporting/invariants/invariants-of-books.ts';
import type { Biller, Books } from '../billing/books.ts';
import { connectedTo } from '../helpers/database.ts';
import { loginOf, rowsOf, signerIn } from './bi-logins.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const OF_BOOKS = new Set(INVARIANTS_OF_BOOKS.map(({ name }) => name));

/** Sums by what they are of; without those of nothing. */
type Sums = Record<string, number>;

const round = (value: number, places: number): number => Math.round(value * 10 ** places) / 10 ** places;
/** Adds up values by their keys, to as many places as what is compared has. */
function sums(rows: readonly Json[], keyOf: (row: Json) => string, valueOf: (row: Json) => unknown, places = 4): Sums {
  const found: Sums = {};
  for (const row of rows) found[keyOf(row)] = round((found[keyOf(row)] ?? 0) + Number(valueOf(row)), places);
  const isSomething = ([, value]: [string, number]) => value !== 0;
  return Object.fromEntries(Object.entries(found).filter(isSomething).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** All records of a list over REST. */
async function listOf(by: Biller, path: string): Promise<Json[]> {
  const all: Json[] = [];
  for (let after = ''; ; ) {
    const { status, body, headers } = await by.http('GET', `${path}${path.includes('?') ? '&' : '?'}page[limit]=100${after}`);
    expect([path, status]).toEqual([path, 200]);
    all.push(...body.data);
    const next = /<[^>]*page(?:%5B|\[)after(?:%5D|\])=([^>&]+)[^>]*>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    if (!next) return all;
    after = `&page[after]=${next}`;
  }
}

const LOADS = `query ($after: String) { loads(first: 100, after: $after) { pageInfo { hasNextPage endCursor }
  nodes { id state deliveredQuantity deliveredUnitOfMeasure job { id order { id } } ticket { quantity unitOfMeasure } } } }`;
const LOADS_OF_SETTLEMENT = `query ($companyId: ID!, $id: ID!) { settlementLoads(companyId: $companyId, settlementId: $id, first: 100) {
  nodes { state deliveredQuantity deliveredUnitOfMeasure } } }`;
const METRICS = `query { metrics(measures: [loads, delivered_quantity, ticketed_quantity], groupBy: [order], first: 100) {
  nodes { keys { value } values { measure unit value } } } }`;
const SUMMARIES = `query { orders(first: 100) { nodes { id orderSummary { deliveredLoadsCount deliveredQuantities { delivered unitOfMeasure ticketed } } } } }`;

/**
 * Says of a company's work what it delivered and what is owed for it, in each place that shows it, and compares the places with each other and the books with
 * their invariants. @param admin who reads all of the company
 */
export async function comparePlaces(books: Books, admin: Biller): Promise<{ delivered: number; owed: number; settlements: number }> {
  await books.app.settled();
  const { tenant } = books;
  const paths = { orders: tenant.path('/orders'), metrics: tenant.path('/metrics') };

  // What was delivered: the loads themselves, and everything that sums them.
  const loads: Json[] = [];
  for (let after: string | null = null; ; ) {
    const { data } = await admin.gql(LOADS, { after });
    loads.push(...data.loads.nodes);
    if (!data.loads.pageInfo.hasNextPage) break;
    after = data.loads.pageInfo.endCursor;
  }
  const completed = loads.filter(({ state }) => state === 'completed');
  const hauled = completed.filter(({ deliveredQuantity }) => Number(deliveredQuantity) !== 0);
  const isTicketed = ({ ticket }: Json) => ticket?.quantity != null;
  const delivered = sums(hauled, (load) => `${load.job.order.id} ${load.deliveredUnitOfMeasure}`, (load) => load.deliveredQuantity);
  const ticketed = sums(
    hauled.filter(isTicketed),
    (load) => `${load.job.order.id} ${load.ticket.unitOfMeasure}`,
    (load) => load.ticket.quantity,
  );
  const byJob = sums(hauled, (load) => `${load.job.id} ${load.deliveredUnitOfMeasure}`, (load) => load.deliveredQuantity);
  const counts = sums(completed, (load) => load.job.order.id, () => 1);

  const orders = await listOf(admin, paths.orders);
  const rowsOfSummaries = (summaries: Json[]) =>
    summaries.flatMap(({ id, rows }) => rows.map((row: Json) => ({ key: `${id} ${row.unit_of_measure}`, ...row })));
  const sumsOfRows = (rows: Json[]) => [
    sums(rows, ({ key }) => key, (row) => row.delivered),
    sums(rows.filter((row) => row.ticketed), ({ key }) => key, (row) => row.delivered),
  ];
  const ofList = rowsOfSummaries(orders.map(({ id, order_summary }) => ({ id, rows: order_summary.delivered_quantities })));
  const alone: Json[] = [];
  for (const { id } of orders) alone.push(await admin.must('GET', `/v1/orders/${id}`));
  const ofOne = rowsOfSummaries(alone.map(({ id, order_summary }) => ({ id, rows: order_summary.delivered_quantities })));
  const { data: inGraphql } = await admin.gql(SUMMARIES);
  const ofGraphql = rowsOfSummaries(
    inGraphql.orders.nodes.map(({ id, orderSummary }: Json) => ({
      id,
      rows: orderSummary.deliveredQuantities.map((row: Json) => ({ ...row, unit_of_measure: row.unitOfMeasure })),
    })),
  );
  for (const rows of [ofList, ofOne, ofGraphql]) expect(sumsOfRows(rows)).toEqual([delivered, ticketed]);
  for (const [list, count] of [
    [orders, ({ order_summary }: Json) => order_summary.delivered_loads_count],
    [alone, ({ order_summary }: Json) => order_summary.delivered_loads_count],
    [inGraphql.orders.nodes, ({ orderSummary }: Json) => orderSummary.deliveredLoadsCount],
  ] as const)
    expect(sums(list, ({ id }) => id, count)).toEqual(counts);
  const jobs = await listOf(admin, tenant.path('/jobs'));
  const ofJobs = jobs.flatMap(({ id, job_summary }) =>
    (job_summary?.delivered_quantities ?? []).map((row: Json) => ({ key: `${id} ${row.unit_of_measure}`, ...row })),
  );
  expect(sums(ofJobs, ({ key }) => key, (row) => row.delivered)).toEqual(byJob);
  const done = new Map(completed.map((load) => [load.id, load]));
  const counting = (await listOf(admin, tenant.path('/tickets'))).filter(
    ({ state, quantity, load_id }) => state !== 'voided' && quantity !== null && done.has(load_id),
  );
  expect(sums(counting, (one) => `${done.get(one.load_id).job.order.id} ${one.unit_of_measure}`, ({ quantity }) => quantity)).toEqual(ticketed);

  // The catalogue of metrics, in its forms.
  const question = 'measures[]=loads&measures[]=delivered_quantity&measures[]=ticketed_quantity&group_by[]=order';
  const groups = (found: Json[]): Json[] =>
    found.flatMap(({ keys: [{ value: order }], values }) => values.map((one: Json) => ({ ...one, key: `${order} ${one.unit ?? ''}`.trim() })));
  const ofMeasure = (rows: Json[]) =>
    ['loads', 'delivered_quantity', 'ticketed_quantity'].map((measure) =>
      sums(rows.filter((row) => row.measure === measure), ({ key }) => key, ({ value }) => value),
    );
  const ofRest = groups(await listOf(admin, `${paths.metrics}?${question}`));
  const ofGql = groups((await admin.gql(METRICS)).data.metrics.nodes);
  const sheet = await books.app.http('GET', `${paths.metrics}?${question}`, { token: admin.token, headers: { Accept: 'text/csv' } });
  const ofSheet = (parse(String(sheet.body), { bom: true, columns: true }) as Json[]).map((row) => ({
    ...row,
    key: `${row.order} ${row.unit}`.trim(),
  }));
  for (const rows of [ofRest, ofGql, ofSheet]) expect(ofMeasure(rows)).toEqual([counts, delivered, ticketed]);

  // A login of a BI tool.
  const views = await signerIn(books)(await loginOf(tenant as never), async (db) => ({
    loads: await rowsOf(
      db,
      `select order_id as id, unit_of_measure as unit, sum(loads) as loads, sum(delivered_quantity) as delivered, sum(ticketed_quantity) as ticketed
       from metric_loads group by 1, 2`,
    ),
    money: await rowsOf(
      db,
      `select sum(receivable) as receivable, sum(driver_payable) as driver_payable, sum(payable) as payable,
         coalesce(sum(receivable_without_tax), 0) - coalesce(sum(payable_without_tax), 0)
           - coalesce((select sum(material_cost_without_payable) from metric_material_costs), 0) as margin from metric_invoices`,
    ),
    invoices: await rowsOf(db, `select id, side, coalesce(rebill_total_amount, total_amount) as owed, total_amount, settlement_id from invoices where state <> 'voided'`),
    settlements: await rowsOf(db, `select id, coalesce(rebill_total_amount, total_amount) as total from settlements where state <> 'voided'`),
    lines: await rowsOf(db, 'select invoice_id as id, sum(total_amount) as total from invoice_lines group by 1'),
  }));
  const ofView = (column: string) => sums(views.loads, ({ id, unit }) => (column === 'loads' ? id : `${id} ${unit}`), (row) => row[column]);
  expect(['loads', 'delivered', 'ticketed'].map(ofView)).toEqual([counts, delivered, ticketed]);

  // What is owed: invoices with their lines, metrics, and settlements.
  const invoices = (await listOf(admin, tenant.path('/invoices'))).filter(({ state }) => state !== 'voided');
  const totals = sums(invoices, ({ id }) => id, ({ total_amount }) => total_amount, 2);
  expect(sums(views.invoices, ({ id }) => id, ({ total_amount }) => total_amount, 2)).toEqual(totals);
  for (const invoice of invoices) {
    const lines: Json[] = await admin.must('GET', tenant.path(`/invoices/${invoice.id}/invoice_line_items`));
    const sum = lines.reduce((all, { total_amount }) => all + Number(total_amount), 0);
    expect([invoice.invoice_id, round(sum, 2)]).toEqual([invoice.invoice_id, Number(invoice.invoice_line_items_total_amount)]);
    const charges: Json[] = await admin.must('GET', tenant.path(`/invoices/${invoice.id}/add_on_charges`));
    const charged = charges.reduce((all, { total_amount }) => all + Number(total_amount), 0);
    expect([invoice.invoice_id, round(sum + charged + Number(invoice.tax_total_amount ?? 0), 2)]).toEqual([
      invoice.invoice_id,
      Number(invoice.total_amount),
    ]);
  }
  const owed = sums(views.invoices, ({ side }) => side, ({ owed: amount }) => amount, 2);
  const [{ values }] = await admin.must('GET', `${paths.metrics}?measures[]=receivable&measures[]=driver_payable&measures[]=payable&measures[]=margin`);
  const measured = sums(values, ({ measure }) => measure, ({ value }) => value, 2);
  expect({ receivable: measured.receivable, payable: measured.payable, driver: measured.driver_payable }).toEqual({
    receivable: owed.receivable,
    payable: owed.payable,
    driver: owed.payable,
  });
  expect(sums(Object.entries(views.money[0]), ([name]) => name, ([, value]) => value ?? 0, 2)).toEqual(measured);

  const settlements = [
    ...(await listOf(admin, tenant.path('/settlements/receivables'))),
    ...(await listOf(admin, tenant.path('/settlements/payables'))),
  ].filter(({ state }) => state !== 'voided');
  const settledTotals = sums(settlements, ({ id }) => id, ({ total_amount, rebill_total_amount }) => rebill_total_amount ?? total_amount, 2);
  expect(sums(views.settlements, ({ id }) => id, ({ total }) => total, 2)).toEqual(settledTotals);
  for (const settlement of settlements) {
    const { id } = settlement;
    const of = (rest: string): Promise<Json> => admin.must('GET', tenant.path(`/settlements/${id}${rest}`));
    const rebilled = settlement.rebill_total_amount !== null && settlement.rebill_total_amount !== undefined;
    const [groupsOfLines, charges, own] = [await of('/settlement_line_items'), await of('/add_on_charges'), await of('/invoices')];
    const charged = charges.reduce((all: number, one: Json) => all + Number((rebilled ? one.rebill_total_amount : null) ?? one.total_amount), 0);
    const invoicesTotal = Number((rebilled ? settlement.rebill_invoices_total_amount : null) ?? settlement.invoices_total_amount);
    expect([id, round(invoicesTotal + charged, 2)]).toEqual([id, settledTotals[id] ?? 0]);
    expect([id, round(sumOf(own, 'total_amount'), 2)]).toEqual([id, Number(settlement.invoices_total_amount)]);
    const lines: Json[] = groupsOfLines.flatMap(({ line_items }: Json) => line_items);
    expect([id, round(sumOf(lines, 'total_amount'), 2)]).toEqual([id, round(sumOf(own, 'invoice_line_items_total_amount'), 2)]);
    // It is not drawn up unless its parts add up to its total.
    expect((await admin.http('GET', tenant.path(`/settlements/${id}/pdf`))).status).toBe(200);
    const explained = await of('/explain');
    expect([id, Number(explained.explain.amount)]).toEqual([id, settledTotals[id] ?? 0]);
  }

  const broken = await connectedTo(String(books.app.orm.config.get('clientUrl')), async (db) => {
    const checked = await checkInvariants(async (sql) => (await db.query<object>(sql)).rows);
    return checked.filter(({ name, count }) => count > 0 && OF_BOOKS.has(name)).map(({ name, violations }) => [name, violations]);
  });
  expect(broken).toEqual([]);
  return { delivered: hauled.length, owed: invoices.length, settlements: settlements.length };
}

/** Compares what a settlement that was made at this moment says of its loads with what they delivered, and with the loads that it lists. */
export async function compareLoads({ tenant }: Books, admin: Biller, settlement: Json): Promise<void> {
  const { data: read } = await admin.gql(LOADS_OF_SETTLEMENT, { companyId: tenant.company.id, id: settlement.id });
  const loads: Json[] = read.settlementLoads.nodes.filter(({ state }: Json) => state === 'completed');
  const hauled = sums(loads, (load) => load.deliveredUnitOfMeasure, (load) => load.deliveredQuantity);
  const { delivered_quantities: rows, data } = settlement;
  expect([settlement.settlement_id, sums(rows, (row) => row.unit_of_measure, (row) => row.delivered)]).toEqual([settlement.settlement_id, hauled]);
  const texts: string[][] = data.quantities_per_uom.map((text: string) => text.split(' '));
  expect([settlement.settlement_id, sums(texts, ([, unit]: Json) => unit, ([quantity]: Json) => quantity)]).toEqual([settlement.settlement_id, hauled]);
}

const sumOf = (rows: readonly Json[], field: string): number => rows.reduce((all, row) => all + Number(row[field]), 0);
