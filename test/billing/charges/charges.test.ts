import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pastShift } from '../../dispatch/drivers/shifts.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { jobOfChain, makeChain } from '../../helpers/staffed-tenant.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

/** A job of the driver, its path and what is requested for it. */
async function planned(driverId = tenant.driver.id) {
  const order = await makeOrder(tenant, { driver_id: driverId });
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const path = `/v1/jobs/${job.id}/add_on_charges`;
  const list = async (token?: string): Promise<Json[]> => tenant.must('GET', path, undefined, token);
  const change = (...add_on_charges: object[]) => tenant.http('PATCH', path, { add_on_charges });
  return { order, job, path, list, change };
}
const addOn = (name: string, more: object = {}): Promise<Json> =>
  tenant.must('POST', '/v1/add_ons', { name, add_on_types: ['job'], revenue_rate_value: 35.5, taxable: true, ...more });
const charged = (charges: Json[]) => charges.map(({ name, quantity, total_amount }) => `${name} ${quantity} ${total_amount}`).sort();

test('a charge of an add-on takes its values, and has other values where somebody gave them', async () => {
  const wash = await addOn('Wash', { cost_rate_value: 20 });
  const { job, path, list } = await planned();
  const made = await tenant.must('POST', path, { name: 'Wash of trucks', quantity: 2.5, add_on_id: wash.id });
  expect(made).toEqual({
    ...{ id: expect.any(String), name: 'Wash of trucks', quantity: '2.5', total_amount: '88.75', percentage: '0', add_on: { id: wash.id } },
    ...{ revenue_rate_value: '35.5', rate: '35.5', revenue_cost_rate_type: 'RateForEach', add_on_rate_type: 'RateForEach' },
    ...{ add_on_requestable_id: job.id, add_on_requestable_type: 'Job', add_on_applicable_id: null, add_on_applicable_type: null },
    ...{ external_id: null, accounting_id: null, rebill_revenue_rate_value: null, rebill_total_amount: null, rebill_percentage: null },
    job: { id: job.id, job_id: job.job_id, loads_count: job.loads_count, job_start_at: job.job_start_at, unit_of_measure: null },
  });
  // Half a cent is rounded up.
  expect((await tenant.must('PATCH', `/v1/add_on_charges/${made.id}`, { quantity: 0.01, rate: 35.5 })).total_amount).toBe('0.36');
  expect(await tenant.must('GET', `/v1/add_on_charges/${made.id}`)).toEqual((await list())[0]);
  // Later changes of the add-on change nothing.
  await tenant.must('PATCH', `/v1/add_ons/${wash.id}`, { revenue_rate_value: 99 });
  expect((await list())[0]).toMatchObject({ rate: '35.5' });
  expect((await tenant.http('DELETE', `/v1/add_on_charges/${made.id}`)).status).toBe(204);
  expect([(await tenant.http('GET', `/v1/add_on_charges/${made.id}`)).status, await list()]).toEqual([404, []]);
});

test('a charge without an add-on has a name of its own, and adds up to nothing while it has no quantity', async () => {
  const { path, job, list } = await planned();
  expect(await tenant.must('POST', path, { rate: 5 })).toMatchObject({ name: 'Charge', quantity: '0', total_amount: '0', rate: '5' });
  // Without a rate, a percentage, an add-on or a name it is a change whose id was forgotten.
  const forgotten = await tenant.http('PATCH', path, { add_on_charges: [{ rate: 6 }, { quantity: 3 }, {}] });
  expect([forgotten.status, forgotten.body.error.errors]).toEqual([
    422,
    [1, 2].map((i) => ({ model: 'AddOnCharge', field: `add_on_charges.${i}.rate`, message: 'is required' })),
  ]);
  expect(await list()).toHaveLength(1);
  await tenant.must('POST', path, { name: 'Lease', percentage: -15, add_on_rate_type: 'RatePercentOfTotal' });
  const { data } = await tenant.gql(
    'query($id: ID!) { jobAddOnCharges(jobId: $id) { nodes { name warnings totalAmount addOnRequestable { id } } } }',
    { id: job.id },
  );
  expect(data.jobAddOnCharges.nodes).toEqual(
    expect.arrayContaining([
      { name: 'Charge', warnings: ['zero_quantity'], totalAmount: '0', addOnRequestable: { id: job.id } },
      { name: 'Lease', warnings: ['total_not_known'], totalAmount: '0', addOnRequestable: { id: job.id } },
    ]),
  );
});

