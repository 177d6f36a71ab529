import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';
import { snapshotOf } from './follower.ts';

let app: TestApp;
let folder: string;
let child: ChildProcess | undefined;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  folder = mkdtempSync(join(tmpdir(), 'haulgate-follower-'));
});
afterAll(async () => {
  child?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
  await app.close();
});

test('the follower of the guide has as many records as the company, and follows what is made', async () => {
  const [, code] = /^```js follower\n(.*?)^```/ms.exec(readFileSync('docs/changes.md', 'utf8'))!;
  expect(code!.trim().split('\n').length).toBeLessThan(25);
  const file = join(folder, 'follower.mjs');
  writeFileSync(file, code!);
  const tenant = await makeTenant(app);
  const env = { ...process.env, URL: app.url, TOKEN: tenant.token, COMPANY: tenant.company.id };
  child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let last = '';
  child.stdout!.on('data', (data) => {
    last = String(data).trimEnd().split('\n').at(-1)!;
  });
  await makeOrder(tenant);
  const caughtUp = async () => {
    const lines = await snapshotOf(tenant);
    return last === `${lines.length - 2} records at ${lines[0].position}`;
  };
  // It reads the records first, and then says how many there are whenever something happens; without that it would wait for 20 seconds.
  let made = 0;
  await until(async () => {
    if (last === '') await tenant.must('POST', '/v1/materials', { name: `Gravel ${++made}` });
    return last !== '';
  });
  await until(caughtUp);
  await tenant.must('POST', '/v1/materials', { name: 'Sand' });
  await until(caughtUp);
});
