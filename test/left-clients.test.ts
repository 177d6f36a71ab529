import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from './helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from './helpers/tenant.ts';
import { countWaiting, until, untilWaiting } from './helpers/until.ts';

/** Requests of one caller that are worked on at a time. */
const AT_ONCE = 4;

let app: TestApp;
let tenant: Tenant;
let order: string;
beforeAll(async () => {
  app = await startTestApp({ requestsAtOnce: AT_ONCE });
  tenant = await makeTenant(app);
  order = (await makeOrder(tenant, {})).id;
});
afterAll(() => app.close());

test('commands whose client disconnects while they wait for their turn do not begin', async () => {
  const gone = new AbortController();
  await locked(async () => {
    const asked = Array.from({ length: 16 }, () => change('kept', gone.signal));
    await untilWaiting(app, AT_ONCE);
    await pause(300);
    gone.abort();
    expect(await Promise.all(asked)).toEqual(asked.map(() => 'left'));
    await pause(500);
    expect(await countWaiting(app)).toBe(AT_ONCE);
  });
  expect(await change('later')).toBe(200);
});

test('commands whose client disconnects at once have turns like all others', async () => {
  await locked(async () => {
    await Promise.all(Array.from({ length: 16 }, () => sendAndLeave([patch('kept')])));
    await pause(1_000);
    expect(await countWaiting(app)).toBeLessThanOrEqual(AT_ONCE);
  });
  expect(await change('later')).toBe(200);
});

test('pipelined requests end when their client disconnects, and keep no turn', async () => {
  await locked(async () => {
    await sendAndLeave(
      Array.from({ length: 8 }, () => get('/v1/orders')),
      async () => untilWaiting(app, AT_ONCE),
    );
    await until(async () => (await countWaiting(app)) === 0);
  });
  const answered = Array.from({ length: AT_ONCE }, () => tenant.http('GET', '/v1/orders').then(({ status }) => status));
  expect(await Promise.all(answered)).toEqual(answered.map(() => 200));
});

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The status of a change of the order, or that its client left. */
const change = (notes: string, signal?: AbortSignal): Promise<number | 'left'> =>
  fetch(`${app.url}/v1/orders/${order}`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${tenant.token}` },
    body: JSON.stringify({ notes }),
    signal,
  }).then(
    ({ status }) => status,
    () => 'left' as const,
  );

const head = (method: string, path: string) => `${method} ${path} HTTP/1.1\r\nHost: haulgate\r\nAuthorization: Bearer ${tenant.token}\r\n`;
const get = (path: string) => `${head('GET', path)}\r\n`;
function patch(notes: string): string {
  const body = JSON.stringify({ notes });
  return `${head('PATCH', `/v1/orders/${order}`)}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** Sends requests on one connection without waiting for an answer, and ends the connection after `then`. */
async function sendAndLeave(requests: readonly string[], then: () => Promise<void> = async () => {}): Promise<void> {
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname);
  await new Promise((resolve) => socket.write(requests.join(''), resolve));
  await then();
  socket.destroy();
}

/** Runs `work` while nobody can read orders. */
async function locked(work: () => Promise<void>): Promise<void> {
  await app.orm.em.fork().transactional(async (em) => {
    await em.execute('lock table orders in access exclusive mode');
    await work();
  });
}
