import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type GraphQLInputType, getNamedType, isInputObjectType, isLeafType, isNonNullType } from 'graphql';
import { compileDocuments } from '../src/platform/http/rest/compile.ts';
import type { RestOperation } from '../src/platform/http/rest/operation.ts';
import { pathsOf } from '../src/platform/http/rest/paths.ts';
import { schemaOfRooms } from '../src/serve.ts';
import { startTestApp, type TestApp } from './helpers/app.ts';
import { makeYard, type Yard } from './helpers/yard.ts';

/**
 * The third fence (DESIGN section 4): every operation of both faces as nobody, as somebody without permissions, and as a foreign
 * company. What a new operation should answer follows from its kind; one that differs has to say so here, or the build fails.
 */
interface Expected {
  /** Status for a client of the same company without any permission. */
  powerless?: number;
  /** Status for a foreign company's client with all permissions. */
  foreign?: number;
}

/** Operations that are not what their kind says: reads 200 for the powerless, acts 403; 404 for strangers wherever an id is named. */
const EXCEPTIONS: Record<string, Expected> = {
  // A machine client is nobody in particular.
  GetMe: { powerless: 404, foreign: 404 },
  me: { powerless: 404, foreign: 404 },
  // Reading imports is a permission.
  ListImportedRecords: { powerless: 403 },
  GetImportedRecord: { powerless: 403 },
  importedRecords: { powerless: 403 },
  importedRecord: { powerless: 403 },
  // The body names the victim's records: told on their fields.
  CreateOrder: { foreign: 422 },
  createOrder: { foreign: 422 },
  PostOrders: { foreign: 202 },
  ingestOrders: { foreign: 200 },
  // One's own company is what nobody else is asked for.
  company: { foreign: 404 },
};
/** Needs no token at all. */
const PUBLIC = new Set(['Login', 'login']);

let app: TestApp;
let victim: Yard;
let stranger: Yard;
let powerless: string;
let ids: Record<string, string>;
let bodies: Record<string, unknown>;

beforeAll(async () => {
  app = await startTestApp();
  victim = await makeYard(app);
  stranger = await makeYard(app);
  powerless = (await victim.person({ roles: [] })).token;
  const order = await victim.must('POST', '/v1/orders', orderBody());
  const [job] = await victim.must('GET', `/v1/orders/${order.id}/jobs`);
  const [load] = await victim.must('GET', `/v1/jobs/${job.id}/loads`);
  const [record] = await victim.must('POST', '/ingest/orders', { orders: [{ external_id: 'walk' }] });
  const project = crypto.randomUUID();
  ids = { company: victim.company.id, order: order.id, job: job.id, load: load.id, importedRecord: record.id, project };
  bodies = {
    CreateOrderInput: orderBody(),
    UpdateOrderInput: { notes: 'x' },
    UpdateJobInput: { notes: 'x' },
    UpdateLoadInput: { notes: 'x' },
    AssignVendorInput: { vendor_id: victim.vendor.id },
    LoginInput: { email: 'nobody@example.com', password: 'x' },
    orders: [{ external_id: 'walk-2' }],
  };
});
afterAll(() => app.close());

const orderBody = () => ({
  load_at: '2026-12-01T12:00:00Z',
  truck_count: 1,
  truck_delay: 0,
  account_id: victim.account.id,
  service_id: victim.service.id,
  waypoints: [{ type: 'pickup', site_id: victim.pickup.id, ordinality: 0 }],
});

const operations = compileDocuments(schemaOfRooms(), 'schema/rest');

/** `/v1/jobs/{id}` is about a job, `{order-id}` about an order. */
function pathFor(path: string): string {
  return path.replace(/\{([^}]+)\}/g, (whole, name: string, at: number) => {
    const noun = name === 'id' ? path.slice(0, at).split('/').at(-2)!.replace(/s$/, '') : name.replace(/-id$/, '');
    const id = ids[noun.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())];
    if (!id) throw new Error(`the walk knows no ${whole} of ${path}`);
    return id;
  });
}

function bodyFor(operation: RestOperation): unknown {
  const variable = operation.variables.find((one) => one.place === 'body');
  if (!variable) return undefined;
  const named = String(getNamedType(variable.type));
  const body = named === 'JSON' ? { [variable.wire]: bodies[variable.wire] } : (bodies[named] ?? {});
  return body;
}

const isRead = (operation: RestOperation) => operation.method === 'GET';
const namesRecord = (path: string) => path.includes('{');

