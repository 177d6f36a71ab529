import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { bulkWaker } from '../../src/dispatch/bulk/enqueue.ts';
import { ingestWaker } from '../../src/ingest/wake.ts';
import { Application, applicationOf } from '../../src/platform/application.ts';
import { createOrm } from '../../src/platform/database/orm.ts';
import { newId } from '../../src/platform/ids.ts';
import { fileStorage } from '../../src/platform/storage/storage.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, orderInput, type Tenant } from '../helpers/tenant.ts';
import { unsigned } from '../helpers/unsigned.ts';
import { jpeg } from '../ingest/files/sample-files.ts';
import { postFile } from '../ingest/files/upload.ts';

// Two applications of one process, each with a company of the same id: what one of them remembers must not reach the other.
let apps: [TestApp, TestApp];
let tenants: [Tenant, Tenant];
beforeAll(async () => {
  apps = [await startTestApp({ deliveries: true }), await startTestApp({ deliveries: true })];
  const [id, authMethods] = [newId(), ['password', 'magic_link']];
  tenants = [
    await makeTenant(apps[0], { company: { id, authMethods, timeZone: 'America/Los_Angeles' } }),
    await makeTenant(apps[1], { company: { id, authMethods, timeZone: 'Asia/Tokyo' } }),
  ];
});
afterAll(() => Promise.all(apps.map((app) => app.close())));

const both = <T>(ask: (tenant: Tenant, at: 0 | 1) => Promise<T>): Promise<T[]> =>
  Promise.all(tenants.map((tenant, at) => ask(tenant, at as 0 | 1)));

test('each names itself in addresses, and keeps its own files', async () => {
  const files = await both(async (tenant) => {
    await makeOrder(tenant, { external_id: 'F-1' });
    return (await postFile(tenant.app, { external_id: 'F-1', file: jpeg() }, tenant.token)).body.data as { id: string; file_url: string };
  });
  for (const [at, app] of apps.entries()) {
    const { id, file_url } = files[at]!;
    expect(unsigned(file_url)).toBe(`${app.url}/v1/file_attachments/${id}/file`);
    expect((await fetch(file_url, { headers: { Authorization: `Bearer ${tenants[at]!.token}` } })).status).toBe(200);
    expect(await readdir(join(app.folder, 'files'))).toEqual([id]);
    expect((await app.http('GET', '/.well-known/oauth-authorization-server')).body.token_endpoint).toBe(`${app.url}/v1/auth/token`);
  }
});

test("neither takes the other's cursor, signed id or token", async () => {
  await both((tenant) => makeOrder(tenant).then(() => makeOrder(tenant)));
  const query = '{ orders(first: 1) { pageInfo { endCursor } } }';
  const cursors = await both(async (tenant) => (await tenant.gql(query)).data.orders.pageInfo.endCursor as string);
  const announced = { filename: 'a.jpg', byte_size: 1, checksum: 'AAAAAAAAAAAAAAAAAAAAAA==', content_type: 'image/jpeg' };
  const uploads = await both((tenant) => tenant.must('POST', '/v1/direct_uploads', announced));
  await both(async (tenant, at) => {
    const other = at === 0 ? 1 : 0;
    const after = async (cursor: string) => (await tenant.http('GET', `/v1/orders?page[limit]=1&page[after]=${cursor}`)).status;
    expect([await after(cursors[at]!), await after(cursors[other]!)]).toEqual([200, 400]);
    const put = async (url: string) => (await tenant.http('PUT', new URL(url).pathname, '')).status;
    expect([await put(uploads[at].direct_upload.url), await put(uploads[other].direct_upload.url)]).toEqual([422, 404]);
    const me = async (token: string) => (await tenant.http('GET', '/v1/orders', undefined, token)).status;
    expect([await me(tenant.token), await me(tenants[other].token)]).toEqual([200, 401]);
  });
});

test('each has its own settings', async () => {
  apps[0].configure({ intercomSecret: 'of the first', impersonationSeconds: 60 });
  const hashes = await both(async (tenant) => {
    const { token } = await tenant.person({ roles: ['dispatcher'] });
    return (await tenant.gql('{ me { intercomHash } }', {}, token)).data.me.intercomHash as string;
  });
  expect(hashes).toEqual([expect.stringMatching(/^[\da-f]{64}$/), '']);
});

test('each remembers its own company, viewer and days', async () => {
  // The day has begun in Tokyo, and not in Los Angeles.
  const found = await both(async (tenant) => {
    await makeOrder(tenant, { external_id: 'day', load_at: '2027-03-01T18:00:00.000Z' });
    return (await tenant.must('GET', '/v1/orders?filter[start_date]=2027-03-02&filter[end_date]=2027-03-02')).length;
  });
  expect(found).toEqual([0, 1]);
});

test('each mails its own people, with links to itself', async () => {
  const { user } = await tenants[0].person({ email: 'ada@two.example', roles: ['dispatcher'] });
  await tenants[1].person({ email: user.email, roles: ['dispatcher'] });
  expect((await apps[0].http('POST', '/v1/auth/magic_link', { body: { email: user.email } })).status).toBe(204);
  const [first, second] = await Promise.all(apps.map((app) => app.emails()));
  expect(first!.mails.map(({ to, text }) => [to, text.includes(`${apps[0].url}/console/sign-in#`)])).toEqual([[user.email, true]]);
  expect(second!.mails).toEqual([]);
});

test('each wakes its own workers', async () => {
  const woken: string[] = [];
  for (const [at, { application }] of apps.entries())
    for (const [part, name] of [
      [ingestWaker, 'imports'],
      [bulkWaker, 'bulk'],
    ] as const) {
      const waker = part.of(application);
      application.provide(part, { ...waker, wake: () => void woken.push(`${name} ${at}`) });
    }
  await tenants[0].must('POST', '/ingest/orders', { orders: [{ external_id: 'W-1' }] });
  expect(woken).toEqual(['imports 0']);
  const order = await tenants[1].must('POST', tenants[1].path('/orders'), orderInput(tenants[1]));
  const [job] = await tenants[1].must('GET', `/v1/orders/${order.id}/jobs`);
  await tenants[1].must('PUT', '/v1/jobs/bulk_assign_drivers', {
    driver_assignments: [{ job_id: job.id, driver_id: tenants[1].driver.id }],
  });
  expect(woken).toEqual(['imports 0', 'bulk 1']);
  // Nobody works them: the figures of each are those of its own ledger.
  const waiting = await both(async ({ app }) => {
    const { body } = await app.http<string>('GET', '/metrics');
    return /haulgate_import_open_records\{kind="order",state="waiting"\} (\d+)/.exec(body)?.[1];
  });
  expect(waiting).toEqual(['1', undefined]);
});

test('what nobody provided is an error with a sentence', async () => {
  const provided = fileStorage.of(apps[0].application);
  expect(fileStorage.of(applicationOf(apps[0].productOrm.em.fork()))).toBe(provided);
  expect(() => fileStorage.of(new Application())).toThrow('this application has no storage of files: it has to be provided at the start');
  const orm = await createOrm({ url: 'postgresql://nobody@127.0.0.1:1/nothing', entities: [] });
  expect(() => fileStorage.of(orm.em.fork())).toThrow('this application has no storage of files');
  await orm.close(true);
});
