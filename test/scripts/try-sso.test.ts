import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { allGone, copyStarted, dataFolder, type Product, removeFolder, startProduct } from '../helpers/product.ts';

const data = dataFolder();
const file = join(data, 'demo.json');
let product: Product;
let url: string;
beforeAll(async () => {
  await copyStarted(data);
  product = startProduct({ PORT: '0', HAULGATE_DATA: data, HAULGATE_SSO_PRIVATE_HOSTS: 'on', HAULGATE_SSO_DOMAIN_PROOF: 'off' });
  url = (await product.says(/"url":"(http:\/\/[^"]+)".*"msg":"ready"/))[1]!;
  await product.says(/demo\.json/);
});
afterAll(async () => {
  product.child.kill('SIGKILL');
  await allGone(data);
  removeFolder(data);
});

const start = (demo = file) => startProduct({}, 'scripts/try-sso.ts', '--demo', demo);
/** Returns the answer to a page that asks for the provider of an address. */
async function providers(): Promise<string[]> {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ email: 'casey.moreno@demo.haulgate.example' });
  const answer = await fetch(`${url}/v1/sso_connections`, { method: 'POST', headers, body });
  return ((await answer.json()) as { data: { display_name: string }[] }).data.map(({ display_name }) => display_name);
}

test('the provider for trying sign-in removes itself when it is stopped, and replaces one that was killed', async () => {
  const killed = start();
  await killed.says(/Ctrl-C removes the connection/);
  killed.child.kill('SIGKILL');
  await killed.ended;
  expect(await providers()).toEqual(['Local provider']);

  const provider = start();
  await provider.says(/Ctrl-C removes the connection/);
  expect(await providers()).toEqual(['Local provider']);
  // As npm passes a Ctrl-C on.
  provider.child.kill('SIGINT');
  await new Promise((wake) => setTimeout(wake, 5));
  provider.child.kill('SIGINT');
  expect(await provider.ended).toBe(0);
  expect(provider.stderr()).not.toMatch(/error|^\s+at /im);
  expect(await providers()).toEqual([]);
});

test('it says in a line what is missing: the demo, or the product, before and after it began', async () => {
  const lost = start(join(data, 'nothing.json'));
  expect(await lost.ended).toBe(1);
  expect(lost.stderr()).toMatch(/^ENOENT: no such file .*nothing\.json'\n$/);

  const provider = start();
  await provider.says(/Ctrl-C removes the connection/);
  product.child.kill('SIGTERM');
  expect(await product.ended).toBe(0);
  provider.child.kill('SIGINT');
  expect(await provider.ended).toBe(1);
  expect(provider.stderr()).toMatch(/\nconnect ECONNREFUSED [\d.:]+\n$/);

  const early = start();
  expect(await early.ended).toBe(1);
  expect(early.stderr()).toMatch(/^connect ECONNREFUSED [\d.:]+\n$/);
});
