import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { sessionToken } from '../../helpers/session.ts';
import { fieldsOf, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
let other: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  other = await makeTenant(app);
});
afterAll(() => app.close());

let reported = 0;
const telephone = () => `push-service:${++reported}`;
const report = (bearer: string, token: string) => app.http('POST', '/v1/users/me/device_tokens', { token: bearer, body: { token } });
const sql = (text: string, ...values: unknown[]) => app.orm.em.getConnection().execute<Record<string, unknown>[]>(text, values);
const holders = async (token: string) => (await sql('select user_id from device_token where token = ?', token)).map((row) => row.user_id);
const audit = (id: string) =>
  sql(
    `select company_id, event, object_changes, created_by_type as by from audit_entry
     where subject_type = 'DeviceToken' and subject_id = ? order by created_at, id`,
    id,
  );

test('a telephone is registered once, and keeps its record when it is registered again', async () => {
  const { user, token } = await tenant.person({ roles: ['driver'] });
  const device = telephone();
  const { status, body } = await report(token, device);
  expect([status, body]).toEqual([
    201,
    { data: { id: expect.any(String), user_id: user.id, token: device, created_at: expect.any(String), updated_at: expect.any(String) } },
  ]);
  await sql("update device_token set updated_at = '2026-01-01' where id = ?", body.data.id);
  const again = await report(await sessionToken(app.orm, user), device);
  expect([again.status, again.body.data.id]).toEqual([201, body.data.id]);
  expect(again.body.data.updated_at >= body.data.created_at).toBe(true);
  const entries = await audit(body.data.id);
  expect(entries.map(({ event, company_id }) => [event, company_id])[0]).toEqual(['create', tenant.company.id]);
  expect(JSON.stringify(entries)).not.toContain(device);
});

test('GraphQL returns the same record', async () => {
  const { token } = await tenant.person({ roles: ['dispatcher'] });
  const device = telephone();
  const mutation = 'mutation($token: String!) { createMyDeviceToken(input: { token: $token }) { id token } }';
  const { body } = await app.graphql(mutation, { token: device }, { token });
  expect(body.data.createMyDeviceToken).toEqual({ id: (await report(token, device)).body.data.id, token: device });
});

test.each([
  ['of the same company', () => tenant],
  ['of another company', () => other],
])('a telephone belongs to the person who registered it last, even after somebody %s', async (_, whose) => {
  const [first, second] = [await tenant.person({ roles: ['driver'] }), await whose().person({ roles: ['driver'] })];
  const device = telephone();
  const { id } = (await report(first.token, device)).body.data;
  const moved = await report(second.token, device);
  expect([moved.status, moved.body.data.user_id]).toEqual([201, second.user.id]);
  expect(await holders(device)).toEqual([second.user.id]);
  // The fields that the first one's company reads do not name the second.
  expect((await audit(id)).at(-1)).toEqual({
    company_id: tenant.company.id,
    event: 'destroy',
    object_changes: { user_id: [first.user.id, null] },
    by: 'System',
  });
});

test('of concurrent registrations of one telephone, one person has it', async () => {
  const device = telephone();
  const people = await Promise.all([tenant, other, tenant, other].map((one) => one.person({ roles: ['driver'] })));
  const answers = await Promise.all(people.map(({ token }) => report(token, device)));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(await holders(device)).toHaveLength(1);
});

test('signing out removes the telephone of that session, and no other', async () => {
  const { user, token } = await tenant.person({ roles: ['driver'] });
  const [here, there] = [telephone(), telephone()];
  const { id } = (await report(token, here)).body.data;
  await report(await sessionToken(app.orm, user), there);
  expect((await app.http('DELETE', '/v1/auth/login', { token })).status).toBe(204);
  expect([await holders(here), await holders(there)]).toEqual([[], [user.id]]);
  expect((await audit(id)).at(-1)?.event).toBe('destroy');
  expect((await app.http('DELETE', `/v1/users/${user.id}/sessions`, { token: tenant.token })).status).toBe(204);
  expect(await holders(there)).toEqual([]);
});

test('a deactivated person gets no push messages', async () => {
  const { user, token } = await tenant.person({ roles: ['driver'] });
  const device = telephone();
  await report(token, device);
  await tenant.must('DELETE', `/v1/users/${user.id}`);
  expect(await holders(device)).toEqual([]);
});

test('missing, empty and too long tokens are named, and machine clients have no telephone', async () => {
  const { token } = await tenant.person({ roles: ['driver'] });
  for (const body of [{}, { token: '' }, { token: null }, { token: 'x'.repeat(4_097) }]) {
    const answer = await tenant.http('POST', '/v1/users/me/device_tokens', body, token);
    expect([answer.status, fieldsOf(answer)]).toEqual([422, ['token']]);
  }
  expect((await report(token, 'x'.repeat(4_096))).status).toBe(201);
  expect((await report(tenant.token, telephone())).status).toBe(404);
});
