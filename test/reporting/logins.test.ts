import { expect, test } from '@jest/globals';
import type pg from 'pg';
import { publishedViews } from '../../src/reporting/views/published-views.ts';
import { settledWork } from '../billing/books.ts';
import { makeStaffedTenant, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { ALL, CHICAGO, loginOf, rowsOf } from './bi-logins.ts';
import { books, scene, signedIn } from './hauled-company.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** The metric over REST, added up by unit, as the views are. */
async function metric(at: StaffedTenant, measure: string): Promise<Record<string, number>> {
  const { body } = await at.http('GET', at.path(`/metrics?measures[]=${measure}`), undefined, at.admin.token);
  return Object.fromEntries(body.data[0].values.map(({ unit, value }: Json) => [unit ?? '', Number(value)]));
}
const summed = async (db: pg.Client, sql: string): Promise<Record<string, number>> =>
  Object.fromEntries((await rowsOf(db, sql)).flatMap(({ unit, value }) => (value === null ? [] : [[unit ?? '', Number(value)]])));

test('whoever may write the table of logins has the owner change no other role', async () => {
  const { at } = await scene();
  const login = await loginOf(at);
  const rename = books.app.orm.em
    .fork()
    .getConnection()
    .execute('update reporting_login set username = ? where id = ?', ['postgres', login.id]);
  await expect(rename).rejects.toThrow(/reporting_login_username_check/);
});

test('a login reads the views of its company, whose sums are the metrics', async () => {
  const { at, first } = await scene();
  const login = await loginOf(at);
  expect(login).toMatchObject({
    name: 'Office dashboard',
    username: expect.stringMatching(/^haulgate_bi_[0-9a-f]{16}$/),
    password: expect.any(String),
    connection: { database: expect.any(String), schema: 'reporting', host: null, port: null },
    permissions: ALL,
    revoked_at: null,
  });
  expect((await at.must('GET', `/v1/reporting_logins/${login.id}`)).password).toBeNull();
  await signedIn(login, async (db) => {
    const plain: [string, string, string, string?][] = [
      ['loads', 'metric_loads', 'loads'],
      ['delivered_quantity', 'metric_loads', 'delivered_quantity', 'unit_of_measure'],
      ['ticketed_quantity', 'metric_loads', 'ticketed_quantity', 'unit_of_measure'],
      ['orders', 'metric_orders', 'orders'],
      ['jobs', 'metric_jobs', 'jobs'],
      ['started_jobs', 'metric_jobs', 'started_jobs'],
      ['jobs_to_approve', 'metric_jobs', 'jobs_to_approve'],
      ['receivable', 'metric_invoices', 'receivable', 'currency'],
      ['driver_payable', 'metric_invoices', 'driver_payable', 'currency'],
      ['payable', 'metric_invoices', 'payable', 'currency'],
      ['margin', 'metric_invoices', 'coalesce(receivable_without_tax, 0) - coalesce(payable_without_tax, 0)', 'currency'],
    ];
    for (const [measure, view, column, unit] of plain) {
      const sql = `select ${unit ?? 'null::text'} as unit, sum(${column}) as value from ${view} group by 1 having ${unit ? `sum(${column}) <> 0` : 'true'}`;
      expect([measure, await summed(db, sql)]).toEqual([measure, await metric(at, measure)]);
    }
    const { hours } = await metric(at, 'job_hours');
    expect(Number((await rowsOf(db, 'select sum(job_hours) as hours from metric_jobs'))[0].hours)).toBe(hours);
    expect(await rowsOf(db, `select day::text, sum(loads)::int as loads from metric_loads group by 1 order by 1`)).toEqual([
      { day: '2026-11-02', loads: 3 },
      { day: '2026-11-03', loads: 2 },
    ]);
    const [order] = await rowsOf(
      db,
      'select o.*, a.name as customer, s.name as pickup from orders o join accounts a on a.id = o.customer_id join sites s on s.id = o.pickup_site_id where o.id = $1',
      [first.order.id],
    );
    expect([order.order_number, order.customer, order.pickup, order.customer_rate_value, order.customer_rate_type]).toEqual([
      first.order.order_id,
      at.account.name,
      at.pickup.name,
      '4.2500',
      'RatePerTon',
    ]);
    const lines = await rowsOf(
      db,
      `select sum(n.total_amount) as total, i.total_amount from invoices i join invoice_lines n on n.invoice_id = i.id
      where i.job_id = $1 and i.side = 'receivable' group by i.total_amount`,
      [first.id],
    );
    expect(lines).toEqual([{ total: lines[0].total_amount, total_amount: lines[0].total_amount }]);
    const drivers = await rowsOf(
      db,
      'select d.first_name from jobs j join drivers d on d.id = j.driver_id join driver_days y on y.id = j.driver_day_id where j.id = $1',
      [first.id],
    );
    expect(drivers).toEqual([{ first_name: 'Dora' }]);
  });
});

test('every view and every column says what it is, and each view can be read', async () => {
  const login = await loginOf(books.tenant);
  const { invoiceId } = await settledWork(books);
  await signedIn(login, async (db) => {
    const said = await rowsOf(
      db,
      `select c.relname as view, obj_description(c.oid, 'pg_class') as about,
        (select count(*)::int from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and col_description(c.oid, a.attnum) is null) as silent
       from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'reporting' and c.relkind = 'v' order by 1`,
    );
    expect(said.map(({ view }) => view)).toEqual(publishedViews.map(({ name }) => name).sort());
    expect(said.filter(({ about, silent }) => !about || silent > 0)).toEqual([]);
    for (const { name } of publishedViews) await db.query(`select * from ${name}`);
    // PostgreSQL notes no reading, so that no view says where somebody was. Sites stand still.
    const places = publishedViews.flatMap(({ name, columns }) =>
      Object.entries(columns).flatMap(([column, { sql }]) =>
        /\b(lat|lon|speed|bearing|location)\b/.test(sql) ? [`${name}.${column}`] : [],
      ),
    );
    expect(places).toEqual(['sites.lat', 'sites.lon']);
    const [settled] = await rowsOf(
      db,
      `select s.settlement_number, s.total_amount from invoices i join settlements s on s.id = i.settlement_id where i.id = $1`,
      [invoiceId],
    );
    expect(settled).toEqual({ settlement_number: expect.stringMatching(/^AR-\d+$/), total_amount: '200.0000' });
  });
});

test('a login without a permission reads null, and no invoices without view_settlements', async () => {
  const { at } = await scene();
  const [plain, customers] = [await loginOf(at, []), await loginOf(at, ['view_settlements', 'view_customer_rates'])];
  await signedIn(plain, async (db) => {
    for (const view of ['invoices', 'invoice_lines', 'settlements', 'metric_invoices', 'metric_imports'])
      expect([view, await rowsOf(db, `select from ${view}`)]).toEqual([view, []]);
    const [rates] = await rowsOf(
      db,
      'select count(customer_rate_value)::int as a, count(driver_rate_value)::int as b, count(customer_rate_type)::int as c from jobs',
    );
    expect(rates).toEqual({ a: 0, b: 0, c: 0 });
    expect((await rowsOf(db, 'select sum(loads)::int as loads from metric_loads'))[0].loads).toBe(5);
  });
  await signedIn(customers, async (db) => {
    const sides = await rowsOf(
      db,
      'select side, count(total_amount)::int as seen, count(rate_value)::int as rates, count(*)::int as all from invoices group by 1 order by 1',
    );
    expect(sides).toEqual([
      { side: 'payable', seen: 0, rates: 0, all: 2 },
      { side: 'receivable', seen: 2, rates: 2, all: 2 },
    ]);
    expect(
      await rowsOf(
        db,
        'select count(l.total_amount)::int as seen from invoice_lines l join invoices i on i.id = l.invoice_id and i.side = $1',
        ['payable'],
      ),
    ).toEqual([{ seen: 0 }]);
    const [margin] = await rowsOf(
      db,
      'select sum(receivable) is not null as known, sum(receivable_without_tax) as margin, sum(driver_payable) as pay from metric_invoices',
    );
    expect(margin).toEqual({ known: true, margin: null, pay: null });
    expect((await rowsOf(db, 'select count(customer_rate_value)::int as a, count(driver_rate_value)::int as b from jobs'))[0]).toEqual({
      a: 2,
      b: 0,
    });
  });
});

test('logins are made by whoever keeps machine clients, with permissions that they have, ten at a time', async () => {
  const at = await makeStaffedTenant(books.app, CHICAGO);
  const create =
    'mutation ($input: CreateReportingLoginInput!) { createReportingLogin(input: $input) { id username password permissions } }';
  const gql = await at.gql(create, { input: { name: 'Board' } });
  expect(gql.data.createReportingLogin).toMatchObject({ password: expect.any(String), permissions: [] });
  const problems = async (body: object) => {
    const { status, body: answer } = await at.http('POST', at.path('/reporting_logins'), body);
    return [status, ...answer.error.errors.map(({ field, message }: Json) => `${field}: ${message}`)];
  };
  expect(await problems({ name: ' ', permissions: ['view_customer_rates', 'edit_order'] })).toEqual([
    422,
    'name: is required',
    expect.stringMatching(/^permissions\.1: is not a permission that a login can have; these are view_settlements/),
  ]);
  expect((await at.dispatcher.http('POST', at.path('/reporting_logins'), { name: 'Mine' })).status).toBe(403);
  const stranger = await makeStaffedTenant(books.app, CHICAGO);
  expect((await stranger.http('PUT', `/v1/reporting_logins/${gql.data.createReportingLogin.id}/renew`)).status).toBe(404);
  for (let i = 1; i < 10; i++) await loginOf(at, []);
  expect(await problems({ name: 'One more' })).toEqual([409, ': are 10 already: revoke one first']);
  expect(await at.must('GET', at.path('/reporting_logins'))).toHaveLength(10);
  const log = await at.must('GET', `/v1/audit_entries?filter[subject_id]=${gql.data.createReportingLogin.id}`, undefined, at.admin.token);
  expect(JSON.stringify(log)).not.toContain(gql.data.createReportingLogin.password);
});
