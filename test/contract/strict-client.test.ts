import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Facts, readFacts } from '../../scripts/contract/facts.ts';
import { misfits } from '../../scripts/contract/fit.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { clientTypes } from './client-types.ts';

const run = promisify(execFile);
const facts: Facts = readFacts('test/contract');
/** Everything that TypeScript can be strict about. */
const STRICT = {
  ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noImplicitReturns: true, noUnusedLocals: true },
  ...{ noPropertyAccessFromIndexSignature: true, noFallthroughCasesInSwitch: true, skipLibCheck: true, noEmit: true },
  ...{ target: 'es2023', lib: ['es2024'], module: 'nodenext', moduleResolution: 'nodenext', types: ['node'] },
  ...{ allowImportingTsExtensions: true, erasableSyntaxOnly: true, verbatimModuleSyntax: true },
};

let app: TestApp;
let tenant: Tenant;
let folder: string;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  folder = await mkdtemp(join(tmpdir(), 'haulgate-client-'));
  await writeFile(join(folder, 'contract.ts'), clientTypes(facts));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: STRICT, include: ['*.ts'] }));
  await copyFile('test/contract/client/sign-off.ts', join(folder, 'sign-off.ts'));
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
});
afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

const compiled = () =>
  run(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', folder]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );

test('a client with the types of the contract alone takes an order to a signed-off job, strictly and without a cast', async () => {
  expect(await compiled()).toBe('');
  const { stdout } = await run(process.execPath, [join(folder, 'sign-off.ts')], {
    env: { ...process.env, BASE_URL: app.url, TOKEN: tenant.token, NODE_OPTIONS: '' },
  });
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { name: string; data: unknown });
  expect(answers.pop()).toEqual({ name: 'end', data: 'signed_off' });
  expect(answers).toHaveLength(25);
  const types = new Map(facts.operations.map(({ method, path, data }) => [`${method} ${path}`, data]));
  expect(answers.flatMap(({ name, data }) => misfits(facts, data, types.get(name)!, name))).toEqual([]);
}, 120_000);

test('the types are strict: what the contract does not have does not compile', async () => {
  const client = join(folder, 'wrong.ts');
  await writeFile(
    client,
    `import type { Operations } from './contract.ts';
export const body: Operations['POST /v1/materials']['body'] = { name: 7 };
export const state = (order: Operations['POST /v1/orders']['data']): 'lost' => order.state;
`,
  );
  try {
    expect((await compiled()).match(/wrong\.ts\(\d/g)).toEqual(['wrong.ts(2', 'wrong.ts(3']);
  } finally {
    await rm(client);
  }
}, 120_000);
