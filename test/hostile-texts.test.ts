import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from './helpers/app.ts';
import { makeTenant, type Tenant } from './helpers/tenant.ts';

/** Marks that Unicode sorts, each compared with all before it: 320 KB, by which a process is busy for 50 seconds. */
const MARKS = `a${'\u0300'.repeat(80_000)}${'\u0316'.repeat(80_000)}`;
/** Milliseconds that a request with it may take. */
const MOST = 2_000;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ signInsPerAddress: 1_000 });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

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
    const start = performance.now();
    expect((await app.http('POST', path, { body })).status).toBe(status);
    expect(performance.now() - start).toBeLessThan(MOST);
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
])(
  'neither does %s',
  async (_, ask) => {
    const start = performance.now();
    await ask();
    expect(performance.now() - start).toBeLessThan(MOST);
  },
  200_000,
);
