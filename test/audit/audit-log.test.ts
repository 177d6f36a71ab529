import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { parse } from 'csv-parse/sync';
import { Company } from '../../src/directory/companies/company.entity.ts';
import { writeRecords } from '../../src/platform/commands/records.ts';
import { APP_ROLE, grantToApp } from '../../src/platform/database/roles.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import { newId } from '../../src/platform/ids.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
let admin: Awaited<ReturnType<Tenant['person']>>;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  admin = await tenant.person({ roles: ['company_admin'], firstName: 'Ann', lastName: 'Boss' });
});
afterAll(() => app.close());

const list = (query: string, as = admin.token) => tenant.must('GET', `/v1/audit_entries?${query}`, undefined, as);

/** A thousand entries at once, of nobody in particular. */
async function fill(
  of: Tenant,
  count: number,
  changes: (at: number) => Record<string, [unknown, unknown]> = (at) => ({ notes: [at, at + 1] }),
) {
  const em = app.orm.em.fork();
  await em.transactional((tx) =>
    writeRecords(
      tx as never,
      {
        events: [],
        transitions: [],
        audits: Array.from({ length: count }, (_, at) => ({
          event: 'update',
          type: 'Order',
          id: newId(),
          companyId: of.company.id,
          changes: changes(at),
        })),
      },
      { actor: { type: 'M2MClient', id: newId(), name: 'Filler' }, requestId: newId(), now: new Date() },
    ),
  );
}

test('the log says who changed what, with both values, in which company and which request', async () => {
  const order = await makeOrder(tenant);
  const answer = await app.http('PATCH', `/v1/orders/${order.id}`, { token: admin.token, body: { zone: 'North' } });
  const [entry] = await list(`filter[subject_type]=Order&filter[subject_id]=${order.id}&filter[events][]=update`);
  expect(entry).toEqual({
    id: expect.any(String),
    company_id: tenant.company.id,
    subject_type: 'Order',
    subject_id: order.id,
    event: 'update',
    object_changes: { zone: [null, 'North'] },
    created_by: { type: 'User', id: admin.user.id, name: 'Ann Boss' },
    real_actor: null,
    request_id: answer.headers.get('x-request-id'),
    created_at: expect.stringMatching(/Z$/),
  });
  const { data } = await tenant.gql(
    `query($filter: AuditFilter) { auditEntries(filter: $filter, first: 5) { nodes { event objectChanges createdBy { name } } } }`,
    { filter: { requestId: entry.request_id } },
    admin.token,
  );
  expect(data.auditEntries.nodes).toEqual([{ event: 'update', objectChanges: { zone: [null, 'North'] }, createdBy: { name: 'Ann Boss' } }]);
});

test("a client that sends another one's request id is distinguished from it in the log", async () => {
  const order = await makeOrder(tenant);
  const change = (zone: string, headers: Record<string, string>) =>
    app.http('PATCH', `/v1/orders/${order.id}`, { token: admin.token, body: { zone }, headers });
  const first = (await change('East', {})).headers.get('x-request-id')!;
  const second = await change('West', { 'X-Request-Id': first });
  expect([second.status, second.headers.get('x-client-request-id')]).toEqual([200, first]);
  const entries = await list(`filter[subject_type]=Order&filter[subject_id]=${order.id}&filter[events][]=update`);
  expect(entries.map((one: Json) => [one.object_changes.zone[1], one.request_id])).toEqual([
    ['West', second.headers.get('x-request-id')],
    ['East', first],
  ]);
  expect(second.headers.get('x-request-id')).not.toBe(first);
});

