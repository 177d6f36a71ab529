import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isRequiredInputField } from 'graphql';
import { schemaOfRooms } from '../src/app/serve.ts';
import { compileDocuments } from '../src/platform/http/rest/compile.ts';
import { bodyTypeOf } from '../src/platform/http/rest/operation.ts';
import { startTestApp, type TestApp } from './helpers/app.ts';
import { least, shareOf } from './helpers/properties.ts';
import { makeTenant, type Tenant } from './helpers/tenant.ts';
import { inputOf, isDone, isFault, mutationCall } from './helpers/walk/whole-call.ts';
import { expectationOf, type Ids, makeIds, permitted, restCalls } from './helpers/walk.ts';

// biome-ignore lint/suspicious/noExplicitAny: the OpenAPI file is read as it is written
type Json = any;

let app: TestApp;
let tenant: Tenant;
let ids: Ids;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  ids = await makeIds(tenant);
});
afterAll(() => app.close());

const openapi: Json = JSON.parse(readFileSync('schema/openapi.json', 'utf8'));
const resolve = (schema: Json): Json => (schema?.$ref ? resolve(openapi.components.schemas[schema.$ref.split('/').at(-1)]) : schema);
const propertiesOf = (schema: Json): [string, Json][] => {
  const one = resolve(schema?.allOf?.[0] ?? schema);
  return Object.entries(one?.properties ?? {});
};

/** Every field of a body alone, cleared, or emptied when it is a text. */
const bodiesOf = (schema: Json): object[] =>
  propertiesOf(schema).flatMap(([name, one]) => [
    { [name]: null },
    ...(resolve(one)?.type === 'string' && !resolve(one).format ? [{ [name]: '' }] : []),
  ]);

/** Of several paths with one body the shortest. */
const CHANGES = Object.values(
  Object.groupBy(
    Object.entries<Json>(openapi.paths).flatMap(([path, { patch }]) => {
      const schema = patch?.requestBody?.content?.['application/json']?.schema;
      // A fault of the server is in every contract, and is one still.
      return schema ? [{ path, schema, promised: Object.keys(patch.responses).filter((status) => Number(status) < 500) }] : [];
    }),
    ({ schema }) => JSON.stringify(schema),
  ),
).map((alike) => alike!.toSorted((a, b) => a.path.length - b.path.length)[0]!);

const idIn = (path: string, name: string): string | undefined => {
  const kind =
    name === 'company-id'
      ? 'company'
      : name === 'id'
        ? path.split('/').at(-2)!.replace(/ies$/, 'y').replace(/s$/, '')
        : name.replace(/-id$/, '');
  return ids[kind.replace(/[_-](.)/g, (_, letter: string) => letter.toUpperCase()) as keyof Ids];
};

test('clearing or emptying any one field of any record succeeds or is refused by its name, without an internal error', async () => {
  const reported: string[] = [];
  let met = 0;
  for (const { path, schema, promised } of shareOf(CHANGES, 12)) {
    const at = path.replace(/\{([^}]+)\}/g, (_, name: string) => idIn(path, name) ?? crypto.randomUUID());
    for (const body of bodiesOf(schema)) {
      const answer = await tenant.http('PATCH', at, body);
      if (answer.status === 200) met++;
      if (!promised.includes(String(answer.status)))
        reported.push(`${path} ${JSON.stringify(body)} -> ${answer.status} ${JSON.stringify(answer.body)}`);
    }
  }
  expect(reported).toEqual([]);
  // Records were met, not missed.
  expect(met).toBeGreaterThan(least(100));
}, 300_000);

const schema = schemaOfRooms();
// Managed companies use the same commands and inputs as the own one.
const mutations = Object.values(schema.getMutationType()!.getFields()).filter((field) => inputOf(field) && !field.name.includes('Managed'));

test('a null in any optional field of any GraphQL input, alone or among all others, succeeds or is refused', async () => {
  const faults: string[] = [];
  let done = 0;
  let sent = 0;
  for (const field of shareOf(mutations, 25)) {
    const optional = Object.values(inputOf(field)!.getFields()).filter((one) => !isRequiredInputField(one));
    const expected = expectationOf(field.name);
    const token = expected.who === 'person' ? tenant.driver.token : await permitted(tenant, expected);
    // A changed record has all fields first; a new one has either none or all.
    for (const whole of field.name.startsWith('create') ? [false, true] : [true]) {
      const { query, variables } = await mutationCall(tenant, field, token, whole);
      if (whole) await app.graphql(query, variables, { token });
      const given = variables.input as Record<string, unknown>;
      const all = Object.fromEntries(optional.map(({ name }) => [name, null]));
      for (const nulls of [...optional.map(({ name }) => ({ [name]: null })), all]) {
        const input = { ...given, ...nulls };
        // A second of the same name is refused for that alone.
        if ('name' in given && field.name.startsWith('create')) Object.assign(input, { name: `Null ${++sent}` });
        const answer = await app.graphql(query, { ...variables, input }, { token });
        if (isDone(answer)) done++;
        if (isFault(answer)) faults.push(`${field.name} ${JSON.stringify(input)} -> ${JSON.stringify(answer.body)}`);
      }
    }
  }
  expect(faults).toEqual([]);
  // Records were met, not missed.
  expect(done).toBeGreaterThan(least(400));
}, 300_000);

test('so does a null in any one field of a body that creates or changes something', async () => {
  const reported: string[] = [];
  let done = 0;
  const writes = compileDocuments(schema, 'schema/rest', true).filter(
    (one) => ['POST', 'PUT'].includes(one.method) && bodyTypeOf(one) === undefined,
  );
  for (const operation of shareOf(writes, 25)) {
    const { method, path, body } = restCalls(operation, expectationOf(operation.rootField), ids, tenant)[0]!;
    const names = propertiesOf(openapi.paths[operation.path][method.toLowerCase()].requestBody?.content?.['application/json']?.schema);
    for (const [name] of names) {
      const answer = await tenant.http(method, path, { ...(body as object), [name]: null });
      if (answer.status < 300) done++;
      if (answer.status >= 500) reported.push(`${method} ${path} ${name} -> ${JSON.stringify(answer.body)}`);
    }
  }
  expect(reported).toEqual([]);
  expect(done).toBeGreaterThan(least(100));
}, 300_000);
