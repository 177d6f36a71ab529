import { readFileSync } from 'node:fs';
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
  isRequiredInputField,
  isUnionType,
} from 'graphql';
import { clientSchemaOfRooms } from '../src/app/serve.ts';
import { startTestApp, type TestApp } from './helpers/app.ts';
import { ODD, ORDER_FIELDS } from './helpers/hostile/odd-values.ts';
import { least, seedOf, shareOf, sweepRuns } from './helpers/properties.ts';
import { makeTenant, type Tenant } from './helpers/tenant.ts';
import { EXPECTED, expectationOf, type Ids, makeIds, permitted } from './helpers/walk.ts';

// biome-ignore lint/suspicious/noExplicitAny: the OpenAPI file is read as it is written
type Json = any;

let app: TestApp;
let tenant: Tenant;
let ids: Ids;
let foreign: Ids;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  ids = await makeIds(tenant);
  foreign = await makeIds(await makeTenant(app));
});
afterAll(() => app.close());

const openapi: Json = JSON.parse(readFileSync('schema/openapi.json', 'utf8'));
const resolve = (schema: Json): Json => (schema?.$ref ? resolve(openapi.components.schemas[schema.$ref.split('/').at(-1)]) : schema);

const hostile = fc.constantFrom(...ODD);
const idOf = () =>
  fc.constantFrom(...Object.values(ids), ...Object.values(foreign), tenant.account.id, tenant.pickup.id, 'no-uuid', '%00', '...', 'é');

/** A value for a schema: mostly of its kind, sometimes anything at all. */
function anyOf(schema: Json, depth: number): fc.Arbitrary<unknown> {
  const one = resolve(schema?.allOf?.[0] ?? schema);
  const own = (): fc.Arbitrary<unknown> => {
    if (one?.enum) return fc.constantFrom(...one.enum);
    if (one?.type === 'object' && one.properties && depth < 4) return bodyOf(one, depth + 1);
    if (one?.type === 'array' && depth < 4) return fc.array(anyOf(one.items, depth + 1), { maxLength: 3 });
    if (one?.format === 'uuid') return idOf();
    if (one?.format === 'date-time')
      return fc.date({ noInvalidDate: true, min: new Date('1900-01-01'), max: new Date('2200-01-01') }).map((date) => date.toISOString());
    if (one?.format === 'date') return fc.constantFrom('2026-11-20', '2026-12-31', '1970-01-01', '9999-12-31');
    if (one?.type === 'integer') return fc.integer();
    if (one?.type === 'number') return fc.double();
    if (one?.type === 'boolean') return fc.boolean();
    return fc.oneof(fc.string({ maxLength: 20, unit: 'binary' }), fc.constantFrom('1', '12.5', 'Ton'), idOf());
  };
  return fc.oneof({ arbitrary: own(), weight: 3 }, { arbitrary: hostile, weight: 1 });
}

const bodyOf = (schema: Json, depth = 0): fc.Arbitrary<unknown> =>
  fc.record(Object.fromEntries(Object.entries(schema.properties).map(([name, one]) => [name, anyOf(one, depth)])), {
    requiredKeys: depth === 0 ? (schema.required ?? []) : [],
  });

