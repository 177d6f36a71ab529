import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant } from '../helpers/tenant.ts';
import { makeSender, type Sender } from '../send/sender.ts';

const run = promisify(execFile);
const env = { PATH: process.env.PATH, HOME: process.env.HOME };

let app: TestApp;
let sender: Sender;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haulgate-packed-'));
  const packing = run(process.execPath, ['--import', './scripts/typescript.mjs', 'scripts/client.ts', folder], { env });
  app = await startTestApp({ worker: true, webhooks: true });
  sender = await makeSender(await makeTenant(app), app.url);
  const [tarball = ''] = (await packing).stdout.split(',');
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }');
  // It depends on nothing, so there is nothing to ask a registry for.
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', resolve(tarball)], { cwd: folder, env });
  await symlink(resolve('node_modules/@types'), join(folder, 'node_modules/@types'));
  await symlink(resolve('node_modules/undici-types'), join(folder, 'node_modules/undici-types'));
});
afterAll(async () => {
  await app.close();
  sender.close();
  await rm(folder, { recursive: true, force: true });
});

/** Everything that TypeScript can be strict about, also in the types of the package. */
const STRICT = {
  ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noImplicitReturns: true, noUnusedLocals: true },
  ...{ noPropertyAccessFromIndexSignature: true, noFallthroughCasesInSwitch: true, noEmit: true, types: ['node'] },
  ...{ target: 'es2023', lib: ['es2024'], module: 'nodenext', moduleResolution: 'nodenext', skipLibCheck: false },
  ...{ allowImportingTsExtensions: true, erasableSyntaxOnly: true, verbatimModuleSyntax: true },
};

const WRONG = `import { Haulgate } from '@haulgate/client';
const haulgate = new Haulgate({ url: '', token: '' });
await haulgate.call('GET /v1/nothing');
await haulgate.call('GET /v1/orders/{id}', { path: { order: '1' } });
await haulgate.call('POST /v1/materials', { body: { name: 7 } });
export const state: 'lost' = (await haulgate.call('GET /v1/orders/{id}', { path: { id: '1' } })).state;
`;

test('the packed client, installed elsewhere, takes an order to a signed-off job, strictly and without a cast', async () => {
  await copyFile('test/contract/client/packed.ts', join(folder, 'packed.ts'));
  await writeFile(join(folder, 'wrong.ts'), WRONG);
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: STRICT, include: ['*.ts'] }));
  const found = await run(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', '.'], { cwd: folder }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
  // Each wrong line is found, and nothing else.
  expect(found.match(/^\S+\.ts\(\d+/gm)).toEqual(['wrong.ts(3', 'wrong.ts(4', 'wrong.ts(5', 'wrong.ts(6']);
  const { stdout } = await run(process.execPath, ['packed.ts'], {
    cwd: folder,
    env: { ...env, URL: app.url, CLIENT_ID: sender.id, CLIENT_SECRET: sender.secret },
  });
  const said = Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string; value: unknown })
      .map(({ name, value }) => [name, value]),
  );
  expect(said).toEqual({
    order: { status: 201, etag: true, quantity: '18.25' },
    job: 'signed_off',
    meta: [true, 'complete', true],
    refusals: [
      [409, 'conflict', [expect.any(String)]],
      [422, 'unprocessable_content', ['name']],
      [412, 'precondition_failed', []],
    ],
    sent: { states: { processed: 2, failed: 1 }, failed: [['line 4', 'C']] },
    pages: ['A', 'B'],
    graphql: [
      ['B', 'created'],
      ['A', 'created'],
    ],
    loads: ['completed'],
    dashboard: true,
    webhooks: { states: ['signed_off'], even: true, forged: true },
  });
  const version = await run(join(folder, 'node_modules/.bin/haulgate-send'), ['--version'], { env });
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
}, 120_000);
