import { stat } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { until } from '../../helpers/until.ts';
import { jpeg, png } from './sample-files.ts';
import { filing } from './upload.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const { post, ofOrder, bytesOf, incoming, kept } = filing(() => ({ app, tenant }));

test('every problem of a form is named at once', async () => {
  const bad = await post({
    external_id: ' ',
    file: 'https://example.com/a.jpg',
    file_attachable_type: 'Job',
    category: 'Photo',
    note: 'x',
  });
  expect(bad.status).toBe(422);
  expect(fieldsOf(bad)).toEqual(['category', 'external_id', 'file', 'file_attachable_type', 'note']);
  expect(bad.body.error.errors.find((e: { field: string }) => e.field === 'file').message).toBe(
    'must be an uploaded file, not a text or a URL',
  );
  expect(fieldsOf(await post({ external_id: undefined, file: undefined, file_attachable_type: undefined }))).toEqual([
    'external_id',
    'file',
    'file_attachable_type',
  ]);
  expect(fieldsOf(await post({ external_id: 'x\0y', file: png() }))).toEqual(['external_id']);
  expect(fieldsOf(await post({ external_id: 'x'.repeat(256), file: png(), description: 'y'.repeat(10_001) }))).toEqual([
    'description',
    'external_id',
  ]);
  expect(fieldsOf(await post({ external_id: 'x', file: png(), twice: true }))).toEqual(['file']);
  expect(await incoming()).toEqual([]);
});

test('the file may come before the fields', async () => {
  await makeOrder(tenant, { external_id: 'F-1' });
  expect((await post({ external_id: 'F-1', file: png(), fileFirst: true })).status).toBe(201);
});

test('10 MB are accepted and one byte more is refused, without reading on', async () => {
  await makeOrder(tenant, { external_id: 'L-1' });
  const before = await kept();
  const limit = 10 * 1024 * 1024;
  const picture = jpeg({ pad: limit - 100_000 });
  const full = Buffer.concat([picture, Buffer.alloc(limit - picture.length)]);
  const over = await post({ external_id: 'L-1', file: Buffer.concat([full, Buffer.alloc(1)]) });
  expect([over.status, over.body.error.errors]).toEqual([
    422,
    [{ model: 'FileAttachment', field: 'file', message: 'is larger than 10 MB' }],
  ]);
  expect((await post({ external_id: 'L-1', file: Buffer.concat([full, full, full, full]) })).status).toBe(422);
  expect([await kept(), await incoming()]).toEqual([before, []]);
  const exact = await post({ external_id: 'L-1', file: full });
  expect(exact.status).toBe(201);
  expect((await (await bytesOf(exact.body.data)).arrayBuffer()).byteLength).toBe(limit);
});

test('a request without a form gets 415, a broken form 400, and the token is checked before the bytes', async () => {
  const raw = (body: string | Buffer, type: string | undefined, token = tenant.token) =>
    app.http('POST', '/ingest/files', { token, body: new Uint8Array(Buffer.from(body)), headers: type ? { 'Content-Type': type } : {} });
  expect((await raw('{}', 'application/json')).status).toBe(415);
  expect((await raw('file=x', 'application/x-www-form-urlencoded')).status).toBe(415);
  expect((await raw('x', undefined)).status).toBe(415);
  expect((await raw('x', 'multipart/form-data')).status).toBe(400);
  expect((await raw('no parts at all', 'multipart/form-data; boundary=b')).status).toBe(400);
  const open = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nhalf a pict';
  expect((await raw(open, 'multipart/form-data; boundary=b')).status).toBe(400);
  const many = `${'--b\r\nContent-Disposition: form-data; name="description"\r\n\r\nx\r\n'.repeat(50)}--b--\r\n`;
  expect((await raw(many, 'multipart/form-data; boundary=b')).status).toBe(400);
  expect(await incoming()).toEqual([]);
  expect((await post({ external_id: 'x', file: png() }, '')).status).toBe(401);
  expect((await post({ external_id: 'x', file: png() }, 'no.such.token')).status).toBe(401);
  const weak = await makeTenant(app, { permissions: ['create_order'] });
  expect((await post({ external_id: 'x', file: png() }, weak.token)).status).toBe(403);
  // The answer comes although the body never does.
  expect(await firstAnswer({ 'Content-Type': 'multipart/form-data; boundary=b', 'Content-Length': '5000000' })).toBe(401);
});

