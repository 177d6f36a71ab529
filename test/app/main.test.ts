import { chmodSync, closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { freePort } from '../../src/platform/database/embedded.ts';
import { createDatabase, migratedDatabase } from '../helpers/database.ts';
import { allGone, copyStarted, dataFolder, processesOf, removeFolder, startProduct } from '../helpers/product.ts';
import { companyInput } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';

let data: string;
beforeEach(() => {
  data = dataFolder();
});
afterEach(async () => {
  await allGone(data);
  removeFolder(data);
});

const READY = /"url":"(https?:\/\/[^"]+)".*"msg":"ready"/;
const start = (env: Record<string, string> = {}) => startProduct({ PORT: '0', HAULGATE_DATA: data, HAULGATE_DEMO: 'off', ...env });

test('it starts on an empty machine, writes the demo access for its owner only, and leaves nothing running', async () => {
  const product = start({ HAULGATE_DEMO: 'on' });
  const url = (await product.says(READY))[1]!;
  const file = join(data, 'demo.json');
  await product.says(new RegExp(`logins +${file} `));
  expect(await (await fetch(`${url}/ready`)).json()).toEqual({ status: 'ready' });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    base_url: url,
    company_id: expect.any(String),
    client_id: expect.any(String),
    client_secret: expect.any(String),
    users: expect.arrayContaining([{ email: expect.any(String), password: expect.any(String), role: 'company_admin' }]),
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  product.child.kill('SIGINT');
  expect(await product.ended).toBe(0);
  await allGone(data);
  // The embedded database is migrated by its owner and used in the role; nobody copies it without the folder of its keys.
  expect(product.stdout()).not.toMatch(/row-level security|HAULGATE_SECRETS_KEY/);
  // Piped output is stored somewhere, so it must not contain credentials.
  const { client_secret, users } = JSON.parse(readFileSync(file, 'utf8')) as { client_secret: string; users: { password: string }[] };
  for (const secret of [client_secret, ...users.map(({ password }) => password)])
    expect(product.stdout() + product.stderr()).not.toContain(secret);
  chmodSync(file, 0o644);
  // Another process that starts may read it at any moment.
  const reading = openSync(file, 'r');

  const again = start({ HAULGATE_DEMO: 'on' });
  const later = (await again.says(READY))[1]!;
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ base_url: later, client_secret: expect.any(String) });
  expect(JSON.parse(readFileSync(reading, 'utf8'))).toMatchObject({ base_url: url });
  closeSync(reading);
  again.child.kill('SIGTERM');
  expect(await again.ended).toBe(0);
});

