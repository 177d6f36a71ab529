import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type GraphQLInputType,
  getIntrospectionQuery,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isRequiredArgument,
  isRequiredInputField,
  print,
} from 'graphql';
import { schemaOfRooms } from '../src/app/serve.ts';
import { requireAffordable } from '../src/platform/graphql/limits.ts';
import { excessOf } from '../src/platform/graphql/shape.ts';
import { compileDocuments } from '../src/platform/http/rest/compile.ts';
import { startTestApp, type TestApp } from './helpers/app.ts';
import { HIDDEN, HOSTILE } from './helpers/hostile/hostile.ts';
import { makeTenant, type Tenant } from './helpers/tenant.ts';

let app: TestApp;
let closed: TestApp;
let tenant: Tenant;
let closedTenant: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  closed = await startTestApp({ introspection: false });
  tenant = await makeTenant(app);
  closedTenant = await makeTenant(closed);
});
afterAll(async () => {
  await app.close();
  await closed.close();
});

/** Times a document is asked at most; asked again while it took too long. */
const RUNS = 20;
/**
 * Milliseconds of processor time that a refusal may take, asking included: what others do on the machine does not count. The quickest run
 * counts: the collector, which clears away what a process of many test files has left, takes part of the others.
 */
const MOST = 50;

/** Asks several times; each time a text of its own, so that nothing is remembered. */
async function refusal(of: Tenant, query: unknown, variables?: object) {
  const times: number[] = [];
  let said: unknown[] = [];
  for (let run = 0; run < RUNS; run++) {
    const body = typeof query === 'string' ? { query: `${query}\n#${run}`, variables } : query;
    const { value, statements } = await of.app.countStatements(async () => {
      const start = process.cpuUsage();
      const answer = await of.http('POST', '/graphql', body, of.token);
      const { user, system } = process.cpuUsage(start);
      times.push((user + system) / 1000);
      return answer;
    });
    const { data, errors, error } = value.body;
    said = [value.status, (errors ?? [error]).length > 0, data ?? null, statements];
    if (value.status !== 400 || (run >= 2 && Math.min(...times) < MOST)) break;
  }
  return { said, least: Math.min(...times) };
}

test('there are sixty hostile documents', () => {
  expect(new Set([...HOSTILE, ...HIDDEN].map(({ name }) => name)).size).toBeGreaterThanOrEqual(60);
});

test.each(HOSTILE)('refused before anything runs: $name', async ({ query, variables }) => {
  const { said, least } = await refusal(tenant, query, variables);
  expect(said).toEqual([400, true, null, []]);
  expect(least).toBeLessThan(MOST);
});

test.each(HIDDEN)('refused if the schema is not public: $name', async ({ query }) => {
  const { said, least } = await refusal(closedTenant, query);
  expect(said).toEqual([400, true, null, []]);
  expect(least).toBeLessThan(MOST);
});

test.each([1_000, 50_000])('variables nested %i deep are refused before anything walks them', async (levels) => {
  const variables = `{"input":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`;
  const send = { token: tenant.token, headers: { 'Content-Type': 'application/json' } };
  const query = 'query($input: JSON) { __typename }';
  const posted = await app.http('POST', '/graphql', { ...send, body: `{"query":"${query}","variables":${variables}}` });
  const asked = await app.http(
    'GET',
    `/graphql?query=${encodeURIComponent(query)}&variables=${encodeURIComponent(variables).slice(0, 12_000)}`,
    send,
  );
  const refused = { code: 'bad_request', errors: [{ model: 'Request', field: '', message: 'the body is nested deeper than 1000 levels' }] };
  expect([posted.status, posted.body.error]).toEqual([400, refused]);
  // Of a long one only a piece fits into an address, which is no JSON.
  expect([asked.status, asked.body.error.code]).toEqual([400, 'bad_request']);
});

test('if the schema is not public, no error hints at it', async () => {
  const answer = await closed.graphql('{ orderz { nodes { id } } }', {}, { token: closedTenant.token });
  expect([answer.status, JSON.stringify(answer.body).includes('Did you mean')]).toEqual([400, false]);
});

