import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import fc from 'fast-check';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { Material } from '../../../src/directory/master-data/named.entities.ts';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
/** Two of each, by the field that names them. */
const pool: Record<string, { id: string }[]> = {};
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
  const own = { company: ref(tenant.company) };
  pool.site_id = [tenant.pickup, await tenant.save(Site, { ...own, name: 'Pit 2' })];
  pool.dropoff_site_id = [tenant.dropoff, await tenant.save(Site, { ...own, name: 'Bridge 2' })];
  pool.equipment_type_id = [
    await tenant.save(EquipmentType, { ...own, name: 'A' }),
    await tenant.save(EquipmentType, { ...own, name: 'B' }),
  ];
  pool.material_id = [tenant.material, await tenant.save(Material, { ...own, name: 'Sand' })];
});
afterAll(() => app.close());

let made = 0;
const project = async (): Promise<string> =>
  (await tenant.must('POST', '/v1/projects', { name: `Ruled ${++made}`, account_id: tenant.account.id })).id;
const list = (id: string) => `/v1/projects/${id}/site_rate_schedules`;

const FIELDS = ['site_id', 'dropoff_site_id', 'equipment_type_id', 'material_id'] as const;
const NAMES = ['pickup_site', 'dropoff_site', 'equipment_type', 'material'];
/** For each field the first or the second of its two, or none. */
type Choice = (0 | 1 | null)[];
const bodyOf = (choice: Choice): Record<string, string> =>
  Object.fromEntries(FIELDS.flatMap((field, at) => (choice[at] === null ? [] : [[field, pool[field]![choice[at]!]!.id]])));

test('of the schedules that a job meets, the one with most conditions applies, then by pickup, drop-off, equipment type, material', async () => {
  const id = await project();
  const choices = fc.uniqueArray(fc.tuple(...FIELDS.map(() => fc.option(fc.constantFrom<0 | 1>(0, 1), { nil: null }))), {
    minLength: 14,
    maxLength: 14,
    selector: (choice) => choice.join(),
  });
  const [rules] = fc.sample(choices, { numRuns: 1, seed: 5 }) as [Choice[]];
  for (const [at, choice] of rules.entries())
    await tenant.must('POST', list(id), { ...bodyOf(choice), customer_rate_value: at + 1, customer_rate_type: 'RatePerTon' });
  const jobs: Choice[] = [
    [0, 0, 0, 0],
    [1, 0, 1, null],
    [0, 1, null, 1],
    [1, 1, 1, 1],
    [0, 0, null, null],
    [1, 1, 0, 0],
    [0, 1, 1, 0],
    [1, 0, 0, 1],
  ];
  for (const is of jobs) {
    const asks = (rule: Choice) => rule.map((one) => Number(one !== null));
    const weight = (rule: Choice) => [asks(rule).reduce((sum, one) => sum + one, 0), ...asks(rule)].join('');
    const met = rules
      .map((rule, at) => ({ rule, at }))
      .filter(({ rule }) => rule.every((one, at) => one === null || one === is[at]))
      .sort((a, b) => (weight(a.rule) < weight(b.rule) ? 1 : -1));
    const best = met[0];
    const { site_id, dropoff_site_id, ...fields } = bodyOf(is);
    const waypoints = [
      { type: 'pickup', site_id, ordinality: 0 },
      { type: 'drop_off', site_id: pool.dropoff_site_id![1 - is[1]!]!.id, ordinality: 1 },
      { type: 'drop_off', site_id: dropoff_site_id, ordinality: 2 },
    ];
    const order = await makeOrder(tenant, { project_id: id, waypoints, ...fields });
    const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
    const { customer } = await tenant.must('GET', `/v1/jobs/${job.id}/applied_rates`);
    const expected = best && {
      source: 'site_rate_schedule',
      value: String(best.at + 1),
      matched: NAMES.filter((_, at) => best.rule[at] !== null),
    };
    expect([is, customer]).toEqual([is, expected ? expect.objectContaining(expected) : null]);
  }
});

test('a schedule exists once for its conditions, names them, and refuses discarded records', async () => {
  const id = await project();
  const conditions = bodyOf([0, 1, 0, 1]);
  const rule = await tenant.must('POST', list(id), { ...conditions, driver_rate_value: 3, driver_rate_type: 'RatePerLoad' });
  expect(rule).toMatchObject({
    site: { id: conditions.site_id },
    dropoff_site: { id: conditions.dropoff_site_id },
    equipment_type: { id: conditions.equipment_type_id },
    material: { id: conditions.material_id },
  });
  const again = await tenant.http('POST', list(id), conditions);
  expect([again.status, fieldsOf(again)]).toEqual([422, ['site_id']]);
  expect((await tenant.http('POST', list(id), { ...conditions, material_id: null })).status).toBe(201);
  const stranger = await makeTenant(app);
  const foreign = { dropoff_site_id: stranger.dropoff.id, material_id: stranger.material.id, equipment_type_id: stranger.company.id };
  const refused = await tenant.http('PATCH', `/v1/site_rate_schedules/${rule.id}`, foreign);
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['dropoff_site_id', 'equipment_type_id', 'material_id']]);
  const gone = await tenant.save(Material, { company: ref(tenant.company), name: 'Gone', discardedAt: new Date() });
  expect(fieldsOf(await tenant.http('PATCH', `/v1/site_rate_schedules/${rule.id}`, { material_id: gone.id }))).toEqual(['material_id']);
  const fewer = await tenant.must('PATCH', `/v1/site_rate_schedules/${rule.id}`, { equipment_type_id: null });
  expect(fewer).toEqual({ ...rule, equipment_type: null, updated_at: fewer.updated_at, approved_invoices_count: 0 });
  const { data } = await tenant.gql(
    'query($id: ID!) { siteRateSchedules(projectId: $id) { nodes { dropoffSite { id } equipmentType { id } material { id } } } }',
    { id },
  );
  expect((data.siteRateSchedules.nodes as Json[]).at(-1)).toEqual({
    dropoffSite: { id: conditions.dropoff_site_id },
    equipmentType: null,
    material: { id: conditions.material_id },
  });
});