test('an installation outlives what ends its processes: it invites its administrator once, takes one process at a time and comes back with its data', async () => {
  await copyStarted(data);
  const product = start({ HAULGATE_ADMIN_EMAIL: 'ops@example.com' });
  const url = (await product.says(READY))[1]!;
  const [, path = ''] = await product.says(/"path":"([^"]+\.eml)"/);
  const mail = readFileSync(path, 'utf8')
    .replace(/=\r?\n/g, '')
    .replaceAll('=3D', '=');
  const link = /(http\S+)#magic_links_token=([\w-]+)/.exec(mail)!;
  expect([/^To: (.*)$/m.exec(mail)![1], link[1]]).toEqual(['ops@example.com', `${url}/console/sign-up`]);
  interface Reply {
    data: { session_jwt: string; iam_roles: { name: string }[]; legal_name: string; parent_company: unknown };
  }
  const call = async (path: string, body?: object, token?: string): Promise<Reply> => {
    const headers = { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) };
    return (
      await fetch(`${url}${path}`, { method: body ? 'POST' : 'GET', headers, body: body && JSON.stringify(body) })
    ).json() as Promise<Reply>;
  };
  const session = await call('/v1/auth/signup', { magic_links_token: link[2], password: 'limestone and rain' });
  const token = session.data.session_jwt;
  const me = (await call('/v1/users/me', undefined, token)).data;
  expect(me.iam_roles.map(({ name }) => name)).toEqual(['Platform Admin', 'Company Admin']);
  const made = await call('/v1/companies', companyInput({ legal_name: 'Northwind Aggregates' }), token);
  expect(made.data).toMatchObject({ legal_name: 'Northwind Aggregates', parent_company: null });

  // A second start on the same data folder is refused and does no harm.
  const second = start();
  expect(await second.ended).toBe(1);
  expect(second.stderr()).toMatch(/is in use by another Haulgate \(process \d+\): stop it, set HAULGATE_DATA/);
  expect((await fetch(`${url}/ready`)).status).toBe(200);

  // A killed process takes its PostgreSQL along, and the next start finds the data: nobody else is invited.
  expect(processesOf(data)).not.toEqual([]);
  product.child.kill('SIGKILL');
  expect(await product.ended).toBe('SIGKILL');
  await allGone(data);
  const again = start({ HAULGATE_ADMIN_EMAIL: 'other@example.com' });
  await again.says(READY);
  expect(again.stdout()).not.toMatch(/first administrator|nobody can sign in/);

  // When the embedded PostgreSQL dies, the process ends with a sentence, and the next start recovers.
  const postmaster = Number(readFileSync(join(data, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
  expect(processesOf(data)).toContain(postmaster);
  process.kill(postmaster, 'SIGKILL');
  expect(await again.ended).toBe(1);
  expect(again.stdout()).toMatch(
    /"level":60.*The embedded PostgreSQL ended by SIGKILL, and nothing works without it: start Haulgate again/,
  );
  const recovered = start({ HAULGATE_ADMIN_EMAIL: 'other@example.com' });
  await recovered.says(READY);
  expect(recovered.stdout()).not.toMatch(/first administrator|nobody can sign in/);
  recovered.child.kill('SIGTERM');
  expect(await recovered.ended).toBe(0);
});

test('a stop during the start leaves nothing running', async () => {
  const product = start({ LOG_LEVEL: 'debug' });
  await product.says(/"msg":"postgres"/);
  product.child.kill('SIGINT');
  expect(await product.ended).toBe(0);
  expect(product.stdout()).not.toMatch(READY);
});

/** Statuses of the paths of operators and of clients, each with its header for clients over TLS. */
const ask = async (at: number) =>
  Object.fromEntries(
    await Promise.all(
      ['/health', '/ready', '/version', '/metrics', '/v1/orders'].map(async (path) => {
        const { status, headers } = await fetch(`http://127.0.0.1:${at}${path}`);
        return [path, [status, headers.get('strict-transport-security')]];
      }),
    ),
  );

test('web and worker run as separate processes over one database, with a port for clients and one for operators', async () => {
  const DATABASE_URL = await migratedDatabase();
  const [port, health, ofWorker] = [await freePort(), await freePort(), await freePort()];
  const web = start({
    DATABASE_URL,
    HAULGATE_ROLE: 'web',
    PORT: String(port),
    HAULGATE_HEALTH_PORT: String(health),
    BASE_URL: 'https://haul.example',
    HAULGATE_STOP_DELAY_SECONDS: '5',
  });
  const worker = start({ DATABASE_URL, HAULGATE_ROLE: 'worker', HAULGATE_HEALTH_PORT: String(ofWorker) });
  await web.says(READY);
  await worker.says(/"role":"worker".*"msg":"ready"/);

  // Operators' endpoints are on the health port only, and clients over TLS are advised to keep using it.
  const strict = 'max-age=31536000';
  expect(await ask(port)).toEqual({
    '/health': [200, strict],
    '/ready': [200, strict],
    '/version': [404, strict],
    '/metrics': [404, strict],
    '/v1/orders': [401, strict],
  });
  // The health port has no TLS in front.
  const operators = {
    '/health': [200, null],
    '/ready': [200, null],
    '/version': [200, null],
    '/metrics': [200, null],
    '/v1/orders': [404, null],
  };
  expect([await ask(health), await ask(ofWorker)]).toEqual([operators, operators]);
  const figures = await (await fetch(`http://127.0.0.1:${ofWorker}/metrics`)).text();
  expect(figures).toContain('haulgate_database_connections{state="idle"}');
  expect(figures).toContain('haulgate_import_ledger_readable 1\n');
  expect(figures).toContain('haulgate_parked_files 0\n');

  // A start names the port that is taken.
  const third = start({ DATABASE_URL, PORT: String(port) });
  expect(await third.ended).toBe(1);
  expect(third.stderr()).toBe(`PORT ${port} is in use by another program: set PORT to another port.\n`);

  // Running requests are answered before the end.
  const headers = { 'Content-Type': 'application/json', Expect: '100-continue' };
  const sent = request(`http://127.0.0.1:${port}/v1/auth/login`, { method: 'POST', headers });
  const status = new Promise((resolve, reject) => {
    sent.once('response', (answer) => resolve(answer.resume().statusCode)).once('error', reject);
  });
  // The product has the request once it wants the body.
  await new Promise<void>((wanted) => sent.once('continue', wanted).flushHeaders());
  sent.write('{"email": "a@b.example", ');
  for (const { child } of [web, worker]) child.kill('SIGTERM');
  // A balancer notices before others find nobody: what it sends meanwhile is answered, on a connection that ends.
  await until(async () => (await fetch(`http://127.0.0.1:${port}/ready`)).status === 503);
  const late = await fetch(`http://127.0.0.1:${port}/v1/orders`);
  expect([late.status, late.headers.get('connection')]).toEqual([401, 'close']);
  await until(() =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      () => false,
      () => true,
    ),
  );
  sent.end('"password": "wrong"}');
  expect(await status).toBe(401);
  expect(await Promise.all([web.ended, worker.ended])).toEqual([0, 0]);
});

