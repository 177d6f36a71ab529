import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sweepFiles } from '../../src/files/sweep-files.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { jpeg, pdf, png } from '../ingest/files/sample-files.ts';
import { announcement, putBytes, upload } from './form.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const announce = (bytes: Buffer, more: object = {}) =>
  tenant.must('POST', '/v1/direct_uploads', announcement(bytes, 'gate map.pdf', 'application/pdf', more));
const attach = async (orderId: string, body: object) => tenant.http('POST', tenant.path(`/orders/${orderId}/file_attachments`), body);
const stored = () => readdir(join(app.folder, 'files'));

test('a file is announced, sent without a token, and attached once by its signed id', async () => {
  const order = await makeOrder(tenant);
  const bytes = pdf();
  const reported = await announce(bytes, { metadata: { page: 3 } });
  expect(reported).toEqual({
    id: expect.any(String),
    byte_size: bytes.length,
    checksum: expect.any(String),
    content_type: 'application/pdf',
    created_at: expect.any(String),
    filename: 'gate map.pdf',
    key: reported.id,
    metadata: { page: 3 },
    service_name: 'haulgate',
    signed_id: expect.any(String),
    direct_upload: { url: expect.any(String), headers: { 'Content-Type': 'application/pdf', 'Content-MD5': reported.checksum } },
  });
  const early = await attach(order.id, { file: reported.signed_id });
  expect([early.status, fieldsOf(early)]).toEqual([422, ['file']]);
  expect(await putBytes(reported.direct_upload, bytes)).toBe(204);
  expect(await putBytes(reported.direct_upload, bytes)).toBe(204);
  const made = await attach(order.id, { file: reported.signed_id, category: 'Site Map', description: 'Gate 4' });
  expect(made.status).toBe(201);
  expect(made.body.data).toMatchObject({
    category: 'Site Map',
    description: 'Gate 4',
    file_attachable_type: 'Order',
    file_attachable_id: order.id,
    mime_type: 'application/pdf',
    file_name: 'gate map.pdf',
    editable: true,
  });
  const file = await fetch(made.body.data.file_url, { headers: { Authorization: `Bearer ${tenant.token}` } });
  expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true);
  const again = await attach(order.id, { file: reported.signed_id });
  expect([again.status, fieldsOf(again)]).toEqual([422, ['file']]);
  expect(await putBytes(reported.direct_upload, bytes)).toBe(404);
});

test('the uploaded bytes must be those that were announced', async () => {
  const bytes = pdf();
  const [shorter, other] = [bytes.subarray(0, bytes.length - 1), Buffer.from(bytes)];
  other[other.length - 2] = 0x20;
  const reported = await announce(bytes);
  expect(await putBytes(reported.direct_upload, shorter)).toBe(422);
  expect(await putBytes(reported.direct_upload, other)).toBe(422);
  expect(await putBytes(reported.direct_upload, Buffer.concat([bytes, bytes]))).toBe(413);
  expect(await putBytes((await announce(jpeg())).direct_upload, jpeg())).toBe(422);
  const cut = jpeg().subarray(0, 100);
  expect(await putBytes((await announce(cut, { content_type: 'image/jpeg' })).direct_upload, cut)).toBe(422);
  const html = Buffer.from('<script>alert(1)</script>');
  expect(await putBytes((await announce(html, { content_type: 'image/png' })).direct_upload, html)).toBe(422);
  expect(await putBytes(reported.direct_upload, bytes)).toBe(204);
  expect(await readdir(join(app.folder, 'incoming'))).toEqual([]);
});

test('an announcement names every wrong field', async () => {
  const wrong = await tenant.http('POST', '/v1/direct_uploads', {
    filename: '',
    byte_size: 10 * 1024 * 1024 + 1,
    checksum: 'YWJj',
    content_type: 'text/html',
  });
  expect([wrong.status, fieldsOf(wrong)]).toEqual([422, ['byte_size', 'content_type', 'filename']]);
  const none = await tenant.http('POST', '/v1/direct_uploads', {});
  expect(fieldsOf(none)).toEqual(['byte_size', 'checksum', 'content_type', 'filename']);
  const more = await tenant.http('POST', '/v1/direct_uploads', announcement(pdf(), 'a', 'image/png', { checksum: 'x', metadata: [1] }));
  expect(fieldsOf(more)).toEqual(['checksum', 'metadata']);
  expect((await app.http('POST', '/v1/direct_uploads', { body: announcement(pdf(), 'a', 'image/png') })).status).toBe(401);
});

test('signed ids of other companies, forged ones and the token of the other purpose are invalid', async () => {
  const order = await makeOrder(tenant);
  const neighbour = await makeTenant(app);
  const own = await upload(app, tenant.token, png(), 'a.png', 'image/png');
  const [content, signature] = own.split('.') as [string, string];
  const forged = Buffer.from(
    Buffer.from(content, 'base64url')
      .toString()
      .replace(/\d{13}/, '9999999999999'),
  ).toString('base64url');
  const reported = await announce(pdf());
  const token = new URL(reported.direct_upload.url).pathname.split('/').at(-2)!;
  const texts = [`${forged}.${signature}`, `${content}.`, content, '', '.', 'x'.repeat(10_000), token, `${own}.x`, '\u0000'];
  texts.push(await upload(app, neighbour.token, png(), 'a.png', 'image/png'));
  for (const file of texts) {
    const refused = await attach(order.id, { file });
    expect([refused.status, fieldsOf(refused)]).toEqual([422, ['file']]);
  }
  const asPut = `${app.url}/v1/direct_uploads/${reported.signed_id}/file`;
  expect(await putBytes({ url: asPut, headers: {} }, pdf())).toBe(404);
  expect((await attach(order.id, { file: own })).status).toBe(201);
});

test('uploads that nobody attached in time are swept with their bytes, and those of files stay', async () => {
  const order = await makeOrder(tenant);
  const kept = await attach(order.id, { file: await upload(app, tenant.token, png(), 'a.png', 'image/png') });
  const late = await upload(app, tenant.token, pdf(), 'b.pdf', 'application/pdf');
  const before = (await stored()).length;
  await app.orm.em.fork().execute(`update direct_upload set expires_at = now() - interval '1 second'`);
  expect((await attach(order.id, { file: late })).status).toBe(422);
  await sweepFiles(app.productOrm.em, 0);
  const left = await stored();
  expect(left.length).toBeLessThan(before);
  expect(left).toContain(kept.body.data.id);
});

test('GraphQL announces and attaches like REST', async () => {
  const order = await makeOrder(tenant);
  const ask = (query: string, variables: object) => app.graphql(query, variables as Record<string, unknown>, { token: tenant.token });
  const bytes = png();
  const {
    filename,
    byte_size: byteSize,
    checksum,
    content_type: contentType,
  } = announcement(bytes, 'a.png', 'image/png') as never as Record<string, unknown>;
  const announced = await ask(
    'mutation($input: CreateDirectUploadInput!) { createDirectUpload(input: $input) { signedId directUpload { url headers } } }',
    { input: { filename, byteSize, checksum, contentType } },
  );
  const { signedId, directUpload } = announced.body.data.createDirectUpload;
  expect(await putBytes(directUpload, bytes)).toBe(204);
  const made = await ask(
    'mutation($id: ID!, $input: CreateFileAttachmentInput!) { createOrderFileAttachment(orderId: $id, input: $input) { id category fileAttachableId } }',
    { id: order.id, input: { file: signedId } },
  );
  expect(made.body.data.createOrderFileAttachment).toMatchObject({ category: 'Other', fileAttachableId: order.id });
});
