import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type GraphQLNamedType, getNamedType, isInputObjectType } from 'graphql';
import { clientSchemaOfRooms } from '../../../src/app/serve.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
let orderId: string;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  orderId = (await makeOrder(tenant)).id;
});
afterAll(() => app.close());

test('a field that fails leaves the others of its query', async () => {
  const { person } = tenant;
  const { token } = await person({ roles: ['driver'] });
  const { data, errors } = await tenant.gql(
    `{ missing: order(id: "${tenant.company.id}") { id } company { id } forbidden: m2mClients(companyId: "${tenant.company.id}") { nodes { id } }
       wrong: orders(first: 101) { nodes { id } } }`,
    {},
    token,
  );
  expect(data).toEqual({ missing: null, company: { id: tenant.company.id }, forbidden: null, wrong: null });
  expect(errors.map(({ path, extensions }: Json) => [path[0], extensions.code]).sort()).toEqual([
    ['forbidden', 'forbidden'],
    ['missing', 'object_not_found'],
    ['wrong', 'unprocessable_content'],
  ]);
});

test('one value is taken where a nested list takes several, however it is written', async () => {
  const jobs = (filter: string) => `orders(filter: { ids: "${orderId}" }) { nodes { jobs(filter: ${filter}) { nodes { state } } } }`;
  const expected = { data: { orders: { nodes: [{ jobs: { nodes: [{ state: 'created' }] } }] } } };
  for (const [query, variables] of [
    [`{ ${jobs('{ states: created }')} }`, {}],
    [`query ($filter: JobFilter) { ${jobs('$filter')} }`, { filter: { states: 'created' } }],
    [`query ($filter: JobFilter = { states: created }) { ${jobs('$filter')} }`, {}],
    [`query ($state: [JobState!]) { ${jobs('{ states: $state }')} }`, { state: 'created' }],
    [`query ($state: JobState!) { ${jobs('{ states: [$state] }')} }`, { state: 'created' }],
  ] as const)
    expect([query, await tenant.gql(query, variables)]).toEqual([query, expected]);
  const none = await tenant.gql(`{ ${jobs('{ states: sent }')} }`);
  expect(none.data.orders.nodes).toEqual([{ jobs: { nodes: [] } }]);
});

test('every wrong variable is named at once, with its path and its place in the document', async () => {
  const query = 'mutation (\n  $id: ID!\n  $input: UpdateOrderInput!\n) { updateOrder(id: $id, input: $input) { id } }';
  const waypoints = [{ type: 'pickup', siteId: tenant.pickup.id, ordinality: 'first' }];
  const { errors, data } = await tenant.gql(query, {
    input: { loadAt: 'tomorrow', quantity: 'much', unitOfMeasure: 'Tun', unknown: 1, waypoints },
  });
  expect(data).toBeUndefined();
  const described = errors.map(({ message, locations, extensions }: Json) => [message, locations, extensions.variable, extensions.path]);
  const [id, input] = [[{ line: 2, column: 3 }], [{ line: 3, column: 3 }]];
  expect(described.toSorted((a: Json, b: Json) => (String(a[3]) < String(b[3]) ? -1 : 1))).toEqual([
    ['Variable "$id": a value of the required type "ID!" was not provided.', id, 'id', []],
    [
      'Variable "$input" at "input.loadAt": got invalid value "tomorrow"; it is not an ISO 8601 timestamp with an offset.',
      input,
      'input',
      ['loadAt'],
    ],
    ['Variable "$input" at "input.quantity": got invalid value "much"; it is not a number.', input, 'input', ['quantity']],
    [
      'Variable "$input" at "input.unitOfMeasure": got invalid value "Tun"; Value "Tun" does not exist in "UnitOfMeasure" enum. Did you mean the enum value "Ton"?',
      input,
      'input',
      ['unitOfMeasure'],
    ],
    [expect.stringContaining('Field "unknown" is not defined by type "UpdateOrderInput".'), input, 'input', ['unknown']],
    [
      'Variable "$input" at "input.waypoints.0.ordinality": got invalid value "first"; Int cannot represent non-integer value: "first"',
      input,
      'input',
      ['waypoints', 0, 'ordinality'],
    ],
  ]);
  expect(new Set(errors.map(({ extensions }: Json) => extensions.code))).toEqual(new Set(['bad_request']));
});

test('an empty list is no object, and a variable that is one where an object is meant is refused', async () => {
  const query = 'query ($filter: OrderFilter) { orders(filter: $filter) { nodes { id } } }';
  for (const [filter, path] of [
    [[], []],
    [{ job: [] }, ['job']],
    [{ not: [{ states: 'created' }, []] }, ['not', 1]],
  ] as const) {
    const { data, errors } = (await app.graphql(query, { filter }, { token: tenant.token })).body;
    expect([data, errors.length, errors[0].extensions]).toEqual([
      undefined,
      1,
      expect.objectContaining({ code: 'bad_request', variable: 'filter', path }),
    ]);
  }
  const empty = { ids: [], not: [], job: { states: [] } };
  expect((await app.graphql(query, { filter: empty }, { token: tenant.token })).body).toEqual({ data: { orders: { nodes: [] } } });
});