test('a list of changes happens as a whole or not at all, and answers every charge', async () => {
  const { change, list, path } = await planned();
  const [a, b, c] = [
    await tenant.must('POST', path, { name: 'A', quantity: 1, rate: 1 }),
    await tenant.must('POST', path, { name: 'B', quantity: 1, rate: 2 }),
    await tenant.must('POST', path, { name: 'C', quantity: 1, rate: 3 }),
  ];
  const done = await change({ id: a.id, quantity: 4 }, { name: 'D', quantity: 2, rate: 10 }, { id: b.id, _destroy: 1 });
  expect([done.status, done.body.data.map(({ name }: Json) => name)]).toEqual([200, ['A', 'C', 'D']]);
  expect(charged(done.body.data)).toEqual(['A 4 4', 'C 1 3', 'D 2 20']);
  const other = await planned();
  const foreign = await tenant.must('POST', other.path, { name: 'F' });
  const refused = await change({ id: a.id, quantity: 9 }, { name: 'E', quantity: -1 });
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['add_on_charges.1.quantity']]);
  const wrong = await change(
    { id: a.id, _destroy: 0, quantity: 9 },
    { id: a.id, quantity: 8 },
    { _destroy: 1 },
    { id: c.id, _destroy: 2 },
    { id: foreign.id, quantity: 1 },
    { id: b.id, quantity: 1 },
    { name: ' ', quantity: null },
    { name: 'X', add_on_id: foreign.id },
  );
  expect([wrong.status, fieldsOf(wrong)]).toEqual([
    422,
    [
      ...['add_on_charges.1.id', 'add_on_charges.2.id', 'add_on_charges.3._destroy', 'add_on_charges.4.id', 'add_on_charges.5.id'],
      ...['add_on_charges.6.name', 'add_on_charges.6.quantity', 'add_on_charges.7.add_on_id'],
    ],
  ]);
  expect((await change(...Array.from({ length: 101 }, () => ({ name: 'Many' })))).status).toBe(422);
  expect(charged(await list())).toEqual(['A 4 4', 'C 1 3', 'D 2 20']);
  expect((await change()).body.data.length).toBe(3);
  // The contract does not require the list.
  expect((await tenant.http('PATCH', path, {})).body.data.length).toBe(3);
});

test.each([
  ['a negative quantity', { quantity: -1 }, 'quantity'],
  ['a quantity beyond all work', { quantity: 1e12 }, 'quantity'],
  ['five decimals', { rate: 1.00001 }, 'rate'],
  ['more than all', { percentage: 101 }, 'percentage'],
  ['less than nothing', { percentage: -101 }, 'percentage'],
  ['fuel without a schedule', { add_on_rate_type: 'FuelSurcharge' }, 'revenue_cost_rate_type'],
  ['what comes with invoices', { rebill_percentage: 5 }, 'rebill_percentage'],
])('bad input of a charge: %s', async (_row, more, field) => {
  const { path, list } = await planned();
  const answer = await tenant.http('POST', path, { name: 'Wash', ...more });
  expect([answer.status, fieldsOf(answer), await list()]).toEqual([422, [field], []]);
});

test('bad input of a charge: add-ons of other uses, discarded ones and those of others; loads of other work', async () => {
  const [{ path, list, job }, other, stranger] = [await planned(), await planned(), await makeTenant(app)];
  const discarded = await addOn('Old');
  await tenant.gql('mutation($id: ID!) { deleteAddOn(id: $id) }', { id: discarded.id });
  const theirs = await stranger.must('POST', '/v1/add_ons', { name: 'Theirs', add_on_types: ['job'] });
  const lease = await addOn('Lease', { add_on_types: ['settlement'] });
  for (const add_on_id of [discarded.id, theirs.id, lease.id]) {
    const answer = await tenant.http('POST', path, { name: 'Wash', add_on_id });
    expect([answer.status, fieldsOf(answer)]).toEqual([422, ['add_on_id']]);
  }
  const [[load], [foreign]] = await Promise.all([job, other.job].map(({ id }) => tenant.must('GET', `/v1/jobs/${id}/loads`)));
  expect(fieldsOf(await tenant.http('POST', path, { name: 'Wait', load_id: foreign.id }))).toEqual(['load_id']);
  expect(await tenant.must('POST', path, { name: 'Wait', load_id: load.id })).toMatchObject({ load: { id: load.id } });
  expect(await list()).toHaveLength(1);
});

test('each company of a chain requests for itself, and reads nothing of the others', async () => {
  const chain = await makeChain(app);
  const job = await jobOfChain(chain);
  const path = `/v1/jobs/${job.id}/add_on_charges`;
  const companies = [chain.owner, chain.middle, chain.last];
  const made: Json[] = [];
  for (const [i, company] of companies.entries())
    made.push(await company.must('POST', path, { name: `Of ${i}`, quantity: 1, rate: 100 + i }));
  for (const [i, company] of companies.entries()) {
    expect((await company.must('GET', path)).map(({ name }: Json) => name)).toEqual([`Of ${i}`]);
    for (const [j, { id }] of made.entries()) {
      const at = `/v1/add_on_charges/${id}`;
      const status = i === j ? 200 : 404;
      expect([(await company.http('GET', at)).status, (await company.http('PATCH', at, { quantity: 2 })).status]).toEqual([status, status]);
      if (i !== j) {
        expect((await company.http('DELETE', at)).status).toBe(404);
        expect((await company.http('PATCH', path, { add_on_charges: [{ id, _destroy: 1 }] })).status).toBe(422);
      }
    }
  }
  const stranger = await makeTenant(app);
  expect([(await stranger.http('GET', path)).status, (await stranger.http('POST', path, { name: 'No' })).status]).toEqual([404, 404]);
});

