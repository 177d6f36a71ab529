import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../src/platform/database/embedded.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';
import { where } from '../helpers/where.ts';

let app: TestApp;
let tenant: Tenant;
let folder: string;
const running: ChildProcess[] = [];

beforeAll(async () => {
  app = await startTestApp({ shared: true, webhooks: true });
  tenant = await makeTenant(app);
  folder = mkdtempSync(join(tmpdir(), 'haulgate-receivers-'));
});
afterAll(async () => {
  for (const one of running) one.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
  await app.close();
});

/** Runs a receiver of the guide on an endpoint, and returns what it prints of the life of an order. */
async function printed(fence: string, file: string, command: string): Promise<string[]> {
  const [, code] = new RegExp(`^\`\`\`${fence}\\n(.*?)^\`\`\``, 'ms').exec(readFileSync('docs/webhooks.md', 'utf8'))!;
  writeFileSync(join(folder, file), code!);
  const port = await freePort();
  const of = { url: `http://127.0.0.1:${port}/`, triggers: ['Order::create', 'Order::state_change'] };
  const { id, secret } = await tenant.must('POST', '/v1/webhook_subscriptions', of);
  const child = spawn(command, [join(folder, file)], {
    env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret, PYTHONUNBUFFERED: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  let output = '';
  child.stdout.on('data', (data) => {
    output += String(data);
  });
  await until(async () =>
    fetch(of.url, { method: 'POST', body: '{"event":"forged"}' }).then(
      ({ status }) => status === 401,
      () => false,
    ),
  );
  const order = await makeOrder(tenant);
  await tenant.must('PUT', tenant.path(`/orders/${order.id}/accept`));
  await until(() => output.trim().split('\n').length === 2);
  await tenant.must('DELETE', `/v1/webhook_subscriptions/${id}`);
  return output
    .trim()
    .split('\n')
    .map((line) => line.replace(order.id, '<order>').trimEnd());
}

const LIFE = ['Order::create <order> 1', 'Order::state_change <order> 2 created -> accepted'];

test('the receiver of the guide in JavaScript gets the life of an order, and refuses what is forged', async () => {
  expect(await printed('js', 'receiver.mjs', process.execPath)).toEqual(LIFE);
});

const withPython = where(spawnSync('python3', ['--version']).status === 0, 'no python3: its receiver is not run');
withPython('so does the one in Python', async () => {
  expect(await printed('python', 'receiver.py', 'python3')).toEqual(LIFE);
});
