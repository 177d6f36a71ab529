import { expect, test } from '@jest/globals';
import pg from 'pg';
import { ReadersOut, withdrawPublished } from '../../src/platform/database/published.ts';
import { watchReportingLogins } from '../../src/reporting/logins/login-roles.ts';
import { published } from '../../src/reporting/views/published-views.ts';
import { makeBooks } from '../billing/books.ts';
import { makeStaffedTenant } from '../helpers/staffed-tenant.ts';
import { until } from '../helpers/until.ts';
import { CHICAGO, loginOf, rowsOf, signerIn } from './bi-logins.ts';

const books = makeBooks();
const signedIn = signerIn(books);

test('a login only reads; what it can lift of that gives it nothing to write', async () => {
  const login = await loginOf(books.tenant);
  await signedIn(login, async (db) => {
    expect(
      await rowsOf(
        db,
        `select current_setting('statement_timeout') as time, current_setting('default_transaction_read_only') as only, current_setting('search_path') as path`,
      ),
    ).toEqual([{ time: '1min', only: 'on', path: 'reporting' }]);
    await expect(db.query('update sites set name = name')).rejects.toMatchObject({ code: '42501' });
    await expect(db.query('select lo_create(0)')).rejects.toMatchObject({ code: expect.stringMatching(/42501|25006/) });
    await db.query('set default_transaction_read_only = off');
    for (const statement of [
      'update reporting.sites set name = name',
      'insert into sites (id) values (gen_random_uuid())',
      'delete from reporting.drivers',
      'create temporary table mine (id int)',
      'select lo_create(0)',
      `select pg_logical_emit_message(false, 'x', 'y')`,
      `select lo_from_bytea(0, 'x')`,
    ])
      await expect(db.query(statement)).rejects.toMatchObject({ code: expect.stringMatching(/42501|55000/) });
  });
  // More sessions than a login may have at a time.
  const open = await Promise.allSettled(Array.from({ length: 7 }, () => signedIn(login, (db) => db.query('select pg_sleep(1.5)'))));
  expect(open.filter(({ status }) => status === 'rejected').length).toBeGreaterThanOrEqual(2);
});

test('the watch ends sessions that lift their limits or hold locks of the product, and those alone', async () => {
  const login = await loginOf(books.tenant);
  const em = books.app.productOrm.em;
  await signedIn(login, async (db) => {
    await watchReportingLogins(em);
    await db.query('select 1');
    await db.query(`select pg_advisory_lock(hashtext('haulgate:migrate'))`);
    expect(await watchReportingLogins(em)).toBeGreaterThanOrEqual(1);
    await expect(db.query('select 1')).rejects.toThrow();
  });
});

test('a session that the old password opened cannot undo the new one', async () => {
  const at = await makeStaffedTenant(books.app, CHICAGO);
  const login = await loginOf(at);
  const mine = { ...login, password: 'set-by-the-old-session' };
  /** Sets its own password as often as it can, and signs in again with whatever works. */
  const undo = async (): Promise<void> => {
    for (const one of [login, mine])
      await signedIn(one, async (db) => {
        await db.query('set default_transaction_read_only = off');
        for (;;) await db.query(`alter role ${login.username} password '${mine.password}'`);
      }).catch(() => {});
  };
  const ends = new AbortController();
  const undoing = Promise.all(
    [1, 2].map(async () => {
      while (!ends.signal.aborted) await undo();
    }),
  );
  try {
    await until(async () => (await signedIn(mine, (db) => db.query('select 1')).catch(() => undefined)) !== undefined);
    const renewed = await at.must('PUT', `/v1/reporting_logins/${login.id}/renew`);
    for (let i = 0; i < 5; i++) await signedIn(renewed, (db) => db.query('select from sites limit 1'));
  } finally {
    ends.abort();
  }
  await undoing;
  for (const one of [login, mine]) await expect(signedIn(one, (db) => db.query('select 1'))).rejects.toMatchObject({ code: '28P01' });
});

