import { expect, test } from '@jest/globals';
import { isSandbox } from '../../src/platform/worlds/sandbox-ids.ts';
import { deleteSandboxes } from '../../src/sandbox/delete-sandboxes.ts';
import { freePhones } from '../../src/sandbox/sandboxes.ts';
import { companyInput, makeTenant } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';
import { made, makeSandbox, openSandboxes, other, receiving } from './sandboxes-scene.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;
const fail = (error: unknown) => {
  throw error;
};
const DAY = 86_400;

openSandboxes();

test('one call makes a company with work in it; its keys are shown once, and say what is not real', async () => {
  const { tenant, app } = receiving;
  const { sandbox, send, must, gql } = made;
  expect(sandbox).toMatchObject({
    sandbox: true,
    name: 'Trial',
    day: 1,
    client_id: expect.stringMatching(/^hg_/),
    client_secret: expect.any(String),
  });
  expect(Math.abs(Date.parse(sandbox.ends_at) - Date.now() - 30 * DAY * 1000)).toBeLessThan(600_000);
  expect(isSandbox(sandbox.id)).toBe(true);
  expect(await tenant.must('GET', `/v1/sandboxes/${sandbox.id}`)).toMatchObject({ id: sandbox.id, password: null, client_secret: null });
  const nameless = await tenant.http('POST', '/v1/sandboxes', { name: ' ' });
  expect([nameless.status, nameless.body.error.errors]).toEqual([422, [{ model: 'Sandbox', field: 'name', message: 'is required' }]]);
  // Some of the work is billed, by the commands of the product.
  const billed = (await gql('{ settlements(first: 50) { nodes { side state totalAmount } } fuelSurchargeSchedules { nodes { name } } }'))
    .data;
  expect(billed.settlements.nodes.map((one: Json) => `${one.side} ${one.state}`).sort()).toEqual([
    ...['payable pending', 'receivable approved', 'receivable pending'],
  ]);
  expect(billed.settlements.nodes.filter(({ totalAmount }: Json) => !(Number(totalAmount) > 0))).toEqual([]);
  expect(billed.fuelSurchargeSchedules.nodes).toEqual([{ name: 'Standard surcharge' }]);
  const { invoices } = (await gql('{ invoices(first: 100) { nodes { state } } }')).data;
  expect(new Set(invoices.nodes.map(({ state }: Json) => state))).toContain('approved');
  const { nodes } = (await gql('{ orders(first: 30) { nodes { state } } }')).data.orders;
  expect(nodes.length).toBeGreaterThan(20);
  expect((await send('GET', '/v1/orders')).headers.get('x-sandbox')).toBe('true');
  expect((await tenant.http('GET', '/v1/orders')).headers.get('x-sandbox')).toBeNull();
  expect(await gql('{ currentSandbox { id day sandbox } company { legalName sandbox } }')).toEqual({
    data: { currentSandbox: { id: sandbox.id, day: 1, sandbox: true }, company: { legalName: 'Trial', sandbox: true } },
  });
  expect((await tenant.gql('{ currentSandbox { id } company { sandbox } }')).data).toEqual({
    currentSandbox: null,
    company: { sandbox: false },
  });
  const signedIn = await app.http('POST', '/v1/auth/login', { body: { email: sandbox.administrator, password: sandbox.password } });
  expect(signedIn.status).toBeLessThan(300);
  expect((await must('GET', '/v1/sandboxes')).map(({ id }: Json) => id)).toEqual([sandbox.id]);
  // Telephone numbers that somebody has are drawn no second time.
  const [{ phone } = { phone: '' }] = await app.orm.em.execute<{ phone: string }[]>(
    "select min(phone) as phone from app_user where company_id = ? and phone like '+1999%'",
    [sandbox.id],
  );
  const draws = [phone.slice(5, 10), '99999'].map(Number);
  expect(await app.productOrm.em.fork().transactional((em) => freePhones({ em: em as never }, () => draws.shift()!))).toBe('+199999999');
});

test('whatever is written for a company does not wait for the work of its sandbox', async () => {
  const { app } = receiving;
  let over = false;
  const making = makeSandbox(other, 'Slow').finally(() => (over = true));
  const held = `select exists (select from pg_locks where locktype = 'advisory' and objsubid = 1
      and (classid::bigint << 32 | objid::bigint) = hashtextextended('haulgate:sandboxes:' || id, 0)) as held
    from company where id = ? for key share nowait`;
  await until(async () => {
    // As every row does that refers to it.
    const [row] = await app.orm.em.execute<{ held: boolean }[]>(held, [other.company.id]);
    expect(over).toBe(false);
    return row!.held;
  });
  await making;
});