test.each([
  [{ PORT: 'eighty' }, 'PORT must be a whole number from 0 to 65535.\n'],
  [{ DATABASE_URL: 'mysql://secret@host/db' }, 'DATABASE_URL must be a URL that starts with postgres:// or postgresql://.\n'],
  [{ REDIS_URL: 'localhost:6379' }, 'REDIS_URL must be a URL that starts with redis:// or rediss://.\n'],
  [
    { HAULGATE_ROLE: 'cook', HAULGATE_DEMO: 'maybe' },
    'HAULGATE_ROLE must be one of web, worker, all.\nHAULGATE_DEMO must be one of on, off.\n',
  ],
  [{ HAULGATE_ADMIN_EMAIL: 'ops' }, 'HAULGATE_ADMIN_EMAIL must be an e-mail address.\n'],
  [{ HAULGATE_ROLL: 'web' }, 'HAULGATE_ROLL is not a variable Haulgate knows.\n'],
  [
    { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x', HAULGATE_DATABASE_WAIT: '0' },
    'DATABASE_URL names a server or database that cannot be used: connect ECONNREFUSED 127.0.0.1:1\n',
  ],
  [
    { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x', HAULGATE_DATA: '/dev/null/inside' },
    'HAULGATE_DATA /dev/null/inside cannot be written (ENOTDIR): give it to the user as which Haulgate runs, or name another folder.\n',
  ],
])('a start with %j ends with a sentence', async (env, sentence) => {
  const product = start(env);
  expect(await product.ended).toBe(1);
  expect(product.stderr()).toBe(sentence);
  expect(product.stdout()).toBe('');
});

test('a database is refused if its letters beyond ASCII have no case', async () => {
  const url = await createDatabase(
    process.env.HAULGATE_TEST_SERVER!,
    `haulgate_c_${process.pid}`,
    `template0 encoding 'UTF8' locale_provider libc locale 'C'`,
  );
  const product = start({ DATABASE_URL: url });
  expect(await product.ended).toBe(1);
  expect(product.stderr()).toMatch(
    /^DATABASE_URL names a database that knows no case of letters beyond ASCII .*: make it with a UTF-8 locale/,
  );
});
