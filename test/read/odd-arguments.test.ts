import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { clientSchemaOfRooms, schemaOfRooms } from '../../src/app/serve.ts';
import { compileDocuments } from '../../src/platform/http/rest/compile.ts';
import { newId } from '../../src/platform/ids.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { runs, seedOf } from '../helpers/properties.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { isFault } from '../helpers/walk/whole-call.ts';
import { expectationOf, graphqlCall, type Ids, makeIds, restCalls } from '../helpers/walk.ts';

const schema = schemaOfRooms();

let app: TestApp;
let tenant: Tenant;
let ids: Ids;
/** A cursor that the product signed, of another list or sort than most that it is shown to. */
let foreign: string;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  ids = await makeIds(tenant);
  await makeIds(tenant, undefined, new Set(['order']));
  foreign = (await tenant.gql('{ orders(first: 1, sort: { loadAt: asc }) { pageInfo { endCursor } } }')).data.orders.pageInfo.endCursor;
  expect(foreign).toEqual(expect.any(String));
});
afterAll(() => app.close());

const TEXTS = ['', ' ', '\u0000', '%', '_\\', "'", '(', '*', ':*', '&', 'x'.repeat(5_000), 'é'.repeat(1_000), '\ud83d\ude9a', 'null', '{}'];
const NUMBERS = ['0', '-1', '1e9', '99999999999999999999', '0.5', 'NaN', 'Infinity', '1e400'];
const DATES = ['2026-02-30', '0000-01-01', '9999-12-31', '99999-01-01', '-0001-01-01', '2026-11-20T07:00:00Z', '2026-11-20T24:00:00+15:59'];
const IDS = ['00000000-0000-0000-0000-000000000000', 'no-uuid', '{00000000-0000-7000-8000-000000000000}'];
/** As many as a request line holds. */
const MANY = Array.from({ length: 300 }, () => newId());

const drawn = (name: string, values: readonly string[]): string[] =>
  fc.sample(fc.constantFrom(...values), { seed: seedOf(name), numRuns: runs(2) });

test('no odd value of a parameter of a REST list causes an internal error', async () => {
  const faults: string[] = [];
  let asked = 0;
  let done = 0;
  const get = async (path: string, query: string) => {
    const answer = await tenant.http('GET', `${path}${path.includes('?') ? '&' : '?'}${query}`);
    asked++;
    if (answer.status === 200) done++;
    if (answer.status >= 500) faults.push(`${path} ${query.slice(0, 200)} -> ${answer.status} ${JSON.stringify(answer.body)}`);
  };
  for (const operation of compileDocuments(schema, 'schema/rest', true)) {
    const parameters = operation.variables.filter(({ place }) => place === 'query');
    if (operation.method !== 'GET' || parameters.length === 0) continue;
    const { path } = restCalls(operation, expectationOf(operation.rootField), ids, tenant)[0]!;
    for (const wire of new Set([...parameters.map(({ wire }) => wire), 'page[limit]', 'page[after]', 'page[before]'])) {
      for (const value of drawn(`${operation.path} ${wire}`, [...TEXTS, ...NUMBERS, ...DATES, ...IDS, foreign]))
        await get(path, `${wire}=${encodeURIComponent(value)}`);
      if (wire.endsWith('[]')) await get(path, MANY.map((id) => `${wire}=${id}`).join('&'));
    }
    // Of another shape than they are.
    for (const odd of ['filter=1', 'filter[][]=1', 'sort=1&sort=2', 'page=1', 'page[limit][]=1', 'search[]=1', '__proto__[x]=1'])
      await get(path, odd);
  }
  expect(faults).toEqual([]);
  // Most are refused by name; those that can be understood are answered.
  expect(asked).toBeGreaterThan(2_000);
  expect(done).toBeGreaterThan(400);
}, 300_000);

/** A value of its own type, as odd as that lets it be. */
function oddly(name: string, type: GraphQLInputType): unknown {
  const kind = getNullableType(type);
  if (isListType(kind)) {
    const one = oddly(name, kind.ofType as GraphQLInputType);
    return seedOf(name) % 2 ? [] : Array.from({ length: 300 }, () => one);
  }
  if (isEnumType(kind)) return kind.getValues()[0]!.name;
  if (isInputObjectType(kind))
    return Object.fromEntries(
      Object.values(kind.getFields())
        .filter(isRequiredInputField)
        .map((field) => [field.name, oddly(`${name}.${field.name}`, field.type)]),
    );
  const of: Record<string, readonly unknown[]> = {
    Int: [0, -1, 2 ** 31 - 1, -(2 ** 31)],
    Float: [0, -1, 1e308, 5e-324],
    Boolean: [true, false],
    ID: [...IDS, '', '\u0000', ids.order],
    Decimal: NUMBERS,
  };
  const values = of[String(kind)] ?? [...TEXTS, ...DATES, '\ud800', foreign];
  return fc.sample(fc.constantFrom(...values), { seed: seedOf(name), numRuns: 1 })[0];
}

/** Every way into an argument, with an odd value at its end. */
function waysInto(name: string, type: GraphQLInputType, depth = 0): unknown[] {
  const kind = getNullableType(type);
  const rounds = Array.from({ length: runs(2) }, (_, i) => oddly(`${name} ${i}`, type));
  if (!isInputObjectType(kind) || depth > 2) return rounds;
  const least = oddly(name, type) as object;
  const fields = Object.values(kind.getFields());
  return [
    null,
    ...fields.flatMap((field) =>
      [null, ...waysInto(`${name}.${field.name}`, field.type, depth + 1)].map((value) => ({ ...least, [field.name]: value })),
    ),
  ];
}

test('neither does one of an argument of a GraphQL list', async () => {
  const faults: string[] = [];
  let asked = 0;
  let done = 0;
  for (const field of Object.values(clientSchemaOfRooms().getQueryType()!.getFields())) {
    const type = getNamedType(field.type);
    if (!isObjectType(type) || !type.getFields().nodes) continue;
    for (const argument of field.args) {
      if (isRequiredArgument(argument) && getNamedType(argument.type).name === 'ID') continue;
      for (const value of waysInto(`${field.name} ${argument.name}`, argument.type)) {
        const more = { [argument.name]: value };
        const { query, variables } = graphqlCall('query', field, expectationOf(field.name), ids, tenant, more);
        const answer = await app.graphql(query, variables, { token: tenant.token });
        asked++;
        if (answer.body.errors === undefined) done++;
        if (isFault(answer) && answer.status !== 400)
          faults.push(`${field.name} ${JSON.stringify(more).slice(0, 300)} -> ${answer.status} ${JSON.stringify(answer.body)}`);
      }
    }
  }
  expect(faults).toEqual([]);
  expect(asked).toBeGreaterThan(1_000);
  expect(done).toBeGreaterThan(300);
}, 300_000);