test('what is wrong with a variable is said in the language of the caller', async () => {
  const query = 'query ($day: Date) { dayBoard(date: $day) { date } }';
  const { body } = await app.graphql(query, { day: '2026-13-01' }, { token: tenant.token, headers: { 'Accept-Language': 'fr-ca' } });
  expect(body.errors[0]).toMatchObject({
    message: expect.stringContaining("n'est pas une date"),
    extensions: { variable: 'day', path: [], key: 'date_invalid' },
  });
});

test('every wrong literal is named at once, with its place in the document', async () => {
  const { errors } = await tenant.gql(`mutation { updateOrder(id: "x", input: { loadAt: "x", quantity: "b", truckCount: "c" }) { id } }`);
  expect(errors.map(({ message, locations, extensions }: Json) => [message, locations[0].column, extensions.code])).toEqual([
    ['Expected value of type "DateTime", found "x"; it is not an ISO 8601 timestamp with an offset.', 50, 'graphql_validation_failed'],
    ['Expected value of type "Decimal", found "b"; it is not a decimal number.', 65, 'graphql_validation_failed'],
    ['Int cannot represent non-integer value: "c"', 82, 'graphql_validation_failed'],
  ]);
});

test('codes of errors are those of an enum in the schema', async () => {
  const { data } = await tenant.gql('{ __type(name: "ErrorCode") { enumValues { name description } } }');
  const known: string[] = data.__type.enumValues.map(({ name }: Json) => name);
  expect(data.__type.enumValues.every(({ description }: Json) => description)).toBe(true);
  const extensions = { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } };
  const path = `/graphql?query=${encodeURIComponent('{ company { id } }')}`;
  const codes = await Promise.all([
    tenant.gql('{'),
    tenant.gql('{ nothing }'),
    tenant.gql('query A { company { id } } query B { company { id } }'),
    tenant.gql('query ($first: Int) { orders(first: $first) { nodes { id } } }', { first: 'many' }),
    tenant.gql('{ company { id } }', {}, 'nonsense'),
    app.http('POST', '/graphql', { token: tenant.token, body: { extensions } }).then(({ body }) => body),
    app.http('GET', path).then(({ body }) => body),
  ]);
  expect(codes.map(({ errors }) => errors[0].extensions.code)).toEqual([
    'graphql_parse_failed',
    'graphql_validation_failed',
    'bad_request',
    'bad_request',
    'unauthorized',
    'PERSISTED_QUERY_NOT_FOUND',
    'bad_request',
  ]);
  for (const { errors } of codes) expect(known).toContain(errors[0].extensions.code);
});

test('a hash that is not that of the document is a mistake of the client', async () => {
  const query = '{ company { id } }';
  for (const persistedQuery of [
    { version: 1, sha256Hash: '0'.repeat(64) },
    { version: 2, sha256Hash: '0'.repeat(64) },
  ]) {
    const { status, body } = await app.http('POST', '/graphql', { token: tenant.token, body: { query, extensions: { persistedQuery } } });
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'bad_request']);
  }
});

test('a name that no operation has is refused, and nothing runs', async () => {
  const mutation = 'mutation ($name: String!) { createDepartment(input: { name: $name }) { name } }';
  const ask = async (method: string, operationName: string, name: string) => {
    const variables = { name };
    const search = new URLSearchParams({ query: mutation, operationName, variables: JSON.stringify(variables) });
    if (method === 'GET') return app.http('GET', `/graphql?${search}`, { token: tenant.token });
    return app.http('POST', '/graphql', { token: tenant.token, body: { query: mutation, operationName, variables } });
  };
  // Also of a document that was seen before.
  expect((await ask('POST', '', 'Asphalt')).body).toEqual({ data: { createDepartment: { name: 'Asphalt' } } });
  for (const method of ['POST', 'GET']) {
    const { status, body } = await ask(method, 'Other', method);
    expect([method, status, body.errors.map(({ message, extensions }: Json) => [message, extensions.code])]).toEqual([
      method,
      400,
      [['Unknown operation named "Other".', 'bad_request']],
    ]);
  }
  expect((await ask('GET', '', 'Forged')).status).toBe(405);
  const { data } = await tenant.gql('{ departments { nodes { name } } }');
  expect(data.departments.nodes).toEqual([{ name: 'Asphalt' }]);
});

test('an empty name is as good as none', async () => {
  const query = '{ company { id } }';
  const expected = [200, { data: { company: { id: tenant.company.id } } }];
  for (const operationName of ['', null]) {
    const { status, body } = await app.http('POST', '/graphql', { token: tenant.token, body: { query, operationName } });
    expect([operationName, status, body]).toEqual([operationName, ...expected]);
  }
  for (const search of ['operationName=&query=', 'query=']) {
    const path = `/graphql?${search}${encodeURIComponent(query)}${search === 'query=' ? '&operationName=' : ''}`;
    const { status, body } = await app.http('GET', path, { token: tenant.token });
    expect([path, status, body]).toEqual([path, ...expected]);
  }
});

test('no input contains itself, because graphql-jit would compile its variables for ever', () => {
  const types = clientSchemaOfRooms().getTypeMap();
  const containing = (type: GraphQLNamedType, seen: readonly GraphQLNamedType[]): string[] =>
    seen.includes(type)
      ? [type.name]
      : isInputObjectType(type)
        ? Object.values(type.getFields()).flatMap((field) => containing(getNamedType(field.type), [...seen, type]))
        : [];
  expect(Object.values(types).flatMap((type) => containing(type, []))).toEqual([]);
});
