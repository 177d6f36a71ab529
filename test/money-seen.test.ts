import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import type { GraphQLInputObjectType } from 'graphql';
import { schemaOfRooms } from '../src/app/serve.ts';
import { Account } from '../src/directory/accounts/account.entity.ts';
import { Company } from '../src/directory/companies/company.entity.ts';
import { Rate } from '../src/directory/master-data/rate.entity.ts';
import { Job } from '../src/dispatch/model/job.entity.ts';
import { JobAssignment } from '../src/dispatch/model/job-assignment.entity.ts';
import { Order } from '../src/dispatch/model/order.entity.ts';
import { Project } from '../src/dispatch/model/project.entity.ts';
import { moneyPermission } from '../src/identity/access/money.ts';
import { ROLES, type RoleName } from '../src/identity/access/permissions.ts';
import { ImportedRecord } from '../src/ingest/ledger/imported-record.entity.ts';
import { poolOf } from '../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from './helpers/app.ts';
import { togglesOf } from './helpers/roles.ts';
import { makeOrder, makeTenant, type Tenant } from './helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const RATES = ['customer', 'vendor', 'driver'] as const;
/** Sets the money of a priced order, its job and its project, by whose money it is. */
async function price(): Promise<{ order: Json; jobId: string; projectId: string }> {
  const rateCard = async (ownerType: string) => tenant.save(Rate, { company: ref(tenant.company), name: 'Card', unitRate: '7', ownerType });
  const rateCards = { customer: await rateCard('customer'), vendor: await rateCard('vendor'), driver: await rateCard('driver') };
  const fields = Object.fromEntries(
    RATES.flatMap((side) => [
      [`${side}_rate_value`, 5],
      [`${side}_rate_type`, 'RatePerTon'],
      [`${side}_rate_id`, rateCards[side].id],
    ]),
  );
  const order = await makeOrder(tenant, { ...fields, material_rate_sell_price: 3, material_rate_buy_price: 2 });
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const camel = Object.fromEntries(
    RATES.flatMap((side) => [
      [`${side}Rate`, ref(rateCards[side])],
      [`${side}RateValue`, '5'],
      [`${side}RateType`, 'RatePerTon'],
    ]),
  );
  const project = await tenant.save(Project, {
    company: ref(tenant.company),
    number: 1e6 + Math.floor(Math.random() * 1e8),
    projectId: `P-${order.order_id}`,
    name: 'Priced',
    account: ref(tenant.account),
    ...camel,
  });
  await app.orm.em
    .fork()
    .nativeUpdate(
      Job,
      { id: job.id },
      { driver: ref(tenant.driver.user), materialSellPrice: '3', materialBuyPrice: '2', driverCommissionRateValue: '4' } as never,
      { filters: { tenant: false } },
    );
  return { order, jobId: job.id, projectId: project.id };
}

/** The permissions that the money in an answer needs, as far as it is not null. */
function seen(value: Json, found = new Set<string>(), under = ''): string[] {
  if (Array.isArray(value)) for (const one of value) seen(one, found, under);
  else if (value && typeof value === 'object') for (const [key, one] of Object.entries(value)) seen(one, found, key);
  const permission = moneyPermission(under);
  if (permission && value !== null) found.add(permission);
  return [...found].sort();
}

const ALL = ['view_customer_rates', 'view_driver_rates', 'view_vendor_rates'];
const SEES: Record<RoleName, string[]> = {
  platform_admin: ALL,
  company_admin: ALL,
  manager: ALL,
  biller: ALL,
  dispatcher: [],
  foreman: [],
  driver: [],
  it_admin: [],
};

test('orders, jobs, loads and projects show each role the permitted money, over both interfaces', async () => {
  const { order, jobId, projectId } = await price();
  const snake = (text: string) => text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const read = async (token: string) => ({
    order: await tenant.must('GET', `/v1/orders/${order.id}`, undefined, token),
    job: await tenant.must('GET', `/v1/jobs/${jobId}`, undefined, token),
    loads: await tenant.must('GET', `/v1/orders/${order.id}/loads`, undefined, token),
    project: await tenant.must('GET', `/v1/projects/${projectId}`, undefined, token),
    graphql: JSON.parse(
      snake(
        JSON.stringify(
          await tenant.gql(
            `query($order: ID!, $job: ID!) {
              order(id: $order) { customerRateValue vendorRateType driverRate { unitRate } materialRateSellPrice materialRateBuyPrice }
              job(id: $job) { customerRateValue vendorRateValue driverRateValue materialRateAssignment { sellPrice buyPrice } }
            }`,
            { order: order.id, job: jobId },
            token,
          ),
        ),
      ),
    ),
    timelines: [
      await tenant.must('GET', `/v1/orders/${order.id}/timeline`, undefined, token),
      await tenant.must('GET', `/v1/jobs/${jobId}/timeline`, undefined, token),
    ],
  });
  for (const role of ROLES.filter((one) => one !== 'platform_admin')) {
    const { user, token } = await tenant.person({ roles: [role] });
    // Drivers and foremen read no work but their own.
    for (const entity of [Order, Job, Project])
      await app.orm.em
        .fork()
        .nativeUpdate(
          entity as typeof Order,
          { company: tenant.company.id },
          { foremanIds: [user.id, tenant.driver.id] },
          { filters: { tenant: false } },
        );
    expect([role, seen(await read(token))]).toEqual([role, SEES[role]]);
  }
  const toggles = { filters: { tenant: false } } as const;
  await app.orm.em.fork().nativeUpdate(Company, { id: tenant.company.id }, { permissionToggles: togglesOf('dispatcher') }, toggles);
  const { token } = await tenant.person({ roles: ['dispatcher'] });
  expect(seen(await read(token))).toEqual(ALL);
  // The driver of the job sees their own pay, and of nothing else.
  const { job, ...rest } = await read(tenant.driver.token);
  expect([job.driver_rate_value, job.driver_rate_type, job.driver_commission_rate_value]).toEqual(['5', 'RatePerTon', '4']);
  expect(seen(job)).toEqual(['view_driver_rates']);
  expect(seen({ ...rest, graphql: rest.graphql.data.order })).toEqual([]);
});

