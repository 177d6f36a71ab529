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
  for (const way of ['mail', 'sms']) {
    mkdirSync(join(app.folder, way), { recursive: true });
    symlinkSync(join(app.folder, way), join(folder, '.data', way));
  }
  writeFileSync(join(folder, '.data/demo.json'), JSON.stringify({ base_url: app.url, ...app.access }));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await app.close();
});

const withCurl = where(spawnSync('curl', ['--version']).status === 0, 'no curl: the examples of the guides are not pasted');

/** The examples of a document, and what it says that they answer. */
function examplesOf(file: string): { sh: string[]; reported: string[] } {
  const text = readFileSync(file, 'utf8');
  const blocks = (all: string, fence: string) =>
    [...all.matchAll(new RegExp(`^\`\`\`${fence}\\n(.*?)^\`\`\``, 'gms'))].map(([, block]) => block!);
  return { sh: blocks(text, 'sh'), reported: blocks(text.replaceAll(/^```(sh|js|json)\n.*?^```/gms, ''), '') };
}

/** Pastes lines into a shell in the folder of the product. */
async function paste(lines: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  // Mails go out on the hour here, unless somebody looks for them.
  const looking = setInterval(() => void app.emails(), 500);
  const env = { PATH: process.env.PATH!, NO_COLOR: '1' };
  const script = ['set -uo pipefail', ...lines].join('\n');
  return promisify(execFile)('bash', ['--noprofile', '--norc', '-c', script], { cwd: folder, env }).finally(() => clearInterval(looking));
}

withCurl('the guide to companies, pasted from beginning to end, says what it says it says', async () => {
  const { sh, reported } = examplesOf('docs/companies.md');
  expect(await paste(sh)).toEqual({ stdout: reported.join(''), stderr: '' });
});

withCurl('the guide to merging, pasted into the shell of that to companies, says what it says it says', async () => {
  const [shell] = examplesOf('docs/companies.md').sh;
  const { sh, reported } = examplesOf('docs/merging.md');
  expect(reported).not.toEqual([]);
  expect(await paste([shell!, ...sh])).toEqual({ stdout: reported.join(''), stderr: '' });
});

/** In this order, since the last one changes a password. */
const guides = ['users', 'sso', 'machine-clients', 'signing-in'];

withCurl('the other guides of who comes in, pasted from beginning to end, are answered as they say', async () => {
  // Only the statuses are compared, because the answers contain tokens and times.
  const statuses = 'curl() { command curl -w \'%{stderr}%{http_code}\\n\' "$@"; }';
  const first = examplesOf('README.md').sh.find((block) => block.includes('TOKEN=$(curl'))!;
  const readme = first.split('\n').filter((line) => /^(eval|TOKEN=)/.test(line));
  const answered: Record<string, string[]> = {};
  for (const guide of guides) {
    const sh = examplesOf(`docs/${guide}.md`).sh.filter((block) => !block.includes('npm '));
    const { stderr } = await paste([statuses, ...readme, ...sh]);
    answered[guide] = stderr.trim().split('\n').slice(1);
  }
  expect(answered).toEqual({
    users: ['200', '201'],
    sso: ['200', '201', '200', '200', '200', '200', '401'],
    'machine-clients': ['200', '201', '200', '200', '200', '200', '204'],
    // A refresh token that comes again, and a password that everybody guesses.
    'signing-in': ['200', '200', '200', '401', '200', '200', '204', '204', '204', '200', '201', '200', '204', '400', '200'],
  });
});
