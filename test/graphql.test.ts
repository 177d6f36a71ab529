import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from './helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from './helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

test('a query may come by GET if a page cannot forge it', async () => {
  const path = `/graphql?query=${encodeURIComponent('{ company { legalName } }')}`;
  const plain = await app.http('GET', path);
  expect([plain.status, plain.body.errors[0].extensions.code]).toEqual([400, 'bad_request']);
  const marked = await app.http('GET', path, { headers: { 'Apollo-Require-Preflight': '1' } });
  expect(marked.body.errors[0].extensions.code).toBe('unauthorized');
  // A page of another origin cannot send a token without asking first.
  const carried = await app.http('GET', path, { token: tenant.token });
  expect(carried.body).toEqual({ data: { company: { legalName: tenant.company.legalName } } });
});

test('a mutation never comes by GET', async () => {
  const path = `/graphql?query=${encodeURIComponent(`mutation { deleteJob(id: "${tenant.company.id}") }`)}`;
  const { status, headers, body } = await app.http('GET', path, { token: tenant.token, headers: { 'Apollo-Require-Preflight': '1' } });
  expect([status, headers.get('allow'), body.errors[0].extensions.code]).toEqual([405, 'POST', 'method_not_allowed']);
});

test('a client that accepts nothing that can be answered gets the code of that', async () => {
  const call = { token: tenant.token, headers: { Accept: 'text/csv' } };
  const { status, body } = await app.graphql('{ company { id } }', {}, call);
  expect([status, body.errors.map(({ extensions }: Json) => extensions.code)]).toEqual([406, ['not_acceptable']]);
});

test.each(['variables', 'extensions'])('%s of an address that are not JSON are named, and not called a body', async (name) => {
  const path = `/graphql?query=${encodeURIComponent('{ company { id } }')}&${name}=`;
  for (const text of ['x', '%7B', '']) {
    const { status, body } = await app.http('GET', path + text, { token: tenant.token });
    expect([text, status, body.error]).toEqual([
      text,
      400,
      { code: 'bad_request', errors: [{ model: 'Request', field: name, message: 'is not JSON' }] },
    ]);
  }
});

test('text that cannot be stored is refused before anything runs', async () => {
  const answer = await app.graphql('query($id: ID!) { order(id: $id) { id } }', { id: '\0' }, { token: tenant.token });
  expect(answer.status).toBe(422);
  expect(answer.body.errors[0].extensions).toMatchObject({ code: 'unprocessable_content', errors: [{ field: 'id' }] });
});

test('a decimal keeps all of its digits, in variables and in the document, and any other number is a double', async () => {
  const own = await makeTenant(app);
  const send = async (query: string, variables = '{}') => {
    const body = `{ "query": ${JSON.stringify(query)}, "variables": ${variables} }`;
    return (await app.http('POST', '/graphql', { token: own.token, headers: { 'Content-Type': 'application/json' }, body })).body;
  };
  const { id } = await makeOrder(own);
  const update = (variables: string, input: string) => `mutation${variables} { updateOrder(id: "${id}", input: ${input}) { quantity } }`;
  const whole = update('($input: UpdateOrderInput!)', '$input');
  for (const [number, kept] of [
    ['12345678901234.1235', '12345678901234.1235'],
    ['0.00004999999999999999999', '0'],
  ] as const)
    for (const answer of [
      await send(update('', `{ quantity: ${number} }`)),
      await send(update('($q: Decimal)', '{ quantity: $q }'), `{ "q": ${number}, "unknown": [${number}] }`),
      await send(whole, `{ "input": { "quantity": ${number} } }`),
    ])
      expect(answer).toEqual({ data: { updateOrder: { quantity: kept } } });
  const { errors } = await send(whole, `{ "input": { "quantity": ${'9'.repeat(20)} } }`);
  expect(errors[0].message).toContain('is out of range');

  const fence = `mutation($fence: GeofenceInput!) {
    createSiteGeofence(siteId: "${own.pickup.id}", input: { geofence: $fence }) { geofence { geojson } } }`;
  const ring = '[[[-97.000000000000000001, 30], [-97.01, 30], [-97.01, 30.01], [-97.000000000000000001, 30]]]';
  const drawn = await send(fence, `{ "fence": { "geojson": { "type": "Polygon", "coordinates": ${ring} } } }`);
  expect(drawn.data.createSiteGeofence.geofence.geojson.coordinates).toEqual(JSON.parse(ring));
});

