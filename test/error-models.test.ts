import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { projectSchema } from '../scripts/project.ts';
import { compileDocuments } from '../src/platform/http/rest/compile.ts';
import { modelOfBody, type RestOperation } from '../src/platform/http/rest/operation.ts';
import { newId } from '../src/platform/ids.ts';
import { modelOfInput, wireName } from '../src/platform/model/names.ts';
import { startTestApp, type TestApp } from './helpers/app.ts';
import { makeTenant, type Tenant } from './helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const schema = projectSchema();
const operations = compileDocuments(schema, 'schema/rest', true);
/** Records that the schema shows as parts of others, and types that are no records. */
const MORE = ['Request', 'GeofenceTrigger', 'DriverSignature', 'DropoffSignature', 'MobileDeviceLocation', 'UserDevicePermission'];
const isRecord = (model: string) => isObjectType(schema.getType(model)) || MORE.includes(model);

let app: TestApp;
let tenant: Tenant;
let admin: string;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  admin = (await tenant.person({ roles: ['company_admin'] })).token;
});
afterAll(() => app.close());

test('errors of every body and of every input name a record, never the input type', () => {
  const ofBodies = operations
    .filter((one) => one.variables.some(({ place }) => place === 'body'))
    .map((one) => [one.name, modelOfBody(one)]);
  const ofInputs = Object.values(schema.getMutationType()!.getFields()).flatMap(({ name, args }) =>
    args.filter(({ type }) => isInputObjectType(getNamedType(type))).map(({ type }) => [name, modelOfInput(type)]),
  );
  expect(ofBodies.length).toBeGreaterThan(150);
  expect([...ofBodies, ...ofInputs].filter(([, model]) => !isRecord(model!))).toEqual([]);
});

/** A list somewhere in a body: the steps to it in wire names, elements of lists on the way as `0`. */
interface ListAt {
  path: string;
  /** The body with these elements in that list. */
  body(elements: (good: unknown) => unknown[]): unknown;
}

type Spelling = (name: string) => string;
const asIs: Spelling = (name) => name;

/** Returns a value of a type with its required fields only. */
function sampleOf(type: GraphQLInputType, spelled: Spelling): unknown {
  const inner = getNullableType(type) as GraphQLInputType;
  if (isListType(inner)) return [sampleOf(inner.ofType as GraphQLInputType, spelled)];
  if (isEnumType(inner)) return inner.getValues()[0]!.name;
  if (isInputObjectType(inner))
    return Object.fromEntries(
      Object.values(inner.getFields())
        .filter((field) => isNonNullType(field.type) && field.defaultValue === undefined)
        .map((field) => [spelled(field.name), sampleOf(field.type, spelled)]),
    );
  const known: Record<string, unknown> = { ID: newId(), Int: 1, Float: 1, Boolean: true, Decimal: '1', JSON: {}, Date: '2026-11-23' };
  const { name } = getNamedType(inner);
  return known[name] ?? (name === 'DateTime' ? '2026-11-23T12:00:00Z' : 'text');
}

function listsIn(type: GraphQLInputType, path: string, spelled: Spelling, seen: readonly string[] = []): ListAt[] {
  const inner = getNullableType(type) as GraphQLInputType;
  const below = (step: string) => (path ? `${path}.${step}` : step);
  if (isListType(inner)) {
    const element = inner.ofType as GraphQLInputType;
    const deeper = listsIn(element, below('0'), spelled, seen).map(({ path, body }) => ({ path, body: (make: never) => [body(make)] }));
    return [{ path, body: (make) => make(sampleOf(element, spelled)) }, ...deeper];
  }
  if (!isInputObjectType(inner) || seen.includes(inner.name)) return [];
  // REST does not read what only GraphQL has.
  const fields = Object.values(inner.getFields()).filter(({ extensions }) => spelled === asIs || !extensions.graphqlOnly);
  return fields.flatMap((field) =>
    listsIn(field.type, below(spelled(field.name)), spelled, [...seen, inner.name]).map(({ path, body }) => ({
      path,
      body: (make: never) => ({ ...(sampleOf(inner, spelled) as object), [spelled(field.name)]: body(make) }),
    })),
  );
}

function listsOf(operation: RestOperation): ListAt[] {
  const bodies = operation.variables.filter(({ place }) => place === 'body');
  const rest = Object.fromEntries(
    bodies.filter(({ type }) => isNonNullType(type)).map(({ wire, type }) => [wire, sampleOf(type, wireName)]),
  );
  return bodies.flatMap(({ wire, type }) =>
    listsIn(type, wire, wireName).map(({ path, body }) => ({
      path,
      body: (make: never) => (wire ? { ...rest, [wire]: body(make) } : body(make)),
    })),
  );
}

