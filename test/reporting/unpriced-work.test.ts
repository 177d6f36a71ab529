import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../src/directory/accounts/account.entity.ts';
import { Equipment } from '../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../src/directory/equipment/equipment-type.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { drive, makeStaffedTenant, plannedOrder, readyJob, type StaffedTenant, shortHaul } from '../helpers/staffed-tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

const TOMORROW = new Date(Date.now() + 26 * 3_600_000).toISOString();
const PER_TON = { type: 'RatePerTon', unit_rate: 5, unit_minimum: 0, unit_increment: 0 };

/** The ids of the records that have no rate. */
const without = async (of: StaffedTenant, what: 'order' | 'driver'): Promise<string[]> =>
  (await of.admin.must('GET', of.path(`/data_health?page[limit]=100&filter[codes][]=${what}_without_rate`))).map(({ id }: Json) => id);
/** A rate card with conditions, which REST or GraphQL may have. */
const rateCard = (of: StaffedTenant, owner_type: string, more: object): Promise<Json> =>
  of.admin.must('POST', '/v1/rates', { name: `Card of ${owner_type}`, ...PER_TON, owner_type, ...more });

test('of orders that are alike but for what a rate card or a schedule names, those alone are found to which none applies', async () => {
  const of = await makeStaffedTenant(app);
  const other = await of.save(Account, { company: ref(of.company), name: 'Other', accountTypes: ['customer'] });
  const [big, small] = [
    await of.save(EquipmentType, { company: ref(of.company), name: 'Big' }),
    await of.save(EquipmentType, { company: ref(of.company), name: 'Small' }),
  ];
  const truck = await of.save(Equipment, { company: ref(of.company), name: 'T1', equipmentType: ref(big) });
  const project = await of.must('POST', '/v1/projects', { name: 'Quarry alone', account_id: of.account.id });
  const order = async (more: object): Promise<string> => (await plannedOrder(of, { load_at: TOMORROW, ...more })).id;
  const route = (from: string, to: string) => ({
    waypoints: [
      { type: 'pickup', site_id: from, ordinality: 0 },
      { type: 'drop_off', site_id: to, ordinality: 1 },
    ],
  });
  const there = route(of.pickup.id, of.dropoff.id);
  const back = route(of.dropoff.id, of.pickup.id);
  const orders = {
    plain: await order({}),
    twin: await order({}),
    other: await order({ account_id: other.id }),
    big: await order({ equipment_type_id: big.id }),
    small: await order({ equipment_type_id: small.id }),
    own: await order({ customer_rate_value: 4, customer_rate_type: 'RatePerTon' }),
    there: await order({ project_id: project.id, ...there }),
    back: await order({ project_id: project.id, ...back }),
  };
  const named = async () => {
    const found = await without(of, 'order');
    return Object.entries(orders).flatMap(([name, id]) => (found.includes(id) ? [name] : []));
  };
  expect(await named()).toEqual(['plain', 'twin', 'other', 'big', 'small', 'there', 'back']);
  await of.must('POST', `/v1/projects/${project.id}/site_rate_schedules`, {
    ...{ site_id: of.pickup.id, customer_rate_value: 3, customer_rate_type: 'RatePerTon' },
  });
  expect(await named()).toEqual(['plain', 'twin', 'other', 'big', 'small', 'back']);
  await rateCard(of, 'customer', { equipment_type_id: big.id });
  expect(await named()).toEqual(['plain', 'twin', 'other', 'small', 'back']);
  await rateCard(of, 'customer', { account_id: other.id });
  expect(await named()).toEqual(['plain', 'twin', 'small', 'back']);
  await rateCard(of, 'customer', { equipment_ids: [truck.id] });
  expect(await named()).toEqual(['plain', 'twin', 'small', 'back']);
  await rateCard(of, 'customer', { account_id: of.account.id });
  expect(await named()).toEqual([]);
});

test('of drivers whose jobs are alike, those alone are found for whom there is no rate card', async () => {
  const of = await makeStaffedTenant(app);
  const people = [of.driver, await of.person({ roles: ['driver'] }), await of.person({ roles: ['driver'] })];
  for (const { user } of people) await plannedOrder(of, { load_at: TOMORROW, driver_id: user.id });
  const found = async () => {
    const ids = await without(of, 'driver');
    return people.map(({ user }) => ids.includes(user.id));
  };
  expect(await found()).toEqual([true, true, true]);
  await rateCard(of, 'driver', { driver_id: people[1]!.user.id });
  expect(await found()).toEqual([true, false, true]);
  await rateCard(of, 'driver', {});
  expect(await found()).toEqual([false, false, false]);
});

