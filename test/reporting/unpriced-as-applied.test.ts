import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import fc from 'fast-check';
import { Account } from '../../src/directory/accounts/account.entity.ts';
import { Equipment } from '../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../src/directory/equipment/equipment-type.entity.ts';
import { Material, Service } from '../../src/directory/master-data/named.entities.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { runs } from '../helpers/properties.ts';
import { makeStaffedTenant, plannedOrder, type StaffedTenant } from '../helpers/staffed-tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

const TOMORROW = new Date(Date.now() + 26 * 3_600_000).toISOString();
const SIDES = ['customer', 'driver'] as const;
const one = fc.nat({ max: 1 });
/** A rate with many conditions is met by no work. */
const seldom = <T>(drawn: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: drawn });
const perhaps = fc.option(one, { nil: undefined, freq: 2 });
/** What a generator draws. */
type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never;

/** Work by what rates may depend on, as the places of records among those of its company. */
const DEPENDS = {
  ...{ account: one, material: one, service: one, type: perhaps, truck: perhaps, back: fc.boolean() },
  // Plain, with rates of its own, with prescribed wages.
  project: fc.constantFrom(undefined, undefined, 0, 0, 1, 2),
  classified: fc.boolean(),
  // Whose rate the order, or the job, says itself.
  own: seldom(fc.constantFrom('customer' as const, 'driver' as const, 'job' as const)),
};
const work = fc.record(DEPENDS);
/** Work that differs from another one in one thing, which decides or does not. */
const works = fc
  .tuple(
    work,
    fc.array(fc.tuple(fc.constantFrom(...(Object.keys(DEPENDS) as (keyof typeof DEPENDS)[])), work), { minLength: 5, maxLength: 6 }),
  )
  .map(([first, others]) => [first, ...others.map(([by, other]) => ({ ...first, [by]: other[by] }))]);
const card = fc.record({
  kind: fc.constant('card' as const),
  ...{
    side: fc.constantFrom(...SIDES),
    account: seldom(one),
    driver: seldom(fc.nat({ max: 6 })),
    projects: seldom(fc.constantFrom(0, 1, 2)),
  },
  ...{ type: seldom(one), truck: seldom(one), service: seldom(one) },
});
const schedule = fc.record({
  ...{ kind: fc.constant('schedule' as const), project: fc.nat({ max: 2 }), sides: fc.subarray([...SIDES], { minLength: 1 }) },
  ...{ from: seldom(one), to: seldom(one), type: seldom(one), material: seldom(one) },
});

async function recordsOf(of: StaffedTenant) {
  const company = ref(of.company);
  const twice = <T>(make: (name: string) => Promise<T>): Promise<[T, T]> => Promise.all([make('One'), make('Two')]);
  const [big, small] = await twice((name) => of.save(EquipmentType, { company, name }));
  const projects: Json[] = [];
  for (const more of [
    {},
    { customer_rate_value: 3, customer_rate_type: 'RatePerTon', driver_rate_value: 2, driver_rate_type: 'RatePerTon' },
    {},
  ])
    projects.push(await of.must('POST', '/v1/projects', { name: `P${projects.length}`, account_id: of.account.id, ...more }));
  const { errors } = await of.admin.gql(
    'mutation ($id: ID!, $wages: [ProjectWageInput!]) { updateProject(id: $id, input: { prevailingWage: true, wages: $wages }) { id } }',
    { id: projects[2].id, wages: [{ classification: 'Driver', base: '31', fringe: '18', credit: '2' }] },
  );
  expect(errors).toBeUndefined();
  return {
    projects: projects.map(({ id }): string => id),
    accounts: [of.account, await of.save(Account, { company, name: 'Other', accountTypes: ['customer'] })],
    materials: [of.material, await of.save(Material, { company, name: 'Other' })],
    services: [of.service, await of.save(Service, { company, name: 'Other' })],
    types: [big, small],
    trucks: [
      await of.save(Equipment, { company, name: 'T1', equipmentType: ref(big) }),
      await of.save(Equipment, { company, name: 'T2', equipmentType: ref(big) }),
    ],
    sites: [of.pickup, of.dropoff],
  };
}

