import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { freshDatabase, migratedDatabase } from '../helpers/database.ts';
import { dataFolder, removeFolder, startProduct } from '../helpers/product.ts';

let data: string;
beforeEach(() => {
  data = dataFolder();
});
afterEach(() => removeFolder(data));

/** Runs a program of the product as an operator does. */
async function run(script: string, env: Record<string, string>, ...args: string[]) {
  const process = startProduct({ HAULGATE_DATA: data, ...env }, script, ...args);
  const code = await process.ended;
  return { code, out: process.stdout(), said: process.stderr() };
}

test('the invariants are asked of the primary among several servers, and what cannot be asked is no broken book', async () => {
  const url = await migratedDatabase();
  const { host } = new URL(url);
  const several = url.replace(host, `127.0.0.1:1,${host}`);
  const asked = await run('src/invariants.ts', { DATABASE_OWNER_URL: several, DATABASE_URL: 'postgres://127.0.0.1:1/elsewhere' });
  expect([asked.code, asked.said]).toEqual([0, '']);
  expect(asked.out).toMatch(/\S/);
  expect(await run('src/invariants.ts', { DATABASE_URL: 'postgres://u:very-secret@127.0.0.1:1/x' })).toEqual({
    code: 2,
    out: '',
    said: 'No server of DATABASE_URL can be asked: connect ECONNREFUSED 127.0.0.1:1.\n',
  });
  const empty = await run('src/invariants.ts', { DATABASE_URL: await freshDatabase() });
  expect([empty.code, empty.said]).toEqual([
    2,
    expect.stringMatching(
      /^The books could not be checked: relation "\w+" does not exist\. Its tables are not those of this version: npm run doctor says which migrations it has\.\n$/,
    ),
  ]);
  expect(asked.out).toMatch(/\nall \d+ hold\n$/);
});

test('an option that the invariants do not know is refused, and without an address they ask the embedded database', async () => {
  expect(await run('src/invariants.ts', { DATABASE_URL: 'postgres://127.0.0.1:1/x' }, '--jsno')).toMatchObject({
    code: 2,
    out: '',
    said: expect.stringMatching(/^Unknown option '--jsno'/),
  });
  // An empty value counts as not set, as everywhere.
  expect(await run('src/invariants.ts', { DATABASE_OWNER_URL: '', DATABASE_URL: 'postgres://127.0.0.1:1/x' })).toMatchObject({
    code: 2,
    said: 'No server of DATABASE_URL can be asked: connect ECONNREFUSED 127.0.0.1:1.\n',
  });
  expect(await run('src/invariants.ts', {})).toEqual({
    code: 2,
    out: '',
    said: `DATABASE_URL is not set, and the embedded PostgreSQL in ${data} is not running: start Haulgate, or set DATABASE_URL.\n`,
  });
});

test('a mistake in what archives are asked for is said by its name, and nothing is looked at', async () => {
  const DATABASE_URL = await migratedDatabase();
  for (const [args, said] of [
    [['lost'], 'npm run archive -- list, verify, restore or adopt\n'],
    [['list', 'verify'], 'npm run archive -- list, verify, restore or adopt\n'],
    [['--table', 'orders'], /^--table must be one of audit_entry, .*location_history\.\n$/],
    [['--company', 'ours'], '--company must be the id of a company, a UUID.\n'],
    [['--until', '2026-13'], '--until must be a month such as 2026-03.\n'],
    [['--from', '2026-04', '--until', '2026-03'], '--from must not be after --until.\n'],
    [['--since', '2026-04'], /^Unknown option '--since'/],
  ] as const)
    expect([args, await run('src/archive.ts', { DATABASE_URL }, ...args)]).toEqual([
      args,
      { code: 2, out: '', said: typeof said === 'string' ? said : expect.stringMatching(said) },
    ]);
  expect(await run('src/archive.ts', { DATABASE_URL }, 'list')).toEqual({ code: 0, out: '0 archives, 0 rows\n', said: '' });
  expect(await run('src/archive.ts', {})).toEqual({
    code: 2,
    out: '',
    said: `DATABASE_URL is not set, and the embedded PostgreSQL in ${data} is not running: start Haulgate, or set DATABASE_URL.\n`,
  });
  expect(await run('src/archive.ts', { DATABASE_URL, PORT: 'eighty' })).toEqual({
    code: 2,
    out: '',
    said: 'PORT must be a whole number from 0 to 65535.\n',
  });
});

