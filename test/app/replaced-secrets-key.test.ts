import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { migratedDatabase } from '../helpers/database.ts';
import { allGone, dataFolder, removeFolder, startProduct } from '../helpers/product.ts';

let data: string;
beforeEach(() => {
  data = dataFolder();
});
afterEach(async () => {
  await allGone(data);
  removeFolder(data);
});

test('the key of secrets is replaced while what was signed with the one before stays good, as long as that is named', async () => {
  const DATABASE_URL = await migratedDatabase();
  const [old, new_] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
  /** Asks a process with these keys for orders behind a cursor. */
  const orders = async (keys: string, cursor?: string): Promise<{ status: number; next: string | null }> => {
    const env = { PORT: '0', HAULGATE_DATA: data, DATABASE_URL, HAULGATE_ROLE: 'web', HAULGATE_DEMO: 'on', HAULGATE_SECRETS_KEY: keys };
    const product = startProduct(env);
    const url = (await product.says(/"url":"(http:[^"]+)".*"msg":"ready"/))[1]!;
    const { client_id, client_secret } = JSON.parse(readFileSync(join(data, 'demo.json'), 'utf8'));
    const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
    const body = new URLSearchParams({ grant_type: 'client_credentials' });
    const given = await fetch(`${url}/v1/auth/token`, { method: 'POST', headers: { authorization }, body });
    const { access_token } = (await given.json()) as { access_token: string };
    const query = new URLSearchParams({ 'page[limit]': '1', ...(cursor ? { 'page[after]': cursor } : {}) });
    const answer = await fetch(`${url}/v1/orders?${query}`, { headers: { authorization: `Bearer ${access_token}` } });
    const [, after] = /page(?:%5B|\[)after(?:%5D|\])=([^&>]+)[^>]*>; rel="?next/.exec(answer.headers.get('link') ?? '') ?? [];
    product.child.kill('SIGTERM');
    expect(await product.ended).toBe(0);
    return { status: answer.status, next: after === undefined ? null : decodeURIComponent(after) };
  };
  const first = await orders(old);
  expect(first).toEqual({ status: 200, next: expect.any(String) });
  const next = first.next!;
  // Each process of the first step has both, and signs as those that do not know the new one yet.
  const second = await orders(`${old},${new_}`, next);
  expect(second.status).toBe(200);
  const third = await orders(`${new_},${old}`, second.next!);
  expect(third.status).toBe(200);
  expect((await orders(`${old},${new_}`, third.next!)).status).toBe(200);
  expect((await orders(new_, next)).status).toBe(400);
});