const OPERATIONS = Object.entries<Json>(openapi.paths).flatMap(([path, methods]) =>
  Object.entries<Json>(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

/** Requests of an operation: true, foreign and impossible ids, parameters and bodies of its names with values of all kinds. */
function requests({ path, operation }: (typeof OPERATIONS)[number]): fc.Arbitrary<{ path: string; body: unknown }> {
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]!);
  const parameters: Json[] = (operation.parameters ?? [])
    .map((one: Json) => (one.$ref ? openapi.components.parameters[one.$ref.split('/').at(-1)] : one))
    .filter((one: Json) => one.in === 'query');
  const content = operation.requestBody?.content ?? {};
  const schema = resolve(content['application/json']?.schema);
  const known = (name: string) => {
    const kind =
      name === 'company-id'
        ? 'company'
        : name === 'id'
          ? path.split('/').at(-2)!.replace(/ies$/, 'y').replace(/s$/, '')
          : name.replace(/-id$/, '');
    const id = ids[kind.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()) as keyof Ids];
    return id ? fc.oneof({ arbitrary: fc.constant(id), weight: 6 }, { arbitrary: idOf(), weight: 1 }) : idOf();
  };
  return fc
    .tuple(
      fc.tuple(...names.map(known)),
      fc.uniqueArray(
        fc.oneof(
          ...(parameters.length ? parameters : [{ name: 'x', schema: {} }]).map((one: Json) =>
            anyOf(one.schema?.items ?? one.schema, 3).map((value) => [one.name, value] as const),
          ),
        ),
        {
          maxLength: 4,
          selector: ([name]) => name,
        },
      ),
      schema
        ? fc.oneof({ arbitrary: schema.properties ? bodyOf(schema) : fc.object(), weight: 6 }, { arbitrary: hostile, weight: 1 })
        : fc.constant(undefined),
    )
    .map(([inPath, inQuery, body]) => {
      // Node's own limit of a request line is 16 kB.
      const query = inQuery.map(
        ([name, value]) =>
          `${name}=${encodeURIComponent(
            String(value && typeof value === 'object' ? JSON.stringify(value) : value)
              .slice(0, 2_000)
              .toWellFormed(),
          )}`,
      );
      return {
        path:
          names.reduce((done, name, i) => done.replace(`{${name}}`, String(inPath[i])), path) + (query.length ? `?${query.join('&')}` : ''),
        body,
      };
    });
}

test('any request to an operation gets an answer of the contract, never an internal error', async () => {
  const reported: string[] = [];
  let asked = 0;
  for (const operation of shareOf(OPERATIONS, 30)) {
    // Attempts to log in are counted; `me` is nobody for a machine.
    if (operation.path.includes('auth') || operation.path === '/v1/users/me') continue;
    asked++;
    // No machine client says who vouches for people.
    const token = operation.path.includes('sso_connections') ? await tenant.administrator() : tenant.token;
    await fc.assert(
      fc.asyncProperty(requests(operation), async ({ path, body }) => {
        const text = body === undefined ? undefined : JSON.stringify(body);
        const answer = await tenant.app.http(operation.method, path, {
          token,
          body: text,
          headers: text === undefined ? {} : { 'Content-Type': 'application/json' },
        });
        // The attachment of the walk is a row without bytes.
        const gone = answer.status === 503 && operation.path.endsWith('/file');
        if ((answer.status >= 500 && !gone) || !(String(answer.status) in operation.operation.responses))
          reported.push(
            `${operation.method} ${path} ${text?.slice(0, 600)} -> ${answer.status} ${JSON.stringify(answer.body)}`.slice(0, 700),
          );
      }),
      { numRuns: sweepRuns(6), endOnFailure: true, seed: seedOf(`${operation.method} ${operation.path}`) },
    );
  }
  expect([reported, asked > 15]).toEqual([[], true]);
}, 600_000);

/** A value for an input type: mostly of its kind, sometimes anything at all. */
function inputOf(type: GraphQLInputType, depth = 0): fc.Arbitrary<unknown> {
  const kind = getNullableType(type) as GraphQLInputType;
  const own = (): fc.Arbitrary<unknown> => {
    if (isListType(kind)) return fc.array(inputOf(kind.ofType as GraphQLInputType, depth + 1), { maxLength: 3 });
    if (isEnumType(kind)) return fc.constantFrom(...kind.getValues().map(({ name }) => name));
    if (isInputObjectType(kind)) {
      const fields = Object.values(kind.getFields());
      const required = fields.filter(isRequiredInputField).map(({ name }) => name);
      const shown = depth < 3 ? fields : fields.filter(isRequiredInputField);
      return fc.record(Object.fromEntries(shown.map((field) => [field.name, inputOf(field.type, depth + 1)])), { requiredKeys: required });
    }
    const name = String(kind);
    if (name === 'ID') return idOf();
    if (name === 'Int') return fc.integer({ min: -3, max: 30 });
    if (name === 'Boolean') return fc.boolean();
    return fc.oneof(fc.string({ maxLength: 20, unit: 'binary' }), fc.constantFrom('1', '2026-11-20', '2026-11-20T07:00:00Z'));
  };
  // Wrong kinds are refused before anything of ours runs: a tenth of them will do.
  return fc.oneof({ arbitrary: own(), weight: 9 }, { arbitrary: hostile, weight: 1 });
}

