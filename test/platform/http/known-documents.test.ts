import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Material } from '../../../src/directory/master-data/named.entities.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  // Answers to these headers are remembered.
  for (const accept of [undefined, ...ACCEPTED]) await send({ query: '{ __typename }' }, accept === undefined ? {} : { accept });
});
afterAll(() => app.close());

const ACCEPTED = ['application/json', 'application/graphql-response+json', '*/*', 'text/html, */*;q=0.1'];

async function send(body: object, headers: Record<string, string | undefined> = {}) {
  const given = { authorization: `Bearer ${tenant.token}`, ...headers };
  const answer = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...Object.fromEntries(Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== undefined)),
    },
    body: JSON.stringify(body).replace(`"${LONG}"`, LONG),
  });
  const { date: _date, 'x-request-id': id, ...shown } = Object.fromEntries(answer.headers);
  return { status: answer.status, headers: shown, body: (await answer.text()).replaceAll(id!, 'the request') };
}

/** Sent as a number. */
const LONG = '12345678901234567890';
const PAGE = 'query Page($first: Int, $last: Int) { orders(first: $first, last: $last) { nodes { id jobs { nodes { id } } } } }';
const UNKNOWN = '01a20634-36da-7024-8b2a-b473497f8d5e';
const TWO = 'query A { company { id } } query B { company { legalName } }';

test.each<[what: string, body: { query: string } & Record<string, unknown>, headers?: Record<string, string | undefined>]>([
  ['a plain query', { query: '{ company { legalName } }' }],
  ...ACCEPTED.map((accept): [string, { query: string }, Record<string, string>] => [accept, { query: '{ company { id } }' }, { accept }]),
  ['a content type that is not offered', { query: '{ company { id } }' }, { accept: 'image/png' }],
  ['another language', { query: `{ order(id: "${UNKNOWN}") { id } }` }, { 'accept-language': 'fr-CA' }],
  ['variables', { query: PAGE, variables: { first: 3 } }],
  ['variables that are null', { query: PAGE, variables: null, operationName: null, extensions: null }],
  ['variables in a list', { query: PAGE, variables: [] }],
  ['variables as text', { query: PAGE, variables: '{}' }],
  ['a variable of another type', { query: PAGE, variables: { first: 'three' } }],
  ['a variable that cannot be stored', { query: 'query($id: ID!) { order(id: $id) { id } }', variables: { id: '\0' } }],
  ['a literal that cannot be stored', { query: '{ order(id: "\\u0000") { id } }' }],
  ['a number with more digits than a double', { query: PAGE, variables: { first: 3, more: LONG } }],
  ['one of two operations', { query: TWO, operationName: 'B' }],
  ['two operations without a name', { query: TWO }],
  ['an operation that is not there', { query: TWO, operationName: 'C' }],
  ['a name that is no text', { query: TWO, operationName: 7 }],
  ['a record that is not there, next to one that is', { query: `{ company { id } order(id: "${UNKNOWN}") { id } }` }],
  ['no token', { query: '{ company { id } }' }, { authorization: undefined }],
  ['a wrong token', { query: '{ company { id } }' }, { authorization: 'Bearer x' }],
  ['a document that is not valid', { query: '{ company { wheels } }' }],
  ['the schema', { query: '{ __schema { queryType { name } } }' }],
  ['a key for a query', { query: '{ company { id } }' }, { 'idempotency-key': 'some' }],
  ['a persisted query that is not there', { query: '{ company { id } }', extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } }],
])('a document that was seen before gets the same answer: %s', async (what, { query, ...rest }, headers = {}) => {
  // A text of its own for each case, so that it is new to the server.
  const body = { query: `${query} # ${what}`, ...rest };
  const shot = () => send(body, headers);
  const first = await shot();
  expect(first.body).toMatch(/^\{"(data|errors)":/);
  for (let i = 0; i < 3; i++) expect(await shot()).toEqual(first);
});

test('what a document costs is measured again for other values of its variables', async () => {
  const cost = async (variables: object) => (await send({ query: `${PAGE} # cost`, variables })).status;
  const within = [{ first: 25 }, {}, { last: 25 }, { first: '100000' }];
  const beyond = [{ first: 100_000 }, { last: 100_000 }, { first: 1e308 }];
  expect(await cost({ first: 25 })).toBe(200);
  for (const variables of beyond) expect([variables, await cost(variables)]).toEqual([variables, 400]);
  for (const variables of within.slice(0, 3)) expect([variables, await cost(variables)]).toEqual([variables, 200]);
  // A text is no size, and what was measured for it does not hold for the number.
  expect(await cost({ first: '100000' })).toBe(400);
  for (const variables of beyond) expect([variables, await cost(variables)]).toEqual([variables, 400]);
});

test('a command of a document that was seen before runs once, also when another one of the document fails', async () => {
  const query = `mutation($name: String!) {
    createMaterial(input: { name: $name }) { id }
    deleteJob(id: "${UNKNOWN}")
  }`;
  const names = ['Gravel A', 'Gravel B', 'Gravel C'];
  for (const name of names) {
    const { errors, data } = JSON.parse((await send({ query, variables: { name } })).body);
    expect([errors.map((error: { path: string[] }) => error.path), typeof data.createMaterial.id]).toEqual([[['deleteJob']], 'string']);
  }
  const made = await app.orm.em.fork().find(Material, { name: names }, { filters: { tenant: false } });
  expect(made.map(({ name }) => name).sort()).toEqual(names);
});
