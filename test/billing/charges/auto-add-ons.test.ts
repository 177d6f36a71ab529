import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
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

const INVOICED = { add_on_types: ['invoicing'], quantity: 1 };
const PAID = { add_on_types: ['driver_pay'], quantity: 1 };
const auto = (of: Tenant, parent: string, body: object): Promise<Json> => of.must('POST', `/v1/${parent}/auto_add_on_assignments`, body);
/** Returns the charges that come by themselves for a job, as `side name`. */
async function applying(of: Tenant, jobId: string, token?: string): Promise<string[]> {
  const { data, errors } = await of.gql('query($id: ID!) { jobAutoAddOns(jobId: $id) { side name } }', { id: jobId }, token);
  if (errors) throw new Error(JSON.stringify(errors));
  return data.jobAutoAddOns.map(({ side, name }: Json) => `${side} ${name}`).sort();
}
async function jobOf(order: Json): Promise<Json> {
  return (await tenant.must('GET', `/v1/orders/${order.id}/jobs`))[0];
}

test('an automatic add-on takes the values of its add-on, and is read, changed and removed', async () => {
  const lease = await tenant.must('POST', '/v1/add_ons', {
    ...{ name: 'Lease', add_on_types: ['settlement'], revenue_rate_value: -80, cost_rate_value: -75 },
  });
  const { driver } = tenant;
  const made = await auto(tenant, `drivers/${driver.id}`, { add_on_id: lease.id, total_installments: 12 });
  expect(made).toEqual({
    ...{ id: expect.any(String), name: 'Lease', quantity: '1', rate: '-80', revenue_rate_value: '-80', cost_rate_value: '-75' },
    ...{ percentage: '0', add_on_rate_type: 'RateForEach', revenue_cost_rate_type: 'RateForEach', add_on_types: ['settlement'] },
    ...{
      external_id: null,
      accounting_id: null,
      total_installments: 12,
      auto_add_on_installments_count: 0,
      account_type: null,
      approved_invoices_count: 0,
    },
    ...{ add_on_id: lease.id, original_auto_add_on_assignment_id: null, source_id: null, source_type: null },
    ...{ add_on: expect.objectContaining({ id: lease.id, name: 'Lease' }), created_at: made.created_at, updated_at: made.updated_at },
  });
  const at = `/v1/auto_add_on_assignments/${made.id}`;
  expect(await tenant.must('PATCH', at, { cost_rate_value: '-70', total_installments: 0 })).toMatchObject({ cost_rate_value: '-70' });
  expect(await driver.must('GET', `/v1/drivers/${driver.id}/auto_add_on_assignments`)).toMatchObject([{ name: 'Lease', rate: '-80' }]);
  expect((await tenant.must('GET', `/v1/drivers/${driver.id}/auto_add_ons`)).map(({ id }: Json) => id)).toEqual([lease.id]);
  // Nobody takes a deduction off their own pay.
  expect((await driver.http('DELETE', `/v1/drivers/${driver.id}/auto_add_ons/${lease.id}`)).status).toBe(404);
  expect((await tenant.http('DELETE', `/v1/drivers/${driver.id}/auto_add_ons/${lease.id}`)).status).toBe(204);
  expect((await tenant.http('DELETE', `/v1/drivers/${driver.id}/auto_add_ons/${lease.id}`)).status).toBe(404);
  expect((await tenant.http('DELETE', at)).status).toBe(404);
});

test('an account has add-ons of each side that it is meant as', async () => {
  const account = await tenant.save(Account, { company: ref(tenant.company), name: 'Both', accountTypes: ['customer', 'vendor'] });
  const wash = await tenant.must('POST', '/v1/add_ons', { name: 'Wash of both', add_on_types: ['invoicing', 'driver_pay'] });
  const parent = `accounts/${account.id}`;
  const path = `/v1/${parent}/auto_add_on_assignments`;
  expect(fieldsOf(await tenant.http('POST', path, { add_on_id: wash.id }))).toEqual(['account_type']);
  expect(
    fieldsOf(await tenant.http('POST', `/v1/accounts/${tenant.account.id}/auto_add_on_assignments`, { account_type: 'vendor' })),
  ).toEqual(['account_type']);
  await auto(tenant, parent, { add_on_id: wash.id, account_type: 'customer' });
  await auto(tenant, parent, { add_on_id: wash.id, account_type: 'vendor' });
  const list = async (filter = '') => (await tenant.must('GET', `${path}${filter}`)).map((one: Json) => one.account_type).sort();
  expect([await list(), await list('?filter[account_type]=vendor')]).toEqual([['customer', 'vendor'], ['vendor']]);
  const dispatcher = await tenant.person({ roles: ['dispatcher'] });
  expect(await dispatcher.must('GET', path)).toEqual([]);
  expect((await dispatcher.http('POST', path, { add_on_id: wash.id, account_type: 'vendor' })).status).toBe(404);
  expect(await dispatcher.must('GET', `/v1/${parent}/auto_add_ons`)).toEqual([]);
  expect(await tenant.must('GET', `/v1/${parent}/auto_add_ons`)).toHaveLength(1);
  expect((await tenant.http('DELETE', `/v1/${parent}/auto_add_ons/${wash.id}/vendor_add_on`)).status).toBe(204);
  expect(await list()).toEqual(['customer']);
  expect((await tenant.http('DELETE', `/v1/${parent}/auto_add_ons/${wash.id}/vendor_add_on`)).status).toBe(404);
  expect((await tenant.http('DELETE', `/v1/${parent}/auto_add_ons/${wash.id}/customer_add_on`)).status).toBe(204);
  expect(await list()).toEqual([]);
});