test('drivers and foremen request for their own work, change what they requested, and see and set no money', async () => {
  const driver = await tenant.person({ roles: ['driver'] });
  const foreman = await tenant.person({ roles: ['foreman'] });
  const wash = await addOn('Wash of drivers');
  const { job, path } = await planned(driver.id);
  await tenant.must('PATCH', `/v1/jobs/${job.id}`, { foreman_ids: [foreman.id] });
  const lease = await tenant.must('POST', path, { name: 'Lease', quantity: 1, rate: -80 });
  const at = (id: string) => `/v1/add_on_charges/${id}`;
  for (const person of [driver, foreman]) {
    const made = await person.must('POST', path, { name: 'Wash', add_on_id: wash.id, quantity: 2 });
    expect(made).toMatchObject({ quantity: '2', rate: null, revenue_rate_value: null, total_amount: null, percentage: null });
    expect(await tenant.must('GET', at(made.id))).toMatchObject({ total_amount: '71' });
    expect(await person.must('GET', path)).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'Lease', rate: null })]));
    expect((await person.must('PATCH', at(made.id), { quantity: 3, rate: null })).quantity).toBe('3');
    expect((await person.http('PATCH', at(made.id), { rate: 1 })).status).toBe(403);
    expect((await person.http('PATCH', at(lease.id), { quantity: 0 })).status).toBe(403);
    expect((await person.http('DELETE', at(lease.id))).status).toBe(403);
    expect((await person.http('PATCH', path, { add_on_charges: [{ id: lease.id, _destroy: 1 }] })).status).toBe(404);
    expect((await person.http('DELETE', at(made.id))).status).toBe(204);
    const others = await planned();
    const foreign = await tenant.must('POST', others.path, { name: 'Foreign' });
    expect((await person.http('POST', others.path, { name: 'Wash' })).status).toBe(403);
    expect([(await person.http('GET', others.path)).status, (await person.http('GET', at(foreign.id))).status]).toEqual([404, 404]);
  }
  expect(charged(await tenant.must('GET', path))).toEqual(['Lease 1 -80']);
  const guard = await tenant.person({ roles: ['it_admin'] });
  expect((await guard.http('POST', path, { name: 'Wash' })).status).toBe(403);
});

test('charges of a driver day are its own, and loads of its jobs count', async () => {
  const driver = await tenant.person({ roles: ['driver'] });
  const { job } = await planned(driver.id);
  const day = await pastShift(tenant, driver.user, [['on_duty', new Date('2026-11-18T12:00:00Z'), new Date('2026-11-18T22:00:00Z')]]);
  const em = app.orm.em.fork();
  await em.execute('update job set driver_day_id = ? where id = ?', [day.id, job.id]);
  const path = `/v1/driver_days/${day.id}/add_on_charges`;
  const [load] = await tenant.must('GET', `/v1/jobs/${job.id}/loads`);
  const each = await addOn('Of each load', { add_on_types: ['driver_day'], revenue_rate_value: 12, add_on_rate_type: 'PerLoad' });
  const made = await tenant.must('POST', path, { name: 'Tarp', add_on_id: each.id, load_id: load.id });
  expect(made).toMatchObject({ add_on_requestable_id: day.id, add_on_requestable_type: 'DriverDay', total_amount: '0' });
  expect('job' in made).toBe(false);
  await em.execute("update load set state = 'completed' where id = ?", [load.id]);
  expect((await tenant.must('GET', path))[0].total_amount).toBe('12');
  expect((await tenant.http('POST', `/v1/jobs/${job.id}/add_on_charges`, { name: 'Tarp', add_on_id: each.id })).status).toBe(422);
  await driver.must('PATCH', path, { add_on_charges: [{ name: 'Toll', quantity: 1 }] });
  expect(charged(await tenant.must('GET', path))).toEqual(['Tarp 1 12', 'Toll 1 0']);
  expect((await tenant.driver.http('POST', path, { name: 'Toll' })).status).toBe(403);
  const audit = await em.execute<{ event: string }[]>('select event from audit_entry where subject_id = ?', [made.id]);
  expect(audit.map(({ event }) => event)).toEqual(['create']);
});
