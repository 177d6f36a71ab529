import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sweepFiles } from '../../../src/files/sweep-files.ts';
import { fileStorage, s3Storage } from '../../../src/platform/storage/storage.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { type S3Server, startS3 } from '../../helpers/s3-server.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { jpeg, pdf, png, webp } from './sample-files.ts';
import { postFile } from './upload.ts';

const ours = { bucket: 'haulgate', region: 'us-east-1', accessKeyId: 'desk', secretAccessKey: 'granite' };
let s3: S3Server;
let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  // Pages so small that a handful of files needs several.
  s3 = await startS3({ ...ours, page: 2 });
  app = await startTestApp({ storage: await s3Storage({ ...ours, endpoint: s3.url, pathStyle: true }) });
  tenant = await makeTenant(app);
});
afterAll(async () => {
  await app.close();
  await s3.close();
});

const kept = async () => {
  const keys: string[] = [];
  for await (const key of fileStorage.of(app.application).keys()) keys.push(key);
  return keys;
};
const bytesOf = (file: { file_url: string }) => fetch(file.file_url, { headers: { Authorization: `Bearer ${tenant.token}` } });

test('files go to the bucket and come back unchanged', async () => {
  await makeOrder(tenant, { external_id: 'S-1' });
  for (const file of [jpeg(), png(), pdf(), jpeg({ pad: 9 * 1024 * 1024 })]) {
    const answer = await postFile(app, { external_id: 'S-1', file, name: 'scan' }, tenant.token);
    expect(answer.status).toBe(201);
    const bytes = await bytesOf(answer.body.data);
    expect(Buffer.from(await bytes.arrayBuffer()).equals(file)).toBe(true);
    expect(await kept()).toContain(answer.body.data.id);
    const shown = await fetch(answer.body.data.file_url);
    expect(Buffer.from(await shown.arrayBuffer()).equals(file)).toBe(true);
  }
  expect(await kept()).toHaveLength(4);
});

test('a file waits in the bucket for its order', async () => {
  const { status, body } = await postFile(app, { external_id: 'S-2', file: webp() }, tenant.token);
  expect(status).toBe(202);
  expect(await kept()).toContain(body.data.id);
  await makeOrder(tenant, { external_id: 'S-2' });
  const file = await tenant.must('GET', `/v1/file_attachments/${body.data.id}`);
  expect(Buffer.from(await (await bytesOf(file)).arrayBuffer()).equals(webp())).toBe(true);
});

test('a refused file never reaches the bucket, and bytes without a row leave it', async () => {
  const before = await kept();
  expect((await postFile(app, { external_id: 'S-1', file: Buffer.from('a text') }, tenant.token)).status).toBe(422);
  expect((await postFile(app, { external_id: 'S-1', file: Buffer.alloc(11 * 1024 * 1024) }, tenant.token)).status).toBe(422);
  expect(await kept()).toEqual(before);
  await app.orm.em.getConnection().execute('delete from file_attachment where id = ?', [before[0]]);
  expect(await sweepFiles(app.orm.em, -60_000)).toBe(1);
  expect(await kept()).toEqual(before.slice(1));
});

test.each([
  [{ secretAccessKey: 'gravel' }, 'SignatureDoesNotMatch'],
  [{ accessKeyId: 'yard' }, 'InvalidAccessKeyId'],
  [{ region: 'eu-west-1' }, 'SignatureDoesNotMatch'],
  [{ bucket: 'other' }, 'NoSuchBucket'],
])('a bucket is opened only with its own key and name: %j', async (wrong, code) => {
  const other = await s3Storage({ ...ours, ...wrong, endpoint: s3.url, pathStyle: true });
  await expect(other.keys()[Symbol.asyncIterator]().next()).rejects.toThrow(code);
});

test('while the bucket is not available, uploads are refused and reads get 503', async () => {
  const { body } = await postFile(app, { external_id: 'S-1', file: jpeg(), name: 'last' }, tenant.token);
  await s3.close();
  const answer = await postFile(app, { external_id: 'S-9', file: png() }, tenant.token);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  expect((await bytesOf(body.data)).status).toBe(503);
  const order = await makeOrder(tenant, { external_id: 'S-9' });
  expect(await tenant.must('GET', tenant.path(`/orders/${order.id}/file_attachments`))).toEqual([]);
});
