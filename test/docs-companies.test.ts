import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { startTestApp, type TestApp } from './helpers/app.ts';
import { where } from './helpers/where.ts';

let app: TestApp;
let folder: string;
beforeAll(async () => {
  app = await startTestApp({ demo: true, deliveries: true });
  folder = mkdtempSync(join(tmpdir(), 'haulgate-docs-'));
  // As the folder of a running product looks.
  mkdirSync(join(folder, '.data'));
  mkdirSync(join(app.folder, 'mail'), { recursive: true });
  symlinkSync(join(app.folder, 'mail'), join(folder, '.data/mail'));
  writeFileSync(join(folder, '.data/demo.json'), JSON.stringify({ base_url: app.url, ...app.access }));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await app.close();
});

const withCurl = where(spawnSync('curl', ['--version']).status === 0, 'no curl: the examples of the guides are not pasted');

withCurl('the guide to companies, pasted from beginning to end, says what it says it says', async () => {
  const text = readFileSync('docs/companies.md', 'utf8');
  const blocks = (fence: string) => [...text.matchAll(new RegExp(`^\`\`\`${fence}\\n(.*?)^\`\`\``, 'gms'))].map(([, block]) => block!);
  const script = `set -uo pipefail\n${blocks('sh').join('\n')}`;
  // Mails go out on the hour here, unless somebody looks for them.
  const looking = setInterval(() => void app.letters(), 500);
  const env = { PATH: process.env.PATH!, NO_COLOR: '1' };
  const { stdout, stderr } = await promisify(execFile)('bash', ['--noprofile', '--norc', '-c', script], { cwd: folder, env }).finally(() =>
    clearInterval(looking),
  );
  const told = [...text.replaceAll(/^```sh\n.*?^```/gms, '').matchAll(/^```\n(.*?)^```/gms)].map(([, block]) => block!);
  expect({ stdout, stderr }).toEqual({ stdout: told.join(''), stderr: '' });
});
