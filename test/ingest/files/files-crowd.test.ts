import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { lockArrivals } from '../../../src/files/parked-files.ts';
import { queryIn } from '../../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { jpeg } from './sample-files.ts';
import { filing } from './upload.ts';

// With fewer connections than files come at once.
const CONNECTIONS = 6;
let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, poolSize: CONNECTIONS });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const { post, ofOrder } = filing(() => ({ app, tenant }));
const element = (externalId: string) => ({
  external_id: externalId,
  load_at: '2026-12-01T07:00',
  customer: { external_id: 'C', name: 'C' },
});
const crowd = (name: string) => Array.from({ length: 3 * CONNECTIONS }, (_, at) => `${name}-${at}`);

test('more files than connections, and their orders, find each other when they arrive concurrently', async () => {
  const names = [...crowd('A'), ...crowd('B')];
  const files = names.map((name, at) => setTimeout(at * 3).then(() => post({ external_id: name, file: jpeg({ exif: name }) })));
  const orders = names.map((name, at) => setTimeout(at * 3).then(() => tenant.must('POST', '/ingest/orders', { orders: [element(name)] })));
  for (const answer of await Promise.all(files)) expect([201, 202]).toContain(answer.status);
  for (const { records } of await Promise.all(orders)) {
    const { result_id: id } = await outcome(records[0].id);
    expect(await ofOrder({ id })).toHaveLength(1);
  }
});

test('files that wait for a long import block nobody else', async () => {
  const names = crowd('W');
  const em = app.orm.em.fork();
  await em.begin();
  await lockArrivals((sql, parameters) => queryIn(em, sql, parameters), tenant.company.id, 'record');
  const files = names.map((name) => post({ external_id: name, file: jpeg({ exif: name }) }));
  try {
    await setTimeout(500);
    const answered = tenant.http('GET', tenant.path('/orders')).then(({ status }) => status);
    const late = new AbortController();
    expect(await Promise.race([answered, setTimeout(15_000, 'too late', { signal: late.signal })])).toBe(200);
    late.abort();
  } finally {
    await em.commit();
  }
  expect((await Promise.all(files)).map(({ status }) => status)).toEqual(names.map(() => 202));
});

async function outcome(id: string) {
  for (;;) {
    const record = await tenant.must('GET', `/v1/imported_records/${id}`);
    if (record.state !== 'created') return record;
    await setTimeout(100);
  }
}
