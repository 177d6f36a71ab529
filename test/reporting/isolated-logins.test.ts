import { expect, test } from '@jest/globals';
import { ticketed } from '../billing/books.ts';
import { jobOfChain, makeChain, ONE_LOAD, readyJob } from '../helpers/staffed-tenant.ts';
import { CHICAGO, loginOf, rowsOf } from './bi-logins.ts';
import { books, RATES, scene, signedIn } from './hauled-company.ts';

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
    // A condition that would reveal rows before they are hidden.
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
      'select reporting.make_login(gen_random_uuid(), $$x$$, true)',
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
    // The questions of others, and statistics of tables, are not shown.
    const seen = await rowsOf(
      db,
      `select query from pg_stat_activity where usename <> current_user and query not in ('', '<insufficient privilege>')`,
    );
    expect(seen).toEqual([]);
    expect(await rowsOf(db, `select from pg_stats where schemaname = 'public'`)).toEqual([]);
  });
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