test('a mistake in which drill is asked for ends before anything is started', async () => {
  for (const [args, said] of [
    [[], /^npm run drill -- balancer \| .* \| upgrade\n$/],
    [['restore', 'failover'], /^npm run drill -- /],
    [['restore', '--seconds', 'soon'], /^--seconds must be a whole number from 1 on\.\n$/],
    [['replicas', '--seed', '-1'], /--seed/],
    [['upgrade', '--befor', 'v1'], /^Unknown option '--befor'/],
  ] as const)
    expect([args, await run('scripts/drill.ts', {}, ...args)]).toEqual([args, { code: 2, out: '', said: expect.stringMatching(said) }]);
});

test('archives that are lost and those that nobody could look at are said apart, with what to do', async () => {
  const url = await migratedDatabase();
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  await owner.query(
    `insert into archive_piece (table_name, period, part, state, key, row_count, bytes, sha256, checksum, writer)
     values ('outbox_event', '2021-03-01', 1, 'removed', 'archives/outbox_event/2021-03.ndjson.gz', 1, 1, 'ab', 1, gen_random_uuid())`,
  );
  await owner.end();
  const env = { DATABASE_URL: url };
  // The login of the product, which sees what its requests may see.
  const login = `haulgate_archives_${process.pid}`;
  const superuser = new pg.Client({ connectionString: url });
  await superuser.connect();
  await superuser.query(`create role ${login} login password 'clay' in role haulgate_app`);
  try {
    const bound = Object.assign(new URL(url), { username: login, password: 'clay' }).href;
    expect(await run('src/archive.ts', { DATABASE_URL: bound }, 'verify')).toEqual({
      code: 2,
      out: '',
      said: 'The archives could not be looked at: row-level security binds this login, which sees none of them: set DATABASE_OWNER_URL to the owner of the tables.\n',
    });
  } finally {
    await superuser.query(`drop role ${login}`);
    await superuser.end();
  }
  const lost = await run('src/archive.ts', env, 'verify');
  expect([lost.code, lost.said]).toEqual([1, '']);
  expect(lost.out).toMatch(/\n1 are damaged or missing: bring these files back from a backup of the storage/);
  const adopted = await run('src/archive.ts', env, 'adopt');
  expect([adopted.code, adopted.out]).toEqual([0, expect.stringContaining('npm run archive -- verify says whether')]);
  // Somebody runs it where the files are not.
  const elsewhere = await run('src/archive.ts', { ...env, HAULGATE_DATA: join(data, 'elsewhere') }, 'verify');
  expect([elsewhere.code, elsewhere.out]).toEqual([1, expect.stringContaining('this is another storage than that of the database')]);
  const away = {
    ...{ HAULGATE_FILES: 's3', HAULGATE_S3_BUCKET: 'archives', HAULGATE_S3_ENDPOINT: 'http://127.0.0.1:1', HAULGATE_S3_PATH_STYLE: 'on' },
    ...{ HAULGATE_S3_ACCESS_KEY_ID: 'desk', HAULGATE_S3_SECRET_ACCESS_KEY: 'granite' },
  };
  const unread = await run('src/archive.ts', { ...env, ...away }, 'verify');
  expect([unread.code, unread.out]).toEqual([2, expect.stringContaining('1 could not be looked at')]);
  expect(unread.out).not.toContain('damaged');
  // Nothing at all could be looked at.
  const empty = await run('src/archive.ts', { DATABASE_URL: await freshDatabase() }, 'list');
  expect(empty).toEqual({
    code: 2,
    out: '',
    said: 'The archives could not be looked at: relation "archive_piece" does not exist. The database is not that of this version: npm run doctor says which migrations it has.\n',
  });
  expect(await run('src/archive.ts', { DATABASE_URL: 'postgres://u:very-secret@127.0.0.1:1/x' })).toEqual({
    code: 2,
    out: '',
    said: 'No server of DATABASE_URL can be asked: connect ECONNREFUSED 127.0.0.1:1.\n',
  });
});
