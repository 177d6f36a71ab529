import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { preparer } from '../../../../src/platform/graphql/execute.ts';
import { interpret } from '../../../../src/platform/http/rest/execution.ts';
import { COMPANY, logged, openPileServer, type Reply, send as sendTo } from './pile-server.ts';
import { calls, PILE as pileId, pileSchema } from './piles.ts';

describe.each([
  ['graphql-js', interpret],
  ['graphql-jit', preparer],
] as const)('through %s', (_name, engine) => {
  let server: Awaited<ReturnType<typeof openPileServer>>;
  beforeAll(async () => {
    server = await openPileServer({ prepare: engine(pileSchema) });
  });
  afterAll(() => server.close());
  beforeEach(() => {
    calls.length = 0;
    logged.length = 0;
  });
  const send = (method: string, path: string, body?: unknown, headers?: Record<string, string | null>): Promise<Reply> =>
    sendTo(server.port, method, path, body, headers);
  const args = () => calls.at(-1)?.args;

  test('a record is returned under data, in wire names', async () => {
    const reply = await send('GET', `/v1/piles/${pileId}`);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ data: { id: pileId, material_name: 'Sand', quantity: null, raw_data: null, state: 'open' } });
    expect(reply.headers['x-request-id']).toMatch(/./);
  });

  test('a list returns its nodes, and next and prev in the Link header keep the other parameters', async () => {
    const asked = '/v1/piles?search[datagrid]=where?&page[limit]=2&page[after]=here&filter[states][]=open';
    const reply = await send('GET', asked, undefined, { host: 'yard.test' });
    expect(reply.body.data).toHaveLength(2);
    const kept = 'search%5Bdatagrid%5D=where?&page%5Blimit%5D=2&filter%5Bstates%5D%5B%5D=open';
    expect(reply.headers.link).toBe(
      `<http://yard.test/v1/piles?${kept}&page%5Bafter%5D=last%2B%2F%3D>; rel="next", ` +
        `<http://yard.test/v1/piles?${kept}&page%5Bafter%5D=first>; rel="prev"`,
    );
    expect(reply.headers.deprecation).toBe('true');
  });

  test('the company-scoped path passes the company and is not deprecated', async () => {
    const reply = await send('GET', `/v1/companies/${COMPANY}/piles`);
    expect(reply.status).toBe(200);
    expect(args()).toEqual({ companyId: COMPANY });
    expect(reply.headers.deprecation).toBeUndefined();
  });

  test('bracketed parameters become input objects; unknown and empty ones are ignored', async () => {
    const query = [
      'filter[states][]=open&filter[states][]=closed',
      `filter[site_ids]=${pileId},${COMPANY}`,
      'filter[start_date]=2026-11-20',
      'filter[flagged]=false',
      'filter[job][states][]=open',
      'filter[nonsense]=1&nonsense=2&filter[job][nonsense][deep]=3',
      'filter[job][empty]=',
      'sort[created_at]=desc&sort[dispatch_number][name]=asc',
      'search[datagrid]=quarry+sand%20and',
      `ids[]=${pileId}`,
    ].join('&');
    expect((await send('GET', `/v1/piles?${query}`)).status).toBe(200);
    expect(args()).toEqual({
      filter: {
        states: ['open', 'closed'],
        siteIds: [pileId, COMPANY],
        startDate: '2026-11-20',
        flagged: false,
        job: { states: ['open'] },
      },
      sort: { createdAt: 'desc', dispatchNumber: { name: 'asc' } },
      search: { datagrid: 'quarry sand and' },
      ids: [pileId],
    });
    await send('GET', '/v1/piles?filter[states][]=&search[datagrid]=&page[limit]=&sort[created_at]=');
    expect(args()).toEqual({});
  });

  test('wrong parameters are reported by their wire names, all at once', async () => {
    const reply = await send(
      'GET',
      '/v1/piles?filter[states]=open,ajar&filter[site_ids][]=x&filter[start_date]=20.11.&page[limit]=101&sort[created_at]=up&filter[job]=1',
    );
    expect(reply.status).toBe(422);
    expect(reply.body.error.code).toBe('unprocessable_content');
    expect(reply.body.error.errors.map((e: { field: string; message: string }) => `${e.field} ${e.message}`).sort()).toEqual([
      'filter[job] is not an object',
      'filter[site_ids] is not a UUID',
      'filter[start_date] is not a date (YYYY-MM-DD)',
      'filter[states] must be one of open, closed',
      'page[limit] must be between 1 and 100',
      'sort[created_at] must be one of asc, desc',
    ]);
    expect(calls).toEqual([]);
    for (const limit of ['0', '-1', 'ten', '1.5']) expect((await send('GET', `/v1/piles?page[limit]=${limit}`)).status).toBe(422);
  });

  test('only declared fields of a body are renamed; absent, null, false, 0 and "" stay different', async () => {
    const body = {
      material_name: '',
      truck_count: 1,
      per_hour: 0,
      recurring_loads: false,
      state: null,
      raw_data: { snakeAnd_camel: [{ a_b: null }] },
      extra: 1,
    };
    const wrong = await send('POST', '/v1/piles', body);
    expect(wrong.body.error.errors).toEqual([{ model: 'Pile', field: 'material_name', message: 'must have a length between 1 and 20' }]);
    expect((await send('POST', '/v1/piles', { ...body, material_name: 'Sand' })).status).toBe(201);
    expect(args()).toEqual({
      input: {
        materialName: 'Sand',
        truckCount: 1,
        perHour: 0,
        recurringLoads: false,
        state: null,
        rawData: { snakeAnd_camel: [{ a_b: null }] },
      },
    });
  });

  test('every wrong field of a body is reported at once, with its wire path', async () => {
    const reply = await send(
      'POST',
      '/v1/piles',
      {
        truck_count: 0,
        quantity: 'many',
        load_at: 'soon',
        recurring_loads: 'yes',
        state: 'ajar',
        steps: [{ site_id: pileId }, { site_id: 7, contact_name: 1 }, {}],
      },
      { 'accept-language': 'es-US' },
    );
    expect(reply.status).toBe(422);
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(reply.body).toEqual({
      error: {
        code: 'unprocessable_content',
        errors: [
          { model: 'Pile', field: 'material_name', message: 'es obligatorio' },
          { model: 'Pile', field: 'truck_count', message: 'debe estar entre 1 y 200' },
          { model: 'Pile', field: 'quantity', message: 'no es un número' },
          { model: 'Pile', field: 'load_at', message: 'no es una fecha y hora ISO 8601 con desfase horario' },
          { model: 'Pile', field: 'recurring_loads', message: 'no es verdadero ni falso' },
          { model: 'Pile', field: 'state', message: 'debe ser uno de open, closed' },
          { model: 'Pile', field: 'steps.1.site_id', message: 'no es un UUID' },
          { model: 'Pile', field: 'steps.1.contact_name', message: 'no es un texto' },
          { model: 'Pile', field: 'steps.2.site_id', message: 'es obligatorio' },
        ],
      },
    });
  });

  test.each(['12345678901234.5678', '0.1', '99999999999999.9999', '1e3'])('the decimal %s keeps its digits', async (number) => {
    const reply = await send('POST', '/v1/piles', `{"material_name":"Sand","truck_count":1,"quantity":${number}}`);
    expect(reply.body.data.quantity).toBe(number === '1e3' ? '1000' : number);
  });

  test('state conflicts have state and event, and GraphQL paths become wire paths', async () => {
    const reply = await send('PUT', `/v1/piles/${COMPANY}/close`);
    expect(reply.status).toBe(409);
    expect(reply.body).toEqual({
      error: {
        code: 'conflict',
        errors: [{ model: 'Pile', field: 'current_state', message: 'is required', state: 'closed', event: 'close' }],
      },
    });
  });

  test('events accept an empty body, with or without a content type', async () => {
    const kinds: Record<string, string>[] = [
      {},
      { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '0' },
      { 'content-type': 'application/json' },
    ];
    for (const headers of kinds) {
      expect((await send('PUT', `/v1/piles/${pileId}/close`, undefined, headers)).status).toBe(200);
    }
  });

  test('replies without data: 204 has no body, EMPTY an empty object', async () => {
    const none = await send('DELETE', `/v1/piles/${pileId}`);
    expect([none.status, none.bytes.length]).toEqual([204, 0]);
    const empty = await send('PATCH', `/v1/piles/${pileId}/empty`);
    expect([empty.status, empty.body]).toEqual([202, {}]);
  });

  test('@status depends on the type of the answer and leaves no trace', async () => {
    const late = await send('POST', '/ingest/files', { late: true });
    expect([late.status, late.body]).toEqual([202, { data: { file_name: 'a.pdf' } }]);
    const now = await send('POST', '/ingest/files', { late: false });
    expect([now.status, now.body]).toEqual([201, { data: { file_name: 'a.pdf' } }]);
  });

  test('unexpected errors are a bare 500, logged with the request id', async () => {
    const reply = await send('PUT', '/v1/piles/break', undefined, { 'x-request-id': 'r-1' });
    expect([reply.status, reply.body]).toEqual([500, { error: { code: 'internal_server_error' } }]);
    expect(reply.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(logged).toEqual([
      expect.objectContaining({
        requestId: reply.headers['x-request-id'],
        clientRequestId: 'r-1',
        err: expect.objectContaining({ message: 'the secret of the yard' }),
      }),
    ]);
  });

  test('a request without a token gets 401, except where the document is public', async () => {
    const reply = await send('GET', `/v1/piles/${pileId}`, undefined, { authorization: null });
    expect([reply.status, reply.body]).toEqual([401, { error: { code: 'unauthorized', error_type: 'missing_token' } }]);
    expect(reply.headers['www-authenticate']).toBe('Bearer realm="haulgate"');
    const login = await send('POST', '/v1/auth/magic_link/login', { magic_links_token: 't' }, { authorization: null });
    expect(login.body).toEqual({ data: 't unknown' });
    const extra = await send('POST', '/v1/auth/magic_link/login', { magic_links_token: 't', more: 1 }, { authorization: null });
    expect([extra.status, extra.body.error.errors]).toEqual([422, [{ model: 'Login', field: 'more', message: 'is not a known field' }]]);
  });

  test('invalid ids in paths, and broken percent escapes, are 404', async () => {
    expect((await send('GET', '/v1/piles/7')).body).toEqual({ error: { code: 'object_not_found' } });
    expect((await send('GET', '/v1/companies/7/piles')).status).toBe(404);
    expect((await send('GET', '/v1/piles/%ff')).body).toEqual({ error: { code: 'object_not_found' } });
    expect((await send('GET', '/v1/piles/%E0%A4%A')).status).toBe(404);
    expect((await send('GET', '/v1/piles/a%2Fb')).status).toBe(404);
    expect((await send('GET', '/v1/piles?filter[states][]=%E0%A4%A')).status).toBe(422);
  });

  test('other methods are 405 with Allow, OPTIONS lists it, HEAD answers like GET', async () => {
    const put = await send('PUT', '/v1/piles');
    expect([put.status, put.headers.allow, put.body]).toEqual([405, 'GET, POST, HEAD, OPTIONS', { error: { code: 'method_not_allowed' } }]);
    expect((await send('OPTIONS', '/v1/piles')).status).toBe(204);
    const head = await send('HEAD', `/v1/piles/${pileId}`);
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
  });

  test.each([
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['br;q=0.1, gzip', 'gzip', gunzipSync],
    ['br', 'br', brotliDecompressSync],
    ['identity', undefined, (bytes: Buffer) => bytes],
  ] as const)('large answers are compressed for a client that accepts %s', async (accepted, used, decompress) => {
    const reply = await send('GET', '/v1/piles?page[limit]=100', undefined, { 'accept-encoding': accepted });
    expect([reply.headers['content-encoding'], reply.headers.vary]).toEqual([used, expect.stringContaining('Accept-Encoding')]);
    expect(JSON.parse(decompress(reply.bytes).toString()).data).toHaveLength(100);
    const small = await send('GET', `/v1/piles/${pileId}`, undefined, { 'accept-encoding': accepted });
    expect(small.headers['content-encoding']).toBeUndefined();
  });

  test('what is compressed in one piece has its length, also for HEAD', async () => {
    const headers = { 'accept-encoding': 'gzip, deflate' };
    const path = '/v1/piles?page[limit]=100';
    const whole = await send('GET', path, undefined, headers);
    expect([whole.headers['content-encoding'], whole.headers['content-length']]).toEqual(['gzip', String(whole.bytes.length)]);
    const head = await send('HEAD', path, undefined, headers);
    expect([head.headers['content-encoding'], head.headers['content-length'], head.bytes.length]).toEqual([
      'gzip',
      String(whole.bytes.length),
      0,
    ]);
    const plain = await send('GET', path, undefined, { 'accept-encoding': 'identity' });
    expect(gunzipSync(whole.bytes)).toEqual(plain.bytes);
    // A client that wants anything else than this is not given it.
    for (const accepted of ['gzip;q=0', 'gzip;q=0, identity', 'deflate;q=0.5'])
      expect((await send('GET', path, undefined, { 'accept-encoding': accepted })).headers['content-encoding']).not.toBe('gzip');
  });
});
