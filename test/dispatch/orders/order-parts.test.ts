import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Material } from '../../../src/directory/master-data/named.entities.ts';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, orderInput, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
let inactive: Site;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
  inactive = await tenant.save(Site, { company: ref(tenant.company), name: 'Closed Pit', state: 'inactive' });
});
afterAll(() => app.close());

const patch = (order: Json, body: object) => tenant.http('PATCH', `/v1/orders/${order.id}`, body);
const changed = async (order: Json, body: object): Promise<Json> => {
  const answer = await patch(order, body);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body.data;
};
const refused = async (order: Json, body: object): Promise<string[]> => {
  const answer = await patch(order, body);
  expect(answer.status).toBe(422);
  return fieldsOf(answer);
};
const jobsOf = async (order: Json): Promise<Json[]> =>
  (await tenant.must('GET', `/v1/orders/${order.id}/jobs`)).sort((a: Json, b: Json) => a.job_id.localeCompare(b.job_id));
const MO = { name: 'Mo', email: 'mo@example.com', phone: '+15125550123' };

test('inactive and discarded sites and materials take no new order', async () => {
  const own = { company: ref(tenant.company) };
  const sand = await tenant.save(Material, { ...own, name: 'Sand', state: 'inactive' });
  const sold = await tenant.save(Site, { ...own, name: 'Sold Pit', discardedAt: new Date() });
  const waypoints = [inactive, sold].map((site, ordinality) => ({ type: 'pickup', site_id: site.id, ordinality }));
  const answer = await tenant.http('POST', '/v1/orders', orderInput(tenant, { material_id: sand.id, waypoints }));
  expect([answer.status, fieldsOf(answer)]).toEqual([422, ['material_id', 'waypoints.0.site_id', 'waypoints.1.site_id']]);
});

test('a site that becomes inactive stays on its orders, and cannot be used by others', async () => {
  const pit = await tenant.save(Site, { company: ref(tenant.company), name: 'Fading Pit' });
  const order = await makeOrder(tenant, { waypoints: [{ type: 'pickup', site_id: pit.id, ordinality: 0 }] });
  await app.orm.em.fork().nativeUpdate(Site, { id: pit.id }, { state: 'inactive' }, { filters: { tenant: false } });
  const [{ id }] = order.waypoints;
  expect((await changed(order, { waypoints: [{ id, site_id: pit.id, ordinality: 3 }] })).waypoints).toMatchObject([{ ordinality: 3 }]);
  expect(await refused(order, { waypoints: [{ id, site_id: inactive.id }] })).toEqual(['waypoints.0.site_id']);
  const copy = await tenant.http('POST', `/v1/orders/${order.id}/copy`, {});
  expect([copy.status, fieldsOf(copy)]).toEqual([422, ['waypoints.0.site_id']]);
});

test('an order takes no more trucks while its site, material or project takes no new work; those that it has stay', async () => {
  const pit = await tenant.must('POST', '/v1/sites', { name: 'Spent Pit' });
  const gravel = await tenant.must('POST', '/v1/materials', { name: 'Spent gravel' });
  const project = await tenant.must('POST', '/v1/projects', { name: 'Spent project', account_id: tenant.account.id });
  const waypoints = [{ type: 'pickup', site_id: pit.id, ordinality: 0 }];
  const order = await makeOrder(tenant, { waypoints, material_id: gravel.id, project_id: project.id, truck_count: 2 });
  const [job] = await jobsOf(order);
  const tries = [
    ['POST', `/v1/orders/${order.id}/jobs`, {}],
    ['POST', `/v1/jobs/${job.id}/copy`, {}],
    ['PATCH', `/v1/orders/${order.id}`, { truck_count: 3 }],
  ] as const;
  for (const [what, { id, name }] of Object.entries({ sites: pit, materials: gravel, projects: project })) {
    await tenant.must('PUT', `/v1/${what}/${id}/deactivate`, {});
    for (const [method, path, sent] of tries) {
      const { status, body } = await tenant.http(method, path, sent);
      const message = `cannot be raised: ${name} is inactive or deleted, and takes no new work`;
      expect([path, status, body.error?.errors]).toEqual([path, 422, [{ model: 'Order', field: 'truck_count', message }]]);
    }
    await tenant.must('PUT', `/v1/${what}/${id}/activate`, {});
  }
  await tenant.must('PUT', `/v1/sites/${pit.id}/deactivate`, {});
  expect(await changed(order, { truck_count: 1, notes: 'One will do' })).toMatchObject({ truck_count: 1 });
  // Somewhere else it takes more.
  const moved = { waypoints: [{ id: order.waypoints[0].id, site_id: tenant.pickup.id }], truck_count: 2 };
  expect(await changed(order, moved)).toMatchObject({ truck_count: 2 });
});

test('required fields of a stop cannot be cleared', async () => {
  const order = await makeOrder(tenant);
  const [{ id }] = order.waypoints;
  expect(await refused(order, { waypoints: [{ id, type: null, site_id: null, ordinality: null }] })).toEqual([
    'waypoints.0.ordinality',
    'waypoints.0.site_id',
    'waypoints.0.type',
  ]);
  expect(await refused(order, { waypoints: [{ type: 'staging' }] })).toEqual(['waypoints.0.ordinality', 'waypoints.0.site_id']);
});

