import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { SIGN_IN } from '../../../src/identity/sign-in/sign-in-purpose.ts';
import { APP_ROLE } from '../../../src/platform/database/roles.ts';
import { allPurposes, asCompanies, runAsPurpose } from '../../../src/platform/database/scope.ts';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
let pool: Pool;
beforeAll(async () => {
  app = await startTestApp({ deliveries: true, newDatabase: true });
  tenant = await makeTenant(app, { company: { authMethods: ['password', 'magic_link', 'otp_sms', 'sso'] } });
  pool = await poolOf(app.productOrm.em);
  const { user } = await tenant.person({ roles: ['dispatcher'] });
  const [fleet] = await app.orm.em.execute<{ id: string }[]>(
    `insert into telematics_fleet (id, company_id, name, provider, provider_source, poll_seconds)
     values (gen_random_uuid(), ?, 'Trucks', 'samsara', 'axle', 15) returning id`,
    [tenant.company.id],
  );
  const [connection] = await app.orm.em.execute<{ id: string }[]>(
    `insert into sso_connection (id, company_id, kind, display_name, verification, proven_domains)
     values (gen_random_uuid(), ?, 'oidc', 'Granite', 'v', '{granite.example}') returning id`,
    [tenant.company.id],
  );
  const [linked] = await app.orm.em.execute<{ id: string }[]>(
    `insert into linked_account (id, company_id, system, name, source_key) values (gen_random_uuid(), ?, 'file', 'Books', 'books') returning id`,
    [tenant.company.id],
  );
  const [subscription] = await app.orm.em.execute<{ id: string }[]>(
    `insert into webhook_subscription (id, company_id, url, public_key) values (gen_random_uuid(), ?, 'https://a.example', 'k') returning id`,
    [tenant.company.id],
  );
  const order = await makeOrder(tenant);
  const [chase] = await app.orm.em.execute<{ id: string }[]>(
    'insert into ticket_chase (id, company_id, job_id) select gen_random_uuid(), company_id, id from job where order_id = ? limit 1 returning id',
    [order.id],
  );
  const [schedule] = await app.orm.em.execute<{ id: string }[]>(
    `insert into export_schedule (id, company_id, name, list, query, format, frequency, local_time, created_by_type, created_by_id, created_by_name, language)
     values (gen_random_uuid(), ?, 'Orders', 'orders', '', 'csv', 'daily', '06:00', 'User', ?, 'Ada', 'en') returning id`,
    [tenant.company.id, user.id],
  );
  const [login] = await app.orm.em.execute<{ id: string }[]>(
    `insert into reporting_login (id, company_id, name, username, password_made_at) values (gen_random_uuid(), ?, 'Board', 'haulgate_bi_none', now()) returning id`,
    [tenant.company.id],
  );
  for (const [table, values] of Object.entries({
    reporting_login_verifier: `values ('${login!.id}', 'verifier')`,
    export_secret: `values ('${schedule!.id}', 'sealed')`,
    credential: `(id, user_id, password_hash) values (gen_random_uuid(), '${user.id}', 'h')`,
    one_time_secret: `(id, user_id, purpose, secret_hash, expires_at) values (gen_random_uuid(), '${user.id}', 'signup', 'h', now())`,
    outgoing_message: `(id, channel, kind, recipient, language, request_id, give_up_at, next_at)
      values (gen_random_uuid(), 'mail', 'signup', 'a@example.com', 'en', 'r', now(), now() + interval '1 day')`,
    notification: `(id, company_id, user_id, key, kind) values (gen_random_uuid(), '${tenant.company.id}', '${user.id}', 'k', 'order_accepted')`,
    photo_link: `(token_hash, company_id, chase_id, driver_id, expires_at) values ('h', '${tenant.company.id}', '${chase!.id}', '${user.id}', now())`,
    archive_comparison: `values ('p', now(), 'h')`,
    archive_stray: `values ('k')`,
    storage_mark: `values (true, gen_random_uuid())`,
    open_stream: `values ('h', gen_random_uuid(), 1, now())`,
    accounting_secret: `values ('${linked!.id}', 'sealed')`,
    accounting_setup: `(id, company_id, link_hash, expires_at) values (gen_random_uuid(), '${tenant.company.id}', 'h', now())`,
    sms_consent: `values ('SM1', now(), '+14155550100', true)`,
    sso_attempt: `values ('h', '${connection!.id}', 'h', 'n', 'v', 'https://a.example', now() + interval '1 day')`,
    sso_secret: `values ('${connection!.id}', 'sealed')`,
    telematics_secret: `values ('${fleet!.id}', 'sealed', 'h')`,
    webhook_record: `values (gen_random_uuid(), '${tenant.company.id}', 1)`,
    webhook_secret: `values ('${subscription!.id}', 'sealed')`,
    sso_ticket: `values ('h', '${connection!.id}', '${user.id}', now() + interval '1 day')`,
  }))
    await app.orm.em.execute(`insert into ${table} ${values}`);
});
afterAll(() => app.close());