test('the error of one element of a list names the record, with the path of the element, wherever a body has a list', async () => {
  const reported: unknown[] = [];
  const expected: unknown[] = [];
  for (const operation of operations) {
    const path = operation.path.replace(/\{company-id\}/g, tenant.company.id).replace(/\{[^}]*\}/g, newId());
    for (const { path: at, body } of listsOf(operation)) {
      // Elements of imports succeed or fail alone, and any object is one.
      if (modelOfBody(operation) === 'Request') continue;
      const answer = await tenant.http(
        operation.method,
        path,
        body((good) => [good, good, good, [[]]]),
        admin,
      );
      const errors = (answer.body?.error?.errors ?? []) as Json[];
      // Missing fields of the rest of the body are reported, too.
      const fields = errors.flatMap(({ field }) => (field.startsWith(at) ? [field] : []));
      reported.push([operation.name, answer.status, [...new Set(errors.map(({ model }) => model))], fields]);
      expected.push([operation.name, operation.invalid, [modelOfBody(operation)], [`${at}.3`]]);
    }
  }
  expect(expected.length).toBeGreaterThan(60);
  expect(reported).toEqual(expected);
});

/** An element whose first id is `id`. */
function named(good: unknown, id: string): unknown {
  if (typeof good === 'string') return id;
  const [name] = Object.entries(good as object).find(([, value]) => typeof value === 'string') ?? [];
  return { ...(good as object), [name!]: id };
}

test('GraphQL reports the same for ids in the lists of bulk operations', async () => {
  const bulk = Object.values(schema.getMutationType()!.getFields()).filter(({ name }) => /^bulk/.test(name));
  const reported: unknown[] = [];
  for (const { name, args, type } of bulk) {
    const given = args.filter((one) => isNonNullType(one.type) || isListType(one.type));
    const variables = Object.fromEntries(given.map((one) => [one.name, sampleOf(one.type, asIs)]));
    const document = `mutation(${given.map((one) => `$${one.name}: ${one.type}`)}) {
      ${name}(${given.map((one) => `${one.name}: $${one.name}`)}) ${isObjectType(getNamedType(type)) ? '{ __typename }' : ''}
    }`;
    for (const one of given.filter((arg) => isListType(getNullableType(arg.type)))) {
      const [{ body }] = listsIn(one.type, one.name, asIs) as [ListAt];
      const sent = { ...variables, [one.name]: body((good) => [newId(), newId(), newId(), 'x'].map((id) => named(good, id))) };
      const answer = await app.graphql(document, sent, { token: admin });
      const errors = answer.body.errors![0].extensions.errors as Json[];
      const fields = errors.flatMap(({ field }) => (field.startsWith(`${one.name}.3`) ? [field] : []));
      reported.push([name, [...new Set(errors.map(({ model }) => model))], fields]);
    }
  }
  expect(reported).toEqual([
    ['bulkAcceptJobs', ['Job'], ['jobIds.3']],
    ['bulkUnassignJobs', ['Job'], ['jobIds.3']],
    ['bulkCancelJobs', ['Job'], ['jobIds.3']],
    ['bulkDeleteJobs', ['Job'], ['jobIds.3']],
    ['bulkSendJobs', ['Job'], ['orderIds.3']],
    ['bulkSendJobs', ['Job'], ['jobIds.3']],
    ['bulkAssignDrivers', ['Job'], ['driverAssignments.3.driverId']],
    ['bulkAssignVendors', ['Job'], ['vendorAssignments.3.vendorAccountId']],
    ['bulkUpdateJobs', ['Job'], ['jobIds.3']],
    ['bulkUpdateAccounts', ['Account'], ['data.3.id']],
  ]);
});

test('an input that extends that of another record is about its own', async () => {
  const put = await tenant.http('PUT', tenant.path(`/jobs/${newId()}/approve`), { approved_work_time_minutes: -1 }, admin);
  expect([put.status, put.body.error.errors]).toEqual([
    422,
    [{ model: 'Job', field: 'approved_work_time_minutes', message: 'must be between 0 and 100000' }],
  ]);
  const models = Object.fromEntries(
    ['JobApprovalInput', 'BulkApprovalInput', 'ApprovalInput'].map((name) => [name, modelOfInput(inputNamed(name))]),
  );
  expect(models).toEqual({ JobApprovalInput: 'Job', BulkApprovalInput: 'DriverDay', ApprovalInput: 'Load' });
});

const inputNamed = (name: string) => schema.getType(name) as GraphQLInputType;