test('the list of one company has none of the others of its family', async () => {
  const { tenant } = receiving;
  const { sandbox, must, send } = made;
  const child = await tenant.must('POST', '/v1/companies', companyInput({ parent_company_id: tenant.company.id }));
  const listed = async (path: string) => (await tenant.must('GET', path)).map(({ id }: Json) => id);
  expect(await listed(tenant.path('/sandboxes'))).toEqual([sandbox.id]);
  expect(await listed(`/v1/companies/${child.id}/sandboxes`)).toEqual([]);
  expect((await tenant.http('GET', `/v1/companies/${other.company.id}/sandboxes`)).status).toBe(404);
  expect((await must('GET', `/v1/companies/${sandbox.id}/sandboxes`)).map(({ id }: Json) => id)).toEqual([sandbox.id]);
  expect((await send('GET', `/v1/companies/${tenant.company.id}/sandboxes`)).status).toBe(404);
});

test('it is nobody else’s, and not among real companies', async () => {
  const { tenant, app } = receiving;
  const { sandbox, send, gql } = made;
  for (const [method, path, body] of [
    ['GET', `/v1/sandboxes/${sandbox.id}`],
    ['PATCH', `/v1/sandboxes/${sandbox.id}`, { seconds: 1 }],
    ['DELETE', `/v1/sandboxes/${sandbox.id}`],
  ] as const)
    expect([method, (await other.http(method, path, body)).status]).toEqual([method, 404]);
  const driver = await tenant.driver.http('GET', `/v1/sandboxes/${sandbox.id}`);
  expect(driver.status).toBe(403);
  expect((await tenant.gql('query ($id: ID!) { order(id: $id) { id } }', { id: sandbox.id })).errors[0].extensions.code).toBe(
    'object_not_found',
  );
  expect((await tenant.http('GET', `/v1/companies/${sandbox.id}/orders`)).status).toBe(404);
  // Neither finds the other.
  const [{ platform_id: itsId } = { platform_id: '' }] = await app.orm.em.execute<{ platform_id: string }[]>(
    'select platform_id from company where id = ?',
    [sandbox.id],
  );
  const find = 'query ($id: String!) { companyByPlatformId(platformId: $id) { id } }';
  expect((await tenant.gql(find, { id: itsId })).errors[0].extensions.code).toBe('object_not_found');
  expect((await gql(find, { id: tenant.company.platformId })).errors[0].extensions.code).toBe('object_not_found');
  // The database refuses it, whoever tries.
  await expect(
    app.orm.em.execute('update account set connected_company_id = ? where id = ?', [sandbox.id, tenant.account.id]),
  ).rejects.toThrow('account_world_check');
  await expect(
    app.orm.em.execute('update company set parent_company_id = ? where id = ?', [tenant.company.id, sandbox.id]),
  ).rejects.toThrow('company_world_check');
  // Whoever administers the platform sees real companies only, and nobody does from within.
  const platform = await tenant.person({ roles: ['platform_admin'] });
  expect((await platform.gql('query ($id: ID!) { company(id: $id) { id } }', { id: sandbox.id })).errors[0].extensions.code).toBe(
    'object_not_found',
  );
  await app.orm.em.execute("update app_user set roles = '{company_admin,platform_admin}' where match_email = fold_text(?)", [
    sandbox.administrator,
  ]);
  const { body } = await app.http('POST', '/v1/auth/login', { body: { email: sandbox.administrator, password: sandbox.password } });
  const seen = await app.graphql('{ companies(first: 50) { nodes { id } } }', {}, { token: body.data.session_jwt });
  const companies: string[] = seen.body.data.companies.nodes.map(({ id }: Json) => id);
  expect(companies).toContain(sandbox.id);
  expect(companies.filter((id) => !isSandbox(id))).toEqual([]);
  const within = await send('POST', '/v1/sandboxes', { name: 'Within' });
  expect([within.status, within.body.error.items?.[0]?.key ?? JSON.stringify(within.body)]).toEqual([
    422,
    expect.stringContaining('sandbox'),
  ]);
});

