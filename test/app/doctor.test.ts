import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { newId } from '../../src/platform/ids.ts';
import { freshDatabase, migratedDatabase } from '../helpers/database.ts';
import { allGone, copyStarted, dataFolder, removeFolder, startProduct } from '../helpers/product.ts';

let data: string;
beforeEach(() => {
  data = dataFolder();
});
afterEach(async () => {
  await allGone(data);
  removeFolder(data);
});

/** Returns the lines that `npm run doctor` prints, as `verdict about: sentence`, and its exit code. */
async function doctor(env: Record<string, string>, ...args: string[]): Promise<{ lines: string[]; code: unknown }> {
  const process = startProduct({ HAULGATE_DATA: data, ...env }, 'src/doctor.ts', ...args);
  const code = await process.ended;
  expect(process.stderr()).toBe('');
  return {
    lines: process
      .stdout()
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/ +/g, ' ')),
    code,
  };
}

/** Which of the texts no line contains. */
const unsaid = (lines: readonly string[], ...texts: string[]) => texts.filter((text) => !lines.some((line) => line.includes(text)));

test('a deployment is examined: settings that harm, a server that loses data, queues that nobody works on', async () => {
  const DATABASE_URL = await migratedDatabase();
  const client = new pg.Client({ connectionString: DATABASE_URL });
  await client.connect();
  await client.query(
    `insert into outgoing_message (id, channel, kind, recipient, language, request_id, next_at, give_up_at)
     select gen_random_uuid(), 'mail', 'link', 'a@b.example', 'en', '', now() - interval '1 hour', now() from generate_series(1, 2)`,
  );
  // A login of a BI tool, and an export that nobody runs.
  const [company, schedule] = [newId(), newId()];
  const login = `haulgate_bi_of_doctor_${process.pid}`;
  await client.query(`insert into company (id, platform_id, legal_name, time_zone) values ($1, 'B20001', 'Doctor', 'UTC')`, [company]);
  // PostgreSQL takes this name for an abbreviation, which has no summer time.
  await client.query(
    `insert into company (id, platform_id, legal_name, time_zone) values (gen_random_uuid(), 'B20002', 'Elsewhere', 'CET')`,
  );
  await client.query(`create role ${login} login connection limit 5`);
  await client.query(
    `insert into reporting_login (id, company_id, name, username, password_made_at) values (gen_random_uuid(), $1, 'Test', $2, now())`,
    [company, login],
  );
  await client.query(
    `insert into export_schedule (id, company_id, name, list, query, format, frequency, local_time, created_by_type, created_by_id, created_by_name, language)
     values ($2, $1, 'Test', 'orders', '', 'csv', 'daily', '06:30', 'User', $1, 'X', 'en')`,
    [company, schedule],
  );
  await client.query(
    `insert into export_run (id, company_id, export_schedule_id, due_at, next_at) values (gen_random_uuid(), $1, $2, now(), now() - interval '2 hours')`,
    [company, schedule],
  );
  // A year whose partition is gone, rows that had none, and a company that waits for archives.
  await client.query(`drop table transition_${new Date().getUTCFullYear()}`);
  await client.query(
    `insert into transition (id, company_id, subject_type, subject_id, event, from_state, to_state, created_by_type, created_by_name, request_id)
     values (gen_random_uuid(), $1, 'Job', $1, 'x', 'a', 'b', 'System', 'X', '')`,
    [company],
  );
  await client.query('insert into company_settings (id, company_id, archive_positions) values ($1, $1, true)', [company]);
  // The files of its processes are elsewhere.
  await client.query('insert into storage_mark (id) values (gen_random_uuid())');
  await client.query('delete from migration where name = (select max(name) from migration)');
  await client.query("insert into migration (name) values ('209901010000-make-later')");
  await client.end();
  const { lines, code } = await doctor({
    DATABASE_URL,
    HOST: '0.0.0.0',
    HAULGATE_SMTP_URL: 'smtp://127.0.0.1:1',
    HAULGATE_WEBHOOK_PRIVATE_HOSTS: 'on',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
  });
  expect(
    unsaid(
      lines,
      'wrong HAULGATE_SECRETS_KEY: is not set, so that every backup contains the key',
      'wrong BASE_URL: is not set, so that links in mails',
      'wrong HAULGATE_MAIL_FROM: ends in @localhost',
      // The server of the tests is made to be thrown away.
      'wrong DATABASE_URL: has fsync off',
      'wrong DATABASE_URL: has synchronous_commit off',
      `wrong partitions: transition_${new Date().getUTCFullYear()} is missing: workers make the next ones every hour`,
      'wrong partitions: transition_default has rows',
      'look HAULGATE_ARCHIVES: is off, and 1 company wants positions archived',
      'look OTEL_EXPORTER_OTLP_ENDPOINT: The collector takes no traces (',
      'wrong HAULGATE_SMTP_URL: The mail server does not let us in: connect ECONNREFUSED',
      'wrong workers: 2 mails and texts are due, the oldest for 36',
      'wrong migrations: The database has 209901010000-make-later, which this version does not know',
      'look migrations: 1 are not applied yet',
      'wrong time zones: The clocks of PostgreSQL are not those of Haulgate in CET (',
      'look HAULGATE_HEALTH_PORT: is 0, so that strangers can read /metrics',
      'look HAULGATE_WEBHOOK_PRIVATE_HOSTS: is on',
      'good DATABASE_URL: PostgreSQL',
      'good DATABASE_POOL: fits: 1 process with 10 and 1 connections, and 5 sessions of BI tools, are 16 of the',
      'wrong workers: 1 scheduled exports are due, the oldest for 7',
      'look reporting logins: can write by lo_creat, lo_create',
      'good HAULGATE_FILES: A file could be written, read and removed.',
      'look backup: archive_mode is off, and nobody receives the log: the database can be restored to the moments of its base backups alone.',
      'wrong HAULGATE_FILES: It is another storage than that of the processes of this database',
      'good workers: No imported records are due.',
    ),
  ).toEqual([]);
  // The worst comes first, and the last line counts.
  expect(lines.slice(0, -1).map((line) => line.split(' ')[0]!)).toEqual(
    lines
      .slice(0, -1)
      .map((line) => line.split(' ')[0]!)
      .sort((a, b) => ['wrong', 'look', 'good'].indexOf(a) - ['wrong', 'look', 'good'].indexOf(b)),
  );
  expect(lines.at(-1)).toMatch(/^\d+ wrong, \d+ to look at, \d+ good$/);
  expect(code).toBe(1);
});