test('no arguments of a GraphQL field cause an internal error', async () => {
  const reported: string[] = [];
  let asked = 0;
  const schema = clientSchemaOfRooms();
  for (const root of [schema.getQueryType()!, schema.getMutationType()!]) {
    for (const field of shareOf(Object.values(root.getFields()), 20)) {
      if (field.name === 'login') continue;
      asked++;
      const of = EXPECTED.get(field.name)?.of;
      const token = await permitted(tenant, expectationOf(field.name));
      const values = field.args.map((argument) => {
        const known = argument.name === 'id' ? of && ids[of] : ids[argument.name.replace(/Id$/, '') as keyof Ids];
        return known ? fc.oneof({ arbitrary: fc.constant(known), weight: 6 }, { arbitrary: idOf(), weight: 1 }) : inputOf(argument.type);
      });
      const head = field.args.map(({ name, type }) => `$${name}: ${type}`).join(', ');
      const given = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
      const named = getNamedType(field.type);
      const fields = isObjectType(named) ? named.getFields() : {};
      const below = isObjectType(named)
        ? fields.nodes
          ? '{ nodes { __typename } pageInfo { endCursor } count { value } }'
          : '{ __typename }'
        : isUnionType(named)
          ? '{ __typename }'
          : '';
      const query = `${root === schema.getMutationType() ? 'mutation' : 'query'}${head && `(${head})`} { ${field.name}${given && `(${given})`} ${below} }`;
      await fc.assert(
        fc.asyncProperty(fc.tuple(...values), async (all) => {
          const variables = Object.fromEntries(field.args.map(({ name }, i) => [name, all[i]]));
          const answer = await tenant.app.graphql(query, variables, { token });
          const fault = (answer.body.errors ?? []).some(({ extensions }: Json) => /internal/i.test(extensions?.code ?? 'internal'));
          if (answer.status >= 500 || fault)
            reported.push(`${field.name} ${JSON.stringify(variables)} -> ${answer.status} ${JSON.stringify(answer.body)}`.slice(0, 700));
        }),
        { numRuns: sweepRuns(6), endOnFailure: true, seed: seedOf(field.name) },
      );
    }
  }
  expect([reported, asked > 15]).toEqual([[], true]);
}, 600_000);

test('no payload of an order makes the importer fail for an internal reason', async () => {
  // A value that cannot be stored refuses the whole request.
  const storable = fc.constantFrom(...ODD.filter((one) => one !== '\u0000' && one !== '\ud800'));
  const sane = fc.record(
    {
      external_id: fc.nat(60).map((n) => `F-${n}`),
      load_at: fc.constantFrom('2026-11-20T07:00:00', '2026-03-08T02:30:00'),
      ...ORDER_FIELDS,
    },
    { requiredKeys: ['external_id', 'load_at', 'customer'] as never },
  );
  const odd = fc.array(fc.tuple(fc.constantFrom('external_id', 'load_at', ...Object.keys(ORDER_FIELDS)), storable), { maxLength: 2 });
  const element = fc.tuple(sane, odd).map(([payload, more]) => ({ ...payload, ...Object.fromEntries(more) }));
  let processed = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(element, { minLength: 1, maxLength: 6 }), async (orders) => {
      const answer = await tenant.http('POST', '/ingest/orders?dry_run=true', { orders });
      expect([answer.status, orders]).toEqual([200, orders]);
      const faults = answer.body.data.records.filter(({ last_error }: Json) => last_error?.startsWith('internal'));
      expect([faults.map(({ last_error }: Json) => last_error), faults.map(({ index }: Json) => orders[index])]).toEqual([[], []]);
      processed += answer.body.data.records.filter(({ state }: Json) => state === 'processed').length;
    }),
    { numRuns: sweepRuns(60) },
  );
  expect(processed).toBeGreaterThan(least(10));
}, 600_000);
