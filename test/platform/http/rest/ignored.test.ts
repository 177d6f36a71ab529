import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../../helpers/app.ts';
import { makeTenant, orderInput, type Tenant } from '../../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const STRICT = { prefer: 'handling=strict' };
/** Returns the answer with its headers as an object. */
async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const answer = await app.http(method, path, { body, headers, token: tenant.token });
  return { ...answer, headers: Object.fromEntries(answer.headers) };
}
const faults = ({ body }: { body: { error: { errors: { field: string }[] } } }) => body.error.errors.map(({ field }) => field);

test('fields of a body that nobody knows are named in the answer, at every level', async () => {
  const order = await ask('POST', '/v1/orders', {
    ...orderInput(tenant),
    colour: 'red',
    waypoints: [
      { type: 'pickup', site_id: tenant.pickup.id, ordinality: 0, gate: 3 },
      { type: 'drop_off', site_id: tenant.dropoff.id, ordinality: 1 },
    ],
  });
  expect([order.status, order.headers.warning, order.body.meta]).toEqual([
    201,
    '299 - "Ignored: waypoints.0.gate, colour"',
    { ignored: ['waypoints.0.gate', 'colour'] },
  ]);
});

test('parameters that nobody knows are named: filters, pages, names that cannot be read', async () => {
  const list = await ask('GET', '/v1/orders?states=sent&filter[stats]=sent&filter[states][0][a]=b&page[size]=5&filter[a=1&filter[b]=');
  expect([list.status, list.body.meta.ignored]).toEqual([
    200,
    ['page[size]', 'filter[stats]', 'filter[states][0][a]', 'states', 'filter[a'],
  ]);
});

test('what is given twice counts as it was given last, and is named', async () => {
  const body = '{ "name": "Loam", "name": "Topsoil", "external_id": "M-1" }';
  const send = (headers: object) =>
    app.http('POST', '/v1/materials', { token: tenant.token, body, headers: { 'Content-Type': 'application/json', ...headers } });
  const strictly = await send(STRICT);
  expect([strictly.status, strictly.body.error.errors]).toEqual([
    422,
    [{ model: 'Material', field: 'name', message: 'is given more than once' }],
  ]);
  const made = await send({});
  expect([made.status, made.body.data.name, made.body.meta]).toEqual([201, 'Topsoil', { ignored: ['name'] }]);
  const nested = `{ "waypoints": [{ "type": "pickup", "type": "drop_off", "ordinality": 0 }], "quantity": 1e400 }`;
  const order = await app.http('POST', '/v1/orders', {
    token: tenant.token,
    body: nested,
    headers: { ...STRICT, 'Content-Type': 'application/json' },
  });
  expect(faults(order as never)).toContain('waypoints.0.type');
  const list = await ask('GET', '/v1/materials?page[limit]=5&page[limit]=1&filter[updated_since]=2020-01-01T00:00:00Z');
  expect([list.body.data.length, list.body.meta.ignored]).toEqual([1, ['page[limit]']]);
  const same = await ask('GET', '/v1/materials?page[limit]=1&page[limit]=1', undefined, STRICT);
  expect([same.status, same.headers.warning]).toEqual([200, undefined]);
});

test('who knows everything gets data and nothing else', async () => {
  const list = await ask('GET', '/v1/orders?filter[states][]=created&filter[states][]=&sort[load_at]=asc&page[limit]=5&search[datagrid]=x');
  expect([Object.keys(list.body), list.headers.warning]).toEqual([['data'], undefined]);
});

test('an answer without a body says it in its header alone', async () => {
  const { id } = await tenant.must('POST', '/v1/departments', { name: 'Asphalt' });
  const gone = await ask('DELETE', `/v1/departments/${id}`, { reason: 'old' });
  expect([gone.status, gone.body, gone.headers.warning]).toEqual([204, undefined, '299 - "Ignored: reason"']);
});