test('filters by actor, event and time narrow the log, pages follow each other without gaps', async () => {
  const own = await makeTenant(app);
  const boss = await own.person({ roles: ['company_admin'] });
  const order = await makeOrder(own);
  for (const zone of ['A', 'B', 'C']) await own.must('PATCH', `/v1/orders/${order.id}`, { zone }, boss.token);
  await own.must('PATCH', `/v1/orders/${order.id}`, { zone: 'D' });
  const all = await list('page[limit]=100', boss.token);
  const mine = await list(`filter[actor_id]=${boss.user.id}`, boss.token);
  expect(mine.map((one: Json) => one.object_changes.zone[1])).toEqual(['C', 'B', 'A']);
  const machine = all.find((one: Json) => one.created_by.type === 'M2MClient').created_by.id;
  const theirs = await list(`filter[actor_id]=${machine}&filter[events]=update&filter[subject_type]=Order`, boss.token);
  expect(theirs.map((one: Json) => one.object_changes.zone)).toEqual([['C', 'D']]);
  const [newest, , third] = mine;
  expect(
    await list(`filter[actor_id]=${boss.user.id}&filter[from]=${third.created_at}&filter[to]=${newest.created_at}`, boss.token),
  ).toHaveLength(2);
  const seen: string[] = [];
  let next: string | undefined = '/v1/audit_entries?page[limit]=2';
  while (next) {
    const page = await own.http('GET', next, undefined, boss.token);
    seen.push(...page.body.data.map((one: Json) => one.id));
    next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]?.replace(/^https?:\/\/[^/]+/, '');
  }
  expect(seen).toEqual(all.map((one: Json) => one.id));
});

test('only people with the permission see the log, and of their own family only', async () => {
  const stranger = await makeTenant(app);
  const child = await makeTenant(app, { company: { parentCompany: ref(Company, tenant.company.id) } });
  await makeOrder(child);
  for (const role of ['dispatcher', 'biller', 'it_admin', 'manager', 'driver'] as const) {
    const { token } = await tenant.person({ roles: [role] });
    const answer = await tenant.http('GET', '/v1/audit_entries', undefined, token);
    expect([role, answer.status, answer.body.error.errors?.[0].field]).toEqual([role, 403, 'view_audit_log']);
  }
  expect((await tenant.http('GET', tenant.path('/audit_entries'), undefined, stranger.token)).status).toBe(404);
  // Somebody new: what a person sees is remembered for some seconds, and this child is younger.
  const { token: fresh } = await tenant.person({ roles: ['company_admin'] });
  expect((await child.must('GET', child.path('/audit_entries'), undefined, fresh)).length).toBeGreaterThan(0);
  const own = await list('page[limit]=100');
  expect(new Set(own.map((one: Json) => one.company_id))).toEqual(new Set([tenant.company.id]));
});

test('rates in the log are null for people who may not see rates', async () => {
  const own = await makeTenant(app, { permissions: ['create_order', 'view_audit_log', 'view_driver_rates'] });
  const order = await makeOrder(own, { customer_rate_value: 12, driver_rate_value: 8 });
  const [entry] = await own.must('GET', `/v1/audit_entries?filter[subject_id]=${order.id}`);
  expect([entry.object_changes.customer_rate_value, entry.object_changes.driver_rate_value]).toEqual([
    [null, null],
    [null, '8'],
  ]);
  const sheet = await app.http('GET', '/v1/audit_entries', { token: own.token, headers: { Accept: 'text/csv' } });
  const cells = parse(sheet.body, { bom: true, columns: true }) as Json[];
  const after = (field: string) => cells.find((one) => one.subject_id === order.id && one.field === field).after;
  expect([after('customer_rate_value'), after('driver_rate_value')]).toEqual(['', '8']);
});

test('an export has every entry once, newest first, as NDJSON or as a sheet without formulas', async () => {
  const own = await makeTenant(app);
  const evil = ['=HYPERLINK("http://x")', '+1+1', '@SUM(A1)', '-2+3', '\tx', 'plain', '-5'];
  await fill(own, 1203, (at) => ({ notes: [null, evil[at % evil.length]] }));
  const ask = (accept: string, query = '') =>
    app.http('GET', `/v1/audit_entries${query}`, { token: own.token, headers: { Accept: accept } });
  const lines = (await ask('application/x-ndjson', '?filter[subject_type]=Order')).body
    .trim()
    .split('\n')
    .map((line: string) => JSON.parse(line));
  expect(new Set(lines.map((one: Json) => one.id)).size).toBe(1203);
  const newestFirst = (await own.must('GET', '/v1/audit_entries?filter[subject_type]=Order&page[limit]=2')) as Json[];
  expect(lines.slice(0, 2)).toEqual(newestFirst);
  const sheet = await ask('text/csv', '?filter[subject_type]=Order');
  expect([sheet.status, sheet.headers.get('content-type'), sheet.headers.get('content-disposition')]).toEqual([
    200,
    'text/csv; charset=utf-8',
    'attachment; filename="audit-entries.csv"',
  ]);
  const cells = parse(sheet.body, { bom: true, columns: true }) as Json[];
  expect(cells).toHaveLength(1203);
  expect(new Set(cells.map((one) => one.after))).toEqual(
    new Set(['\'=HYPERLINK("http://x")', "'+1+1", "'@SUM(A1)", "'-2+3", "'\tx", 'plain', '-5']),
  );
  expect((await ask('application/pdf')).status).toBe(406);
  expect((await ask('text/csv', '?filter[subject_id]=nonsense')).status).toBe(422);
  const { token } = await own.person({ roles: ['dispatcher'] });
  expect((await app.http('GET', '/v1/audit_entries', { token, headers: { Accept: 'text/csv' } })).status).toBe(403);
});

