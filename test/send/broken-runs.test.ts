import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { makeSender, many, order, recordsOf, type Sender, startProxy } from './sender.ts';

let app: TestApp;
let tenant: Tenant;
let sender: Sender;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await makeTenant(app);
  sender = await makeSender(tenant, app.url);
});
afterEach(() => sender.close());

test('a killed run is continued: nothing is lost and nothing stored twice', async () => {
  const file = sender.file('orders.json', JSON.stringify(many(60)));
  // Slow enough to be caught in the middle; every third answer, so that no request waits for long by bad luck.
  let posts = 0;
  const proxy = await startProxy(app.url, (req) =>
    req.method === 'POST' && req.url?.startsWith('/ingest') && posts++ % 3 === 1 ? 'drop-answer' : 'pass',
  );
  try {
    const args = [file, '--url', proxy.url, '--batch', '2', '--concurrency', '3', '--retries', '20'];
    for (const signal of ['SIGKILL', 'SIGINT'] as const) {
      const broken = sender.start(args);
      await broken.said(/sent \d+ of 60/);
      broken.child.kill(signal);
      const { code } = await broken.ended;
      expect(code).toBe(signal === 'SIGINT' ? 130 : null);
      expect(readFileSync(`${file}.haulgate-send`, 'utf8').split('\n').length).toBeGreaterThan(2);
    }
    const { code, stdout, stderr } = await sender.run(args);
    expect(stderr).toContain('Continuing: ');
    expect([code, stdout]).toEqual([0, '60 orders, 60 acknowledged\n  processed              60\n']);
    expect((await recordsOf(tenant)).sort()).toEqual(
      many(60)
        .map(({ external_id }) => `${external_id} processed`)
        .sort(),
    );
  } finally {
    await proxy.close();
  }
}, 180_000);

test('a changed file is sent from its start, and so is one with --restart', async () => {
  const file = sender.file('orders.json', JSON.stringify(many(2)));
  expect((await sender.run([file, '--no-wait'])).stdout).toBe('2 orders, 2 acknowledged\n');
  await app.settled();
  expect((await sender.run([file, '--no-wait'])).stderr).toContain('Continuing: 1 requests were acknowledged before.');
  expect((await recordsOf(tenant)).length).toBe(2);
  sender.file('orders.json', JSON.stringify(many(3)));
  expect((await sender.run([file, '--no-wait'])).stderr).toContain('The file has changed since the last run: everything is sent.');
  await app.settled();
  expect((await recordsOf(tenant)).length).toBe(5);
  await sender.run([file, '--no-wait', '--restart']);
  expect((await recordsOf(tenant)).length).toBe(8);
});

test('a state file that is something else is not overwritten, also to begin anew', async () => {
  const text = JSON.stringify(many(1));
  const file = sender.file('orders.json', text);
  for (const more of [[], ['--restart']]) {
    const ended = await sender.run([file, '--state', file, ...more]);
    expect([ended.code, ended.stderr, readFileSync(file, 'utf8')]).toEqual([2, expect.stringContaining('is no state file'), text]);
    const folder = await sender.run([file, '--state', sender.folder, ...more]);
    expect([folder.code, folder.stderr]).toEqual([2, expect.stringContaining('cannot be read (EISDIR)')]);
  }
});

test('a new server does not know the last run, which is reported with the remedy', async () => {
  const file = sender.file('orders.json', JSON.stringify(many(1)));
  await sender.run([file, '--no-wait']);
  const state = readFileSync(`${file}.haulgate-send`, 'utf8');
  const other = sender.file('state', state.replace(/"batch":"[^"]+"/, '"batch":"01a1fb64-adb0-7c11-8a1f-2f0d2b7c9d10"'));
  const ended = await sender.run([file, '--state', other]);
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('Send everything with --restart.')]);
  expect((await sender.run([file, '--state', other, '--restart'])).stdout).toContain('1 orders, 1 acknowledged\n  skipped ');
});