test('of one root the most particular record applies, of other roots all do', async () => {
  const account = await tenant.save(Account, { company: ref(tenant.company), name: 'Levels' });
  const project = await tenant.must('POST', '/v1/projects', { name: 'Levels', account_id: account.id });
  const [broad, narrow] = [
    await tenant.must('POST', `/v1/projects/${project.id}/site_rate_schedules`, {}),
    await tenant.must('POST', `/v1/projects/${project.id}/site_rate_schedules`, { site_id: tenant.pickup.id }),
  ];
  const rateCard = await tenant.must('POST', '/v1/rates', {
    ...{ name: 'Levels', owner_type: 'customer', account_id: account.id, type: 'RateFlatRate', flat_amount: 100 },
  });
  const order = await makeOrder(tenant, { account_id: account.id, project_id: project.id });
  const job = await jobOf(order);
  const root = await auto(tenant, `accounts/${account.id}`, { name: 'account', account_type: 'customer', ...INVOICED });
  await auto(tenant, `accounts/${account.id}`, { name: 'other', account_type: 'customer', ...INVOICED });
  // Of another schedule, of another side, and for settlements.
  const copy = { account_type: 'customer', original_auto_add_on_assignment_id: root.id };
  await auto(tenant, `site_rate_schedules/${broad.id}`, { name: 'broad', ...copy, ...INVOICED });
  await auto(tenant, `projects/${project.id}`, { name: 'of drivers', ...PAID });
  await auto(tenant, `accounts/${account.id}`, { name: 'settled', account_type: 'customer', add_on_types: ['settlement'] });
  const seen: string[][] = [await applying(tenant, job.id)];
  const parents = [
    `rates/${rateCard.id}`,
    `projects/${project.id}`,
    `site_rate_schedules/${narrow.id}`,
    `orders/${order.id}`,
    `jobs/${job.id}`,
  ];
  const copies: Json[] = [];
  for (const parent of parents) {
    copies.push(await auto(tenant, parent, { name: parent.split('/')[0], ...copy, ...INVOICED }));
    seen.push(await applying(tenant, job.id));
  }
  expect(seen).toEqual([
    ['customer account', 'customer other'],
    ...['rates', 'projects', 'site_rate_schedules', 'orders', 'jobs'].map((name) => [`customer ${name}`, 'customer other'].sort()),
  ]);
  // A copy of a copy is the same charge, and the first one may go: the others are one charge still.
  const again = { name: 'again', ...copy, original_auto_add_on_assignment_id: copies[0].id, ...INVOICED };
  expect(fieldsOf(await tenant.http('POST', `/v1/jobs/${job.id}/auto_add_on_assignments`, again))).toEqual([
    'original_auto_add_on_assignment_id',
  ]);
  expect((await tenant.http('DELETE', `/v1/auto_add_on_assignments/${root.id}`)).status).toBe(204);
  expect(await applying(tenant, job.id)).toEqual(['customer jobs', 'customer other']);
  for (const { id } of copies.toReversed().slice(0, 4)) await tenant.http('DELETE', `/v1/auto_add_on_assignments/${id}`);
  expect(await applying(tenant, job.id)).toEqual(['customer other', 'customer rates']);
  await app.orm.em
    .fork()
    .execute('update auto_add_on_assignment set total_installments = 2, auto_add_on_installments_count = 2 where id = ?', [copies[0].id]);
  expect(await applying(tenant, job.id)).toEqual(['customer other']);
});

