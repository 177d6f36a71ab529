import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { type GraphQLField, getNamedType, isInputObjectType, isObjectType } from 'graphql';
import { clientSchemaOfRooms } from '../../src/app/serve.ts';
import { Material } from '../../src/directory/master-data/named.entities.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeStaffedTenant, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { graphqlCall } from '../helpers/walk/calls.ts';
import { EXPECTED, type Ids, makeIds } from '../helpers/walk.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

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
/** The lists of the root, with the type of their records. */
const ALL = Object.values(clientSchemaOfRooms().getQueryType()!.getFields()).flatMap((field) => {
  const connection = getNamedType(field.type);
  const nodes = isObjectType(connection) && 'pageInfo' in connection.getFields() ? connection.getFields().nodes : undefined;
  const node = nodes && getNamedType(nodes.type);
  return isObjectType(node) ? [{ field, node }] : [];
});
/** Those whose records say when they last changed. */
const LISTS = ALL.flatMap(({ field, node }) => ('updatedAt' in node.getFields() ? [field] : []));

/** What lists answer to somebody who may read them. @param document makes another document of the call of the list */
async function read(field: (typeof LISTS)[number], more: object, document = (query: string) => query): Promise<Json> {
  const { query, variables } = graphqlCall('query', field, EXPECTED.get(field.name)!, ids, tenant, { ...more });
  const { token } = field.name === 'myPreviousDriverDays' ? tenant.driver : tenant.admin;
  const { data, errors } = await tenant.gql(document(query), variables, token);
  expect([field.name, errors]).toEqual([field.name, undefined]);
  return data;
}

test('every list ends where its count says, forwards and backwards', async () => {
  const selection = '{ edges { cursor } pageInfo { hasNextPage hasPreviousPage } count(exact: true) { value } }';
  const thrice = (query: string) => {
    const [, head, name, given] = /^(.*?) \{ (\w+)(?:\((.*?)\))? \{/.exec(query)!;
    const page = (alias: string, size: string) => `${alias}: ${name}(${given ? `${given}, ` : ''}${size}) ${selection}`;
    return `${head} { ${page('all', 'first: 100')} ${page('last', 'last: 1')} ${page('none', 'first: 0')} }`;
  };
  let long = 0;
  for (const { field } of ALL) {
    const { all, last, none } = await read(field, {}, thrice);
    const { length } = all.edges;
    if (length > 1) long++;
    expect([field.name, all.count.value, last.edges, none.edges]).toEqual([field.name, length, all.edges.slice(-1), []]);
    expect([field.name, last.pageInfo.hasPreviousPage, none.pageInfo.hasNextPage]).toEqual([field.name, length > 1, length > 0]);
  }
  expect(long).toBeGreaterThan(10);
}, 120_000);

test('every list of records that change finds those that changed since a moment', async () => {
  expect(LISTS.filter((field) => !filterOf(field).updatedSince).map(({ name }) => name)).toEqual([]);
  const since = async (field: (typeof LISTS)[number], updatedSince?: string): Promise<number> =>
    (await read(field, updatedSince ? { filter: { updatedSince } } : {}))[field.name].nodes.length;
  let filled = 0;
  for (const field of LISTS) {
    const all = await since(field);
    if (all > 0) filled++;
    expect([field.name, await since(field, '2020-01-01T00:00:00Z'), await since(field, '2099-01-01T00:00:00Z')]).toEqual([
      field.name,
      all,
      0,
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
