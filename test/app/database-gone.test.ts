import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { connectedTo, migratedDatabase } from '../helpers/database.ts';
import { allGone, dataFolder, removeFolder, startProduct } from '../helpers/product.ts';
import { until } from '../helpers/until.ts';
import { png } from '../ingest/files/sample-files.ts';
import { wayTo } from './way-to.ts';

let data: string;
beforeEach(() => {
  data = dataFolder();
});
afterEach(async () => {
  await allGone(data);
  removeFolder(data);
});

const READY = /"url":"(http:[^"]+)".*"msg":"ready"/;

test('while the database is gone every interface answers 503 with Retry-After, and names no host; afterwards all is well again', async () => {
  const real = new URL(await migratedDatabase());
  const way = await wayTo(real);
  const url = Object.assign(new URL(real), { hostname: '127.0.0.1', port: String(way.port) });
  const key = randomBytes(32).toString('base64');
  const env = { PORT: '0', HAULGATE_DATA: data, DATABASE_URL: url.href, HAULGATE_DEMO: 'on', HAULGATE_SECRETS_KEY: key };
  const product = startProduct(env);
  const base = (await product.says(READY))[1]!;
  await product.says(/demo\.json/);
  // The demo was asked for; without that, next to an operator's database: first-start.test.ts.
  expect((await connectedTo(real.href, (db) => db.query('select from company'))).rowCount).toBe(3);
  expect(product.stdout()).not.toContain('HAULGATE_SECRETS_KEY');
  const { client_id, client_secret } = JSON.parse(readFileSync(join(data, 'demo.json'), 'utf8'));
  const login = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
  const tokenOf = () =>
    fetch(`${base}/v1/auth/token`, {
      method: 'POST',
      headers: { authorization: login },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
  const { access_token } = (await (await tokenOf()).json()) as { access_token: string };
  const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
  const { authorization } = headers;
  const id = '01a1fb64-adb0-7c11-8a1f-2f0d2b7c9d10';
  const form = () => {
    const made = new FormData();
    made.set('file', new Blob([new Uint8Array(png())]), 'photo.png');
    for (const [name, text] of [['external_id', 'O-1'], ['file_attachable_type', 'Order']] as const) made.set(name, text); // biome-ignore format: one idea
    return made;
  };
  const post = (path: string, body: object) => fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const sheet = { ...headers, 'content-type': 'text/csv' };
  const ask = () =>
    Promise.all([
      fetch(`${base}/v1/orders`, { headers }),
      fetch(`${base}/v1/orders`, { headers: { authorization: 'Bearer unknown' } }),
      fetch(`${base}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query: '{ orders { nodes { id } } }' }) }),
      fetch(`${base}/ingest/orders`, { method: 'POST', headers, body: JSON.stringify({ orders: [{ external_id: 'O-1' }] }) }),
      fetch(`${base}/ingest/batches/${id}`, { headers }),
      tokenOf(),
    ]);
  const askOthers = () =>
    Promise.all([
      fetch(`${base}/ingest/files`, { method: 'POST', headers: { authorization }, body: form() }),
      fetch(`${base}/ingest/orders/csv`, {
        method: 'POST',
        headers: sheet,
        body: 'external_id,load_at,customer.external_id\nO-2,soon,C-1\n',
      }),
      fetch(`${base}/v1/file_attachments/${id}/file`, { headers: { authorization } }),
      fetch(`${base}/v1/tickets/${id}/image/file`, { headers: { authorization } }),
      post('/v1/auth/login', { email: 'nobody@example.com', password: 'limestone and rain' }),
      post('/v1/auth/refresh', { refresh_token: 'unknown' }),
      post('/v1/auth/magic_link', { email: 'nobody@example.com' }),
      post('/v1/sso_connections', { email: 'nobody@nowhere.example' }),
      fetch(`${base}/ready`),
    ]);
  const subscription = 'subscription { recordChanged(types: [Order]) { id } }';
  const stream = () =>
    fetch(`${base}/graphql/stream`, {
      method: 'POST',
      headers: { ...headers, accept: 'text/event-stream' },
      body: JSON.stringify({ query: subscription }),
    });
  /** How a socket is closed to somebody who says who they are. */
  const socket = (): Promise<unknown> =>
    new Promise((closed, failed) => {
      const opened = new WebSocket(`${base.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
      opened.once('open', () => opened.send(JSON.stringify({ type: 'connection_init', payload: { authorization } })));
      opened.once('message', (said) => closed(String(said)));
      opened.once('close', (code, reason) => closed([code, String(reason)])).once('error', failed);
    });
  const before = (await ask()).map(({ status }) => status);
  expect(before).toEqual([200, 401, 200, 202, 404, 200]);
  const others = (await askOthers()).map(({ status }) => status);
  expect(others).toEqual([202, 202, 404, 404, 401, 401, 204, 200, 200]);
  await way.cut();
  // The caller is remembered for a moment, and may open a stream then.
  await until(async () => {
    const { status, body } = await stream();
    await body?.cancel();
    return status === 503;
  });
  for (let round = 0; round < 3; round++) {
    const answers = [...(await ask()), ...(await askOthers()), await stream()];
    // Whoever sends no readable token is refused without the database.
    expect(answers.map(({ status }) => status)).toEqual([503, 401, ...Array(before.length - 1 + others.length).fill(503)]);
    // The code by which clients try again.
    expect(await socket()).toEqual([1013, 'The server cannot answer at the moment: try again in 1 s']);
    for (const answer of answers) {
      const text = await answer.text();
      if (answer.status === 503)
        expect([answer.headers.get('retry-after'), text]).toEqual([
          expect.stringMatching(/^\d+$/),
          expect.stringMatching(/service_unavailable|not ready/),
        ]);
      expect(text).not.toMatch(/127\.0\.0\.1|ECONN|Connection|:\d{4,5}/);
    }
  }
  // Whoever is called by the alarm finds why, also over GraphQL.
  const logged = product.stdout().split('\n').filter((line) => line.includes('"msg":"request failed"')); // biome-ignore format: one idea
  const why = logged.map((line) => JSON.parse(line)).filter(({ level, path }) => level === 50 && path === '/graphql');
  expect(why.length).toBeGreaterThanOrEqual(3);
  expect(why.map(({ err }) => err.message)).toContainEqual(expect.stringMatching(/^service_unavailable: .*(ECONN|terminated|timeout)/));
  await way.restore();
  for (let tried = 0; tried < 50; tried++) {
    const now = (await ask()).map(({ status }) => status);
    if (now.every((status, i) => status === before[i])) break;
    expect(tried).toBeLessThan(49);
    await new Promise((wake) => setTimeout(wake, 200));
  }
  product.child.kill('SIGTERM');
  expect(await product.ended).toBe(0);
  await way.cut();
});
