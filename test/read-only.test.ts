import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { getNamedType, isInputObjectType } from 'graphql';
import { schemaOfRooms } from '../src/app/serve.ts';
import { compileDocuments } from '../src/platform/http/rest/compile.ts';
import { bodyTypeOf } from '../src/platform/http/rest/operation.ts';
import { startTestApp, type TestApp } from './helpers/app.ts';
import { columnsOf, newMarks, quiet, tablesWith, WRITES, withReadOnly } from './helpers/read-only.ts';
import { makeTenant } from './helpers/tenant.ts';
import { expectationOf, graphqlCall, type Ids, idsUsed, makeIds, restCalls } from './helpers/walk.ts';

const schema = schemaOfRooms();
/** Those with JSON to say; the columns of sheets are fixed. */
const writes = compileDocuments(schema, 'schema/rest', true).filter((one) => one.method !== 'GET' && bodyTypeOf(one) === undefined);

/** The fields that no input takes, whatever the answer. */
const NEVER = ['id', 'company', 'company_id', 'state', 'created_at', 'updated_at', 'deleted_at', 'discarded_at'];

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test.each(writes.map((write) => [`${write.method} ${write.path}`, write] as const))(
  '%s accepts only its input, and names what it ignores',
  async (_name, operation) => {
    const expected = expectationOf(operation.rootField);
    /** The same call in a tenant of its own each time, so that the answers are twins. */
    const call = async (change: (body: unknown) => unknown) => {
      const tenant = await makeTenant(app);
      const callWith = (ids: Ids) => restCalls(operation, expected, ids, tenant).at(-1)!;
      const { method, path, body } = callWith(await makeIds(tenant, undefined, idsUsed(callWith)));
      return tenant.http(method, path, change(body));
    };
    const clean = await call((body) => body);
    const write = WRITES.find(({ method, path }) => method === operation.method && path === operation.path)!;
    const extra = [...NEVER, ...columnsOf(app.orm, getNamedType(operation.rootType).name)];
    const marks = newMarks();
    let names: string[] = [];
    const dirty = await call((body) => {
      const full = withReadOnly(write, body, clean.body?.data, extra, marks);
      names = full.names;
      return full.body;
    });
    expect(names.length).toBeGreaterThan(3);
    expect(await tablesWith(app.orm, marks)).toEqual([]);
    if (dirty.status === clean.status) {
      const { meta, ...body } = dirty.body ?? {};
      expect(quiet(body)).toEqual(quiet(clean.body ?? {}));
      if (dirty.status >= 300 || dirty.body === undefined) return;
      const named = [...operation.restated, ...meta.ignored].map((path: string) => path.split('.').at(-1)!);
      expect(names.filter((name) => !named.includes(name))).toEqual([]);
    } else {
      expect([400, 422]).toContain(dirty.status);
      expect(names).toContain(dirty.body.error.errors[0].field.split('.').at(-1));
    }
  },
);

test('a value that an input accepts is found', async () => {
  const tenant = await makeTenant(app);
  for (const change of ['notes', 'load_at', 'quantity'] as const) {
    const marks = newMarks();
    const value = { notes: marks.text, load_at: marks.date, quantity: marks.number }[change];
    await tenant.must('PATCH', `/v1/orders/${(await makeIds(tenant, undefined, new Set(['order']))).order}`, { [change]: value });
    expect([change, await tablesWith(app.orm, marks)]).toEqual([change, expect.arrayContaining(['audit_entry', 'orders'])]);
  }
});

test('the importer accepts no ids, companies, numbers or times of the server', async () => {
  const busy = await startTestApp({ worker: true });
  try {
    const tenant = await makeTenant(busy);
    const other = await makeTenant(busy);
    const marks = newMarks();
    const ours = {
      id: marks.uuid,
      company_id: other.company.id,
      company: { id: other.company.id },
      order_id: marks.text,
      created_at: marks.date,
      updated_at: marks.date,
      approved_at: marks.date,
      billing_approved_at: marks.date,
      deleted_at: marks.date,
      requester_id: other.driver.id,
    };
    for (const [kind, payload] of [
      ['orders', { load_at: '2026-12-01T07:00:00', customer: { external_id: 'C', name: 'Acme' }, sites: [], service: 'Haulage', ...ours }],
      ['projects', { name: 'Bridge', effective_at: '2026-12-01', customer: { external_id: 'C', name: 'Acme' }, ...ours }],
      ['tickets', { ticket_number: '7', quantity: 1, unit_of_measure: 'Ton', service_date: '2026-12-01', truck_id: '7', ...ours }],
    ] as const)
      await tenant.must('POST', `/ingest/${kind}`, { [kind]: [{ external_id: `${kind}-1`, ...payload }] });
    await busy.settled();
    const records = await tenant.must('GET', '/v1/imported_records');
    expect(records.map((one: { last_error: unknown }) => one.last_error)).toEqual([null, null, null]);
    expect(await tablesWith(busy.orm, marks)).toEqual([]);
    expect(await other.must('GET', '/v1/orders')).toEqual([]);
    expect(await other.must('GET', '/v1/projects')).toEqual([]);
  } finally {
    await busy.close();
  }
});

test('a field that no input has is refused by name over GraphQL, before anything runs', async () => {
  const tenant = await makeTenant(app);
  const ids = await makeIds(tenant);
  const wrong: string[] = [];
  for (const field of Object.values(schema.getMutationType()!.getFields())) {
    const argument = field.args.find((one) => isInputObjectType(getNamedType(one.type)));
    const input = argument && getNamedType(argument.type);
    if (!argument || !isInputObjectType(input)) continue;
    // An argument that may be left out is sent, too.
    const call = (more: object = {}) => graphqlCall('mutation', field, expectationOf(field.name), ids, tenant, { ...more });
    const { query, variables } = argument.name in call().variables ? call() : call({ [argument.name]: [] });
    const type = getNamedType(field.type);
    const own = 'getFields' in type ? Object.keys(type.getFields()) : [];
    for (const name of new Set([...own, 'companyId', 'createdAt', 'state', 'deletedAt'])) {
      if (name in input.getFields()) continue;
      const given = variables[argument.name];
      const of = (one: object) => ({ ...one, [name]: null });
      const more = Array.isArray(given) ? (given.length > 0 ? given : [{}]).map(of) : of(given as object);
      const { value, statements } = await app.countStatements(() =>
        app.graphql(query, { ...variables, [argument.name]: more }, { token: tenant.token }),
      );
      const reported =
        value.status === 400 &&
        value.body.data === undefined &&
        value.body.errors.some(({ message }: { message: string }) => message.includes(`"${name}"`));
      if (!reported || statements.length > 0)
        wrong.push(`${field.name} ${name}: ${value.status} ${JSON.stringify(value.body).slice(0, 200)}`);
    }
  }
  expect(wrong).toEqual([]);
});