test('drivers are found without a rate by the very rates that apply to their jobs, at whatever level these are', async () => {
  const of = await makeStaffedTenant(app);
  const projectOf = (name: string, more: object = {}): Promise<Json> =>
    of.must('POST', '/v1/projects', { name, account_id: of.account.id, ...more });
  const plain = await projectOf('Plain');
  const paid = await projectOf('Paid', { driver_rate_value: 3, driver_rate_type: 'RatePerTon' });
  const waged = await projectOf('Waged');
  const wages = '[{ classification: "Driver", base: "31", fringe: "18", credit: "2" }]';
  const { errors } = await of.admin.gql(
    `mutation ($id: ID!) { updateProject(id: $id, input: { prevailingWage: true, wages: ${wages} }) { id } }`,
    { id: waged.id },
  );
  expect(errors).toBeUndefined();
  const scheduled = await projectOf('Scheduled');
  await of.must('POST', `/v1/projects/${scheduled.id}/site_rate_schedules`, { driver_rate_value: 2, driver_rate_type: 'RatePerTon' });
  const job = async (card: object | undefined, more: object = {}) => {
    const { id } = await of.person({ roles: ['driver'] });
    if (card) await rateCard(of, 'driver', { driver_id: id, ...card });
    const { jobs } = await plannedOrder(of, { load_at: TOMORROW, driver_id: id, ...more });
    return { driver: id, job: jobs[0].id as string };
  };
  const work = {
    ownCard: await job({}),
    cardOfProject: await job({ project_ids: [plain.id] }, { project_id: plain.id }),
    cardElsewhere: await job({ project_ids: [plain.id] }),
    none: await job(undefined),
    order: await job(undefined, { driver_rate_value: 9, driver_rate_type: 'RatePerLoad' }),
    project: await job(undefined, { project_id: paid.id }),
    // What the project prescribes is unknown for a driver without a classification, whatever the rate card says.
    waged: await job({}, { project_id: waged.id }),
    scheduled: await job(undefined, { project_id: scheduled.id }),
    scheduledElsewhere: await job(undefined, { project_id: plain.id }),
  };
  const expectAgreement = async (): Promise<string[]> => {
    const found = await without(of, 'driver');
    const names: string[] = [];
    for (const [name, { driver, job }] of Object.entries(work)) {
      const { driver: rate } = await of.admin.must('GET', `/v1/jobs/${job}/applied_rates`);
      const isPaid = Boolean(rate?.value && rate.rate_type);
      expect([name, found.includes(driver)]).toEqual([name, !isPaid]);
      if (!isPaid) names.push(name);
    }
    return names;
  };
  expect(await expectAgreement()).toEqual(['cardElsewhere', 'none', 'waged', 'scheduledElsewhere']);
  await rateCard(of, 'driver', { project_ids: [plain.id] });
  expect(await expectAgreement()).toEqual(['cardElsewhere', 'none', 'waged']);
  await rateCard(of, 'driver', {});
  expect(await expectAgreement()).toEqual(['waged']);
});

test('work that is done is paid at the rate that was noted then, whatever rate cards there are since', async () => {
  const worked = async (of: StaffedTenant) => {
    const job = await readyJob(of, { load_at: new Date().toISOString() });
    await drive(of.driver, job.id, ...shortHaul());
    return job;
  };
  const [paid, unpaid] = [await makeStaffedTenant(app), await makeStaffedTenant(app)];
  const card = await rateCard(paid, 'driver', {});
  await worked(paid);
  expect((await paid.admin.http('DELETE', `/v1/rates/${card.id}`)).status).toBe(204);
  expect(await without(paid, 'driver')).toEqual([]);

  const { id } = await worked(unpaid);
  expect(await without(unpaid, 'driver')).toEqual([unpaid.driver.id]);
  await rateCard(unpaid, 'driver', {});
  expect(await without(unpaid, 'driver')).toEqual([unpaid.driver.id]);
  await unpaid.must('PATCH', `/v1/jobs/${id}`, { driver_rate_value: 40, driver_rate_type: 'RatePerLoad' });
  expect(await without(unpaid, 'driver')).toEqual([]);
});
