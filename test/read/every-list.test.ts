import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { type GraphQLField, getNamedType, isInputObjectType, isObjectType } from 'graphql';
import { clientSchemaOfRooms, schemaOfRooms } from '../../src/app/serve.ts';
import { Material } from '../../src/directory/master-data/named.entities.ts';
import { compileDocuments } from '../../src/platform/http/rest/compile.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { least, shareOf } from '../helpers/properties.ts';
import { makeStaffedTenant, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { graphqlCall } from '../helpers/walk/calls.ts';
import { EXPECTED, expectationOf, type Ids, makeIds, permitted, restCalls } from '../helpers/walk.ts';

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

/** Reads lists for somebody who may read them. @param document makes another document of the call of the list */
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
  for (const { field } of shareOf(ALL, 4)) {
    const { all, last, none } = await read(field, {}, thrice);
    const { length } = all.edges;
    if (length > 1) long++;
    expect([field.name, all.count.value, last.edges, none.edges]).toEqual([field.name, length, all.edges.slice(-1), []]);
    expect([field.name, last.pageInfo.hasPreviousPage, none.pageInfo.hasNextPage]).toEqual([field.name, length > 1, length > 0]);
  }
  expect(long).toBeGreaterThan(least(10));
}, 120_000);

test('every list of records that change finds those that changed since a moment', async () => {
  expect(LISTS.filter((field) => !filterOf(field).updatedSince).map(({ name }) => name)).toEqual([]);
  const since = async (field: (typeof LISTS)[number], updatedSince?: string): Promise<number> =>
    (await read(field, updatedSince ? { filter: { updatedSince } } : {}))[field.name].nodes.length;
  let filled = 0;
  for (const field of shareOf(LISTS, 4)) {
    const all = await since(field);
    if (all > 0) filled++;
    expect([field.name, await since(field, '2020-01-01T00:00:00Z'), await since(field, '2099-01-01T00:00:00Z')]).toEqual([
      field.name,
      all,
      0,
    ]);
  }
  expect(filled).toBeGreaterThan(least(20));
}, 120_000);

/** The paths of the published document that are read, with their operations. */
const READS = Object.entries(JSON.parse(readFileSync('schema/openapi.json', 'utf8')).paths as Record<string, Json>).flatMap(
  ([path, { get }]) => (get ? [{ path, get, names: (get.parameters ?? []).map(({ name, $ref }: Json) => name ?? $ref) as string[] }] : []),
);
const OPERATIONS = compileDocuments(schemaOfRooms(), 'schema/rest', true);

/** The first answer of each operation that reads, to somebody who may, on each of its paths. */
async function everyRead(
  reads: readonly (typeof READS)[number][],
  visit: (path: string, token: string, name: string) => Promise<void>,
): Promise<void> {
  const paths = new Set(reads.map(({ path }) => path));
  for (const operation of OPERATIONS) {
    if (operation.method !== 'GET' || !paths.has(operation.path)) continue;
    const expected = expectationOf(operation.rootField);
    if (expected.who === 'session') continue;
    const { path } = restCalls(operation, expected, ids, tenant)[0]!;
    await visit(
      path,
      operation.rootField === 'myPreviousDriverDays' ? tenant.driver.token : await permitted(tenant, expected),
      operation.path,
    );
  }
}

/** The lists that are computed for each answer. */
const COMPUTED = ['data_health', 'metrics'];

test('every list of the published document finds by filter[updated_since] what changed since a moment', async () => {
  const lists = READS.filter(({ names }) => names.includes('page[limit]'));
  const without = lists.filter(({ names }) => !names.includes('filter[updated_since]')).map(({ path }) => path);
  expect(without.filter((path) => !COMPUTED.some((end) => path.endsWith(`/${end}`)))).toEqual([]);
  let filled = 0;
  const known = lists.filter(({ path }) => !without.includes(path));
  await everyRead(shareOf(known, 4), async (path, token, name) => {
    const with_ = path.includes('?') ? '&' : '?';
    const read = async (since: string) => (await tenant.http('GET', `${path}${since && with_ + since}`, undefined, token)) as Json;
    const [all, old, none] = [
      await read(''),
      await read('filter[updated_since]=2020-01-01T00:00:00Z'),
      await read('filter[updated_since]=2099-01-01T00:00:00Z'),
    ];
    expect([name, all.status, old.status, none.status]).toEqual([name, 200, 200, 200]);
    expect([name, old.body.data.length, none.body.data.length]).toEqual([name, all.body.data.length, 0]);
    if (all.body.data.length > 0) filled++;
  });
  expect(filled).toBeGreaterThan(least(60));
  const wrong = await tenant.http('GET', '/v1/materials?filter[updated_since]=yesterday', undefined, tenant.admin.token);
  expect([wrong.status, (wrong.body as Json).error.errors[0].field]).toEqual([422, 'filter[updated_since]']);
}, 120_000);

test('every record of the published document has an ETag, and is answered with 304 to who has it', async () => {
  const single = READS.filter(({ get, names }) => {
    const data = get.responses[200]?.content?.['application/json']?.schema?.properties?.data;
    return data && data.type !== 'array' && !names.includes('page[limit]');
  });
  // Of probes, and of pages that a link opens to whoever has it, nobody keeps copies.
  const pages = ['/health', '/v1/report_pages/{id}', '/v1/ticket_verifications/{token}', '/version'];
  const without = single.filter(({ get }) => !get.responses[200].headers?.ETag || !get.responses[304]).map(({ path }) => path);
  expect(without).toEqual(pages);
  let answered = 0;
  // Their answers say when they were given, and what time it is in a sandbox.
  const timed = ['/v1/companies/{company-id}/data_export/tickets/day/{date}', '/v1/sandboxes/{id}'];
  const kept = single.filter(({ path }) => !timed.includes(path));
  await everyRead(shareOf(kept, 4), async (path, token, name) => {
    const ask = (headers: Record<string, string>) => app.http('GET', path, { token, headers });
    const { status, headers } = await ask({});
    if (status !== 200) return;
    answered++;
    const tag = headers.get('etag');
    expect([name, tag]).toEqual([name, expect.stringMatching(/^"[\w.-]+"$/)]);
    expect([name, (await ask({ 'If-None-Match': tag! })).status]).toEqual([name, 304]);
  });
  expect(answered).toBeGreaterThan(least(50));
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