test('a document that selects too much is refused with its cost', async () => {
  const wide = `{ ${Array.from({ length: 50 }, (_, i) => `a${i}: orders(first: 100) { nodes { jobs(first: 100) { nodes { id } } } }`).join(' ')} }`;
  const answer = await app.graphql(wide, {}, { token: tenant.token });
  expect(answer.status).toBe(400);
  expect(answer.body.errors[0].extensions).toMatchObject({ code: 'bad_request', measure: 'cost', most: 250_000 });
  const deep = `{ orders { nodes { ${'jobs { nodes { order { '.repeat(5)} id ${'} } }'.repeat(5)} } } }`;
  expect((await app.graphql(deep, {}, { token: tenant.token })).body.errors[0].extensions).toMatchObject({ measure: 'depth' });
});

test('a document costs what it selects: what is left out counts only with variables that let it in', async () => {
  const lists = Array.from({ length: 12 }, (_, i) => `a${i}: orders(first: 1) @include(if: $lists) { nodes { id } }`).join(' ');
  const query = `query ($lists: Boolean!, $wide: Boolean = false) { ${lists} ${lists.replaceAll(/a(\d)/g, 'b$1').replaceAll('@include(if: $lists)', '@skip(if: $lists)')} ...Wide @include(if: $wide) }
    fragment Wide on Query { orders(first: 100) { nodes { jobs(first: 100) { nodes { loads(first: 100) { nodes { id } } } } } } }`;
  const ask = async (variables: object) => (await app.graphql(query, variables as Record<string, unknown>, { token: tenant.token })).body;
  for (let round = 0; round < 2; round++) {
    for (const lists of [true, false]) expect(Object.keys((await ask({ lists })).data)).toHaveLength(12);
    expect((await ask({ lists: true, wide: true })).errors[0].extensions).toMatchObject({ measure: 'cost' });
  }
  const all = query.replaceAll('@skip(if: $lists)', '');
  const answer = await app.graphql(all, { lists: true }, { token: tenant.token });
  expect(answer.body.errors[0].extensions).toMatchObject({ measure: 'lists', asked: 24, most: 20 });
});

test('a list under two aliases has two sets of arguments, and @skip is obeyed', async () => {
  const query =
    'query($skip: Boolean!) { all: jobs(first: 5) { nodes { id } } none: jobs(first: 5, filter: { states: [paid] }) { nodes { id } } company { id @skip(if: $skip) legalName } }';
  const { company, legalName } = { company: tenant.company.id, legalName: tenant.company.legalName };
  expect(await tenant.gql(query, { skip: true })).toEqual({ data: { all: { nodes: [] }, none: { nodes: [] }, company: { legalName } } });
  expect(await tenant.gql(query, { skip: false })).toEqual({
    data: { all: { nodes: [] }, none: { nodes: [] }, company: { id: company, legalName } },
  });
});