test('an imported record shows no rates to people who only manage imports', async () => {
  const payload = {
    external_id: 'M-1',
    customer: { external_id: 'C', name: 'Customer' },
    customer_rate_value: 'much',
    vendor_rate_value: 5,
    metadata: { driver_rate_value: 4, note: 'n' },
  };
  const { records } = await tenant.must('POST', '/ingest/orders', { orders: [payload] });
  await app.settled();
  const path = `/v1/imported_records/${records[0].id}`;
  expect((await tenant.must('GET', path)).payload).toEqual(payload);
  const { token } = await tenant.person({ roles: ['it_admin'] });
  const shown = await tenant.must('GET', path, undefined, token);
  expect([shown.payload, shown.metadata]).toEqual([
    { ...payload, customer_rate_value: null, vendor_rate_value: null, metadata: { driver_rate_value: null, note: 'n' } },
    { driver_rate_value: null, note: 'n' },
  ]);
  expect(JSON.stringify(shown)).not.toContain('much');
  const list = await tenant.must('GET', '/v1/imported_records', undefined, token);
  expect(JSON.stringify(list)).not.toContain('much');
  const sheet = await tenant.http('GET', `/ingest/batches/${shown.batch_id}/errors.csv`, undefined, token);
  expect([sheet.status, String(sheet.body).includes('much')]).toEqual([200, false]);
});

test('resubmitting a record without seeing its rates does not clear them', async () => {
  const sender = await makeTenant(app, { permissions: ['create_order', 'view_imports'] });
  const payload = { external_id: 'M-2', customer: { external_id: 'C', name: 'Customer' }, load_at: 'never', customer_rate_value: 12.5 };
  const { records } = await sender.must('POST', '/ingest/orders', { orders: [payload] });
  await app.settled();
  const shown = await sender.must('GET', `/v1/imported_records/${records[0].id}`);
  expect([shown.state, shown.payload.customer_rate_value]).toEqual(['failed', null]);
  await sender.must('POST', `/v1/imported_records/${shown.id}/resubmit`, {
    payload: { ...shown.payload, load_at: '2026-12-01T12:00:00Z' },
  });
  await app.settled();
  const em = app.orm.em.fork();
  const kept = await em.findOneOrFail(ImportedRecord, { resubmittedFrom: shown.id }, { filters: { tenant: false } });
  expect(kept.payload).toEqual({ ...payload, load_at: '2026-12-01T12:00:00Z' });
  const order = await em.findOneOrFail(Order, { company: sender.company.id, externalId: 'M-2' }, { filters: { tenant: false } });
  expect(Number(order.customerRateValue)).toBe(12.5);
});

test('a dry run shows no rates of records to people who may not see rates', async () => {
  const boss = await makeTenant(app);
  const element = {
    external_id: 'M-3',
    customer: { external_id: 'C', name: 'Customer' },
    load_at: '2026-12-01T12:00:00Z',
    vendor_rate_value: 7654.25,
  };
  await boss.must('POST', '/ingest/orders', { orders: [element] });
  await app.settled();
  const biller = await boss.person({ roles: ['biller'] });
  const dispatcher = await boss.person({ roles: ['dispatcher'] });
  const dry = async (token: string) =>
    JSON.stringify(await boss.must('POST', '/ingest/orders?dry_run=true', { orders: [{ ...element, vendor_rate_value: 8765.25 }] }, token));
  expect(await dry(biller.token)).toMatch(/7654\.25.*8765\.25/);
  expect(await dry(dispatcher.token)).not.toMatch(/7654|8765/);
});