test('a login that row-level security does not bind is found, and a pool that PostgreSQL cannot serve', async () => {
  const url = await migratedDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const login = `doctor_${process.pid}`;
  await client.query(`create role ${login} login bypassrls password 'secret'; grant select on all tables in schema public to ${login}`);
  await client.end();
  const open = new URL(url);
  Object.assign(open, { username: login, password: 'secret' });
  const host = open.host;
  const { lines } = await doctor({
    DATABASE_URL: open.href.replace(host, `${host},127.0.0.1:1,${host}`),
    DATABASE_OWNER_URL: url,
    HAULGATE_PROCESSES: '20',
    DATABASE_POOL: '200',
    DATABASE_READ_URLS: `${url},postgres://127.0.0.1:1/haulgate`,
  });
  expect(
    unsaid(
      lines,
      `wrong row-level security: does not bind the product: ${login} has BYPASSRLS.`,
      'wrong DATABASE_POOL: is too large: 30 processes with 200 and 2 connections are 6060, and PostgreSQL takes',
      `wrong DATABASE_URL: names ${host} and ${host}, which all take writes: the first of them is used.`,
      'wrong DATABASE_URL: names 127.0.0.1:1, which cannot be used, so that it takes over for nobody: connect ECONNREFUSED',
      `look DATABASE_URL: names several servers, and ${host} waits for none of them`,
      `good DATABASE_READ_URLS: names ${host}, which is the primary now, and answers no reads until it is a replica.`,
      'wrong DATABASE_READ_URLS: names 127.0.0.1:1, which cannot be used, so that the primary is read instead: connect ECONNREFUSED',
    ),
  ).toEqual([]);
});

test('an empty database needs nothing but a start, and a wrong setting is the only thing that is said', async () => {
  expect(
    unsaid(
      (await doctor({ DATABASE_URL: await freshDatabase() })).lines,
      'look migrations: The database is empty: the first start makes its tables.',
      'wrong HAULGATE_ADMIN_EMAIL: is not set, and the database is empty: nobody could sign in.',
    ),
  ).toEqual([]);
  // A worker lets nobody in: the machine that answers requests has the setting.
  const worker = await doctor({ DATABASE_URL: await freshDatabase(), HAULGATE_ROLE: 'worker' });
  expect(worker.lines.filter((line) => line.includes('HAULGATE_ADMIN_EMAIL'))).toEqual([]);
  expect(await doctor({ PORT: 'eighty', HAULGATE_ROLL: 'web' })).toEqual({
    lines: [
      'wrong PORT: must be a whole number from 0 to 65535.',
      'wrong HAULGATE_ROLL: is not a variable Haulgate knows.',
      '2 wrong, 0 to look at, 0 good',
    ],
    code: 1,
  });
});

test('what cannot be reached is named: the database, Redis, and a folder that cannot be written', async () => {
  const file = join(data, 'file');
  writeFileSync(file, '');
  const { lines, code } = await doctor({
    DATABASE_URL: 'postgres://u:very-secret@127.0.0.1:1/x',
    REDIS_URL: 'redis://127.0.0.1:1',
    HAULGATE_DATA: join(file, 'inside'),
  });
  expect(
    unsaid(
      lines,
      'wrong DATABASE_URL: names a server or database that cannot be used: connect ECONNREFUSED 127.0.0.1:1.',
      'wrong REDIS_URL: No wake goes through Redis (',
      `wrong HAULGATE_DATA: ${join(file, 'inside')} cannot be written`,
    ),
  ).toEqual([]);
  expect(lines.join()).not.toContain('very-secret');
  expect(code).toBe(1);
});

