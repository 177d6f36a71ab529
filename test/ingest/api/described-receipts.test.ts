import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON Schema is whatever it is
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const document: Json = JSON.parse(readFileSync('schema/openapi.json', 'utf8'));

/** The document as it would be if no answer had a field that it does not describe. */
const closed: Json = JSON.parse(JSON.stringify(document), (_, part) =>
  part?.type === 'object' && part.properties ? { ...part, additionalProperties: false } : part,
);
const validator = new Ajv({ strict: false, allErrors: true });
formats.default(validator);
for (const name of ['int32', 'int64']) validator.addFormat(name, true);
validator.addSchema(closed, 'document');

/** Returns what the schema of an answer does not allow. */
function misfitsOf(answer: Json, method: string, path: string, status: number): string[] {
  const place = ['paths', path, method, 'responses', status, 'content', 'application/json', 'schema'];
  const pointer = place.map((part) => encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const validate = validator.getSchema(`document#/${pointer}`)!;
  validate(answer);
  return (validate.errors ?? []).map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`);
}

const OUTCOME = ['last_error', 'warnings', 'result_id', 'superseded_by'];
const order = (external_id: string, more: object = {}) => ({
  external_id,
  load_at: '2026-12-01T07:00:00',
  customer: { external_id: 'C-1', name: 'Hill Country Paving' },
  ...more,
});

test('a receipt that waited is as the OpenAPI document describes it, with every field that an outcome has', async () => {
  const waiting = async (path: string, body: object | string, type = 'application/json') => {
    const headers = { Prefer: 'wait=30', 'Content-Type': type };
    const { status, body: answer } = await app.http('POST', path, { token: tenant.token, headers, body });
    expect([status, misfitsOf(answer, 'post', path, 202)]).toEqual([202, []]);
    return answer.data.records as Json[];
  };
  // One is made with a guess, one lacks something, one is replaced by the next one of its key.
  const orders = [order('A-1', { unit_of_measure: 'buckets' }), { external_id: 'A-2' }, order('A-3', { notes: 'old' }), order('A-3')];
  const records = await waiting('/ingest/orders', { orders });
  expect(records.map(({ state }) => state)).toEqual(['processed', 'failed', 'skipped', 'processed']);
  expect(records[0].warnings).toHaveLength(1);
  expect([records[1].last_error, records[1].result_id]).toEqual([expect.stringContaining('missing_field: /load_at'), null]);
  expect(records[2].superseded_by).toBe(records[3].id);
  for (const record of records) expect(Object.keys(record)).toEqual(expect.arrayContaining(OUTCOME));
  await waiting('/ingest/projects', { projects: [{ external_id: 'P-1' }] });
  await waiting('/ingest/tickets', { tickets: [{ ticket_number: 'T-1' }] });
  const sheet = 'external_id,load_at,customer.external_id,colour\nB-1,2026-12-01T07:00:00,C-1,red\n';
  const [row] = await waiting('/ingest/orders/csv', sheet, 'text/csv');
  expect(row).toMatchObject({ line: 2, state: 'processed', result_id: expect.any(String) });
});

test('a receipt that did not wait has no outcomes, which the document does not require', async () => {
  const { status, body } = await tenant.http('POST', '/ingest/orders', { orders: [order('A-9')] });
  expect([status, misfitsOf(body, 'post', '/ingest/orders', 202)]).toEqual([202, []]);
  expect(Object.keys(body.data.records[0])).toEqual(['index', 'id', 'imported_for', 'state']);
});

test('the document says how to wait, of every operation that answers with a receipt', () => {
  const operations: [string, Json][] = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.values<Json>(methods).map((one): [string, Json] => [path, one]),
  );
  const receipts = operations.filter(([, { responses }]) => /Receipt"/.test(JSON.stringify(responses?.[202]?.content ?? {})));
  expect(receipts).toHaveLength(8);
  for (const [path, { parameters, responses }] of receipts) {
    expect([path, parameters.map(({ name }: Json) => name)]).toEqual([path, expect.arrayContaining(['Prefer'])]);
    expect([path, Object.keys(responses[202].content)]).toEqual([path, ['application/json', 'application/x-ndjson']]);
  }
});
