import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ASTNode, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { DOCUMENTS, projectSchema } from '../../scripts/project.ts';
import { loadDocuments } from '../../src/platform/http/rest/load.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** The only value of each kind of rate in the contract's nested shapes. */
const VALUE: Record<string, string> = {
  ...{ RatePerHour: 'time_rate', RatePerDay: 'time_rate', RatePerLoad: 'unit_rate', RatePerTon: 'unit_rate', RatePerTonne: 'unit_rate' },
  ...{ RatePerYard: 'unit_rate', RatePerBushel: 'unit_rate', RateCommission: 'commission_percentage' },
  ...{ RateFlatCommission: 'commission_amount', RateFlatRate: 'flat_amount' },
};
const MORE: Record<string, object> = {
  time_rate: { time_minimum_minutes: 60, time_increment_minutes: 15 },
  unit_rate: { unit_minimum: 1, unit_increment: 1 },
};
/** Fields that only some kinds of a record have. */
const OF_A_KIND: Record<string, RegExp> = {
  Rate: /^(time|unit|commission|flat)[A-Z]/,
  Geofence: /^(geojson|circleCenter|circleRadius)$/,
  TriggeredShape: /^(geojson|circleCenter|circleRadius)$/,
  Signature: /^name$/,
};

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

test('wherever a document answers a field that only some kinds have, it is left out of the others', () => {
  const { operations, fragments, problems } = loadDocuments(DOCUMENTS);
  expect(problems).toEqual([]);
  const types = new TypeInfo(projectSchema());
  const found: [string, boolean][] = [];
  const look = (name: string, node: ASTNode) =>
    visit(
      node,
      visitWithTypeInfo(types, {
        Field({ name: field, directives }) {
          const parent = types.getParentType()?.name ?? '';
          if (OF_A_KIND[parent]?.test(field.value))
            found.push([`${name} ${parent}.${field.value}`, (directives ?? []).some((one) => one.name.value === 'omitNull')]);
        },
      }),
    );
  for (const { file, operation } of operations) look(file, operation);
  for (const [name, fragment] of fragments) look(name, fragment);
  expect(new Set(found.map(([at]) => at.split(' ')[1]!.split('.')[0]))).toEqual(new Set(Object.keys(OF_A_KIND)));
  expect(found.filter(([, omitted]) => !omitted)).toEqual([]);
});

/** The rates in an answer, by the field that has them. */
function ratesIn(answer: Json, at = ''): [string, Json][] {
  if (typeof answer !== 'object' || answer === null) return [];
  if (answer.type in VALUE && 'name' in answer) return [[at, answer]];
  return Object.entries(answer).flatMap(([name, inner]) => ratesIn(inner, Number.isNaN(Number(name)) ? name : at));
}

test.each(['RatePerHour', 'RatePerTon', 'RateCommission', 'RateFlatCommission', 'RateFlatRate'])(
  'a nested %s has its own value and no null for the others',
  async (type) => {
    const value = VALUE[type]!;
    const rateCard = (owner_type: string): Promise<Json> =>
      tenant.must('POST', '/v1/rates', { name: owner_type, type, owner_type, [value]: 7, ...MORE[value] });
    const [customer, vendor, driver] = await Promise.all(['customer', 'vendor', 'driver'].map(rateCard));
    const rateCards = { customer_rate_id: customer.id, vendor_rate_id: vendor.id, driver_rate_id: driver.id };
    const project = await tenant.must('POST', '/v1/projects', { name: type, account_id: tenant.account.id, ...rateCards });
    const schedule = await tenant.must('POST', `/v1/projects/${project.id}/site_rate_schedules`, {
      site_id: tenant.pickup.id,
      ...rateCards,
    });
    const order = await makeOrder(tenant, { ...rateCards, project_id: project.id });
    const [{ id }] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
    await tenant.must('PUT', `/v1/jobs/${id}/assign_vendor`, { vendor_id: tenant.vendor.id, rate_id: vendor.id });
    const answers = [schedule];
    for (const path of [`/v1/orders/${order.id}`, '/v1/orders', `/v1/jobs/${id}`, '/v1/jobs', `/v1/projects/${project.id}`])
      answers.push(await tenant.must('GET', path));
    const rates = answers.flatMap((answer) => ratesIn(answer)).filter(([, rate]) => rate.type === type);
    expect(new Set(rates.map(([at]) => at))).toEqual(new Set(['customer_rate', 'vendor_rate', 'driver_rate', 'rate']));
    for (const [at, rate] of rates) expect([at, Object.keys(rate).sort()]).toEqual([at, ['id', 'name', 'type', value].sort()]);
  },
);
