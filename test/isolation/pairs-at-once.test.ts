import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { schemaOfRooms } from '../../src/app/serve.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { seedOf, sweepRuns } from '../helpers/properties.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { isFault } from '../helpers/walk/whole-call.ts';
import { expectationOf, graphqlCall, type Ids, idsUsed, makeIds } from '../helpers/walk.ts';

const mutations = Object.values(schemaOfRooms().getMutationType()!.getFields());

/** Kinds of records that belong to one another, with how often something is drawn of them. */
const FAMILIES: readonly (readonly [number, readonly string[]])[] = [
  [40, ['order', 'job', 'finishedJob', 'load', 'jobAssignment']],
  [10, ['order', 'ticket', 'fileAttachment', 'load']],
  [10, ['project', 'inactiveProject', 'siteRateSchedule', 'order']],
  [12, ['user', 'timeOff', 'userSession', 'compliant', 'complianceDocument']],
  [5, ['formerUser', 'resourceScope']],
  [5, ['driverDay', 'user']],
  [12, ['account', 'accountTimeOff', 'externalTruck', 'accountPaper']],
  [10, ['site', 'siteGeofence', 'inactiveSite', 'movingSite', 'kmlFile']],
  [8, ['equipment', 'inactiveEquipment', 'equipmentType', 'truckPaper']],
  [6, ['material', 'inactiveMaterial', 'materialRate']],
  [6, ['rate', 'addOn', 'iamRole', 'label', 'department', 'complianceDocumentType']],
  [6, ['m2mClient', 'ssoConnection', 'companyShare', 'companyShareable']],
  [6, ['importedRecord', 'importBatch']],
];

let app: TestApp;
let tenant: Tenant;
/** A person with all permissions, next to the machine client. */
let dispatcher: string;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  dispatcher = (await tenant.person({ roles: ['company_admin'] })).token;
});
afterAll(() => app.close());

const callWith = (field: (typeof mutations)[number]) => (ids: Ids) =>
  graphqlCall('mutation', field, expectationOf(field.name), ids, tenant);

/** Mutations that act on one of these kinds. */
const actsOn = (kinds: readonly string[]) =>
  mutations.filter((field) => [...idsUsed(callWith(field))].some((kind) => kinds.includes(kind)));

/** Jobs and trucks of an order agree, and every load is of a job that is there. */
async function expectCounted(orderId: string | undefined): Promise<unknown[]> {
  return orderId === undefined
    ? []
    : app.orm.em.execute(
        `select o.truck_count, count(j.id)::int as jobs, count(distinct j.number)::int as numbers from orders o left join job j on j.order_id = o.id
         where o.id = ? group by o.id having o.truck_count <> count(j.id) or count(distinct j.number) <> count(j.id)`,
        [orderId],
      );
}

test.each(FAMILIES.map(([times, kinds]) => [kinds.join(', '), times, kinds] as const))(
  'two concurrent commands on one %s, after any earlier ones, each succeed or are refused',
  async (name, times, kinds) => {
    const acts = fc.constantFrom(...actsOn(kinds));
    const faults: string[] = [];
    const draw = fc.tuple(fc.array(acts, { maxLength: 2 }), fc.tuple(acts, acts));
    for (const [before, pair] of fc.sample(draw, { seed: seedOf(name), numRuns: sweepRuns(times, 3) })) {
      const used = [...before, ...pair].map((field) => idsUsed(callWith(field)));
      const ids = await makeIds(tenant, undefined, new Set(used.flatMap((one) => [...one])));
      const send = (field: (typeof mutations)[number], token: string) => {
        const { query, variables } = callWith(field)(ids);
        return app.graphql(query, variables, { token });
      };
      const answers = [];
      for (const field of before) answers.push(await send(field, tenant.token));
      answers.push(
        ...(await Promise.all([...pair.map((field) => send(field, tenant.token)), ...pair.map((field) => send(field, dispatcher))])),
      );
      const round = `${before.map((field) => field.name)} then ${pair.map((field) => field.name)}`;
      for (const answer of answers.filter(isFault)) faults.push(`${round}: ${answer.status} ${JSON.stringify(answer.body)}`);
      const wrong = await expectCounted(ids.order);
      if (wrong.length > 0) faults.push(`${round}: ${JSON.stringify(wrong)}`);
    }
    expect(faults).toEqual([]);
  },
  300_000,
);
