import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sendForm } from '../../files/form.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { png } from '../../ingest/files/sample-files.ts';

let app: TestApp;
let tenant: Tenant;
// Nobody packs here, so that what was asked for stays open.
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

test('at most ten archives wait for a person, even after concurrent requests', async () => {
  const order = await makeOrder(tenant);
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const file = await sendForm(
    app,
    'POST',
    `/v1/jobs/${job.id}/file_attachments`,
    [
      ['file', png(), 'map.png'],
      ['category', 'Other'],
    ],
    tenant.token,
  );
  expect(file.status).toBe(201);
  const ask = (token: string) => tenant.http('POST', '/v1/bulk_downloads', { type: 'zip', job_ids: [job.id] }, token);
  const answers = await Promise.all(Array.from({ length: 16 }, () => ask(tenant.token)));
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 202), ...Array.from({ length: 6 }, () => 429)]);
  expect(answers.find(({ status }) => status === 429)!.headers.get('retry-after')).toBe('30');
  const { token } = await tenant.person({ roles: ['dispatcher'] });
  expect((await ask(token)).status).toBe(202);
});