test('settings that do nothing are found, because the one that they belong to was forgotten', async () => {
  const env = {
    ...{ HAULGATE_S3_BUCKET: 'files', HAULGATE_S3_REGION: 'ca-central-1', HAULGATE_ARCHIVE_AUDIT_YEARS: '7' },
    ...{
      HAULGATE_GEOCODER_URL: 'https://places.example',
      HAULGATE_SMS_FROM: '+14165550100',
      HAULGATE_ADMIN_EMAIL: 'first@haulier.example',
    },
  };
  const idle = async (more: Record<string, string>) =>
    (await doctor({ ...env, ...more })).lines.filter((line) => / (does|do) nothing: /.test(line));
  expect(await idle({})).toEqual([
    'look HAULGATE_S3_BUCKET: and HAULGATE_S3_REGION do nothing: HAULGATE_FILES is local, so that files are kept in HAULGATE_DATA and not in a bucket. Set it to s3, or remove them.',
    'look HAULGATE_SMS_FROM: does nothing: HAULGATE_SMS_ACCOUNT is not set, so that text messages become files in HAULGATE_DATA/sms. Set it, or remove it.',
    'look HAULGATE_GEOCODER_URL: does nothing: HAULGATE_GEOCODER is not openstreetmap, so that this server is not asked. Set it to that, or remove it.',
    'look HAULGATE_ARCHIVE_AUDIT_YEARS: does nothing: HAULGATE_ARCHIVES is off, so that nothing is archived, and no archive is deleted. Set it to on, or remove it.',
    'look HAULGATE_ADMIN_EMAIL: does nothing: HAULGATE_DEMO is on, so that nobody is invited. Set it to off, or remove it.',
  ]);
  // Each with what it belongs to.
  const whole = {
    HAULGATE_GEOCODER: 'openstreetmap',
    HAULGATE_ARCHIVES: 'on',
    HAULGATE_DEMO: 'off',
    HAULGATE_SMS_ACCOUNT: 'AC1',
    HAULGATE_SMS_TOKEN: 't',
  };
  expect(await idle({ ...whole, HAULGATE_S3_BUCKET: '', HAULGATE_S3_REGION: '' })).toEqual([]);
});

test('of two logins the one that is refused is named', async () => {
  const DATABASE_OWNER_URL = await migratedDatabase();
  const wrongLogin = Object.assign(new URL(DATABASE_OWNER_URL), { username: `nobody_${process.pid}`, password: 'very-secret' });
  const { lines, code } = await doctor({ DATABASE_OWNER_URL, DATABASE_URL: wrongLogin.href });
  const said = lines.filter((line) => line.includes('cannot be used'));
  expect(said).toEqual([expect.stringMatching(/^wrong DATABASE_URL: names a server or database that cannot be used: .*nobody_/)]);
  expect([lines.join().includes('very-secret'), code]).toEqual([false, 1]);
});

test('machines that share nothing are found, and their connections are counted', async () => {
  const { lines } = await doctor({ DATABASE_URL: await freshDatabase(), HAULGATE_ADMIN_EMAIL: 'first@haulier.example' }, '--machines', '3');
  expect(
    unsaid(
      lines,
      'look HAULGATE_FILES: is local: all 3 machines must have the same folder mounted as HAULGATE_DATA',
      'look REDIS_URL: is not set: workers of 3 machines learn of what came to another one when they look',
      'DATABASE_POOL: ',
      '3 machines, each with 1 process with 10 and 1 connections are 33',
    ),
  ).toEqual([]);
  expect(lines.filter((line) => line.includes('HAULGATE_ADMIN_EMAIL'))).toEqual([]);
  const alone = (await doctor({}, '--machines', '2')).lines;
  expect(unsaid(alone, 'wrong DATABASE_URL: is not set, so that each of 2 machines would have a PostgreSQL of its own.')).toEqual([]);
});

test('the embedded PostgreSQL is examined while the product runs it', async () => {
  await copyStarted(data);
  expect(unsaid((await doctor({})).lines, 'look PostgreSQL: The embedded PostgreSQL is not running')).toEqual([]);
  const product = startProduct({ PORT: '0', HAULGATE_DATA: join(data), HAULGATE_DEMO: 'off' });
  await product.says(/"msg":"ready"/);
  const { lines, code } = await doctor({});
  expect(unsaid(lines, 'good PostgreSQL: PostgreSQL', 'good migrations: All')).toEqual([]);
  expect(lines.filter((line) => line.startsWith('wrong'))).toEqual([]);
  expect(code).toBe(0);
  product.child.kill('SIGTERM');
  await product.ended;
});