/** A connection that begins when it is asked to, and waits with its password until it is to answer. */
function opening(username: string, password: string) {
  const url = new URL(books.app.orm.config.get('clientUrl')!);
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  const client = new pg.Client({
    ...{ host: url.hostname, port: Number(url.port), database: url.pathname.slice(1), user: username },
    password: () => {
      asked.resolve();
      return answer.promise;
    },
  });
  let opened: Promise<void> | undefined;
  return {
    asked: (): Promise<void> => {
      opened = client.connect().finally(() => client.end()) as Promise<void>;
      opened.catch(() => {});
      return asked.promise;
    },
    answer: async (): Promise<void> => {
      answer.resolve(password);
      await opened;
    },
  };
}

test('a connection that has read what a session of the old password set opens no session with it', async () => {
  const at = await makeStaffedTenant(books.app, CHICAGO);
  const login = await loginOf(at);
  const rows = (sql: string, values: unknown[]) => books.app.orm.em.fork().execute<Record<string, unknown>[]>(sql, values);
  /** Looks as the product does from time to time: connections of other tests that are being opened keep the login closed, too. */
  const untilWatched = (holds: () => Promise<boolean>) =>
    until(async () => {
      await watchReportingLogins(books.app.productOrm.em);
      return holds();
    });
  const closed = { code: '28000' };
  // While this one is being opened, nobody knows that no session is left.
  const first = opening(login.username, login.password);
  const second = opening(login.username, 'set-meanwhile');
  try {
    await first.asked();
    const renewing = at.must('PUT', `/v1/reporting_logins/${login.id}/renew`);
    await until(async () => (await rows('select from pg_roles where rolname = ? and not rolcanlogin', [login.username])).length === 1);
    await rows(`alter role ${login.username} password 'set-meanwhile'`, []);
    await second.asked();
    await expect(first.answer()).rejects.toMatchObject(closed);
    const waits = 'select from reporting_login_verifier where reporting_login_id = ? and alone_since is null';
    await untilWatched(async () => (await rows(waits, [login.id])).length === 0);
    await expect(second.answer()).rejects.toMatchObject(closed);
    const renewed = await renewing;
    await untilWatched(async () => (await rows('select from pg_roles where rolname = ? and rolcanlogin', [login.username])).length === 1);
    await signedIn(renewed, (db) => db.query('select from sites limit 1'));
    await expect(signedIn({ ...login, password: 'set-meanwhile' }, (db) => db.query('select 1'))).rejects.toMatchObject({ code: '28P01' });
  } finally {
    await Promise.allSettled([first.answer(), second.answer()]);
  }
});

test('the logins of a company share out what it may open', async () => {
  const at = await makeStaffedTenant(books.app, CHICAGO);
  const limits = async (): Promise<number[]> => {
    await watchReportingLogins(books.app.productOrm.em);
    const rows = await books.app.orm.em.fork().execute<{ most: number }[]>(
      `select r.rolconnlimit as most from pg_roles r join reporting_login l on l.username = r.rolname
       where l.company_id = ? and l.revoked_at is null`,
      [at.company.id],
    );
    return rows.map(({ most }) => most);
  };
  const [first] = [await loginOf(at), await loginOf(at)];
  expect(await limits()).toEqual([5, 5]);
  const third = await loginOf(at);
  expect(await limits()).toEqual([3, 3, 3]);
  // Of four that come at the same moment PostgreSQL may refuse more than one.
  const open = Array.from({ length: 3 }, () => signedIn(first, (db) => db.query('select pg_sleep(1.5)')));
  const sessions = 'select from pg_stat_activity where usename = ?';
  await until(async () => (await books.app.orm.em.fork().execute(sessions, [first.username])).length === 3);
  await expect(signedIn(first, (db) => db.query('select 1'))).rejects.toMatchObject({ code: '53300' });
  await Promise.all(open);
  // A session that has changed its own role and does not say whether for good has nobody wait.
  await signedIn(first, async (db) => {
    await db.query('set idle_in_transaction_session_timeout = 0');
    await db.query('begin read write');
    await db.query(`alter role ${first.username} password 'mine'`);
    expect((await at.http('DELETE', `/v1/reporting_logins/${third.id}`)).status).toBe(204);
    expect(await limits()).toEqual([5, 5]);
    await expect(db.query('select 1')).rejects.toThrow();
  });
});