test('a condition that is null is a mistake of the client, which is named; a command with one does nothing', async () => {
  const names = [{ field: 'also', message: 'has a null where a value is required', model: 'Request' }];
  const ask = async (query: string, variables: Record<string, unknown>) => {
    const { status, body } = await app.graphql(query, variables, { token: tenant.token });
    return [status, body.data, body.errors.map(({ path, extensions }: Json) => [path, extensions.code, extensions.errors])];
  };
  const { id } = await makeOrder(tenant, { notes: 'kept' });
  const whole = [400, null, [[undefined, 'bad_request', names]]];
  expect(await ask('query ($also: Boolean = true) { company { id } jobs @include(if: $also) { nodes { id } } }', { also: null })).toEqual(
    whole,
  );
  const within = `query ($also: Boolean = true) { order(id: "${id}") { id notes @skip(if: $also) } again: order(id: "${id}") { notes } }`;
  expect(await ask(within, { also: null })).toEqual([200, { order: null, again: { notes: 'kept' } }, [[['order'], 'bad_request', names]]]);
  const command = `mutation ($also: Boolean = true) { updateOrder(id: "${id}", input: { notes: "lost" }) { id notes @include(if: $also) } }`;
  expect(await ask(command, { also: null })).toEqual(whole);
  expect((await tenant.must('GET', `/v1/orders/${id}`)).notes).toBe('kept');
});

test('batches and bodies that are no JSON are refused', async () => {
  const reported = async (body: unknown) => {
    const answer = await app.http('POST', '/graphql', { token: tenant.token, body });
    return [answer.status, answer.body.error.errors[0].message];
  };
  for (const batch of [[{ query: '{ __typename }' }], []])
    expect(await reported(batch)).toEqual([400, 'operations are sent one by one: a list of them is not taken']);
  expect(await reported(7)).toEqual([400, 'the body is not a JSON object']);
  expect(
    (await app.http('POST', '/graphql', { token: tenant.token, body: '{', headers: { 'Content-Type': 'application/json' } })).status,
  ).toBe(400);
  expect(
    (await app.http('POST', '/graphql', { token: tenant.token, body: 'query=1', headers: { 'Content-Type': 'text/plain' } })).status,
  ).toBe(415);
});

test('a variable of the wrong type is reported by its name', async () => {
  const answer = await app.graphql(
    'query($first: Int) { orders(first: $first) { nodes { id } } }',
    { first: 'many' },
    { token: tenant.token, headers: { Accept: 'application/graphql-response+json' } },
  );
  expect([answer.status, answer.body.errors[0].extensions.code]).toEqual([400, 'bad_request']);
  expect(answer.body.errors[0].message).toContain('$first');
});

test('each mutation of a document succeeds or fails by itself, and successful ones are answered', async () => {
  const { data, errors } = await tenant.gql(`mutation {
    sand: createMaterial(input: { name: "Sharp sand" }) { id name }
    none: createMaterial(input: { name: "" }) { id }
    clay: createMaterial(input: { name: "Fire clay" }) { id name }
  }`);
  expect(data).toEqual({
    sand: { id: expect.any(String), name: 'Sharp sand' },
    none: null,
    clay: { id: expect.any(String), name: 'Fire clay' },
  });
  expect(errors.map(({ path }: Json) => path)).toEqual([['none']]);
});

test('a document with mutations that is repeated under its key is answered, not executed again', async () => {
  const query = `mutation ($name: String!) {
    good: createMaterial(input: { name: $name }) { id name }
    bad: createMaterial(input: { name: "" }) { id }
  }`;
  const send = (name: string, key?: string) =>
    app.graphql(query, { name }, { token: tenant.token, headers: key === undefined ? {} : { 'Idempotency-Key': key } });
  const first = await send('Once', 'materials-1');
  const again = await send('Once', 'materials-1');
  expect(again.body.data).toEqual(first.body.data);
  expect(again.body.errors.map(({ message, path, extensions }: Json) => [message, path, extensions.code])).toEqual(
    first.body.errors.map(({ message, path, extensions }: Json) => [message, path, extensions.code]),
  );
  expect([first, again].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
  const named = await tenant.must('GET', '/v1/materials?search[datagrid]=Once');
  expect(named.map((material: Json) => material.id)).toEqual([first.body.data.good.id]);
  const other = await send('Twice', 'materials-1');
  expect([other.status, other.body.errors[0].extensions.code]).toEqual([422, 'unprocessable_content']);
  expect((await send('Thrice')).body.data.good.name).toBe('Thrice');
});
