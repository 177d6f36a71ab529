import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Pool, PoolClient, QueryResult } from 'pg';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import { Order } from '../../../src/dispatch/model/order.entity.ts';
import { NOTING_WEBHOOKS } from '../../../src/events/webhooks/note-changes.ts';
import { sendBehind } from '../../../src/platform/database/connection/together.ts';
import { lastStatement } from '../../../src/platform/database/named-statements.ts';
import { APP_ROLE } from '../../../src/platform/database/roles.ts';
import { asCompanies, currentScope, runAsPurpose } from '../../../src/platform/database/scope.ts';
import { poolOf, queryIn, readingWithin, writeIn } from '../../../src/platform/database/sql.ts';
import { newId } from '../../../src/platform/ids.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
let pool: Pool;
beforeAll(async () => {
  app = await startTestApp({ newDatabase: true });
  tenant = await makeTenant(app);
  pool = await poolOf(app.productOrm.em.fork());
});
afterAll(() => app.close());

const own = <T>(work: () => Promise<T>): Promise<T> => asCompanies([tenant.company.id], work);
const nameOf = async (id: string) =>
  (await app.orm.em.fork().execute<{ name: string }[]>('select name from site where id = ?', [id]))[0]!.name;

const makeSite = (): Promise<{ id: string }> => tenant.must('POST', '/v1/sites', { name: 'Pit', site_type: 'Quarry' });

/** How many messages PostgreSQL answers while `work` runs. */
async function messagesOf(work: () => Promise<unknown>): Promise<number> {
  let messages = 0;
  const heard = new Set<object>();
  const count = () => void messages++;
  const hear = (client: PoolClient) => {
    const { connection } = client as unknown as { connection: NodeJS.EventEmitter };
    if (heard.has(connection)) return;
    heard.add(connection);
    connection.on('readyForQuery', count);
  };
  pool.on('acquire', hear);
  try {
    await work();
    return messages;
  } finally {
    pool.removeListener('acquire', hear);
    for (const connection of heard) (connection as NodeJS.EventEmitter).removeListener('readyForQuery', count);
  }
}

test('a change of an order takes two messages, and its answer is what was committed', async () => {
  const order = await makeOrder(tenant, { truck_count: 2 });
  let fewest = Number.POSITIVE_INFINITY;
  // The caller is looked up every few seconds.
  for (let i = 0; i < 8; i++) {
    const messages = await messagesOf(async () => {
      const answer = await tenant.must('PATCH', `/v1/orders/${order.id}`, { notes: `Gate ${i}` });
      expect(answer).toMatchObject({ notes: `Gate ${i}`, version: i + 2, order_summary: { jobs_count: 2 } });
    });
    fewest = Math.min(fewest, messages);
  }
  expect(fewest).toBe(2);
  const read = await messagesOf(() => tenant.must('GET', `/v1/orders/${order.id}`));
  expect(read).toBeLessThanOrEqual(2);
});

test('a change of an order of which a webhook is informed takes three messages, and both have what was committed', async () => {
  const order = await makeOrder(tenant, { truck_count: 2 });
  const { id } = await tenant.must('POST', '/v1/webhook_subscriptions', { url: 'https://example.com/', triggers: ['Order::update'] });
  await tenant.must('PUT', `/v1/webhook_subscriptions/${id}/pause`);
  let fewest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 8; i++) {
    const messages = await messagesOf(async () => {
      const answer = await tenant.must('PATCH', `/v1/orders/${order.id}`, { notes: `Bin ${i}` });
      expect(answer).toMatchObject({ notes: `Bin ${i}`, version: i + 2, order_summary: { jobs_count: 2 } });
    });
    fewest = Math.min(fewest, messages);
    expect(await tenant.must('GET', `/v1/orders/${order.id}`)).toMatchObject({ notes: `Bin ${i}`, version: i + 2 });
  }
  expect(fewest).toBe(3);
  const noted = await app.orm.em
    .fork()
    .execute<{ payload: object }[]>('select payload from webhook_delivery where subject_id = ? order by sequence', [order.id]);
  expect(noted.map(({ payload }) => payload)).toEqual(
    Array.from({ length: 8 }, (_, i) => expect.objectContaining({ notes: `Bin ${i}`, version: i + 2 })),
  );
  expect(noted.at(-1)!.payload).toEqual(await tenant.must('GET', `/v1/orders/${order.id}`));
  await tenant.must('DELETE', `/v1/webhook_subscriptions/${id}`);
});