test('drivers of the company and vendors are paid theirs, and each company of a chain sees its own', async () => {
  const driven = await jobOf(await makeOrder(tenant, { driver_id: tenant.driver.id }));
  const paid = await auto(tenant, `drivers/${tenant.driver.id}`, { name: 'boots', ...PAID });
  expect(await applying(tenant, driven.id)).toEqual(['driver boots']);
  expect(await applying(tenant, driven.id, tenant.driver.token)).toEqual(['driver boots']);
  expect((await tenant.http('DELETE', `/v1/auto_add_on_assignments/${paid.id}`)).status).toBe(204);

  const chain = await makeChain(app);
  const { owner, middle, last, hired, subHired } = chain;
  const job = await jobOfChain(chain);
  await auto(owner, `accounts/${hired.id}`, { name: 'broker fee', account_type: 'vendor', ...PAID });
  await auto(owner, `jobs/${job.id}`, { name: 'of the owner', ...INVOICED });
  const [link] = await owner.must('GET', owner.path(`/jobs/${job.id}/job_assignments`));
  await auto(owner, `job_assignments/${link.id}`, { name: 'link', ...PAID });
  await auto(middle, `accounts/${subHired.id}`, { name: 'fee of the hauler', account_type: 'vendor', ...PAID });
  await auto(middle, `jobs/${job.id}`, { name: 'of the hauler', ...INVOICED });
  expect(await applying(owner, job.id)).toEqual(['customer of the owner', 'vendor broker fee', 'vendor link']);
  expect(await applying(middle, job.id)).toEqual(['customer of the hauler', 'vendor fee of the hauler']);
  expect(await applying(last, job.id)).toEqual([]);
  const names = async (of: Tenant, path: string) => (await of.must('GET', path)).map(({ name }: Json) => name);
  const ofJob = `/v1/jobs/${job.id}/auto_add_on_assignments`;
  expect([await names(owner, ofJob), await names(middle, ofJob), await names(last, ofJob)]).toEqual([
    ['of the owner'],
    ['of the hauler'],
    [],
  ]);
  // The receiver of a link neither reads nor writes what the other one keeps there.
  const ofLink = `/v1/job_assignments/${link.id}/auto_add_on_assignments`;
  expect([await names(owner, ofLink), await names(middle, ofLink)]).toEqual([['link'], []]);
  expect((await middle.http('POST', ofLink, { name: 'No', ...PAID })).status).toBe(404);
  const stranger = await makeTenant(app);
  expect([(await stranger.http('GET', ofLink)).status, (await stranger.http('GET', ofJob)).status]).toEqual([404, 404]);
});

test.each([
  ['no name and no add-on', { add_on_types: ['invoicing'] }, 'name'],
  ['no use', { name: 'Fee' }, 'add_on_types'],
  ['a negative quantity', { name: 'Fee', ...INVOICED, quantity: -1 }, 'quantity'],
  ['more than all', { name: 'Fee', ...INVOICED, percentage: -101 }, 'percentage'],
  ['less than no installments', { name: 'Fee', ...INVOICED, total_installments: -1 }, 'total_installments'],
  ['fuel without a schedule', { name: 'Fee', ...INVOICED, add_on_rate_type: 'FuelSurcharge' }, 'revenue_cost_rate_type'],
  ['what comes with settlements', { name: 'Fee', ...INVOICED, source_type: 'Settlement' }, 'source_type'],
])('bad input of an automatic add-on: %s', async (_row, body, field) => {
  const path = `/v1/accounts/${tenant.account.id}/auto_add_on_assignments`;
  const answer = await tenant.http('POST', path, { account_type: 'customer', ...body });
  expect([answer.status, fieldsOf(answer)]).toEqual([422, [field]]);
});

test('bad input of an automatic add-on: add-ons and originals of others', async () => {
  const stranger = await makeTenant(app);
  const theirs = await stranger.must('POST', '/v1/add_ons', { name: 'Theirs', add_on_types: ['invoicing'] });
  const original = await auto(stranger, `accounts/${stranger.account.id}`, { add_on_id: theirs.id, account_type: 'customer' });
  const path = `/v1/accounts/${tenant.account.id}/auto_add_on_assignments`;
  const body = { name: 'Fee', account_type: 'customer', ...INVOICED };
  for (const more of [{ add_on_id: theirs.id }, { original_auto_add_on_assignment_id: original.id }])
    expect(fieldsOf(await tenant.http('POST', path, { ...body, ...more }))).toEqual(Object.keys(more));
  // What the add-on would say is not missed as well, and what is wrong for itself is named all the same.
  const named = async (more: object) => fieldsOf(await tenant.http('POST', path, { account_type: 'customer', ...more }));
  const add_on_id = theirs.id;
  expect(await named({ add_on_id })).toEqual(['add_on_id']);
  expect(await named({ add_on_id, add_on_rate_type: 'FuelSurcharge' })).toEqual(['add_on_id']);
  expect((await named({ add_on_id, add_on_types: [], name: ' ' })).toSorted()).toEqual(['add_on_id', 'add_on_types', 'name']);
  expect((await tenant.http('PATCH', `/v1/auto_add_on_assignments/${original.id}`, { quantity: 2 })).status).toBe(404);
});