test('a removed part cannot be changed or removed again', async () => {
  const order = await makeOrder(tenant, { phases: [{ name: 'Base' }] });
  const [{ id }] = order.waypoints;
  const phase = order.phases[0].id;
  for (const again of [{ _destroy: 1 }, { ordinality: 7 }]) {
    expect(
      await refused(order, {
        waypoints: [
          { id, _destroy: 1 },
          { id, ...again },
        ],
      }),
    ).toEqual(['waypoints.1.id']);
  }
  expect(
    await refused(order, {
      phases: [
        { id: phase, _destroy: 1 },
        { id: phase, name: 'Top' },
      ],
    }),
  ).toEqual(['phases.1.id']);
  const after = await changed(order, {
    waypoints: [{ type: 'staging', site_id: tenant.pickup.id, ordinality: 9, _destroy: 1 }],
    phases: [{ name: 'Top', _destroy: 1 }],
  });
  expect([after.waypoints.length, after.phases.length]).toEqual([2, 1]);
});

test('a contact keeps absent fields, is removed by null or _destroy, and changes for its jobs, too', async () => {
  const order = await makeOrder(tenant, { sales_contact: MO, foreman_contact: MO });
  const after = await changed(order, {
    sales_contact: { phone: '+1 (512) 555-0199' },
    foreman_contact: { id: order.foreman_contact.id, _destroy: 1 },
  });
  expect(after.sales_contact).toEqual({ id: order.sales_contact.id, ...MO, phone: '+15125550199' });
  expect(after.foreman_contact).toBeNull();
  const [job] = await jobsOf(order);
  expect([job.sales_contact.phone, job.foreman_contact]).toEqual(['+15125550199', null]);
  expect((await changed(order, { foreman_contact: { name: 'Ann' } })).foreman_contact).toMatchObject({ name: 'Ann', email: null });
  expect((await jobsOf(order))[0].foreman_contact.name).toBe('Ann');
  expect((await changed(order, { sales_contact: null })).sales_contact).toBeNull();
  expect(await refused(order, { sales_contact: { id: after.sales_contact.id, name: 'x' }, foreman_contact: { phone: '12' } })).toEqual([
    'foreman_contact.phone',
    'sales_contact.id',
  ]);
});

test("a job changes its own contact, not its order's", async () => {
  const order = await makeOrder(tenant, { truck_count: 2, sales_contact: MO });
  const [first] = await jobsOf(order);
  const job = await tenant.must('PATCH', `/v1/jobs/${first.id}`, { sales_contact: { name: 'Ann' } });
  expect(job.sales_contact).toMatchObject({ name: 'Ann', email: MO.email, phone: MO.phone });
  expect((await jobsOf(order)).map((one) => one.sales_contact.name)).toEqual(['Ann', 'Mo']);
  expect((await tenant.must('GET', `/v1/orders/${order.id}`)).sales_contact).toEqual({ id: order.sales_contact.id, ...MO });
});

test('the contact of a stop keeps absent fields', async () => {
  const order = await makeOrder(tenant, {
    waypoints: [{ type: 'pickup', site_id: tenant.pickup.id, ordinality: 0, contact: MO }],
  });
  const [{ id }] = order.waypoints;
  const after = await changed(order, { waypoints: [{ id, contact: { name: 'Gate' } }] });
  expect(after.waypoints[0].contact).toMatchObject({ ...MO, name: 'Gate' });
  expect((await changed(order, { waypoints: [{ id, contact: null }] })).waypoints[0].contact).toBeNull();
});

test('a copy has contacts of its own', async () => {
  const order = await makeOrder(tenant, { sales_contact: MO });
  const copy = await tenant.must('POST', `/v1/orders/${order.id}/copy`, {});
  expect(copy.sales_contact).toMatchObject(MO);
  await changed(copy, { sales_contact: { name: 'Ann' } });
  expect((await tenant.must('GET', `/v1/orders/${order.id}`)).sales_contact.name).toBe('Mo');
});

test('a dispatch number is found or created by its name, changed, and removed', async () => {
  const [one, two] = await Promise.all([1, 2].map(() => makeOrder(tenant, { dispatch_number: { name: 'DN-1' } })));
  expect(two.dispatch_number).toEqual(one.dispatch_number);
  expect((await changed(one, { dispatch_number: { name: 'DN-2' } })).dispatch_number.name).toBe('DN-2');
  expect((await changed(one, { dispatch_number: { _destroy: 1 } })).dispatch_number).toBeNull();
  expect((await changed(two, { zone: 'Z' })).dispatch_number).toEqual(two.dispatch_number);
  expect((await changed(two, { dispatch_number: null })).dispatch_number).toBeNull();
});