test('an event of a job takes five messages, whoever fires it', async () => {
  const order = await makeOrder(tenant, { truck_count: 8, driver_id: tenant.driver.id });
  const { rows: jobs } = await app.orm.em
    .fork()
    .execute<{ rows: { id: string }[] }>('select id from job where order_id = ?', [order.id], 'run');
  let fewest = Number.POSITIVE_INFINITY;
  for (const [at, { id }] of jobs.entries()) {
    const caller = at % 2 ? tenant : tenant.driver;
    const messages = await messagesOf(async () => {
      expect(await caller.must('PUT', `/v1/jobs/${id}/accept`)).toMatchObject({ id, state: 'accepted' });
    });
    fewest = Math.min(fewest, messages);
  }
  expect(fewest).toBe(5);
});

test('a new order with its jobs and loads takes five messages, however many they are', async () => {
  const fewest: number[] = [];
  for (const truck_count of [1, 5]) {
    let least = Number.POSITIVE_INFINITY;
    // The caller is looked up every few seconds, and the types of columns once.
    for (let i = 0; i < 5; i++) {
      const messages = await messagesOf(async () => {
        const order = await makeOrder(tenant, { truck_count, material_id: tenant.material.id });
        expect(order).toMatchObject({ truck_count, order_summary: { jobs_count: truck_count } });
      });
      least = Math.min(least, messages);
    }
    fewest.push(least);
  }
  expect(fewest).toEqual([5, 5]);
});

test('a read inside of a transaction fails with what came along with it, which has ended the transaction', async () => {
  await own(async () => {
    const em = app.productOrm.em.fork({ clear: true });
    await em.begin();
    const within = await poolOf(readingWithin(em));
    const outcomes: string[] = [];
    const done = (error: Error | null, result?: QueryResult) => void outcomes.push(error ? 'failed' : JSON.stringify(result!.rows));
    const ask = (along: string) => {
      const values = [1];
      sendBehind(values, [{ config: { text: along, values: [1] }, scope: currentScope(), done }]);
      return within.query({ text: 'select $1::int as one', values });
    };
    expect((await ask('select $1::int + 1 as two')).rows).toEqual([{ one: 1 }]);
    await expect(ask('select 1 / ($1::int - 1)')).rejects.toMatchObject({ code: '22012' });
    expect(outcomes).toEqual(['[{"two":2}]', 'failed']);
    await em.rollback();
  });
});

test('a write that waits fails with the next statement, and nothing is done', async () => {
  const name = `Pit ${tenant.company.id}`;
  const insert = 'insert into site (id, company_id, name, site_type) values ($1, $2, $3, $4)';
  const values = (id: string | null) => [id, tenant.company.id, name, 'Quarry'];
  await own(async () => {
    const em = app.productOrm.em.fork({ clear: true });
    await em.begin();
    await queryIn(em, 'select 1', []);
    expect(await messagesOf(() => writeIn(em, insert, values(newId())))).toBe(0);
    expect(await queryIn(em, 'select name from site where name = $1', [name])).toEqual([{ name }]);
    await writeIn(em, insert, values(null));
    await expect(queryIn(em, 'select 1', [])).rejects.toMatchObject({ code: '23502' });
    await em.rollback();
  });
  expect(await app.orm.em.fork().execute('select from site where name = ?', [name])).toEqual([]);
});