test('it waits as long as the server asks, repeats failures, and fetches a new token when the old one is refused', async () => {
  const verdicts: ReturnType<Parameters<typeof startProxy>[1]>[] = [
    { status: 429, headers: { 'Retry-After': '1' } },
    { status: 503, headers: { 'Retry-After': '1' } },
    { status: 401 },
    'drop-answer',
  ];
  let tokens = 0;
  const proxy = await startProxy(app.url, (req) => {
    if (req.url === '/v1/auth/token') tokens++;
    return req.url === '/ingest/orders' ? (verdicts.shift() ?? 'pass') : 'pass';
  });
  try {
    const file = sender.file('orders.json', JSON.stringify(many(4)));
    const started = Date.now();
    const { code, stderr, stdout } = await sender.run([file, '--url', proxy.url]);
    expect([code, stdout]).toEqual([0, '4 orders, 4 acknowledged\n  processed               4\n']);
    expect(stderr).toContain('It asks to send later (429); trying again in 1 s.');
    expect(stderr).toContain('It answers 503; trying again in 1 s.');
    expect(stderr).toContain('The connection broke; trying again in 1 s.');
    expect(Date.now() - started).toBeGreaterThan(3_000);
    expect(tokens).toBe(2);
    expect((await recordsOf(tenant)).length).toBe(4);
  } finally {
    await proxy.close();
  }
});

test('requests with the same key arrive in the order of the file', async () => {
  const orders = Array.from({ length: 30 }, (_, i) => order('SAME', { notes: `version ${i}` }));
  const file = sender.file('orders.json', JSON.stringify({ orders }));
  expect((await sender.run([file, '--batch', '1', '--concurrency', '8'])).code).toBe(0);
  const [last] = await tenant.must('GET', tenant.path('/orders'));
  expect(last).toMatchObject({ external_id: 'SAME', notes: 'version 29' });
});

const PAGE = { headers: { 'Content-Type': 'text/html' }, body: '<h1>Proxy</h1>' };
/** Sends 3 orders, one a request, past a proxy that has a page of its own for some of the requests. */
async function sendPast(status: number, method: string, path: RegExp, times: number, ...args: string[]) {
  const file = sender.file('orders.json', JSON.stringify(many(3)));
  let left = times;
  const proxy = await startProxy(app.url, (req) =>
    req.method === method && path.test(req.url ?? '') && left-- > 0
      ? { ...PAGE, status, headers: { ...PAGE.headers, ...(status === 301 && { Location: 'https://haul.example/' }) } }
      : 'pass',
  );
  try {
    return await sender.run([file, '--url', proxy.url, '--batch', '1', '--concurrency', '1', '--retries', '1', ...args]);
  } finally {
    await proxy.close();
  }
}

test.each([
  [202, 'POST', /orders$/],
  [408, 'POST', /orders$/],
  [502, 'POST', /orders$/],
  [200, 'GET', /batches/],
])('a page of a proxy with status %i in place of an answer to %s is no answer', async (status, method, path) => {
  const { code, stdout, stderr } = await sendPast(status, method, path, 1);
  expect(stderr).toContain(`It answers ${status}`);
  expect([code, stdout]).toEqual([0, '3 orders, 3 acknowledged\n  processed               3\n']);
  const { code: never, stderr: said } = await sendPast(status, method, path, 99, '--restart');
  expect([never, said]).toEqual([3, expect.stringMatching(/ cannot be reached\. It answers \d{3}[^\n]* \(\/ingest\/[^\n]*\n$/)]);
});

test("a refusal by a proxy or firewall is not taken for the server's", async () => {
  const blocked = await sendPast(403, 'POST', /orders$/, 1);
  expect(blocked.stdout).toContain(
    '  element 1    not sent  refused: the request answered 403, by a proxy or firewall before the server\n',
  );
  expect([blocked.code, blocked.stdout]).toEqual([1, expect.stringContaining('3 orders, 2 acknowledged')]);
  const large = await sendPast(413, 'POST', /orders$/, 99);
  expect(large.stdout).toContain('answered 413, by a proxy or firewall before the server: try --restart with a smaller --batch');
  const moved = await sendPast(301, 'POST', /token$/, 99);
  expect([moved.code, moved.stderr]).toEqual([3, expect.stringContaining('leads elsewhere (301): give --url ')]);
});

test('a mistyped secret or address keeps the progress of an interrupted run', async () => {
  const file = sender.file('orders.json', JSON.stringify(many(2)));
  await sender.run([file, '--no-wait']);
  const progress = readFileSync(`${file}.haulgate-send`, 'utf8');
  expect((await sender.run([file], { HAULGATE_CLIENT_SECRET: 'mistyped' })).code).toBe(3);
  expect((await sender.run([file], { HAULGATE_CLIENT_ID: 'mistyped' })).code).toBe(3);
  expect((await sender.run([file, '--url', `${app.url}/v2`])).code).toBe(3);
  expect(readFileSync(`${file}.haulgate-send`, 'utf8')).toBe(progress);
  expect((await sender.run([file])).stderr).toContain('Continuing: 1 requests were acknowledged before.');
});