/** Tables of secrets, and of what leads to them: nobody's but those who act under a purpose. */
const SECRETS = [
  'accounting_secret',
  'accounting_setup',
  'archive_comparison',
  'archive_stray',
  'change_pending',
  'credential',
  'export_secret',
  'notification',
  'notification_cursor',
  'one_time_secret',
  'open_stream',
  'outgoing_message',
  'photo_link',
  'reporting_login_verifier',
  'sealing_key',
  'signing_key',
  'sms_consent',
  'sso_attempt',
  'sso_domain',
  'sso_secret',
  'sso_ticket',
  'storage_mark',
  'telematics_secret',
  'webhook_record',
  'webhook_secret',
];
/** Tables of no company that every request reads; none of their columns opens a door. */
const COMMON = ['geocoded_address', 'line_item_type', 'material_type', 'migration', 'rate_limit', 'service_type', 'wal_timeline'];
/** Columns that look like secrets and that requests of their own company read all the same. */
const HARMLESS = [
  // The telephone's address at Apple or Google, which opens nothing here.
  'device_token.token',
  'device_token.token_hash',
  // Of whoever works on the request just now.
  'idempotency_key.token',
  // SHA-256 of 256 random bits: nobody finds the secret by it.
  'machine_client.previous_secret_hash',
  'machine_client.secret_hash',
  'user_session.family_hash',
  'user_session.previous_hash',
  'user_session.refresh_hash',
  // Of the document that an accounting system was sent, to see whether it would be another one now.
  'settlement_export.sent_hash',
  // Published in the domain's records.
  'sso_connection.verification',
];

/** As a statement of an ordinary request that somebody has slipped this into. */
const injected = (sql: string) =>
  asCompanies([tenant.company.id], () => pool.query(`select name::text from account where company_id = $1 ${sql}`, [tenant.company.id]));

test.each(SECRETS)('a request reads and writes nothing of %s, whatever is added to its statements', async (table) => {
  const denied = { code: '42501' };
  await expect(injected(`union all select to_jsonb(x)::text from ${table} x`)).rejects.toMatchObject(denied);
  await expect(injected(`or exists (select from ${table})`)).rejects.toMatchObject(denied);
  await expect(injected(`union all select query_to_xml('select * from ${table}', true, false, '')::text`)).rejects.toMatchObject(denied);
  await asCompanies([tenant.company.id], async () => {
    for (const sql of [
      `select count(*) from ${table}`,
      `delete from ${table}`,
      `insert into ${table} select from ${table}`,
      `table ${table}`,
    ])
      await expect(pool.query(sql)).rejects.toMatchObject(denied);
  });
  // Nor does who asks without a scope, as background work does.
  await expect(pool.query(`select * from ${table}`)).rejects.toMatchObject(denied);
});

test.each(SECRETS)('a right to %s that is granted by mistake shows none of its rows', async (table) => {
  expect((await app.orm.em.execute<object[]>(`select * from ${table}`)).length).toBeGreaterThan(0);
  await app.orm.em.execute(`grant select on ${table} to ${APP_ROLE}`);
  try {
    expect((await asCompanies([tenant.company.id], () => pool.query(`select * from ${table}`))).rows).toEqual([]);
  } finally {
    await app.orm.em.execute(`revoke select on ${table} from ${APP_ROLE}`);
  }
});

test("every table has row-level security, belongs to purposes, or is known to contain no company's data", async () => {
  const rows = await app.orm.em.execute<{ name: string; walled: boolean; read: boolean }[]>(
    `select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as walled, has_table_privilege('${APP_ROLE}', c.oid, 'select') as read
     from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace order by 1`,
  );
  expect(rows.filter(({ walled }) => !walled).map(({ name }) => name)).toEqual(COMMON);
  expect(rows.filter(({ read }) => !read).map(({ name }) => name)).toEqual(SECRETS);
});

