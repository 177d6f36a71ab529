import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from './helpers/app.ts';
import { makeTenant, type Tenant } from './helpers/tenant.ts';
import { processorTime } from './helpers/until.ts';

/** Marks that Unicode sorts, each compared with all before it: 320 KB, by which a process is busy for 50 seconds. */
const MARKS = `a${'\u0300'.repeat(80_000)}${'\u0316'.repeat(80_000)}`;
/** Milliseconds for which a request with it may keep the process from other work. */
const MOST = 2_000;
/** Milliseconds until its answer: PostgreSQL does not read them for long either. A machine may be busy with something else. */
const ANSWERED = 20_000;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ signInsPerAddress: 1_000 });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

async function delaysNobody(ask: () => Promise<unknown>): Promise<void> {
  const start = performance.now();
  expect(await processorTime(ask)).toBeLessThan(MOST);
  expect(performance.now() - start).toBeLessThan(ANSWERED);
}

test.each([
  ['/v1/auth/login', { email: MARKS, password: 'x' }, 401],
  ['/v1/auth/login', { email: `${MARKS}@example.com`, password: MARKS }, 401],
  ['/v1/auth/magic_link', { email: MARKS }, 204],
  ['/v1/auth/forgot_password', { email: MARKS }, 204],
  ['/v1/auth/otp_sms', { phone: MARKS }, 201],
  ['/v1/auth/otp_sms/login', { phone_id: MARKS, code: '123456' }, 401],
  ['/v1/auth_methods', { email: `${MARKS}@example.com` }, 422],
  ['/v1/sso_connections', { email: `a@${MARKS}` }, 422],
])(
  'a stranger who sends letters with endless marks to %s delays nobody',
  async (path, body, status) => {
    await delaysNobody(async () => expect((await app.http('POST', path, { body })).status).toBe(status));
  },
  200_000,
);

test.each([
  [
    'a search',
    () => tenant.gql('query($s: SearchInput) { jobs(search: $s) { count { value } } }', { s: { datagrid: `${MARKS}@example.com` } }),
  ],
  ['a person', () => tenant.http('POST', tenant.path('/users'), { first_name: 'A', last_name: 'B', email: `${MARKS}@example.com` })],
  ['the columns of a sheet', () => tenant.http('POST', '/ingest/orders', `external_id,${MARKS}\n1,2\n`)],
  [
    'a payload',
    () =>
      tenant.http('POST', '/ingest/orders', {
        orders: [
          { external_id: 'M-1', requester: { email: `${MARKS}@example.com` }, customer: { name: MARKS }, foremen: [{ email: MARKS }] },
        ],
      }),
  ],
])('neither does %s', (_, ask) => delaysNobody(ask), 200_000);