test('a renewed password ends the old one and its sessions; a revoked login opens none, and its role is gone', async () => {
  const { tenant: at } = books;
  const login = await loginOf(at);
  await signedIn(login, async (db) => {
    const renewed = await at.must('PUT', `/v1/reporting_logins/${login.id}/renew`);
    expect(renewed.password).not.toBe(login.password);
    await until(async () =>
      db.query('select 1').then(
        () => false,
        () => true,
      ),
    );
    await expect(signedIn(login, (again) => again.query('select 1'))).rejects.toMatchObject({ code: '28P01' });
    await signedIn({ ...login, password: renewed.password }, async (again) => {
      expect(await rowsOf(again, 'select from sites limit 1')).toHaveLength(1);
      expect((await at.http('DELETE', `/v1/reporting_logins/${login.id}`)).status).toBe(204);
      await until(async () =>
        again.query('select 1').then(
          () => false,
          () => true,
        ),
      );
    });
    // The look that ended the session is over when the next one is: its role is closed with it.
    await watchReportingLogins(books.app.productOrm.em);
    await expect(signedIn({ ...login, password: renewed.password }, (again) => again.query('select 1'))).rejects.toMatchObject({
      code: expect.stringMatching(/28P01|28000/),
    });
  });
  await until(async () => {
    await watchReportingLogins(books.app.productOrm.em);
    return (await books.app.orm.em.fork().execute<object[]>('select from pg_roles where rolname = ?', [login.username])).length === 0;
  });
  expect((await at.must('GET', `/v1/reporting_logins/${login.id}`)).revoked_at).not.toBeNull();
  expect((await at.http('PUT', `/v1/reporting_logins/${login.id}/renew`)).status).toBe(409);
  expect((await at.http('DELETE', `/v1/reporting_logins/${login.id}`)).status).toBe(204);
});

test('a login of a company that was discarded reads nothing, and its sessions end', async () => {
  const at = await makeStaffedTenant(books.app, CHICAGO);
  const login = await loginOf(at);
  await signedIn(login, async (db) => {
    expect(await rowsOf(db, 'select from sites limit 1')).toHaveLength(1);
    await books.app.orm.em.fork().execute('update company set discarded_at = now() where id = ?', [at.company.id]);
    expect(await rowsOf(db, 'select from sites limit 1')).toEqual([]);
    await watchReportingLogins(books.app.productOrm.em);
    await expect(db.query('select 1')).rejects.toThrow();
  });
  await watchReportingLogins(books.app.productOrm.em);
  await expect(signedIn(login, (db) => db.query('select 1'))).rejects.toMatchObject({ code: '28000' });
});

test('views of others that hang on ours are not removed with them', async () => {
  const em = books.app.orm.em.fork();
  await em.execute('create view public.of_the_operator as select name from reporting.sites');
  const readers = new ReadersOut(books.app.orm.em, published);
  await expect(withdrawPublished(books.app.orm.em.fork(), readers)).rejects.toThrow(
    /views of its schema reporting.*drop them, start again/,
  );
  await readers.letIn();
  await em.execute('drop view public.of_the_operator');
  await signedIn(await loginOf(books.tenant, []), async (db) => void (await db.query('select from sites')));
});

test('where the owner of the tables may make no roles, the answer says what to grant', async () => {
  const em = books.app.orm.em.fork();
  const before = await books.tenant.must('GET', books.tenant.path('/reporting_logins'));
  // As it is where the start could not make it.
  await em.execute('alter function reporting.make_login(uuid, text, boolean) rename to absent');
  try {
    const { status, body } = await books.tenant.http('POST', books.tenant.path('/reporting_logins'), { name: 'Board' });
    expect([status, body.error.errors[0].message]).toEqual([409, expect.stringMatching(/may not create roles: grant it CREATEROLE/)]);
  } finally {
    await em.execute('alter function reporting.absent(uuid, text, boolean) rename to make_login');
  }
  expect(await books.tenant.must('GET', books.tenant.path('/reporting_logins'))).toHaveLength(before.length);
});
