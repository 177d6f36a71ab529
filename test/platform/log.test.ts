import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { entities } from '../../src/app/rooms.ts';
import { Credential } from '../../src/identity/passwords/credential.entity.ts';
import { createOrm } from '../../src/platform/database/orm.ts';
import { createLog, requestScope } from '../../src/platform/log.ts';
import { migratedDatabase } from '../helpers/database.ts';

let orm: MikroORM;
beforeAll(async () => {
  orm = await createOrm({ url: await migratedDatabase(), entities });
});
afterAll(() => orm.close(true));

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = [];
  write(createLog('trace', { write: (line) => void lines.push(line) }));
  return lines.join('');
}

test('secrets in logged objects are censored, at the top and one level down', () => {
  const text = logged((log) => {
    log.info(
      {
        password: 'hush-1',
        client_secret: 'hush-2',
        refresh_token: 'hush-5',
        headers: { authorization: 'Bearer hush-3', cookie: 'hush-4' },
      },
      'said',
    );
    log.info({ req: { headers: { authorization: 'hush-5' } }, body: { token: 'hush-6', access_token: 'hush-7' } }, 'said');
  });
  expect(text).not.toContain('hush');
  expect(text).toContain('[secret]');
});

test("a database error is logged without the statement's values", async () => {
  const failures = await Promise.all([
    orm.em
      .fork()
      .execute("insert into credential (id, password_hash) values ('not-a-uuid', ?)", ['hush-hash'])
      .catch((error) => error),
    orm.em
      .fork()
      .persist(Object.assign(new Credential(), { userId: '01a1fb63-0000-7000-8000-000000000000', passwordHash: 'hush-hash' }))
      .flush()
      .catch((error) => error),
  ]);
  for (const error of failures) {
    expect(error).toBeInstanceOf(Error);
    const text = logged((log) => log.error({ err: error }, 'failed'));
    expect(text).not.toContain('hush');
    expect(JSON.parse(text)).toMatchObject({ msg: 'failed', err: { stack: expect.any(String), message: expect.any(String) } });
  }
});

test('lines of a request have its id, and the id of the client', () => {
  const text = logged((log) => {
    requestScope.run({ requestId: 'request-1', clientRequestId: 'load-7' }, () => log.info('inside'));
    log.info('outside');
  });
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map((line) => [line.requestId, line.clientRequestId])).toEqual([
    ['request-1', 'load-7'],
    [undefined, undefined],
  ]);
});
