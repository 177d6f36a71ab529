import { expect, test } from '@jest/globals';
import pg from 'pg';
import { withdrawPublished } from '../../src/platform/database/published.ts';
import { watchReportingLogins } from '../../src/reporting/logins/login-roles.ts';
import { publishedViews } from '../../src/reporting/views/published-views.ts';
import { hauled, M10, makeBooks, settledWork, ticketed } from '../billing/books.ts';
import { jobOfChain, makeChain, makeStaffedTenant, ONE_LOAD, readyJob, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { until } from '../helpers/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const CHICAGO = { timeZone: 'America/Chicago', currency: 'USD' };
const ALL = ['view_settlements', 'view_customer_rates', 'view_vendor_rates', 'view_driver_rates', 'view_imports'];

/** A login of the company, made over REST. */
const loginOf = (at: StaffedTenant, permissions: string[] = ALL): Promise<Json> =>
  at.must('POST', at.path('/reporting_logins'), { name: 'Office dashboard', permissions });

async function signedIn<T>({ username, password }: Json, work: (db: pg.Client) => Promise<T>, options?: string): Promise<T> {
  const url = new URL(books.app.orm.config.get('clientUrl')!);
  Object.assign(url, { username, password });
  const db = new pg.Client({ connectionString: url.href, options });
  // The test is told by the statement that a session was ended.
  db.on('error', () => {});
  await db.connect();
  try {
    return await work(db);
  } finally {
    await db.end().catch(() => {});
  }
}
const rowsOf = async (db: pg.Client, sql: string, values: unknown[] = []): Promise<Json[]> => (await db.query(sql, values)).rows;

const RATES = { customer_rate_value: 4.25, customer_rate_type: 'RatePerTon', driver_rate_value: 2, driver_rate_type: 'RatePerTon' };

/** A company that hauled M10 and nine tons on two days, and seven yards. */
async function haul() {
  const at = await makeStaffedTenant(books.app, CHICAGO);
  const first = await hauled(books, M10, { at, order: { ...RATES, load_at: '2026-11-02T13:00:00Z' } });
  const second = await hauled(books, ['9', null], { at, order: { ...RATES, load_at: '2026-11-04T05:30:00Z' } });
  await at.must('PATCH', `/v1/loads/${second.loads[1].id}`, { quantity: 7, unit_of_measure: 'Yard' });
  await books.app.settled();
  return { at, first, second };
}
let made: ReturnType<typeof haul> | undefined;
/** The same for every test, because none changes it. */
const scene = () => (made ??= haul());

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

test('a login sees no other company, whatever it sets and whatever it calls', async () => {
  const { at } = await scene();
  const stranger = await readyJob(books.tenant, RATES);
  const login = await loginOf(at);
  const mine = at.company.id;
  await signedIn(login, async (db) => {
    const owners = async (): Promise<string[]> => {
      const found = new Set<string>();
      for (const [view, key, table] of [
        ['orders', 'id', 'orders'],
        ['jobs', 'id', 'job'],
        ['loads', 'id', 'load'],
        ['tickets', 'id', 'ticket'],
        ['invoices', 'id', 'invoice'],
        ['invoice_lines', 'id', 'invoice_line_item'],
        ['accounts', 'id', 'account'],
        ['sites', 'id', 'site'],
        ['materials', 'id', 'material'],
        ['drivers', 'id', 'app_user'],
        ['equipment', 'id', 'equipment'],
        ['driver_days', 'id', 'driver_day'],
        ['metric_loads', 'load_id', 'load'],
        ['metric_jobs', 'job_id', 'job'],
        ['metric_orders', 'order_id', 'orders'],
        ['metric_invoices', 'invoice_id', 'invoice'],
      ] as const) {
        const ids = (await rowsOf(db, `select ${key} as id from reporting.${view}`)).map(({ id }) => id);
        if (view !== 'equipment') expect([view, ids.length > 0]).toEqual([view, true]);
        const rows = await books.app.orm.em
          .fork()
          .execute<{ company_id: string }[]>(`select distinct company_id from "${table}" where id = any(?::uuid[])`, [`{${ids.join()}}`]);
        for (const row of rows) found.add(row.company_id);
      }
      return [...found];
    };
    expect(await owners()).toEqual([mine]);
    // The setting by which the product says whose rows it reads is nothing here.
    await db.query(`set app.company_ids = '{${books.tenant.company.id}}'`);
    await db.query(`select set_config('app.work', 'on', false)`);
    await db.query(`set search_path = public, reporting`);
    expect(await owners()).toEqual([mine]);
    // A condition that would tell of rows before they are hidden.
    await db.query('set search_path = reporting');
    await expect(
      db.query('select 1 / (case when company_id = $1 then 0 else 1 end) from metric_loads', [books.tenant.company.id]),
    ).resolves.toBeDefined();
    expect(await rowsOf(db, 'select from orders where id = $1', [stranger.order.id])).toEqual([]);
    for (const statement of [
      'select * from public.orders',
      'select from public.company',
      'select * from public.reporting_login',
      'select * from public.audit_entry',
      'set role haulgate_app',
      'set role haulgate_reporting',
      'set role haulgate_reporting_logins',
      'reset role; select * from public.orders',
      `set session authorization ${new URL(books.app.orm.config.get('clientUrl')!).username}`,
      'select reporting.make_login(gen_random_uuid(), $$x$$)',
      'select reporting.watch_logins()',
      'select public.end_session(1)',
      'select public.drop_position_months(now())',
      'select public.move_changes(1)',
      'select public.parent_companies()',
      'select * from public.policy_subcontracted_orders()',
      'create table public.mine (id int)',
      'create view reporting.mine as select 1 as one',
      'create schema mine',
      'create temporary table mine (id int)',
      'create role more',
      'alter view reporting.orders set (security_barrier = false)',
      'drop view reporting.orders',
      `copy (select 1) to program 'true'`,
      `copy (select 1) to '/tmp/haulgate-bi'`,
      `select pg_read_file('postgresql.conf')`,
      'select pg_terminate_backend(pid) from pg_stat_activity where usename <> current_user',
      'select rolpassword from pg_authid',
    ]) {
      const { code } = await db.query(statement).then(
        () => ({ code: 'done' }),
        (error) => error as { code: string },
      );
      expect([statement, ['42501', '22023', '25006'].includes(code!)]).toEqual([statement, true]);
    }
    // What others ask, and statistics of tables, are not shown.
    const seen = await rowsOf(
      db,
      `select query from pg_stat_activity where usename <> current_user and query not in ('', '<insufficient privilege>')`,
    );
    expect(seen).toEqual([]);
    expect(await rowsOf(db, `select from pg_stats where schemaname = 'public'`)).toEqual([]);
  });
});

test('a login only reads; what it can lift of that gives it nothing to write', async () => {
  const login = await loginOf(books.tenant);
  await signedIn(login, async (db) => {
    expect(
      await rowsOf(
        db,
        `select current_setting('statement_timeout') as time, current_setting('default_transaction_read_only') as only, current_setting('search_path') as path`,
      ),
    ).toEqual([{ time: '1min', only: 'on', path: 'reporting' }]);
    await expect(db.query('update sites set name = name')).rejects.toMatchObject({ code: '42501' });
    await expect(db.query('select lo_create(0)')).rejects.toMatchObject({ code: expect.stringMatching(/42501|25006/) });
    await db.query('set default_transaction_read_only = off');
    for (const statement of [
      'update reporting.sites set name = name',
      'insert into sites (id) values (gen_random_uuid())',
      'delete from reporting.drivers',
      'create temporary table mine (id int)',
      'select lo_create(0)',
      `select lo_from_bytea(0, 'x')`,
    ])
      await expect(db.query(statement)).rejects.toMatchObject({ code: expect.stringMatching(/42501|55000/) });
  });
  // More sessions than a login may have at a time.
  const open = await Promise.allSettled(Array.from({ length: 7 }, () => signedIn(login, (db) => db.query('select pg_sleep(0.5)'))));
  expect(open.filter(({ status }) => status === 'rejected').length).toBeGreaterThanOrEqual(2);
});

test('the watch ends sessions that lift their limits or hold locks of the product, and those alone', async () => {
  const login = await loginOf(books.tenant);
  const em = books.app.productOrm.em;
  await signedIn(login, async (db) => {
    await watchReportingLogins(em);
    await db.query('select 1');
    await db.query(`select pg_advisory_lock(hashtext('haulgate:migrate'))`);
    expect(await watchReportingLogins(em)).toBeGreaterThanOrEqual(1);
    await expect(db.query('select 1')).rejects.toThrow();
  });
});

test('a renewed password ends the old one and its sessions; a revoked login opens none, and its role is gone', async () => {
  const { tenant: at } = books;
  const login = await loginOf(at);
  await signedIn(login, async (db) => {
    const renewed = await at.must('PUT', `/v1/reporting_logins/${login.id}/renew`);
    expect(renewed.password).not.toBe(login.password);
    await until(async () =>
      db.query('select 1').then(
        () => false,
        () => true,
      ),
    );
    await expect(signedIn(login, (again) => again.query('select 1'))).rejects.toMatchObject({ code: '28P01' });
    await signedIn({ ...login, password: renewed.password }, async (again) => {
      expect(await rowsOf(again, 'select from sites limit 1')).toHaveLength(1);
      expect((await at.http('DELETE', `/v1/reporting_logins/${login.id}`)).status).toBe(204);
      await until(async () =>
        again.query('select 1').then(
          () => false,
          () => true,
        ),
      );
    });
    await expect(signedIn({ ...login, password: renewed.password }, (again) => again.query('select 1'))).rejects.toMatchObject({
      code: expect.stringMatching(/28P01|28000/),
    });
  });
  await until(async () => {
    await watchReportingLogins(books.app.productOrm.em);
    return (await books.app.orm.em.fork().execute<object[]>('select from pg_roles where rolname = ?', [login.username])).length === 0;
  });
  expect((await at.must('GET', `/v1/reporting_logins/${login.id}`)).revoked_at).not.toBeNull();
  expect((await at.http('PUT', `/v1/reporting_logins/${login.id}/renew`)).status).toBe(409);
  expect((await at.http('DELETE', `/v1/reporting_logins/${login.id}`)).status).toBe(204);
});

test('a login of a company that was discarded reads nothing, and its sessions end', async () => {
  const at = await makeStaffedTenant(books.app, CHICAGO);
  const login = await loginOf(at);
  await signedIn(login, async (db) => {
    expect(await rowsOf(db, 'select from sites limit 1')).toHaveLength(1);
    await books.app.orm.em.fork().execute('update company set discarded_at = now() where id = ?', [at.company.id]);
    expect(await rowsOf(db, 'select from sites limit 1')).toEqual([]);
    await watchReportingLogins(books.app.productOrm.em);
    await expect(db.query('select 1')).rejects.toThrow();
  });
  await watchReportingLogins(books.app.productOrm.em);
  await expect(signedIn(login, (db) => db.query('select 1'))).rejects.toMatchObject({ code: '28000' });
});

test('work that was passed on is counted by both sides, and its records stay with the owner', async () => {
  const chain = await makeChain(books.app, CHICAGO);
  const { owner, middle } = chain;
  const { id, go } = await jobOfChain(chain);
  for (const event of ONE_LOAD) await go(event);
  await go('complete');
  const [load] = await owner.must('GET', `/v1/jobs/${id}/loads`);
  await ticketed(owner, load, '23.21');
  for (const each of [owner, middle])
    await signedIn(await loginOf(each), async (db) => {
      const [counted] = await rowsOf(
        db,
        'select sum(loads)::int as loads, sum(ticketed_quantity) as tons, count(customer_id)::int as customers, count(pickup_site_id)::int as sites from metric_loads',
      );
      expect(counted).toEqual({ loads: 1, tons: '23.2100', customers: each === owner ? 1 : 0, sites: 1 });
      expect(await rowsOf(db, 'select from loads')).toHaveLength(each === owner ? 1 : 0);
      expect((await rowsOf(db, 'select sum(started_jobs)::int as started from metric_jobs'))[0].started).toBe(1);
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

test('views of others that hang on ours are not removed with them', async () => {
  const em = books.app.orm.em.fork();
  await em.execute('create view public.of_the_operator as select name from reporting.sites');
  await expect(withdrawPublished(books.app.orm.em.fork())).rejects.toThrow(/views of its schema reporting.*drop them, start again/);
  await em.execute('drop view public.of_the_operator');
  await signedIn(await loginOf(books.tenant, []), async (db) => void (await db.query('select from sites')));
});

test('where the owner of the tables may make no roles, the answer says what to grant', async () => {
  const em = books.app.orm.em.fork();
  const before = await books.tenant.must('GET', books.tenant.path('/reporting_logins'));
  // As it is where the start could not make it.
  await em.execute('alter function reporting.make_login(uuid, text) rename to absent');
  try {
    const { status, body } = await books.tenant.http('POST', books.tenant.path('/reporting_logins'), { name: 'Board' });
    expect([status, body.error.errors[0].message]).toEqual([409, expect.stringMatching(/may not create roles: grant it CREATEROLE/)]);
  } finally {
    await em.execute('alter function reporting.absent(uuid, text) rename to make_login');
  }
  expect(await books.tenant.must('GET', books.tenant.path('/reporting_logins'))).toHaveLength(before.length);
});