test('every column that looks like a secret is out of reach of requests, or has a reason here', async () => {
  const rows = await app.orm.em.execute<{ name: string }[]>(
    `select c.relname || '.' || a.attname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
       and a.attname ~ 'secret|token|private|password|sealed|verif|nonce|(^|_)hash' and a.attname !~ '_(at|seconds)$'
       and has_column_privilege('${APP_ROLE}', c.oid, a.attnum, 'select') order by 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual(
    [...HARMLESS, 'idempotency_key.request_hash', 'import_key.applied_hash', 'imported_record.payload_hash', 'ticket_history.hash'].sort(),
  );
});

test('a sign-in reads no keys and no secrets of providers, and each secret has few purposes', async () => {
  for (const table of ['sealing_key', 'signing_key', 'sso_secret'])
    await expect(runAsPurpose(SIGN_IN, () => pool.query(`select * from ${table}`))).rejects.toMatchObject({ code: '42501' });
  const purposes = Object.fromEntries(
    SECRETS.map((table) => [
      table,
      allPurposes()
        .flatMap(({ name, grants }) => (grants[table] ? [name] : []))
        .sort(),
    ]),
  );
  expect(purposes).toEqual({
    // A function of the owner has it, and nobody else.
    archive_comparison: [],
    archive_stray: ['archiving'],
    accounting_secret: ['accounting_secrets'],
    accounting_setup: ['accounting_secrets'],
    // That rows are in archives is no change of them: what it has noted itself is taken back.
    change_pending: ['archiving', 'feeds', 'invariants', 'queues'],
    // A merge moves whom they are of, and reads nothing else of them.
    credential: ['merging', 'sign_in'],
    export_secret: ['list_export_secrets'],
    notification: ['merging', 'notifications'],
    notification_cursor: ['archiving', 'notifications', 'queues'],
    one_time_secret: ['merging', 'sign_in', 'spending'],
    open_stream: ['open_streams'],
    outgoing_message: ['deliveries', 'queues', 'sending'],
    photo_link: ['merging', 'photo_links'],
    // Functions of the owner have it, and nobody else.
    reporting_login_verifier: [],
    sealing_key: ['sealing'],
    signing_key: ['signing'],
    sms_consent: ['deliveries', 'notifications', 'sms_consent'],
    sso_attempt: ['sign_in', 'sso_attempts_end'],
    sso_domain: ['domain_holders', 'domain_proofs', 'sign_in'],
    sso_secret: ['sso_secrets'],
    sso_ticket: ['merging', 'sign_in', 'sso_attempts_end'],
    storage_mark: ['archiving'],
    telematics_secret: ['telematics_secrets'],
    webhook_record: ['invariants', 'webhook_notes'],
    webhook_secret: ['webhook_deliveries', 'webhook_secrets'],
  });
  // The purpose that merges people says whose a secret is, and reads no more of it.
  const merging = allPurposes().find(({ name }) => name === 'merging')!;
  for (const table of ['credential', 'one_time_secret', 'sso_ticket'])
    expect(merging.grants[table]).toEqual(['select (user_id)', 'update (user_id)']);
});

test('ordinary requests can still do what touches secrets, and no more', async () => {
  const { user } = await tenant.person({ roles: ['dispatcher'] });
  await tenant.must('PUT', `/v1/users/${user.id}/invite/email`, {});
  const mail = (await app.emails()).mails.findLast(({ to }) => to === user.email)!;
  const token = /#[a-z_]+=([\w-]+)/.exec(mail.text)![1];
  const rows = () =>
    app.orm.em.execute<{ used: boolean }[]>('select used_at is not null as used from one_time_secret where user_id = ?', [user.id]);
  expect(await rows()).toEqual([{ used: false }]);
  await tenant.must('PATCH', `/v1/users/${user.id}`, { email: `other-${randomBytes(4).toString('hex')}@example.com` });
  const body = { magic_links_token: token, password: 'limestone and rain' };
  expect((await app.http('POST', '/v1/auth/signup', { body })).status).toBe(401);
  await tenant.must('DELETE', `/v1/users/${user.id}`);
  expect(await rows()).toEqual([{ used: true }]);
  // Somebody who is signed in asks how to sign in as anybody else does.
  const asked = (as?: string) => app.http('POST', '/v1/auth_methods', { body: { email: 'a@example.com' }, token: as });
  expect([(await asked()).status, (await asked(tenant.token)).body]).toEqual([200, (await asked()).body]);
  const started = await app.http('GET', `/v1/auth/sso/${user.id}/start`, { token: tenant.token });
  expect(started.status).toBe(404);
});

test.each([
  // The purpose of signing in, and of who sees whom: nobody's pay, other names or work.
  ['sign_in', 'select preferences from app_user'],
  ['sign_in', 'select external_id from app_user'],
  ['sign_in', 'select * from company'],
  ['sign_in', 'select name, notes from account'],
  ['sign_in', 'select name from iam_role'],
  ['sign_in', 'select payload from outbox_event'],
  ['sign_in', 'select address, user_agent from user_session'],
  ['sign_in', 'select token from device_token'],
  ['sign_in', 'select job_id from job_assignment'],
  ['sign_in', 'update credential set user_id = user_id'],
  ['sign_in', 'update user_session set user_id = user_id'],
  ['sign_in', 'update one_time_secret set purpose = purpose'],
  ['sign_in', 'delete from one_time_secret'],
  // Which bytes are nobody's: not whose the others are.
  ['orphans', 'select file_name from file_attachment'],
  ['orphans', 'select company_id from direct_upload'],
  ['orphans', 'select name from signature'],
  ['orphans', 'delete from file_attachment'],
  // The purpose of documents that expire: not their contents.
  ['reminders', 'select value from compliance_document'],
  ['reminders', 'select description from compliance_document_type'],
  ['reminders', 'update compliance_document set reminded_days = null'],
  ['ended_sessions', 'select user_id from user_session'],
])('the purpose %s may not: %s', async (name, statement) => {
  const purpose = allPurposes().find((one) => one.name === name)!;
  await expect(runAsPurpose(purpose, () => pool.query(statement))).rejects.toMatchObject({ code: '42501' });
});