test('what was ignored does not change what a record is', async () => {
  const { id } = await tenant.must('POST', '/v1/departments', { name: 'Concrete' });
  const plain = await ask('GET', `/v1/departments/${id}`);
  const marked = await ask('GET', `/v1/departments/${id}?fresh=1`);
  expect([marked.headers.etag, marked.body]).toEqual([plain.headers.etag, { ...plain.body, meta: { ignored: ['fresh'] } }]);
});

test('names that no header can hold are whole in the body', async () => {
  const { headers, body } = await ask('POST', '/v1/departments', { name: 'Earth', 'Größe "x"\n': 1, ['n'.repeat(300)]: 1 });
  expect([headers.warning, body.meta.ignored]).toEqual([
    `299 - "Ignored: Gr??e ?x??, ${'n'.repeat(100)}"`,
    ['Größe "x"\n', 'n'.repeat(100)],
  ]);
});

test('a repeat with its key is warned again', async () => {
  const send = () => ask('POST', '/v1/departments', { name: 'Gravel', size: 1 }, { 'idempotency-key': 'gravel' });
  const [first, second] = [await send(), await send()];
  expect([second.headers['idempotency-replayed'], second.headers.warning, second.body]).toEqual([
    'true',
    first.headers.warning,
    first.body,
  ]);
});

test('strict handling refuses them all, and does nothing', async () => {
  const refused = await ask('POST', '/v1/departments?dri=1', { name: 'Sand', size: 1, extra: { a: 1 } }, STRICT);
  expect([refused.status, faults(refused)]).toEqual([422, ['dri', 'size', 'extra']]);
  expect((await tenant.must('GET', '/v1/departments')).map(({ name }: { name: string }) => name)).not.toContain('Sand');
  expect(faults(await ask('GET', '/v1/orders?filter[stats]=sent', undefined, STRICT))).toEqual(['filter[stats]']);
  const { id } = await tenant.must('POST', '/v1/departments', { name: 'Sand', size: 1 });
  expect(faults(await ask('DELETE', `/v1/departments/${id}`, { reason: 'old' }, STRICT))).toEqual(['reason']);
});

test('strict handling names what is refused anyway only once', async () => {
  const order = { orders: [{ external_id: 'ONCE-1' }] };
  const named = async (path: string, body: object) => {
    const refused = await ask('POST', path, body, STRICT);
    return [refused.status, faults(refused)];
  };
  expect(await named('/ingest/orders?zork=1&strict=true', order)).toEqual([422, ['zork']]);
  expect(await named('/ingest/orders?strict=true&strict=false', order)).toEqual([422, ['strict']]);
  expect(await named('/v1/departments?dry-run=true&zork=1', { name: 'Sand' })).toEqual([422, ['dry-run', 'zork']]);
});

test('strict handling that finds nothing is applied, and says so', async () => {
  const made = await ask(
    'POST',
    '/v1/departments',
    { name: 'Clay' },
    {
      prefer: 'respond-async, Handling="strict"; a=b',
    },
  );
  expect([made.status, made.headers['preference-applied'], made.headers.warning]).toEqual([201, 'handling=strict', undefined]);
});

test('fields that wait for billing are refused, unless they ask for nothing', async () => {
  const order = await tenant.must('POST', '/v1/orders', orderInput(tenant));
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const path = `/v1/jobs/${job.id}/add_on_charges`;
  const refused = await ask('POST', path, { name: 'Wash', revenue_rate_value: 5, invoice_id: order.id });
  expect([refused.status, faults(refused)]).toEqual([422, ['invoice_id']]);
  const doubled = `{ "name": "Wash", "revenue_rate_value": 5, "invoice_id": null, "invoice_id": "${order.id}" }`;
  const twice = await app.http('POST', path, { token: tenant.token, body: doubled, headers: { 'Content-Type': 'application/json' } });
  expect([twice.status, faults(twice)]).toEqual([422, ['invoice_id']]);
  const empty = { name: 'Wash', revenue_rate_value: 5, invoice_id: null };
  const { status, headers } = await ask('POST', path, empty, STRICT);
  expect([status, headers.warning]).toEqual([201, undefined]);
});
