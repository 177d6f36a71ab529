import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  // Others would wait for the tables that are held here.
  app = await startTestApp({ newDatabase: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

test('a read that loses its tables to a migration is asked again', async () => {
  const order = await makeOrder(tenant);
  const migration = new pg.Client({ connectionString: String(app.orm.config.get('clientUrl')) });
  await migration.connect();
  /** Has both wait for each other. @returns whether it was the read that gave up */
  const meet = async (): Promise<boolean> => {
    await migration.query('begin; lock table site in access exclusive mode');
    const asked = tenant.http('GET', tenant.path(`/orders/${order.id}`));
    const waiting = "select from pg_locks where not granted and relation = 'site'::regclass";
    await until(async () => (await migration.query(waiting)).rowCount === 1);
    // The read, which came first, looks after a second whether it waits in vain; on a machine that stood still meanwhile it has looked already.
    const lost = await migration.query('lock table orders in access exclusive mode').then(
      () => false,
      (error: { code?: string }) => error.code === '40P01',
    );
    await migration.query(lost ? 'rollback' : 'commit');
    const { status, body } = await asked;
    expect([status, body.data?.id]).toEqual([200, order.id]);
    return !lost;
  };
  try {
    await until(meet);
  } finally {
    await migration.end();
  }
});

/** A way to a server on which a connection ends as soon as its snapshot is over, as if the server died at that moment. */
async function wayThatEndsAfterSnapshots(url: URL) {
  let ended = 0;
  const server = createServer((socket) => {
    const there = connect(Number(url.port), url.hostname);
    for (const one of [socket, there]) one.on('error', () => undefined);
    let isSnapshot = false;
    socket.on('data', (data) => {
      isSnapshot ||= data.includes('repeatable read');
      if (!isSnapshot || !data.includes('commit')) return void there.write(data);
      ended++;
      socket.destroy();
      there.destroy();
    });
    there.pipe(socket);
  });
  const port = await new Promise<number>((done) => server.listen(0, '127.0.0.1', () => done((server.address() as { port: number }).port)));
  return { url: Object.assign(new URL(url), { port: String(port) }).href, ended: () => ended, close: () => server.close() };
}

test('an export whose last line was read is whole, although its server dies then', async () => {
  const way = await wayThatEndsAfterSnapshots(new URL(String(app.orm.config.get('clientUrl'))));
  const reading = await startTestApp({ server: { url: way.url, readUrls: [], mostLag: 0 } });
  try {
    for (let at = 0; at < 20; at++) {
      const before = way.ended();
      const headers = { Authorization: `Bearer ${tenant.token}`, Accept: 'application/x-ndjson', 'Accept-Encoding': 'gzip' };
      const answer = await fetch(`${reading.url}${tenant.path('/accounts')}`, { headers });
      expect(answer.status).toBe(200);
      expect((await answer.text()).split('\n').length).toBeGreaterThan(1);
      // The head may be here before the snapshot is over.
      await until(() => way.ended() > before);
      expect(way.ended() - before).toBe(1);
    }
  } finally {
    await reading.close();
    way.close();
  }
});
