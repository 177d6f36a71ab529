import { expect } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { checkInvariants } from '../../../src/reporting/invariants/check-invariants.ts';
import { INVARIANTS_OF_BOOKS } from '../../../src/reporting/invariants/invariants-of-books.ts';
import type { Biller, Books } from '../../billing/books.ts';
import { connectedTo } from '../../helpers/database.ts';
import { rowsOf } from '../bi-logins.ts';
import { compareMoney } from './money.ts';
import { asTool, listOf, sums } from './sums.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const OF_BOOKS = new Set(INVARIANTS_OF_BOOKS.map(({ name }) => name));

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
export async function comparePlaces(books: Books, admin: Biller): Promise<void> {
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
  const delivered = sums(
    hauled,
    (load) => `${load.job.order.id} ${load.deliveredUnitOfMeasure}`,
    (load) => load.deliveredQuantity,
  );
  const ticketed = sums(
    hauled.filter(isTicketed),
    (load) => `${load.job.order.id} ${load.ticket.unitOfMeasure}`,
    (load) => load.ticket.quantity,
  );
  const byJob = sums(
    hauled,
    (load) => `${load.job.id} ${load.deliveredUnitOfMeasure}`,
    (load) => load.deliveredQuantity,
  );
  const counts = sums(
    completed,
    (load) => load.job.order.id,
    () => 1,
  );

  const orders = await listOf(admin, paths.orders);
  const rowsOfSummaries = (summaries: Json[]) =>
    summaries.flatMap(({ id, rows }) => rows.map((row: Json) => ({ key: `${id} ${row.unit_of_measure}`, ...row })));
  const sumsOfRows = (rows: Json[]) => [
    sums(
      rows,
      ({ key }) => key,
      (row) => row.delivered,
    ),
    sums(
      rows.filter((row) => row.ticketed),
      ({ key }) => key,
      (row) => row.delivered,
    ),
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
  expect(
    sums(
      ofJobs,
      ({ key }) => key,
      (row) => row.delivered,
    ),
  ).toEqual(byJob);
  const done = new Map(completed.map((load) => [load.id, load]));
  const counting = (await listOf(admin, tenant.path('/tickets'))).filter(
    ({ state, quantity, load_id }) => state !== 'voided' && quantity !== null && done.has(load_id),
  );
  expect(
    sums(
      counting,
      (one) => `${done.get(one.load_id).job.order.id} ${one.unit_of_measure}`,
      ({ quantity }) => quantity,
    ),
  ).toEqual(ticketed);

  // The catalogue of metrics, in its forms.
  const question = 'measures[]=loads&measures[]=delivered_quantity&measures[]=ticketed_quantity&group_by[]=order';
  const groups = (found: Json[]): Json[] =>
    found.flatMap(({ keys: [{ value: order }], values }) =>
      values.map((one: Json) => ({ ...one, key: `${order} ${one.unit ?? ''}`.trim() })),
    );
  const ofMeasure = (rows: Json[]) =>
    ['loads', 'delivered_quantity', 'ticketed_quantity'].map((measure) =>
      sums(
        rows.filter((row) => row.measure === measure),
        ({ key }) => key,
        ({ value }) => value,
      ),
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
  const inView: Json[] = await asTool(books, (db) =>
    rowsOf(
      db,
      `select order_id as id, unit_of_measure as unit, sum(loads) as loads, sum(delivered_quantity) as delivered, sum(ticketed_quantity) as ticketed
       from metric_loads group by 1, 2`,
    ),
  );
  const ofView = (column: string) =>
    sums(
      inView,
      ({ id, unit }) => (column === 'loads' ? id : `${id} ${unit}`),
      (row) => row[column],
    );
  expect(['loads', 'delivered', 'ticketed'].map(ofView)).toEqual([counts, delivered, ticketed]);

  await compareMoney(books, admin);

  const broken = await connectedTo(String(books.app.orm.config.get('clientUrl')), async (db) => {
    const checked = await checkInvariants(async (sql) => (await db.query<object>(sql)).rows);
    return checked.filter(({ name, count }) => count > 0 && OF_BOOKS.has(name)).map(({ name, violations }) => [name, violations]);
  });
  expect(broken).toEqual([]);
}

/** Compares what a settlement that was made at this moment says of its loads with what they delivered, and with the loads that it lists. */
export async function compareLoads({ tenant }: Books, admin: Biller, settlement: Json): Promise<void> {
  const { data: read } = await admin.gql(LOADS_OF_SETTLEMENT, { companyId: tenant.company.id, id: settlement.id });
  const loads: Json[] = read.settlementLoads.nodes.filter(({ state }: Json) => state === 'completed');
  const hauled = sums(
    loads,
    (load) => load.deliveredUnitOfMeasure,
    (load) => load.deliveredQuantity,
  );
  const { delivered_quantities: rows, data } = settlement;
  expect([
    settlement.settlement_id,
    sums(
      rows,
      (row) => row.unit_of_measure,
      (row) => row.delivered,
    ),
  ]).toEqual([settlement.settlement_id, hauled]);
  const texts: string[][] = data.quantities_per_uom.map((text: string) => text.split(' '));
  expect([
    settlement.settlement_id,
    sums(
      texts,
      ([, unit]: Json) => unit,
      ([quantity]: Json) => quantity,
    ),
  ]).toEqual([settlement.settlement_id, hauled]);
}