test('work is found without a rate if and only if no rate applies to it, whatever rates there are', async () => {
  const id = (records: readonly { id: string }[], at: number | undefined) => (at === undefined ? null : records[at]!.id);
  const property = async (works: readonly Drawn<typeof work>[], rates: readonly (Drawn<typeof card> | Drawn<typeof schedule>)[]) => {
    const of = await makeStaffedTenant(app);
    const { projects, accounts, materials, services, types, trucks, sites } = await recordsOf(of);
    const made: { order: string; job: string; driver: string }[] = [];
    for (const { own, ...one } of works) {
      const driver = await of.person({ roles: ['driver'] });
      if (one.classified) {
        const input = { id: driver.id, input: { wageClassification: 'Driver' } };
        const mutation = 'mutation ($id: ID!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { id } }';
        expect((await of.admin.gql(mutation, input)).errors).toBeUndefined();
      }
      const [from, to] = one.back ? [sites[1]!, sites[0]!] : [sites[0]!, sites[1]!];
      const order = await plannedOrder(of, {
        ...{ load_at: TOMORROW, driver_id: driver.id, material_id: id(materials, one.material), service_id: id(services, one.service) },
        ...{ account_id: id(accounts, one.project === undefined ? one.account : 0), equipment_type_id: id(types, one.type) },
        ...(one.project === undefined ? {} : { project_id: projects[one.project] }),
        waypoints: [
          { type: 'pickup', site_id: from.id, ordinality: 0 },
          { type: 'drop_off', site_id: to.id, ordinality: 1 },
        ],
        ...(own && own !== 'job' ? { [`${own}_rate_value`]: 4, [`${own}_rate_type`]: 'RatePerTon' } : {}),
      });
      const job = order.jobs[0].id;
      made.push({ order: order.id, job, driver: driver.id });
    }
    const expectAgreement = async (asked: readonly (typeof SIDES)[number][]) => {
      for (const side of asked) {
        const code = side === 'customer' ? 'order_without_rate' : 'driver_without_rate';
        const found: Json[] = await of.admin.must('GET', of.path(`/data_health?page[limit]=100&filter[codes][]=${code}`));
        const without = new Set(found.map((record): string => record.id));
        for (const [at, { order, job, driver }] of made.entries()) {
          const { [side]: rate } = await of.admin.must('GET', `/v1/jobs/${job}/applied_rates`);
          const isPaid = Boolean(rate?.value && rate.rate_type);
          expect([side, works[at], without.has(side === 'customer' ? order : driver)]).toEqual([side, works[at], !isPaid]);
        }
      }
    };
    const add = async (rate: (typeof rates)[number]) => {
      if (rate.kind === 'schedule') {
        await of.must('POST', `/v1/projects/${projects[rate.project]}/site_rate_schedules`, {
          ...{ site_id: id(sites, rate.from), dropoff_site_id: id(sites, rate.to) },
          ...{ equipment_type_id: id(types, rate.type), material_id: id(materials, rate.material) },
          ...Object.assign({}, ...rate.sides.map((side) => ({ [`${side}_rate_value`]: 5, [`${side}_rate_type`]: 'RatePerTon' }))),
        });
        return;
      }
      const whom = rate.side === 'customer' ? { account_id: id(accounts, rate.account) } : {};
      const driver = rate.side === 'driver' && rate.driver !== undefined ? { driver_id: made[rate.driver % made.length]!.driver } : {};
      await of.admin.must('POST', '/v1/rates', {
        ...{
          name: 'Card',
          owner_type: rate.side,
          type: 'RatePerTon',
          unit_rate: 5,
          unit_minimum: 0,
          unit_increment: 0,
          ...whom,
          ...driver,
        },
        ...{ project_ids: rate.projects === undefined ? [] : [projects[rate.projects]], equipment_type_id: id(types, rate.type) },
        ...{ equipment_ids: rate.truck === undefined ? [] : [id(trucks, rate.truck)] },
        ...{ service_ids: rate.service === undefined ? [] : [id(services, rate.service)] },
      });
    };
    await expectAgreement(SIDES);
    const half = Math.ceil(rates.length / 2);
    for (const rate of rates.slice(0, half)) await add(rate);
    await expectAgreement(SIDES);
    // From here on jobs differ from their orders, of which customers are asked.
    for (const [at, { truck, own }] of works.entries()) {
      const pays = own === 'job' ? { driver_rate_value: 6, driver_rate_type: 'RatePerLoad' } : {};
      const changes = { ...pays, ...(truck === undefined ? {} : { equipment_id: id(trucks, truck) }) };
      if (Object.keys(changes).length > 0) await of.admin.must('PATCH', `/v1/jobs/${made[at]!.job}`, changes);
    }
    await expectAgreement(['driver']);
    for (const rate of rates.slice(half)) await add(rate);
    await expectAgreement(['driver']);
  };
  await fc.assert(fc.asyncProperty(works, fc.array(fc.oneof(card, schedule), { minLength: 2, maxLength: 6 }), property), {
    numRuns: runs(3),
    endOnFailure: true,
  });
}, 120_000);
