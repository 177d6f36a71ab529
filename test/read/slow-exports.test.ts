import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';
import { sqlOf } from './crowded-tenant.ts';

let app: TestApp;
let sql: ReturnType<typeof sqlOf>;
beforeAll(async () => {
  app = await startTestApp();
  sql = sqlOf(app);
});
afterAll(() => app.close());

const LONG = 1_300;

/** A company with a list that is more than the network keeps for a client that does not read. */
async function withLongList(at: TestApp, count = LONG): Promise<Tenant> {
  const own = await makeTenant(at);
  await sqlOf(at)(
    `insert into material (id, company_id, name, created_at, updated_at)
     select gen_random_uuid(), ?, 'old ' || repeat(md5(n::text), 300), now(), now() from generate_series(1, ${count}) n`,
    [own.company.id],
  );
  return own;
}

interface Begun {
  text(): string;
  /** Takes the rest. */
  read(): Promise<string>;
  close(): void;
}

/** Asks for the long list, and takes no more than its beginning until asked to. */
function beginExport(at: TestApp, token: string, headers = ''): Begun {
  const { hostname, port } = new URL(at.url);
  const socket = connect(Number(port), hostname);
  const head = `GET /v1/materials HTTP/1.1\r\nHost: x\r\nAccept: application/x-ndjson\r\nAuthorization: Bearer ${token}\r\n${headers}Connection: close\r\n\r\n`;
  socket.write(head);
  let text = '';
  let takes = false;
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(text)));
  socket.on('error', () => undefined);
  socket.setEncoding('utf8').on('data', (part) => {
    text += part;
    if (!takes && text.includes('"old ')) socket.pause();
  });
  const read = () => {
    takes = true;
    socket.resume();
    return closed;
  };
  return { text: () => text, read, close: () => socket.destroy() };
}

/** Exports that hold their transaction: they read a chunk, or wait for their client. */
const exporting = async (at: TestApp) =>
  (
    await sqlOf(at)(`select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and (state like 'idle in transaction%' or (state = 'active' and query like 'fetch %'))`)
  ).length;

test('no caller and no company takes all places of exports', async () => {
  const [own, other] = [await withLongList(app), await withLongList(app)];
  const people = [await own.person({ roles: ['dispatcher'] }), await own.person({ roles: ['dispatcher'] })];
  const has = (one: Begun) => until(async () => one.text().includes('"old '));
  // Of three places the first caller gets one, however often they ask, their company two.
  const first = [0, 1, 2, 3].map(() => beginExport(app, own.token));
  await until(async () => first.filter((one) => one.text() !== '').length === 1);
  const second = beginExport(app, people[0]!.token);
  await has(second);
  const third = beginExport(app, people[1]!.token);
  const foreign = beginExport(app, other.token);
  await has(foreign);
  expect([first.filter((one) => one.text() !== '').length, third.text(), await exporting(app)]).toEqual([1, '', 3]);
  // The place goes to who has none, though the others asked before.
  second.close();
  await has(third);
  expect(first.filter((one) => one.text() !== '').length).toBe(1);
  for (const one of [...first, third, foreign]) one.close();
  await until(async () => (await exporting(app)) === 0);
}, 60_000);

test('an export ends when the rights of its caller change, and goes on behind what arrived with those that they have then', async () => {
  const count = 2 * LONG;
  const own = await withLongList(app, count);
  const person = await own.person({ roles: ['dispatcher'] });
  const rights = async () => (await app.http('GET', '/v1/users/me/iam_permissions', { token: person.token })).body;
  const before = JSON.stringify(await rights());
  const begun = beginExport(app, person.token, 'Prefer: positions\r\n');
  await until(async () => begun.text().includes('"old '));
  await sql(`update app_user set roles = '{biller}' where id = ?`, [person.id]);
  // It is known within two seconds.
  await until(async () => JSON.stringify(await rights()) !== before);
  const text = await begun.read();
  // Without the end of the last chunk.
  expect(text.endsWith('0\r\n\r\n')).toBe(false);
  const positions = [...text.matchAll(/"page_after":"([^"]+)"}\n/g)].map(([, position]) => position!);
  expect([positions.length > 0, positions.length < count]).toEqual([true, true]);
  // The company has another material.
  const rest = await app.http('GET', `/v1/materials?page[after]=${encodeURIComponent(positions.at(-1)!)}`, {
    token: person.token,
    headers: { Accept: 'application/x-ndjson' },
  });
  expect(rest.body.trimEnd().split('\n').length + positions.length).toBe(count + 1);
  await until(async () => (await exporting(app)) === 0);
}, 60_000);

test('an export holds its snapshot for a limited time, also when its client takes nothing', async () => {
  const short = await startTestApp({ shared: true, longestExport: 3_000 });
  try {
    const own = await withLongList(short);
    const begun = beginExport(short, own.token);
    await until(async () => begun.text().includes('"old '));
    await until(async () => (await exporting(short)) === 0);
    expect((await begun.read()).endsWith('0\r\n\r\n')).toBe(false);
  } finally {
    await short.close();
  }
}, 60_000);

test('an export shows one moment, waits for its client, and ends with it', async () => {
  const own = await makeTenant(app);
  // More than the network keeps for a client that does not read.
  await sql(
    `insert into material (id, company_id, name, created_at, updated_at)
     select gen_random_uuid(), ?, 'old ' || repeat(md5(n::text), 300), now(), now() from generate_series(1, 1300) n`,
    [own.company.id],
  );
  const idle = () => exporting(app);
  const { host, port } = { host: new URL(app.url).hostname, port: Number(new URL(app.url).port) };
  const begin = async () => {
    const socket = connect(port, host);
    socket.write(
      `GET /v1/materials HTTP/1.1\r\nHost: x\r\nAccept: application/x-ndjson\r\nAuthorization: Bearer ${own.token}\r\nConnection: close\r\n\r\n`,
    );
    let text = '';
    socket.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
    await until(async () => text.includes('"old '));
    socket.pause();
    await until(async () => (await idle()) === 1);
    return { socket, read: () => new Promise<string>((resolve) => socket.on('end', () => resolve(text)).resume()) };
  };
  const first = await begin();
  await sql(`update material set name = 'new' || id where company_id = ?`, [own.company.id]);
  const text = await first.read();
  expect([text.match(/"name":"old /g)?.length, text.match(/"name":"new/g)]).toEqual([1300, null]);
  expect(await idle()).toBe(0);
  await sql(`update material set name = 'old ' || repeat(md5(id::text), 300) || id where company_id = ? and name like 'new%'`, [
    own.company.id,
  ]);
  const second = await begin();
  second.socket.destroy();
  await until(async () => (await idle()) === 0);
}, 60_000);
