import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type GraphQLField, getNamedType, isLeafType, isObjectType, isRequiredArgument } from 'graphql';
import { schemaOfRooms } from '../../src/app/serve.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { isUnnamed, textsOf } from '../helpers/unnamed-statements.ts';
import { isDone, isFault, mutationCall, reported } from '../helpers/walk/whole-call.ts';
import { expectationOf, type Ids } from '../helpers/walk.ts';

type Field = GraphQLField<unknown, unknown>;

const schema = schemaOfRooms();
const mutations = Object.values(schema.getMutationType()!.getFields());
const queries = schema.getQueryType()!.getFields();

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

/** Returns the concurrent senders: for calls about oneself only a driver, for all others two. */
const senders = ({ name }: Field): readonly string[] =>
  expectationOf(name).who === 'person'
    ? [tenant.driver.token, tenant.driver.token, tenant.driver.token]
    : [tenant.token, tenant.token, tenant.token, dispatcher];

/** All that can be read of each record without arguments. */
const read = (ids: Ids) =>
  Promise.all(
    Object.entries(ids).flatMap(([kind, id]) => {
      const one = queries[kind];
      if (
        !one?.args.some(({ name }) => name === 'id') ||
        one.args.some((argument) => isRequiredArgument(argument) && argument.name !== 'id')
      )
        return [];
      const type = getNamedType(one.type);
      const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
      const plain = fields.filter((field) => isLeafType(getNamedType(field.type)) && !field.args.some(isRequiredArgument));
      return [
        app.graphql(`query($id: ID!) { ${kind}(id: $id) { ${plain.map(({ name }) => name).join(' ')} } }`, { id }, { token: tenant.token }),
      ];
    }),
  );

test.each([
  ['with what it needs', false],
  ['with all that it takes', true],
] as const)(
  'every mutation %s, sent several times concurrently, succeeds or is refused, and its record can be read',
  async (_, whole) => {
    const faults: string[] = [];
    let done = 0;
    const unnamed = await app.overhear(async () => {
      for (const field of mutations) {
        const { ids, query, variables } = await mutationCall(tenant, field, senders(field)[0]!, whole);
        const answers = await Promise.all(senders(field).map((token) => app.graphql(query, variables, { token })));
        if (answers.some(isDone)) done++;
        faults.push(...reported([...answers, ...(await read(ids))].filter(isFault)).map((one) => `${field.name}: ${one}`));
      }
    }, isUnnamed);
    // With many machines nobody would know which one to ask (docs/scale.md).
    expect(textsOf(unnamed)).toEqual([]);
    expect(faults).toEqual([]);
    // They met records, and were not all refused.
    expect(done / mutations.length).toBeGreaterThan(0.75);
  },
  300_000,
);