test('GraphQL refuses invalid ids on their field', async () => {
  const order = await makeOrder(tenant);
  const { errors } = await tenant.gql('mutation($id: ID!, $input: UpdateOrderInput!) { updateOrder(id: $id, input: $input) { id } }', {
    id: order.id,
    input: {
      waypoints: [{ id: order.waypoints[0].id, siteId: 'here' }],
      phases: [{ id: 'there', name: 'x' }],
      salesContact: { id: 'nowhere' },
    },
  });
  expect(errors[0].extensions.errors.map((item: Json) => item.field).sort()).toEqual([
    'phases.0.id',
    'salesContact.id',
    'waypoints.0.siteId',
  ]);
});

test('twenty concurrent orders get twenty numbers', async () => {
  const own = await makeTenant(app);
  const orders = await Promise.all(Array.from({ length: 20 }, () => makeOrder(own)));
  expect(orders.map((order) => Number(order.order_id)).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
});

test('an order changes with its parts, so an earlier version of it cannot be written back', async () => {
  let order = await makeOrder(tenant, { sales_contact: MO, phases: [{ name: 'Base' }] });
  const parts = [
    { sales_contact: { name: 'Moe' } },
    { phases: [{ id: order.phases[0].id, name: 'Surface' }] },
    { waypoints: [{ id: order.waypoints[0].id, ordinality: 5 }] },
  ];
  for (const part of parts) {
    const after = await changed(order, { ...part, version: order.version });
    expect(after.version).toBeGreaterThan(order.version);
    expect(after.updated_at > order.updated_at).toBe(true);
    const late = await patch(order, { notes: 'mine', version: order.version });
    expect([late.status, fieldsOf(late)]).toEqual([409, ['version']]);
    // Said once more it changes nothing.
    expect(await changed(order, part)).toMatchObject({ version: after.version });
    order = after;
  }
});

test('a phase that is removed from an order stays with the work that was begun under it, and only there', async () => {
  const phases = [{ name: 'Alpha', code: 'A', primary: true }];
  const order = await makeOrder(tenant, { truck_count: 2, driver_id: tenant.driver.id, phases });
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const jobs = async (): Promise<Json[]> =>
    (await tenant.must('GET', `/v1/orders/${order.id}/jobs`)).sort((a: Json, b: Json) => a.job_id.localeCompare(b.job_id));
  const [first, second] = await jobs();
  for (const event of ['enroute', 'arrive', 'load_material', 'enroute', 'arrive', 'unload_material', 'complete'])
    await tenant.must('PUT', `/v1/jobs/${first.id}/${event}`, {});
  const changedOrder = await tenant.must('PATCH', `/v1/orders/${order.id}`, {
    phases: [{ id: order.phases[0].id, _destroy: 1 }, { name: 'Beta' }],
  });
  expect(changedOrder.phases.map((phase: Json) => phase.name)).toEqual(['Beta']);
  const alpha = { name: 'Alpha', code: 'A' };
  expect((await jobs()).map((job) => job.phase)).toMatchObject([alpha, null]);
  expect((await jobs())[1].phase).toBeNull();
  expect((await tenant.must('GET', `/v1/jobs/${first.id}/loads`))[0].phase).toMatchObject(alpha);
  expect(await tenant.must('GET', tenant.path(`/jobs/${first.id}/summary`))).toMatchObject({
    job_phase_name: 'Alpha',
    job_phase_code: 'A',
  });
  // Sent back as it was read; new work takes it no more.
  await tenant.must('PATCH', `/v1/jobs/${first.id}`, { phase_id: order.phases[0].id, notes: 'x' });
  const refused = await tenant.http('PATCH', `/v1/jobs/${second.id}`, { phase_id: order.phases[0].id });
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['phase_id']]);
});

test('a stop without an id changes the existing one of its place, and no two stops have one place', async () => {
  const order = await makeOrder(tenant);
  const [{ id }] = order.waypoints;
  const pickup = { type: 'pickup', site_id: tenant.dropoff.id, ordinality: 0 };
  const changedOrder = await tenant.must('PATCH', `/v1/orders/${order.id}`, { waypoints: [pickup] });
  expect(changedOrder.waypoints).toMatchObject([{ id, site: { id: tenant.dropoff.id } }, {}]);
  expect(changedOrder.waypoints).toHaveLength(2);
  const next = { ...pickup, ordinality: 5 };
  for (const answer of [
    await tenant.http('PATCH', `/v1/orders/${order.id}`, { waypoints: [next, next] }),
    await tenant.http('PATCH', `/v1/orders/${order.id}`, { waypoints: [next, { id, ordinality: 5 }] }),
    await tenant.http('POST', tenant.path('/orders'), orderInput(tenant, { waypoints: [pickup, pickup] })),
  ])
    expect([answer.status, fieldsOf(answer).at(-1)]).toEqual([422, 'waypoints.1.ordinality']);
  // A new first one, and the old one behind it.
  const both = await tenant.must('PATCH', `/v1/orders/${order.id}`, {
    waypoints: [
      { ...pickup, site_id: tenant.pickup.id },
      { id, ordinality: 1 },
    ],
  });
  expect(both.waypoints.filter(({ type }: Json) => type === 'pickup')).toMatchObject([{ ordinality: 0 }, { id, ordinality: 1 }]);
});