const each = operations.flatMap((operation) =>
  pathsOf(operation).map((path): [string, RestOperation, string] => [`${operation.method} ${path}`, operation, path]),
);

test.each(each)('REST %s', async (_title, operation, path) => {
  const call = (token?: string) => app.http(operation.method, pathFor(path), { token, body: bodyFor(operation) });
  const expected = EXCEPTIONS[operation.name] ?? {};
  if (PUBLIC.has(operation.name)) {
    expect((await call()).body).toEqual({ error: expect.objectContaining({ code: 'unauthorized', error_type: 'invalid_credentials' }) });
    return;
  }
  const nobody = await call();
  expect([nobody.status, nobody.body.error?.code, nobody.body.error?.error_type]).toEqual([401, 'unauthorized', 'missing_token']);
  expect((await call(powerless)).status).toBe(operation.name === 'GetMe' ? 200 : (expected.powerless ?? (isRead(operation) ? 200 : 403)));
  const foreign = await call(stranger.token);
  // A path inside the victim's company is missing for a stranger, whatever the operation.
  const wanted = path.includes('{company-id}') ? 404 : (expected.foreign ?? (namesRecord(path) ? 404 : 200));
  expect(foreign.status).toBe(wanted);
  expect(JSON.stringify(foreign.body ?? '')).not.toContain(victim.company.id);
});

const schema = schemaOfRooms();
const fields = [
  ...Object.values(schema.getQueryType()!.getFields()).map((field) => ['query', field] as const),
  ...Object.values(schema.getMutationType()!.getFields()).map((field) => ['mutation', field] as const),
];

/** `job(id)`, `acceptOrder(id)`, `orders(companyId)`: the id an argument asks for. */
function argumentFor(fieldName: string, name: string, type: GraphQLInputType): unknown {
  const named = getNamedType(type);
  if (named.name === 'ID' || name === 'id') {
    const noun = name === 'id' ? nounOf(fieldName) : name.replace(/Id$/, '');
    const id = ids[noun];
    if (!id) throw new Error(`the walk knows no ${name} of ${fieldName}`);
    return id;
  }
  if (named.name === 'JSON') return bodies[name];
  if (isInputObjectType(named)) return camel(bodies[named.name] ?? {});
  throw new Error(`the walk cannot fill ${name} of ${fieldName}`);
}

const nounOf = (field: string): string =>
  field === 'importedRecord'
    ? field
    : (['company', 'project', 'order', 'load', 'job'].find((noun) =>
        new RegExp(`(^|[a-z])${noun}`, 'i').test(field.replace(/^(load|unload)Job/, 'Job').replace(/JobLoad$/, 'Job')),
      ) ?? 'job');

const camel = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(camel)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value).map(([key, one]) => [key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()), camel(one)]),
        )
      : value;

test.each(fields.map(([kind, field]) => [`${kind} ${field.name}`, kind, field] as const))('GraphQL %s', async (_title, kind, field) => {
  const wanted = field.args.filter((arg) => isNonNullType(arg.type) || arg.name === 'id');
  const variables = Object.fromEntries(wanted.map((arg) => [arg.name, argumentFor(field.name, arg.name, arg.type)]));
  const declared = wanted.map((arg) => `$${arg.name}: ${arg.type}`).join(', ');
  const passed = wanted.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  const selection = isLeafType(getNamedType(field.type)) ? '' : ' { __typename }';
  const document = `${kind} Walk${declared ? `(${declared})` : ''} { ${field.name}${passed ? `(${passed})` : ''}${selection} }`;
  const codeFor = async (token?: string): Promise<string> =>
    (await app.graphql(document, variables, { token })).body.errors?.[0]?.extensions.code ?? 'ok';
  const code = (status: number) =>
    ({ 200: 'ok', 202: 'ok', 403: 'forbidden', 404: 'object_not_found', 422: 'unprocessable_content' })[status];
  const expected = EXCEPTIONS[field.name] ?? {};
  expect(await codeFor()).toBe('unauthorized');
  if (PUBLIC.has(field.name)) return;
  const powerlessStatus = field.name === 'me' ? 200 : (expected.powerless ?? (kind === 'query' ? 200 : 403));
  // The project of the walk does not exist: reads of it are missing for everybody.
  expect(await codeFor(powerless)).toBe(field.name === 'project' ? 'object_not_found' : code(powerlessStatus));
  const named = wanted.some((arg) => getNamedType(arg.type).name === 'ID');
  expect(await codeFor(stranger.token)).toBe(code(expected.foreign ?? (named ? 404 : 200)));
});
