import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseJson } from '../../../src/platform/json/json.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { runs } from '../../helpers/properties.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await makeTenant(app);
});

/** Sends a body as text, because JSON.stringify repeats no key. */
async function post(path: string, body: string, token = tenant.token): Promise<Json> {
  const answer = await app.http('POST', path, { token, body, headers: { 'Content-Type': 'application/json' } });
  expect(answer.body).toMatchObject({ data: expect.anything() });
  return answer.body.data;
}

const rest = '"external_id": "A", "load_at": "2026-12-01T07:00:00", "customer": { "external_id": "C" }';
const duplicate = (pointer: string, given: unknown, used: unknown) => ({ code: 'duplicate_field', pointer, given, used });

test('a repeated field is reported, with the lost and the counting value', async () => {
  const site = '"waypoint": "pickup", "name": "Pit", "name": "North pit", "full_address": "1 Pit Rd"';
  const twice = `{ ${rest}, "quantity": 5, "qu\\u0061ntity": 7, "notes": {"a": "}"}, "notes": "n", "notes": "o", "sites": [{ ${site} }] }`;
  const body = `{ "orders": [{ ${rest.replace('"A"', '"B"')}, "name": "1:2, \\"3\\": [" }, ${twice}], "orders_of": { "x": 1, "x": 2 } }`;
  const { records } = await post('/ingest/orders?dry_run=true', body);
  const reported = records.map(({ warnings }: Json) => warnings.filter(({ code }: Json) => code === 'duplicate_field'));
  expect(reported).toEqual([
    [],
    [
      duplicate('/sites/0/name', 'Pit', 'North pit'),
      duplicate('/quantity', 5, 7),
      duplicate('/notes', { a: '}' }, 'o'),
      duplicate('/notes', 'n', 'o'),
    ],
  ]);
});

test('a record reports it together with the warnings of its attempts, and when it fails', async () => {
  const rows = ['"quantity": 5, "quantity": 7, "unit_of_measure": "lumps"', '"load_at": "soon", "quantity": 5, "quantity": 7'];
  const ids = rows.map((row, i) => `{ ${rest.replace('"A"', `"A-${i}"`)}, ${row} }`);
  const { batch_id } = await post('/ingest/orders', `{ "orders": [${ids}] }`);
  await app.settled();
  const records = await tenant.must('GET', `/ingest/batches/${batch_id}/records`);
  const reported = records.map(({ state, warnings }: Json) => [state, warnings.map(({ code }: Json) => code)]);
  expect(reported).toEqual([
    ['processed', ['duplicate_field', 'unknown_unit']],
    ['failed', ['duplicate_field', 'duplicate_field']],
  ]);
});

test('repeated rates are shown only to those who may see rates, and text that cannot be stored is left out', async () => {
  const body = `{ "orders": [{ ${rest}, "vendor_rate_value": 90, "vendor_rate_value": 95, "notes": "\\u0000", "notes": "fine" }] }`;
  const warningsTo = async (token: string) =>
    (await post('/ingest/orders?dry_run=true', body, token)).records[0].warnings.filter(({ code }: Json) => code === 'duplicate_field');
  expect(await warningsTo(tenant.token)).toEqual([duplicate('/vendor_rate_value', 90, 95), duplicate('/notes', null, 'fine')]);
  const { id: role } = await tenant.must('POST', '/v1/iam_roles', { name: 'Sender', permissions: ['create_order', 'edit_order'] });
  const { token } = await tenant.person({ customRoleIds: [role] });
  expect((await warningsTo(token))[0]).toEqual(duplicate('/vendor_rate_value', null, null));
});

test('a resubmitted payload reports it, too', async () => {
  const { records } = await post('/ingest/orders', '{ "orders": [{ "external_id": "A" }] }');
  await app.settled();
  const path = `/v1/imported_records/${records[0].id}/resubmit`;
  const again = await post(
    path,
    `{ "payload": { ${rest}, "quantity": 5, "sites": [{ "waypoint": "pickup", "name": "Pit", "name": "Hill" }], "quantity": 7 } }`,
  );
  await app.settled();
  expect(await tenant.must('GET', `/v1/imported_records/${again.records[0].id}`)).toMatchObject({
    state: 'processed',
    warnings: expect.arrayContaining([duplicate('/sites/0/name', 'Pit', 'Hill'), duplicate('/quantity', 5, 7)]),
  });
});

test('a request that has its elements twice is refused, because the first ones would be lost; other fields may repeat', async () => {
  const refused = async (path: string, body: string) => {
    const answer = await app.http('POST', path, { token: tenant.token, body, headers: { 'Content-Type': 'application/json' } });
    expect(answer.status).toBe(422);
    return answer.body.error.errors.map(({ field, message }: Json) => `${field} ${message}`);
  };
  const twice = `{ "orders": [{ ${rest} }], "metadata": {}, "orders": [{ ${rest} }], "metadata": { "run": 1 } }`;
  const both = ['orders is given more than once', 'metadata is given more than once'];
  expect((await refused('/ingest/orders', twice)).sort()).toEqual(both.sort());
  expect((await refused('/ingest/orders?dry_run=true', twice)).sort()).toEqual(both.sort());
  expect(await tenant.must('GET', '/v1/imported_records')).toEqual([]);
  await post('/ingest/orders', `{ "run": 1, "run": 2, "orders": [{ ${rest} }] }`);
});

const read = (body: string) => parseJson(Buffer.from(body), 'payloads');
const repeatedIn = (body: string) => read(body).repeated;

test('of random bodies, exactly those that repeat a key are reported', () =>
  fc.assert(
    fc.property(
      fc.jsonValue({ stringUnit: 'binary' }),
      fc.string({ unit: 'binary' }),
      fc.jsonValue(),
      fc.boolean(),
      (value, key, lost, spaced) => {
        const once = JSON.stringify({ orders: [value, { [key]: value }] }, null, spaced ? '\t' : undefined);
        expect(repeatedIn(once)).toBeUndefined();
        const member = `${JSON.stringify(key)} : ${JSON.stringify(lost)} ,`;
        const twice = `{"orders":[0,{${member}${JSON.stringify({ [key]: value }).slice(1)}]}`;
        const [given, used] = read(JSON.stringify([lost, value])).value as unknown[];
        expect(repeatedIn(twice)).toEqual([{ path: ['orders', 1, key], given, used }]);
      },
    ),
    { numRuns: runs(200) },
  ));

test('a body of nothing but repetitions is reported in part', () => {
  const body = `{"orders":[{${Array(5_000).fill('"a":1').join()}},{"a":1,"a":2}]}`;
  const found = repeatedIn(body)!;
  expect([found.length, found.at(-1)]).toEqual([201, { path: ['orders', 1, 'a'], given: 1, used: 2 }]);
});