test('sending a record back without its hidden rates clears none', async () => {
  const { order, jobId } = await price();
  const { token } = await (await makePlain()).person({ roles: ['dispatcher'] });
  const patch = async (path: string, fields: readonly string[]) => {
    const shown = await tenant.must('GET', path, undefined, token);
    const back = Object.fromEntries(fields.map((field) => [field, shown[field]]));
    expect(seen(back)).toEqual([]);
    const { status } = await tenant.http('PATCH', path, { ...back, notes: 'read and sent back' }, token);
    expect([path, status]).toEqual([path, 200]);
    return tenant.must('GET', path);
  };
  const rates = RATES.flatMap((side) => [`${side}_rate_value`, `${side}_rate_type`]);
  const after = await patch(`/v1/orders/${order.id}`, [...rates, 'material_rate_sell_price', 'material_rate_buy_price']);
  expect([after.notes, after.customer_rate_value, after.vendor_rate_type, after.material_rate_sell_price]).toEqual([
    'read and sent back',
    '5',
    'RatePerTon',
    '3',
  ]);
  const job = await patch(`/v1/jobs/${jobId}`, [...rates, 'material_rate_assignment']);
  expect([job.notes, job.driver_rate_value, job.material_rate_assignment.sell_price]).toEqual(['read and sent back', '5', '3']);
  const account = await tenant.save(Account, { company: ref(tenant.company), name: 'Hauler', accountTypes: ['vendor'] });
  const link = await tenant.save(JobAssignment, {
    job: ref(Job, jobId),
    customerCompanyId: tenant.company.id,
    vendorAccount: ref(account),
    rateValue: '6',
  });
  const sent = { input: { rateValue: null }, id: link.id };
  const change = 'mutation($id: ID!, $input: UpdateJobAssignmentInput!) { updateJobAssignment(id: $id, input: $input) { rateValue } }';
  const dispatcher = await tenant.gql(change, sent, token);
  expect([dispatcher.errors, dispatcher.data.updateJobAssignment.rateValue]).toEqual([undefined, null]);
  const { rows } = await (await poolOf(app.orm.em.fork())).query('select rate_value::float as rate from job_assignment where id = $1', [
    link.id,
  ]);
  expect(rows).toEqual([{ rate: 6 }]);
  // A caller who sees them clears them.
  const cleared = await tenant.must('PATCH', `/v1/orders/${order.id}`, { customer_rate_value: null });
  expect(cleared.customer_rate_value).toBeNull();
});

/** The tenant without any toggle. */
async function makePlain(): Promise<Tenant> {
  await app.orm.em.fork().nativeUpdate(Company, { id: tenant.company.id }, { permissionToggles: [] }, { filters: { tenant: false } });
  return tenant;
}

test('nobody overwrites hidden money of work: every field of every input, over both interfaces', async () => {
  const { order, jobId, projectId } = await price();
  const [load] = await tenant.must('GET', `/v1/orders/${order.id}/loads`);
  const { token } = await tenant.person({ roles: ['dispatcher'] });
  const { user, token: foreman } = await tenant.person({ roles: ['foreman'] });
  await app.orm.em.fork().nativeUpdate(Order, { id: order.id }, { foremanIds: [user.id] }, { filters: { tenant: false } });
  const before = await tenant.must('GET', `/v1/orders/${order.id}`);
  const types = schemaOfRooms().getTypeMap();
  const inputs: Record<string, string> = {
    UpdateOrderInput: `/v1/orders/${order.id}`,
    UpdateJobInput: `/v1/jobs/${jobId}`,
    UpdateProjectInput: `/v1/projects/${projectId}`,
  };
  for (const [name, path] of Object.entries(inputs)) {
    const fields = Object.keys((types[name] as GraphQLInputObjectType).getFields()).map((one) =>
      one.replace(/[A-Z]/g, (a) => `_${a.toLowerCase()}`),
    );
    const money = fields.filter((field) => moneyPermission(field));
    expect([name, money.length >= 6]).toEqual([name, true]);
    for (const field of money) {
      const value = field.endsWith('_id') ? order.id : field.endsWith('_type') ? 'RatePerHour' : 3;
      const answer = await tenant.http('PATCH', path, { notes: 'blind', [field]: value }, token);
      expect([field, answer.status, answer.body.error.errors[0].field]).toEqual([field, 403, moneyPermission(field)]);
      expect([field, (await tenant.http('PATCH', path, { [field]: null }, token)).status]).toEqual([field, 200]);
    }
  }
  const material = { material_rate_assignment: { sell_price: 3 } };
  for (const path of [`/v1/jobs/${jobId}`, `/v1/loads/${load.id}`])
    expect((await tenant.http('PATCH', path, material, token)).status).toBe(403);
  expect((await tenant.http('PATCH', `/v1/orders/${order.id}`, { customer_rate_value: 3 }, foreman)).status).toBe(403);
  const { errors } = await tenant.gql(
    'mutation($id: ID!) { updateOrder(id: $id, input: { driverRateValue: 3 }) { id } }',
    { id: order.id },
    token,
  );
  expect(errors[0].extensions.code).toBe('forbidden');
  expect(await tenant.must('GET', `/v1/orders/${order.id}`)).toEqual({
    ...before,
    version: expect.any(Number),
    updated_at: expect.any(String),
  });
});