/** Status of a request whose body is announced and not sent. */
const firstAnswer = (headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const req = request(`${app.url}/ingest/files`, { method: 'POST', headers }, (res) => {
      resolve(res.statusCode!);
      req.destroy();
    });
    req.on('error', reject);
    req.flushHeaders();
  });

test('a request that is cut off leaves neither bytes nor a row', async () => {
  const before = await kept();
  const req = request(`${app.url}/ingest/files`, {
    method: 'POST',
    headers: { 'Content-Type': 'multipart/form-data; boundary=b', 'Content-Length': '900000', Authorization: `Bearer ${tenant.token}` },
  });
  req.on('error', () => undefined);
  req.write('--b\r\nContent-Disposition: form-data; name="external_id"\r\n\r\nCUT-1\r\n');
  req.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n');
  req.write(jpeg({ pad: 300_000 }));
  await until(async () => (await incoming()).length === 1);
  req.destroy();
  await until(async () => (await incoming()).length === 0);
  expect(await kept()).toEqual(before);
  const order = await makeOrder(tenant, { external_id: 'CUT-1' });
  expect(await ofOrder(order)).toEqual([]);
});

test('ten slow uploads of 10 MB are written to disk as they come, not held in memory', async () => {
  await makeOrder(tenant, { external_id: 'S-1' });
  const before = alive();
  const picture = jpeg({ pad: 60_000 });
  // SOI and the first segment, the comment of 60,000 bytes that is sent again and again, and the rest of the picture.
  const [head, comment, rest] = [picture.subarray(0, 20), picture.subarray(20, 60_024), picture.subarray(60_024)];
  const uploads = Array.from({ length: 10 }, (_, i) => slowUpload(`S-1`, `${i}.jpg`));
  await Promise.all(
    uploads.map(async (upload) => {
      await upload.write(head);
      for (let i = 0; i < 160; i++) await upload.write(comment);
    }),
  );
  const sizes = async () => Promise.all((await incoming()).map(async (name) => (await stat(join(app.folder, 'incoming', name))).size));
  await until(async () => (await sizes()).filter((size) => size > 9_000_000).length === 10);
  // Some chunks of each are under way; held in memory they would be 96 MB for good. Buffers are freed a while after a collection.
  await until(async () => alive() - before < 20_000_000);
  expect(await Promise.all(uploads.map((upload) => upload.end(rest)))).toEqual(Array(10).fill(201));
});

/** Bytes in buffers that somebody still holds. */
function alive(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().arrayBuffers;
}

/** An upload whose bytes are sent as the test gives them. */
function slowUpload(externalId: string, name: string) {
  const req = request(`${app.url}/ingest/files`, {
    method: 'POST',
    headers: { 'Content-Type': 'multipart/form-data; boundary=b', Authorization: `Bearer ${tenant.token}` },
  });
  const status = new Promise<number>((resolve, reject) => {
    req.on('response', (res) => resolve(res.resume().statusCode!)).on('error', reject);
  });
  const field = (key: string, value: string) => req.write(`--b\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`);
  field('external_id', externalId);
  field('file_attachable_type', 'Order');
  req.write(`--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`);
  return {
    write: (bytes: Buffer) => new Promise<void>((resolve) => (req.write(bytes) ? resolve() : req.once('drain', resolve))),
    end(bytes: Buffer) {
      req.write(bytes);
      req.end('\r\n--b--\r\n');
      return status;
    },
  };
}