test('lists and JSON values are written as such', async () => {
  const { user } = await tenant.person({ roles: ['driver'] });
  const change = (body: object) => tenant.must('PATCH', `/v1/users/${user.id}`, body, admin.token);
  const foreman = (await tenant.must('GET', '/v1/iam_roles')).find(({ name }: Json) => name === 'Foreman').id;
  await change({ iam_role_ids: [foreman], preferences: { notifications: { job_canceled: ['sms'] } } });
  const [entry] = await list(`filter[subject_id]=${user.id}&filter[events][]=update`);
  expect(entry.object_changes).toEqual({
    roles: [['driver'], ['foreman']],
    preferences: [{}, { notifications: { job_canceled: ['sms'] } }],
  });
});

test('a page of the log takes one statement', async () => {
  const { value, statements } = await app.countStatements(() => list('page[limit]=50'));
  expect([value.length > 0, statements.length]).toEqual([true, 1]);
});

test("the application's role adds to the log and cannot change it", async () => {
  await makeOrder(tenant);
  await grantToApp(app.orm.em.fork());
  const client = await (await poolOf(app.orm.em.fork())).connect();
  try {
    const { rows } = await client.query("select relid::regclass::text as name from pg_partition_tree('audit_entry')");
    await client.query(`set role ${APP_ROLE}`);
    expect((await client.query('select count(*)::int as count from audit_entry')).rows[0].count).toEqual(expect.any(Number));
    for (const { name } of rows)
      for (const statement of [`update ${name} set event = 'create'`, `delete from ${name}`, `truncate ${name}`])
        await expect(client.query(statement)).rejects.toMatchObject({ code: '42501' });
  } finally {
    await client.query('reset role');
    client.release();
  }
});

test.each(['User', 'M2MClient'] as const)('a command of a %s as another person names both, in the list and in exports', async (type) => {
  const em = app.orm.em.fork();
  const subject = newId();
  await em.transactional((tx) =>
    writeRecords(
      tx as never,
      {
        events: [],
        transitions: [],
        audits: [{ event: 'update', type: 'Order', id: subject, companyId: tenant.company.id, changes: { zone: [1, 2] } }],
      },
      {
        actor: { type: 'User', id: tenant.driver.id, name: 'Dora Wheel', realActor: { type, id: admin.user.id, name: 'Ann Boss' } },
        requestId: 'r',
        now: new Date(),
      },
    ),
  );
  const [entry] = await list(`filter[subject_id]=${subject}`);
  const both = { created_by: { name: 'Dora Wheel' }, real_actor: { type, id: admin.user.id, name: 'Ann Boss' } };
  expect(entry).toMatchObject(both);
  const exported = (accept: string) =>
    app.http('GET', `/v1/audit_entries?filter[subject_id]=${subject}`, { token: admin.token, headers: { Accept: accept } });
  expect(JSON.parse((await exported('application/x-ndjson')).body)).toMatchObject(both);
  expect(parse((await exported('text/csv')).body, { bom: true, columns: true })).toMatchObject([
    { actor_name: 'Dora Wheel', real_actor_type: type, real_actor_id: admin.user.id, real_actor_name: 'Ann Boss' },
  ]);
});