test('a company has three at a time; one that ends is gone without a row', async () => {
  const { tenant, app } = receiving;
  const mine = await makeTenant(app);
  const first = await makeSandbox(mine, 'One');
  await app.settled();
  const ids = (
    await app.orm.em.execute<{ id: string }[]>('select id from company where world_of(id) = world_of(?::uuid)', [first.sandbox.id])
  ).map(({ id }) => id);
  expect(ids).toHaveLength(3);
  const rows = async () => {
    const tables = await app.orm.em.execute<{ name: string }[]>(
      "select c.relname as name from pg_class c where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace",
    );
    const left: Record<string, number> = {};
    for (const { name } of tables) {
      const [{ count } = { count: 0 }] = await app.orm.em.execute<{ count: number }[]>(
        `select count(*)::int as count from "${name}" t where t::text ~ '${ids.join('|')}|${first.sandbox.id.slice(26)}'`,
      );
      if (count > 0) left[name] = count;
    }
    return left;
  };
  const [driver] = await app.orm.em.execute<{ id: string }[]>(`select user_id as id from location_history where company_id = ? limit 1`, [
    first.sandbox.id,
  ]);
  const before = await rows();
  expect(Object.keys(before).length).toBeGreaterThan(30);
  await app.orm.em.execute(
    `insert into sandbox (id, company_id, name, administrator, client_id, ends_at)
     select overlay(gen_random_uuid()::text placing '8' from 15)::uuid, ?, 'More', 'a@b.example', 'hg', now() + interval '1 day' from generate_series(1, 2)`,
    [mine.company.id],
  );
  const fourth = await mine.http('POST', '/v1/sandboxes', { name: 'Four' });
  expect([fourth.status, JSON.stringify(fourth.body)]).toEqual([409, expect.stringContaining('3')]);
  expect((await mine.http('DELETE', `/v1/sandboxes/${first.sandbox.id}`)).status).toBe(204);
  expect((await first.send('GET', '/v1/orders')).status).toBe(401);
  // Nothing of others goes with it, and its batches are small.
  const counts = async () =>
    (await app.orm.em.execute<{ n: number }[]>('select count(*)::int as n from orders where not is_sandbox(company_id)'))[0]!.n;
  const real = await counts();
  expect(await deleteSandboxes(app.productOrm.em, fail, 500)).toBe(0);
  expect(await mine.must('GET', '/v1/sandboxes')).toHaveLength(2);
  // A request that was still running writes a row that no foreign key refuses. An hour later it is deleted, too.
  await app.orm.em.execute(`insert into company_counter (company_id, kind, value) values (?, 'order', 1)`, [first.sandbox.id]);
  expect(await deleteSandboxes(app.productOrm.em, fail)).toBe(0);
  // Also a position of somebody who is deleted already.
  await app.orm.em.execute(
    `insert into location_history (id, company_id, user_id, device_id, occurred_at, lat, lon) values (gen_random_uuid(), ?, ?, 'late', now(), 30, -97)`,
    [first.sandbox.id, driver!.id],
  );
  await app.orm.em.execute(`update sandbox set emptied_at = now() - interval '1 hour' where id = ?`, [first.sandbox.id]);
  expect(await deleteSandboxes(app.productOrm.em, fail)).toBe(1);
  expect(await counts()).toBe(real);
  const left = await rows();
  // The company that made it remembers that it did.
  expect(Object.keys(left).filter((name) => !['audit_entry', 'outbox_event', 'change_entry', 'change_pending'].includes(name))).toEqual([]);
  expect(await mine.must('GET', '/v1/sandboxes')).toHaveLength(2);
  expect((await made.send('GET', '/v1/orders')).status).toBe(200);
  expect((await tenant.http('GET', '/v1/orders')).status).toBe(200);
});

/** Tables of which every row is looked at: master data, some rows for an order or a day, and queues that are empty soon. None grows with loads and positions. */
const READ_WHOLE = [
  ...['accounting_setup', 'add_on_charge', 'address', 'auto_add_on_assignment', 'bulk_download', 'change_pending', 'company_settings'],
  ...['compliance_document', 'compliance_document_type', 'contact', 'default_site', 'fence_progress', 'fuel_price'],
  ...['fuel_surcharge_schedule_price', 'geofence', 'one_time_secret', 'outgoing_message', 'phase', 'photo_link', 'position_task'],
  ...['project_material', 'resource_usage_log', 'routing_geofence', 'scheduled_time_off', 'signature', 'sso_ticket'],
  ...['ticket_chase_reminder', 'travelled_distance'],
];

test('what is deleted is found without reading the work of everybody else', async () => {
  const { app } = receiving;
  const parts = await app.orm.em.execute<{ name: string; condition: string }[]>(
    'select name, condition from parts_of_sandbox() where not named',
  );
  const { id } = made.sandbox;
  const whole: string[] = [];
  await app.orm.em.fork().transactional(async (em) => {
    // A statement with an index that can find its rows uses it, however few there are.
    await em.execute('set local enable_seqscan = off');
    for (const { name, condition } of parts) {
      const sql = condition.replaceAll('$1', `array['${id}']::uuid[]`).replaceAll('$2', `array['${id}']::uuid[]`);
      const plan = await em.execute<Record<string, string>[]>(`explain select ctid from only ${name} where ${sql} limit 500`);
      if (plan.some((line) => new RegExp(`Seq Scan on ${name}\\b`).test(line['QUERY PLAN']!))) whole.push(name);
    }
  });
  expect(parts.map(({ name }) => name)).toEqual(expect.arrayContaining(['outbox_event', 'job_event', 'credential']));
  expect(whole.sort()).toEqual(READ_WHOLE);
});
