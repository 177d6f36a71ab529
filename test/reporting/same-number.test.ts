import { expect, test } from '@jest/globals';
import { localDate, localToInstant } from '../../src/platform/time.ts';
import { approveLoads, hauled, invoiceOf, M10, makeBooks } from '../billing/books.ts';
import { makeStaffedTenant } from '../helpers/staffed-tenant.ts';
import { CHICAGO, loginOf, rowsOf, signerIn } from './bi-logins.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const signedIn = signerIn(books);
const RATES = { customer_rate_value: 4.25, customer_rate_type: 'RatePerTon', driver_rate_value: 2, driver_rate_type: 'RatePerTon' };
const DAY = 86_400_000;

/** The days of last week where the company is, from Monday to Sunday, and those next to them. */
function lastWeek(): { monday: string; sunday: string; before: string; after: string } {
  const today = localDate(new Date(), CHICAGO.timeZone);
  const noon = Date.parse(`${today}T12:00:00Z`);
  const weekday = new Date(noon).getUTCDay() || 7;
  const day = (n: number) => new Date(noon + (n - weekday - 6) * DAY).toISOString().slice(0, 10);
  return { monday: day(0), sunday: day(6), before: day(-1), after: day(7) };
}

test("last week's tons are the same number in GraphQL, REST, CSV, the SQL view, the page of a report, and the settlement", async () => {
  const at = await makeStaffedTenant(books.app, CHICAGO);
  const { admin } = at;
  const { monday, sunday, before, after } = lastWeek();
  // At eleven in the evening of Sunday it is Monday in UTC already.
  const haul = (day: string, time: string, tons: string[]) =>
    hauled(books, tons, { at, order: { ...RATES, load_at: localToInstant(`${day}T${time}`, CHICAGO.timeZone)!.toISOString() } });
  const first = await haul(monday, '07:00', M10);
  const last = await haul(sunday, '23:00', ['9.13']);
  await haul(before, '07:00', ['31']);
  await haul(after, '00:30', ['32']);
  const tons = '77.8';

  const invoices: string[] = [];
  for (const job of [first, last]) {
    await approveLoads({ ...admin, path: at.path } as never, job);
    const { id } = await invoiceOf(books, job.id, 'receivable', admin as never);
    await admin.must('PUT', at.path(`/invoices/${id}/approve`));
    invoices.push(id);
  }
  const settlement = await admin.must('POST', at.path('/settlements'), { invoice_ids: invoices });

  const filter = { startDate: monday, endDate: sunday };
  const query = `query ($filter: MetricFilter) { metrics(measures: [delivered_quantity, ticketed_quantity], groupBy: [week], filter: $filter) {
    nodes { keys { value } values { measure unit value } } } }`;
  const { body } = await books.app.graphql(query, { filter }, admin);
  const ofGraphql: Json[] = body.data.metrics.nodes;
  const path = at.path(`/metrics?measures[]=delivered_quantity&group_by[]=week&filter[start_date]=${monday}&filter[end_date]=${sunday}`);
  const ofRest: Json[] = await admin.must('GET', path);
  const csv = await books.app.http('GET', path, { token: admin.token, headers: { Accept: 'text/csv' } });
  const [head, ...lines] = String(csv.body).replace('\uFEFF', '').trim().split(/\r?\n/);
  const inView = await signedIn(await loginOf(at), (db) =>
    rowsOf(
      db,
      'select unit_of_measure as unit, sum(delivered_quantity)::text as value from reporting.metric_loads where day between $1 and $2 group by 1',
      [monday, sunday],
    ),
  );
  const category = await admin.must('POST', at.path('/report_categories'), { name: 'Weeks' });
  const input = { name: 'Tons', dashboardId: 'custom', reportCategoryId: category.id };
  const definition = { measures: ['delivered_quantity'], groupBy: ['week'], period: 'last_30_days', chart: 'bar' };
  const create = 'mutation ($input: CreateReportInput!) { createReport(input: $input) { id } }';
  const made = await books.app.graphql(create, { input: { ...input, definition } }, admin);
  const link = new URL((await admin.must('GET', `/v1/reports/${made.body.data.createReport.id}`)).dashboard_url);
  const opened = (what: string) =>
    books.app.http(
      'GET',
      `/v1/report_pages/${link.searchParams.get('report')}${what}?signature=${link.searchParams.get('signature')}&from=${monday}&to=${sunday}`,
    );
  const [page, sheet] = [await opened(''), await opened('/csv')];

  const value = { measure: 'delivered_quantity', unit: 'Ton', value: tons };
  const group = { keys: [{ dimension: 'week', value: monday, label: null }], values: [value] };
  expect({
    graphql: ofGraphql,
    rest: ofRest,
    csv: [head, lines],
    view: inView.map(({ unit, value: sum }) => [unit, Number(sum)]),
    page: [page.body.data.groups, page.body.data.totals],
    sheet: String(sheet.body).replace('\uFEFF', '').trim().split(/\r?\n/),
    settlement: [
      settlement.data.quantities_per_uom,
      settlement.delivered_quantities.map(({ delivered, unit_of_measure }: Json) => [delivered, unit_of_measure]),
    ],
  }).toEqual({
    // Tickets prove all of it.
    graphql: [{ keys: [{ value: monday }], values: [value, { ...value, measure: 'ticketed_quantity' }] }],
    rest: [group],
    csv: ['week,week_label,measure,unit,value', [`${monday},,delivered_quantity,Ton,${tons}`]],
    view: [['Ton', Number(tons)]],
    page: [[group], [value]],
    sheet: ['week,delivered_quantity (Ton)', `${monday},${tons}`],
    settlement: [[`${tons} Ton`], [[tons, 'Ton']]],
  });
  // And it is what is owed for.
  expect(Number(settlement.total_amount)).toBe(Math.round(Number(tons) * 425) / 100);
});
