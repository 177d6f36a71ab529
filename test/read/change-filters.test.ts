import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { type GraphQLField, getNamedType, isInputObjectType, isObjectType } from 'graphql';
import { clientSchemaOfRooms } from '../../src/app/serve.ts';
import { Material } from '../../src/directory/master-data/named.entities.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeStaffedTenant, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { graphqlCall } from '../helpers/walk/calls.ts';
import { EXPECTED, type Ids, makeIds } from '../helpers/walk.ts';

let app: TestApp;
let tenant: StaffedTenant;
let ids: Ids;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeStaffedTenant(app);
  ids = await makeIds(tenant);
}, 120_000);
afterAll(() => app.close());

const filterOf = ({ args }: GraphQLField<unknown, unknown>) => {
  const type = getNamedType(args.find(({ name }) => name === 'filter')?.type);
  return isInputObjectType(type) ? type.getFields() : {};
};
/** The lists of the root whose records say when they last changed. */
const LISTS = Object.values(clientSchemaOfRooms().getQueryType()!.getFields()).filter(({ type }) => {
  const connection = getNamedType(type);
  const nodes = isObjectType(connection) && 'pageInfo' in connection.getFields() ? connection.getFields().nodes : undefined;
  const node = nodes && getNamedType(nodes.type);
  return isObjectType(node) && 'updatedAt' in node.getFields();
});

test('every list of records that change finds those that changed since a moment', async () => {
  expect(LISTS.filter((field) => !filterOf(field).updatedSince).map(({ name }) => name)).toEqual([]);
  const idsSince = async (field: (typeof LISTS)[number], updatedSince?: string): Promise<string[]> => {
    const more = updatedSince ? { filter: { updatedSince } } : {};
    const { query, variables } = graphqlCall('query', field, EXPECTED.get(field.name)!, ids, tenant, more);
    const { data, errors } = await tenant.gql(
      query,
      variables,
      (field.name === 'myPreviousDriverDays' ? tenant.driver : tenant.admin).token,
    );
    expect([field.name, errors]).toEqual([field.name, undefined]);
    return data[field.name].nodes.map(({ id }: { id: string }) => id);
  };
  let filled = 0;
  for (const field of LISTS) {
    const all = await idsSince(field);
    if (all.length > 0) filled++;
    expect([field.name, await idsSince(field, '2020-01-01T00:00:00Z'), await idsSince(field, '2099-01-01T00:00:00Z')]).toEqual([
      field.name,
      all,
      [],
    ]);
  }
  expect(filled).toBeGreaterThan(20);
}, 120_000);

test('a filter by the last change finds what changed since, and not what was left alone', async () => {
  const old = await tenant.save(Material, { company: ref(tenant.company), name: 'Slag' });
  await app.orm.em.getConnection().execute("update material set updated_at = '2020-01-01' where id = ?", [old.id]);
  const { data } = await tenant.gql(
    '{ materials(filter: { updatedSince: "2021-01-01T00:00:00Z" }) { nodes { id } count { value } } every: materials { count { value } } }',
  );
  const { nodes, count } = data.materials;
  expect(nodes.map(({ id }: { id: string }) => id)).toContain(tenant.material.id);
  expect(nodes.map(({ id }: { id: string }) => id)).not.toContain(old.id);
  expect([nodes.length, data.every.count.value]).toEqual([count.value, count.value + 1]);
});
