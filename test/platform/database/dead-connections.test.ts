import { expect, test } from '@jest/globals';
import pg from 'pg';
import { queryAsCaller } from '../../../src/platform/database/connection/callers-query.ts';
import { createOrm } from '../../../src/platform/database/orm.ts';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { isUnreachable } from '../../../src/platform/errors.ts';
import { wayTo } from '../../app/way-to.ts';
import { freshDatabase } from '../../helpers/database.ts';
import { SandCompany } from '../sandbox.ts';

test('connections that die inside transactions come back to the pool', async () => {
  const url = await freshDatabase();
  const orm = await createOrm({ url, entities: [SandCompany], poolSize: 2 });
  const killer = await createOrm({ url, entities: [SandCompany], poolSize: 1 });
  for (let i = 0; i < 4; i++) {
    const em = orm.em.fork();
    await em.begin();
    const connection = em.getConnection();
    const [row] = await connection.execute<{ pid: number }[]>('select pg_backend_pid() as pid', [], 'all', em.getTransactionContext());
    await killer.em.getConnection().execute('select pg_terminate_backend(?, 2000)', [row!.pid]);
    await expect(em.commit()).rejects.toThrow();
    await expect(em.rollback()).rejects.toThrow();
  }
  expect(await orm.em.getConnection().execute('select 1 as one')).toEqual([{ one: 1 }]);
  await Promise.all([orm.close(true), killer.close(true)]);
});

test('statements on a server that falls silent fail, and the pool goes on when it speaks; one that only takes long is not disturbed', async () => {
  const url = new URL(await freshDatabase());
  const [way, living] = [await wayTo(url), await wayTo(url)];
  const through = ({ port }: { port: number }) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href;
  const open = async (at: { port: number }) => createOrm({ url: through(at), entities: [SandCompany], poolSize: 2 });
  const orms = [await open(way), await open(living)];
  const [pool, other] = await Promise.all(orms.map((orm) => poolOf(orm.em)));
  const impatient = new pg.Pool({ connectionString: through(way), max: 1, query_timeout: 500 });
  queryAsCaller(impatient);
  await impatient.query('select 1');
  const slow = other!.query('select pg_sleep(7)');
  const holder = await pool!.connect();
  await holder.query('begin');
  const running = [pool!.query('select pg_sleep(30)'), holder.query('select pg_sleep(30)')];
  const outcomes = Promise.allSettled(running);
  // Waits for a connection of the pool.
  const waiting = pool!.query('select 1 as one');
  way.fallSilent();
  await expect(impatient.query('select 1')).rejects.toThrow('Query read timeout');
  const failed = (await outcomes).map((outcome) => outcome.status === 'rejected' && isUnreachable(outcome.reason));
  expect(failed).toEqual([true, true]);
  await way.cut();
  way.speak();
  await way.restore();
  // Its connection may have been begun while nobody answered.
  expect([true, [{ one: 1 }]]).toContainEqual(await waiting.then(({ rows }) => rows, isUnreachable));
  expect((await pool!.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  expect((await impatient.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  expect((await slow).rowCount).toBe(1);
  await Promise.all([...orms.map((orm) => orm.close(true)), impatient.end()]);
  await Promise.all([way.cut(), living.cut()]);
});
