import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;

beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

/** The statements of a write that concern webhooks, by their tables. */
async function noted(write: () => Promise<unknown>): Promise<string[]> {
  const { statements } = await app.countStatements(write);
  return statements.filter((sql) => /webhook_/.test(sql)).map((sql) => /insert into webhook_delivery/.exec(sql)?.[0] ?? 'look-up');
}

test('a write costs one look-up if nobody subscribed to what it did, and none if nobody could have', async () => {
  const order = await makeOrder(tenant, { truck_count: 3 });
  expect(await noted(() => tenant.must('PATCH', tenant.path(`/orders/${order.id}`), { notes: 'new' }))).toEqual(['look-up']);
  // Three jobs with their loads are as many records, and one look-up.
  expect(await noted(() => makeOrder(tenant, { truck_count: 3 }))).toEqual(['look-up']);
  expect(await noted(() => tenant.must('PATCH', `/v1/materials/${tenant.material.id}`, { name: 'Sand' }))).toEqual([]);
});

test('what somebody subscribed to is written by one statement more, however many subscribed', async () => {
  const of = (event: string) => ({ url: 'https://hooks.example', triggers: [event] });
  for (const event of ['Order::create', 'Order::create', 'Job::create', 'Load::update'])
    await tenant.must('POST', tenant.path('/webhook_subscriptions'), of(event));
  expect(await noted(() => makeOrder(tenant, { truck_count: 3 }))).toEqual(['look-up', 'insert into webhook_delivery']);
  const rows = await app.orm.em
    .fork()
    .getConnection()
    .execute<{ trigger: string; count: string }[]>(
      'select trigger, count(*) from webhook_delivery where company_id = ? group by 1 order by 1',
      [tenant.company.id],
    );
  expect(rows.map(({ trigger, count }) => [trigger, Number(count)])).toEqual([
    ['Job::create', 3],
    ['Order::create', 2],
  ]);
  // The records are read together, however many they are.
  const count = async (trucks: number) => (await app.countStatements(() => makeOrder(tenant, { truck_count: trucks }))).statements.length;
  const few = await count(3);
  expect(await count(12)).toBeLessThanOrEqual(few + 1);
});

test('the record of a change is read once for its webhook and its answer, and each shows what its reader may see', async () => {
  const own = await makeTenant(app);
  const order = await makeOrder(own, { truck_count: 2, customer_rate_value: 80 });
  await own.must('POST', own.path('/webhook_subscriptions'), { url: 'https://hooks.example', triggers: ['Order::update'] });
  const people = [await own.person({ roles: ['dispatcher'] }), await own.person({ roles: ['foreman'] })];
  const change = (notes: string) => own.must('PATCH', `/v1/orders/${order.id}`, { notes });
  // A statement is sent with fewer relations when it is known which ones records of the company have.
  for (let i = 0; i < 5; i++) await change(`Pit ${i}`);
  const { statements } = await app.countStatements(() => change('Gate'));
  // The order, and its figures.
  expect(statements.filter((sql) => /^\s*(select|with)\b.* as data\b/s.test(sql))).toHaveLength(2);
  const shown: unknown[] = [];
  for (const { must, http } of [{ must: own.must, http: own.http }, ...people]) {
    const { status, body } = await http('PATCH', `/v1/orders/${order.id}`, { notes: 'by somebody' });
    if (status === 200) expect(body.data).toEqual(await must('GET', `/v1/orders/${order.id}`));
    shown.push([status, body.data?.customer_rate_value]);
  }
  // The dispatcher sees no rates of customers, although the same rows were read for the webhook.
  expect(shown).toEqual([
    [200, '80'],
    [200, null],
    [403, undefined],
  ]);
  const [last] = await app.orm.em
    .fork()
    .execute<{ payload: object }[]>('select payload from webhook_delivery where subject_id = ? order by sequence desc limit 1', [order.id]);
  expect(last!.payload).toEqual(await own.must('GET', `/v1/orders/${order.id}`));
  expect(last!.payload).toMatchObject({ notes: 'by somebody', customer_rate_value: '80' });
});

test('rows before and after an update are compared by a hash in every trigger that reads nothing else', async () => {
  const rows = await app.orm.em
    .fork()
    .getConnection()
    .execute<{ name: string; plans_by_hash: boolean; looks_up: boolean }[]>(
      `select proname as name, coalesce(proconfig::text like '%enable_nestloop=off%', false) as plans_by_hash,
         regexp_replace(prosrc, 'is distinct from|from (new_rows|old_rows|\\(select n\\.\\*)', '', 'g') ~ '\\mfrom\\M' as looks_up
       from pg_proc where proname ~ '^note_.*_[0-9a-f]{8}$' and prosrc like '%join old_rows o on %' order by 1`,
    );
  expect(rows.some(({ name }) => name.startsWith('note_imported_record_'))).toBe(true);
  // A migration that calls watch_changes calls join_changes_by_hash after it.
  expect(rows.filter(({ plans_by_hash, looks_up }) => plans_by_hash === looks_up).map(({ name }) => name)).toEqual([]);
});

test('nothing of an account is noted for the other company but what it shows there, whatever columns come', async () => {
  const sql = <T>(text: string) => app.orm.em.fork().getConnection().execute<T[]>(text);
  const [trigger] = await sql<{ prosrc: string }>(
    `select prosrc from pg_proc where proname ~ '^note_account_[0-9a-f]{8}$' and prosrc like '%select distinct r.connected_company_id%'`,
  );
  const unnoticed = /- '\{([^}]*)\}'::text\[\]/.exec(trigger!.prosrc)![1]!.split(',');
  const columns = await sql<{ name: string }>(
    `select attname::text as name from pg_attribute where attrelid = 'account'::regclass and attnum > 0 and not attisdropped`,
  );
  const noticed = columns.map(({ name }) => name).filter((name) => !unnoticed.includes(name));
  // A migration that adds another column has `watch_changes` note this type anew, with that one among the unnoticed.
  expect(noticed.sort()).toEqual(['account_types', 'auto_accept_orders', 'connected_company_id', 'discarded_at', 'truck_count']);
});