test('every document of the project passes', () => {
  const schema = schemaOfRooms();
  for (const { name, document } of compileDocuments(schema, 'schema/rest', true)) {
    expect([name, excessOf(print(document))]).toEqual([name, undefined]);
    expect(() => requireAffordable(schema, document, name, { page: { limit: 100 } }, 'en')).not.toThrow();
  }
});

test("GraphiQL's queries of the schema pass, and so does a dashboard", async () => {
  const asked = await tenant.gql(getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true }));
  expect(asked.data.__schema.queryType.name).toBe('Query');
  const dashboard =
    '{ orders(first: 25) { nodes { id orderId state jobs(first: 25) { nodes { id jobId state loads(first: 25) { nodes { id state } } } } } } }';
  expect((await tenant.gql(dashboard)).errors).toBeUndefined();
});

/** Values of scalars that are read without complaint. */
const READABLE: Record<string, unknown> = {
  String: 'x',
  Boolean: true,
  Int: 1,
  Float: 1,
  Decimal: '1',
  JSON: {},
  Date: '2026-12-01',
  DateTime: '2026-12-01T12:00:00Z',
  DateTimeISO: '2026-12-01T12:00:00Z',
};

/** Returns the smallest value of a type, but with every id that it accepts, none of which is a UUID; notes where they are. */
function withIds(type: GraphQLInputType, path: string, reported: string[], within: readonly string[] = []): unknown {
  const kind = getNullableType(type);
  if (isListType(kind)) return [withIds(kind.ofType, `${path}.0`, reported, within)];
  if (isEnumType(kind)) return kind.getValues()[0]!.name;
  if (String(kind) === 'ID') return reported.push(path) && 'nope';
  if (!isInputObjectType(kind)) return READABLE[String(kind)];
  const fields = Object.values(kind.getFields()).filter((field) => {
    const inner = getNamedType(field.type);
    return isRequiredInputField(field) || String(inner) === 'ID' || (isInputObjectType(inner) && !within.includes(inner.name));
  });
  return Object.fromEntries(
    fields.map(({ name, type: one }) => [name, withIds(one, path === '' ? name : `${path}.${name}`, reported, [...within, kind.name])]),
  );
}

test('an invalid id is refused with the path of its field, in every mutation', async () => {
  const missed: string[] = [];
  let met = 0;
  for (const field of Object.values(schemaOfRooms().getMutationType()!.getFields())) {
    const holders = field.args.filter(({ type }) => isInputObjectType(getNamedType(type)));
    const reported: string[] = [];
    const given = holders.map(({ name, type }) => [name, withIds(type, name === 'input' ? '' : name, reported)]);
    if (reported.length === 0) continue;
    met += reported.length;
    const rest = field.args.filter((one) => isRequiredArgument(one) && !holders.includes(one));
    // A company that the caller does not see is missing, whatever else is wrong.
    const others = rest.map(({ name, type }) => [name, name === 'companyId' ? tenant.company.id : withIds(type, name, [])]);
    const names = [...holders, ...rest].map(({ name, type }) => [`$${name}: ${type}`, `${name}: $${name}`] as const);
    const select = isLeafType(getNamedType(field.type)) ? '' : '{ __typename }';
    const query = `mutation (${names.map(([one]) => one)}) { ${field.name}(${names.map(([, one]) => one)}) ${select} }`;
    const { body } = await app.graphql(query, Object.fromEntries([...given, ...others]), { token: tenant.token });
    const refused = (body.errors?.[0]?.extensions?.errors ?? []).map(({ field: path }: { field: string }) => path);
    for (const path of reported) if (!refused.includes(path)) missed.push(`${field.name} ${path} ${JSON.stringify(body.errors?.[0])}`);
  }
  expect(missed).toEqual([]);
  expect(met).toBeGreaterThan(300);
});

test('a stream suggests no names of a schema that is not public', async () => {
  const body = { query: 'subscription { recordChanged(types: [Order]) { idd } }' };
  const said = async ({ app: { url }, token }: Tenant) => {
    const headers = { Accept: 'text/event-stream', Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    return (await fetch(`${url}/graphql/stream`, { method: 'POST', headers, body: JSON.stringify(body) })).text();
  };
  expect(await said(tenant)).toContain('Did you mean');
  const text = await said(closedTenant);
  expect([text.includes('Cannot query field'), text.includes('Did you mean')]).toEqual([true, false]);
});