test('a write of the unit of work is sent with the next statement, in order, and fails there', async () => {
  const site = await makeSite();
  await own(async () => {
    const em = app.productOrm.em.fork({ clear: true });
    const found = async () => (await em.find(Site, { id: site.id }, { filters: { tenant: false }, refresh: true }))[0]!;
    await em.begin();
    (await found()).name = 'Pit 1';
    expect(await messagesOf(() => em.flush())).toBe(0);
    // It is part of what the transaction reads.
    expect((await queryIn<{ name: string }>(em, 'select name from site where id = $1', [site.id]))[0]!.name).toBe('Pit 1');
    await em.commit();
    expect(await nameOf(site.id)).toBe('Pit 1');
    // With no other statement it is sent before the commit.
    await em.begin();
    (await found()).name = 'Pit 2';
    await em.commit();
    expect(await nameOf(site.id)).toBe('Pit 2');
    await em.begin();
    (await found()).name = 'Lost';
    await em.flush();
    await em.rollback();
    expect(await nameOf(site.id)).toBe('Pit 2');
    em.clear();
    await em.begin();
    (await found()).name = null as never;
    await em.flush();
    await expect(queryIn(em, 'select 1', [])).rejects.toMatchObject({ code: '23502' });
    await em.rollback();
  });
});

test('a record that somebody changed meanwhile is not written by the message that commits, and nor is anything else', async () => {
  const order = await makeOrder(tenant);
  const note = lastStatement('update site set name = $2 where id = $1');
  const site = await makeSite();
  await own(async () => {
    for (const notes of ['Gate 5', 'Lost']) {
      const isLate = notes === 'Lost';
      const em = app.productOrm.em.fork({ clear: true });
      const messages = await messagesOf(async () => {
        await em.begin();
        const found = (await em.find(Order, { id: order.id }, { filters: { tenant: false } }))[0]!;
        found.notes = notes;
        if (isLate) await app.orm.em.fork().execute('update orders set version = version + 1 where id = ?', [order.id]);
        await em.flush();
        const commits = queryIn(em, note, [site.id, notes]);
        if (isLate) await expect(commits).rejects.toMatchObject({ status: 409, items: [{ model: 'Order', key: 'stale_version' }] });
        else await commits;
        // The answer of the rollback comes after the end of the message that failed, whose error is heard before its end.
        await (isLate ? em.rollback() : em.commit());
      });
      expect(messages).toBe(isLate ? 3 : 2);
    }
    expect(await nameOf(site.id)).toBe('Gate 5');
  });
  expect((await tenant.must('GET', `/v1/orders/${order.id}`)).notes).toBe('Gate 5');
});

test('what is read behind the commit sees what was committed, and undoes nothing if it fails', async () => {
  const site = await makeSite();
  const rename = lastStatement('update site set name = $1 where id = $2');
  await own(async () => {
    const client = await pool.connect();
    try {
      const renamed = async (name: string, text: string) => {
        const values = [name, site.id];
        const outcomes: (string | undefined)[] = [];
        const done = (error: Error | null, result?: QueryResult) => void outcomes.push(error?.message ?? result!.rows[0]?.name);
        sendBehind(values, [
          { config: { text, values: [site.id] }, scope: currentScope(), done },
          { config: { text: 'select name from site where id = $1', values: [site.id] }, scope: { companyIds: [], work: 'off' }, done },
        ]);
        await client.query('begin');
        expect((await client.query(rename, values)).rowCount).toBe(1);
        await client.query('commit');
        expect(await nameOf(site.id)).toBe(name);
        return outcomes;
      };
      // The second one is sent for no company, and so sees nothing.
      expect(await renamed('Pit 3', 'select name from site where id = $1')).toEqual(['Pit 3', undefined]);
      expect(await renamed('Pit 4', 'select (1 / (name is null)::int)::text as name from site where id = $1')).toEqual([
        'division by zero',
        'division by zero',
      ]);
    } finally {
      client.release();
    }
  });
});

test('what is read as a transaction begins has its own role, also behind what is read for a purpose', async () => {
  await own(async () => {
    const em = app.productOrm.em.fork({ clear: true });
    const text = 'select current_user as role';
    const roles: unknown[] = [];
    const along = () => ({
      config: { text, values: [] },
      scope: currentScope(),
      done: (error: Error | null, result?: QueryResult) => void roles.push(error?.message ?? result!.rows[0]?.role),
    });
    await em.begin();
    await queryIn(em, 'select 1 as one', [], [along(), runAsPurpose(NOTING_WEBHOOKS, along), along()]);
    roles.push((await queryIn<{ role: string }>(em, text))[0]!.role);
    await em.rollback();
    expect(roles).toEqual([APP_ROLE, NOTING_WEBHOOKS.role, APP_ROLE, APP_ROLE]);
  });
});
