import { expect, test } from '@jest/globals';
import { createOrm } from '../../../src/platform/database/orm.ts';
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
