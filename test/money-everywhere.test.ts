import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { type GraphQLField, getNamedType, isObjectType } from 'graphql';
import { entities } from '../src/app/rooms.ts';
import { schemaOfRooms } from '../src/app/serve.ts';
import { Rate } from '../src/directory/master-data/rate.entity.ts';
import { IamRole } from '../src/directory/people/iam-role.entity.ts';
import { Job } from '../src/dispatch/model/job.entity.ts';
import { Load } from '../src/dispatch/model/load.entity.ts';
import { Order } from '../src/dispatch/model/order.entity.ts';
import { Project } from '../src/dispatch/model/project.entity.ts';
import { grantsOf } from '../src/identity/access/matrix.ts';
import { ROLES, type RoleName } from '../src/identity/access/permissions.ts';
import { compileDocuments } from '../src/platform/http/rest/compile.ts';
import { readSpecOf } from '../src/platform/model/decorators.ts';
import { startTestApp, type TestApp } from './helpers/app.ts';
import { makeTenant, type Tenant } from './helpers/tenant.ts';
import { expectationOf, graphqlCall, makeIds, restCalls } from './helpers/walk.ts';

/** The prices of everything, by the permission to see them: found in an answer at any place. */
const PRICES = { view_customer_rates: '97.53', view_vendor_rates: '86.42', view_driver_rates: '75.31' } as const;
type Sees = keyof typeof PRICES;
const SEES = Object.keys(PRICES) as Sees[];

let app: TestApp;
let tenant: Tenant;
/** Everything that can be asked, and how. */
let asks: [string, (token: string) => Promise<string>][];
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  asks = await everyRead();
  await priceEverything();
});
afterAll(() => app.close());

const money = entities.flatMap((entity) => {
  const masked = [...readSpecOf(entity as never).masked].filter(([, { permission }]) => SEES.includes(permission as Sees));
  return masked.length > 0 ? [{ entity, masked: masked.map(([field, { permission }]) => [field, permission as Sees] as const) }] : [];
});

/** Every masked column of every row of the company. */
async function priceEverything(): Promise<void> {
  const em = app.orm.em.fork();
  const rateCard = (price: Sees) =>
    tenant.save(Rate, {
      company: ref(tenant.company),
      name: `Card ${price}`,
      ownerType: price.split('_')[1] as never,
      unitRate: PRICES[price],
    });
  const rateCards = Object.fromEntries(await Promise.all(SEES.map(async (price) => [price, (await rateCard(price)).id] as const)));
  for (const { entity, masked } of money) {
    const { properties } = em.getMetadata().getByClassName(entity.name as never);
    const columns = properties as Record<string, { kind: string }>;
    const priced = masked.flatMap(([field, price]): [string, unknown][] => {
      if (!columns[field]) return [];
      return [[field, columns[field].kind !== 'scalar' ? rateCards[price] : field.endsWith('Type') ? 'RatePerTon' : PRICES[price]]];
    });
    const ours = columns.company ? { company: tenant.company.id } : columns.companyId ? { companyId: tenant.company.id } : {};
    await em.nativeUpdate(entity as never, ours as never, Object.fromEntries(priced) as never, { filters: { tenant: false } });
  }
}

/** Every GET of REST, and every list and record of GraphQL with all that is masked of it. */
async function everyRead(): Promise<typeof asks> {
  const schema = schemaOfRooms();
  const ids = await makeIds(tenant);
  const rest = compileDocuments(schema, 'schema/rest', true).flatMap((operation): typeof asks => {
    if (operation.method !== 'GET') return [];
    return restCalls(operation, expectationOf(operation.rootField), ids, tenant).map(({ path }) => [
      `GET ${path}`,
      async (token) => JSON.stringify((await tenant.http('GET', path, undefined, token)).body),
    ]);
  });
  const fieldsOf = (type: string) => {
    const found = schema.getType(type);
    const fields = isObjectType(found) ? found.getFields() : {};
    const masked = money.find(({ entity }) => entity.name === type)?.masked.flatMap(([field]) => (fields[field] ? [field] : []));
    return (
      masked &&
      [...masked, ...(fields.materialRateAssignment ? ['materialRateAssignment'] : [])].map((field) => inside(field, fields[field]!))
    );
  };
  const graphql = Object.values(schema.getQueryType()!.getFields()).flatMap((field): typeof asks => {
    const type = String(field.type).replace(/[[\]!]/g, '');
    const selected = fieldsOf(type.replace(/Connection$/, ''))?.join(' ');
    if (!selected) return [];
    const { query, variables } = graphqlCall('query', field, expectationOf(field.name), ids, tenant);
    const whole = query.replace(/\{ (__typename|id) \}/, `{ ${selected} }`);
    return [[`query ${field.name}`, async (token) => JSON.stringify(await tenant.gql(whole, variables, token))]];
  });
  return [...rest, ...graphql];
}

const inside = (name: string, { type }: GraphQLField<unknown, unknown>): string =>
  ({ Rate: `${name} { unitRate }`, MaterialRateAssignment: `${name} { sellPrice buyPrice }` })[getNamedType(type).name] ?? name;

/** The callers who may not see all of it, and their permissions: built-in roles, and roles that a company makes. */
const READERS: { name: string; roles?: RoleName[]; grants?: Sees[]; sees: readonly Sees[] }[] = [
  ...ROLES.map((role) => ({ name: role, roles: [role], sees: SEES.filter((one) => grantsOf([role]).has(one)) })),
  ...SEES.map((one) => ({ name: `a role with ${one}`, grants: [one], sees: [one] })),
  { name: 'a role with nothing', grants: [], sees: [] },
].filter(({ sees }) => sees.length < SEES.length);

test('every role without all rate permissions gets the permitted money, and null for the rest, in every read of both interfaces', async () => {
  const reported = (answer: string): Sees[] => SEES.filter((price) => answer.includes(`"${PRICES[price]}`));
  const withMoney: typeof asks = [];
  const found = new Set<string>();
  for (const ask of asks) {
    const sides = reported(await ask[1](tenant.token));
    for (const side of sides) found.add(`${ask[0].split(' ')[0]} ${side}`);
    if (sides.length > 0) withMoney.push(ask);
  }
  expect([...found].sort()).toEqual(['GET', 'query'].flatMap((by) => [...SEES].sort().map((side) => `${by} ${side}`)));
  expect(withMoney.length).toBeGreaterThan(50);
  expect(READERS.map(({ name }) => name)).toEqual(expect.arrayContaining(['dispatcher', 'foreman', 'driver', 'it_admin']));
  for (const { name, roles = [], grants, sees } of READERS) {
    const own = grants && [(await tenant.save(IamRole, { company: ref(tenant.company), name, grants })).id];
    const { user, token } = await tenant.person({ roles, customRoleIds: own ?? [] });
    await onCrew(user.id);
    const shown = new Set<Sees>();
    const leaks: string[] = [];
    for (const [what, read] of withMoney) {
      for (const side of reported(await read(token))) {
        shown.add(side);
        if (!sees.includes(side)) leaks.push(`${what} shows ${side}`);
      }
    }
    expect([name, leaks, [...shown].sort()]).toEqual([name, [], [...sees].sort()]);
  }
});

/** Foremen and drivers read no work but their own; nobody here drives it, for drivers see their own pay. */
async function onCrew(id: string): Promise<void> {
  for (const entity of [Order, Job, Load, Project])
    await app.orm.em
      .fork()
      .nativeUpdate(entity as typeof Order, { company: tenant.company.id }, { foremanIds: [id] }, { filters: { tenant: false } });
}
