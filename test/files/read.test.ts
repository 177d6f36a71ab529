import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../src/directory/accounts/account.entity.ts';
import { FileAttachment } from '../../src/files/file-attachment.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { attachmentFields, makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { unsigned } from '../helpers/unsigned.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const attach = (orderId: string, more: object = {}) =>
  tenant.save(FileAttachment, { ...attachmentFields(tenant), fileAttachableId: orderId, ...more });

test('an order shows its files, newest first, and counts them', async () => {
  const order = await makeOrder(tenant);
  const map = await attach(order.id, { category: 'Site Map', description: 'Gate 4', createdAt: new Date('2026-11-01T10:00:00Z') });
  const scan = await attach(order.id, { createdAt: new Date('2026-11-02T10:00:00Z') });
  await attach((await makeOrder(tenant)).id);
  const files = await tenant.must('GET', tenant.path(`/orders/${order.id}/file_attachments`));
  expect(files.map((file: { id: string }) => file.id)).toEqual([scan.id, map.id]);
  expect(unsigned(files[1])).toEqual({
    id: map.id,
    category: 'Site Map',
    description: 'Gate 4',
    file_attachable_id: order.id,
    file_attachable_type: 'Order',
    file_url: `${app.url}/v1/file_attachments/${map.id}/file`,
    mime_type: 'application/pdf',
    preview_url: null,
    preview_mime_type: null,
    uploaded_by: {
      id: tenant.driver.id,
      type: 'User',
      name: 'Dora Wheel',
      first_name: 'Dora',
      last_name: 'Wheel',
      discarded_at: null,
      company: expect.objectContaining({ id: tenant.company.id }),
      platform_id: tenant.company.platformId,
      legal_name: tenant.company.legalName,
      company_type: tenant.company.companyType,
    },
    file_name: 'map.pdf',
    editable: true,
    deletable: true,
    created_at: '2026-11-01T10:00:00.000Z',
    updated_at: expect.any(String),
  });
  expect(unsigned(await tenant.must('GET', `/v1/orders/${order.id}/file_attachments`))).toEqual(unsigned(files));
  expect(unsigned(await tenant.must('GET', `/v1/file_attachments/${map.id}`))).toEqual(unsigned(files[1]));
  const shown = await tenant.must('GET', tenant.path(`/orders/${order.id}`));
  expect(shown.order_summary.file_attachments_count).toBe(2);
});

test('drivers and foremen change only files that they added', async () => {
  const foreman = await tenant.person({ roles: ['foreman'] });
  const order = await makeOrder(tenant, { foreman_ids: [foreman.user.id] });
  await attach(order.id, { uploadedById: foreman.user.id });
  await attach(order.id);
  const files = await tenant.must('GET', tenant.path(`/orders/${order.id}/file_attachments`), undefined, foreman.token);
  expect(files.map((file: { editable: boolean; deletable: boolean }) => [file.editable, file.deletable])).toEqual([
    [false, false],
    [true, true],
  ]);
});

test('a page of files takes as many statements as one file', async () => {
  const order = await makeOrder(tenant);
  await attach(order.id);
  const read = () => tenant.must('GET', tenant.path(`/orders/${order.id}/file_attachments`));
  await read();
  const one = await app.countStatements(read);
  for (let i = 0; i < 5; i++) await attach(order.id);
  const six = await app.countStatements(read);
  expect(six.value).toHaveLength(6);
  expect(six.statements).toHaveLength(one.statements.length);
});

test('files page by cursor', async () => {
  const order = await makeOrder(tenant);
  for (let i = 0; i < 3; i++) await attach(order.id);
  const first = await tenant.http('GET', `${tenant.path(`/orders/${order.id}/file_attachments`)}?page%5Blimit%5D=2`);
  expect(first.body.data).toHaveLength(2);
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')![1]!;
  const second = await tenant.http('GET', next.slice(app.url.length));
  expect(second.body.data).toHaveLength(1);
});

test('a file whose bytes are lost gets an answer, not a broken connection', async () => {
  const order = await makeOrder(tenant);
  const file = await attach(order.id);
  const gone = await tenant.http('GET', `/v1/file_attachments/${file.id}/file`);
  expect([gone.status, gone.headers.get('retry-after'), gone.body]).toEqual([503, '5', { error: { code: 'service_unavailable' } }]);
});

test('the vendor sees the order that was passed on, and none of its files', async () => {
  const vendor = await makeTenant(app);
  const account = await tenant.save(Account, {
    company: ref(tenant.company),
    name: 'Hired Hauling',
    accountTypes: ['vendor'],
    connectedCompany: ref(vendor.company),
  });
  const order = await makeOrder(tenant);
  const file = await attach(order.id);
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`);
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  await tenant.must('PUT', `/v1/jobs/${job.id}/assign_vendor`, { vendor_id: account.id });
  expect((await vendor.http('GET', `/v1/orders/${order.id}`)).status).toBe(200);
  expect((await vendor.http('GET', `/v1/orders/${order.id}/file_attachments`)).status).toBe(404);
  expect((await vendor.http('GET', `/v1/file_attachments/${file.id}`)).status).toBe(404);
});
