import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { Label } from '../../../src/directory/master-data/label.entity.ts';
import { AuditEntry } from '../../../src/platform/commands/audit.entity.ts';
import { type Answer, startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeTenant, orderInput, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
let admin: string;
let roles: Record<string, string>;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  admin = (await tenant.person({ roles: ['company_admin'] })).token;
  roles = Object.fromEntries(
    (await tenant.must('GET', '/v1/iam_roles')).map(({ id, name }: { id: string; name: string }) => [
      name.toLowerCase().replace(' ', '_'),
      id,
    ]),
  );
});
afterAll(() => app.close());

let made = 0;
const phone = () => `+1512555${String(1000 + ++made).slice(-4)}`;
const input = (more: object = {}) => ({
  first_name: 'Nia',
  last_name: 'New',
  email: `nia${++made}@example.com`,
  iam_role_ids: [roles.driver],
  ...more,
});
const messageOf = (answer: Answer) => answer.body.error?.errors?.[0]?.message;

test('a person is created with all fields of the contract, and read back', async () => {
  const own = { company: ref(tenant.company) };
  const type = await tenant.save(EquipmentType, { ...own, name: 'Tri-axle' });
  const truck = await tenant.save(Equipment, { ...own, name: 'T-1', equipmentType: ref(type) });
  const label = await tenant.save(Label, { ...own, name: 'Nights', color: '#2255AA' });
  const body = input({
    company_id: tenant.company.id,
    phone: '(512) 555-0177',
    time_zone: 'America/Denver',
    external_id: 'N-1',
    equipment_id: truck.id,
    additional_equipment_ids: [truck.id],
    text_to_accept_enabled: true,
    label_ids: [label.id],
    iam_role_ids: [roles.driver, roles.foreman],
  });
  const user = await tenant.must('POST', tenant.path('/users'), body, admin);
  expect(user).toMatchObject({
    first_name: 'Nia',
    last_name: 'New',
    email: body.email,
    phone: '+15125550177',
    external_id: 'N-1',
    time_zone: 'America/Denver',
    text_to_accept_enabled: true,
    company: { id: tenant.company.id },
    equipment: { id: truck.id },
    additional_equipment: [{ id: truck.id }],
    labels: [{ id: label.id, name: 'Nights' }],
    discarded_at: null,
  });
  expect(user.iam_roles.map(({ id }: { id: string }) => id).sort()).toEqual([roles.driver, roles.foreman].sort());
  expect(await tenant.must('GET', `/v1/users/${user.id}`)).toEqual(user);
  const [entry] = await app.orm.em.fork().find(AuditEntry, { subjectId: user.id }, { filters: { tenant: false } });
  expect([entry?.event, entry?.subjectType, entry?.createdByType]).toEqual(['create', 'User', 'User']);
});

test('over GraphQL a person is created, changed, deactivated and reactivated', async () => {
  const { data } = await tenant.gql(
    'mutation ($input: CreateUserInput!) { createUser(input: $input) { id roles } }',
    { input: { firstName: 'Gus', lastName: 'Graph', phone: phone(), iamRoleIds: [roles.driver] } },
    admin,
  );
  const { id } = data.createUser;
  const run = async (mutation: string) =>
    (await tenant.gql(`mutation { done: ${mutation} { id roles lastName discardedAt } }`, {}, admin)).data.done;
  expect(await run(`updateUser(id: "${id}", input: { lastName: "Graf", iamRoleIds: ["${roles.foreman}"] })`)).toEqual({
    id,
    roles: ['foreman'],
    lastName: 'Graf',
    discardedAt: null,
  });
  expect((await run(`deactivateUser(id: "${id}")`)).discardedAt).not.toBeNull();
  expect((await run(`reactivateUser(id: "${id}")`)).discardedAt).toBeNull();
});

test('errors are reported all at once, by field, and nobody is created', async () => {
  const before = (await tenant.must('GET', '/v1/users?page[limit]=100')).length;
  const other = await makeTenant(app);
  const wrong = await tenant.http(
    'POST',
    '/v1/users',
    input({
      first_name: ' ',
      email: 'nobody',
      phone: '12',
      time_zone: 'Mars/Base',
      iam_role_ids: [roles.driver, other.company.id],
      equipment_id: other.account.id,
      label_ids: [other.account.id],
    }),
    admin,
  );
  expect([wrong.status, fieldsOf(wrong)]).toEqual([
    422,
    ['email', 'equipment_id', 'first_name', 'iam_role_ids.1', 'label_ids.0', 'phone', 'time_zone'],
  ]);
  const refused = async (more: object) => fieldsOf(await tenant.http('POST', '/v1/users', input(more), admin));
  expect(await refused({ email: undefined })).toEqual(['email']);
  expect(await refused({ email: '', phone: '' })).toEqual(['email']);
  expect(await refused({ iam_role_ids: [] })).toEqual(['iam_role_ids']);
  expect(await refused({ iam_role_ids: undefined })).toEqual(['iam_role_ids']);
  expect(await refused({ company_id: other.company.id })).toEqual(['company_id']);
  expect((await tenant.must('GET', '/v1/users?page[limit]=100')).length).toBe(before);
});

test('a telephone with an extension is refused with the reason, for people and contacts', async () => {
  const reported = { message: 'has an extension, which no text message reaches; give the number without it' };
  const given = '+1 512 555 0199 ext. 12';
  const user = await tenant.must('POST', '/v1/users', input(), admin);
  for (const answer of [
    await tenant.http('POST', '/v1/users', input({ phone: given }), admin),
    await tenant.http('PATCH', `/v1/users/${user.id}`, { phone: given }, admin),
  ])
    expect([answer.status, answer.body.error.errors]).toMatchObject([422, [{ model: 'User', field: 'phone', ...reported }]]);
  const { body } = await app.graphql(
    `mutation($id: ID!, $phone: String) { updateUser(id: $id, input: { phone: $phone }) { id } }`,
    { id: user.id, phone: given },
    { token: admin },
  );
  expect(body.errors[0].extensions.errors).toMatchObject([{ model: 'User', field: 'phone', ...reported }]);
  expect((await tenant.must('GET', `/v1/users/${user.id}`, undefined, admin)).phone).toBeNull();
  const order = await tenant.http('POST', '/v1/orders', orderInput(tenant, { sales_contact: { name: 'Sal', phone: given } }));
  expect([order.status, order.body.error.errors]).toMatchObject([422, [{ model: 'Order', field: 'sales_contact.phone', ...reported }]]);
});

test('an e-mail or telephone belongs to one active person, who is named only to callers who may see them', async () => {
  const mail = `Same${++made}@example.com`;
  const number = phone();
  const first = await tenant.must('POST', '/v1/users', input({ email: mail, phone: number, first_name: 'Ann', last_name: 'First' }), admin);
  const twice = await tenant.http('POST', '/v1/users', input({ email: mail.toUpperCase(), phone: number }), admin);
  expect([twice.status, twice.body.error.errors]).toEqual([
    422,
    ['email', 'phone'].map((field) => ({
      model: 'User',
      field,
      message: `is already used by Ann First of ${tenant.company.legalName}`,
    })),
  ]);
  const other = await makeTenant(app);
  const { token } = await other.person({ roles: ['company_admin'] });
  for (const body of [input({ email: mail }), input({ phone: number })]) {
    const answer = await other.http('POST', '/v1/users', body, token);
    const field = body.email === mail ? 'email' : 'phone';
    expect([answer.status, answer.body.error.errors]).toEqual([422, [{ model: 'User', field, message: 'has already been taken' }]]);
  }
  // Deactivated, both are free again, and stay so for the one who has them now.
  expect((await tenant.http('DELETE', `/v1/users/${first.id}`, undefined, admin)).status).toBe(204);
  await other.must('POST', '/v1/users', input({ email: mail, phone: number }), token);
  const back = await tenant.http('PUT', `/v1/users/${first.id}/reactivate`, undefined, admin);
  expect([back.status, messageOf(back)]).toEqual([422, 'has already been taken']);
  await tenant.must('PATCH', `/v1/users/${first.id}`, { email: `ann${++made}@example.com`, phone: null }, admin);
  expect(await tenant.must('PUT', `/v1/users/${first.id}/reactivate`, undefined, admin)).toMatchObject({
    discarded_at: null,
    first_name: 'Ann',
  });
});

test('of two concurrent requests for a telephone, one gets it', async () => {
  for (let round = 0; round < 5; round++) {
    const number = phone();
    const answers = await Promise.all([1, 2, 3].map(() => tenant.http('POST', '/v1/users', input({ phone: number }), admin)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
  }
});

test('imported people may share a telephone until somebody edits one of them', async () => {
  const other = await makeTenant(app);
  const number = phone();
  await other.person({ roles: ['foreman'], phone: number, unclaimed: true });
  const user = await tenant.must('POST', '/v1/users', input({ phone: number }), admin);
  const { user: twin } = await tenant.person({ roles: ['foreman'], phone: null, unclaimed: true });
  const answer = await tenant.http('PATCH', `/v1/users/${twin.id}`, { phone: number }, admin);
  expect([answer.status, fieldsOf(answer), user.phone]).toEqual([422, ['phone'], number]);
});

test('absent fields are kept, null clears, lists replace', async () => {
  const label = await tenant.save(Label, { company: ref(tenant.company), name: `L${++made}`, color: '#000000' });
  const user = await tenant.must(
    'POST',
    '/v1/users',
    input({ external_id: 'E', time_zone: 'UTC', label_ids: [label.id], phone: phone() }),
    admin,
  );
  const patch = (body: object) => tenant.must('PATCH', tenant.path(`/users/${user.id}`), body, admin);
  expect(await patch({})).toEqual({ ...user, updated_at: expect.any(String) });
  expect(await patch({ external_id: null, time_zone: null, label_ids: [], phone: null })).toMatchObject({
    external_id: null,
    time_zone: 'America/Chicago',
    labels: [],
    phone: null,
    email: user.email,
  });
  const refused = await tenant.http(
    'PATCH',
    `/v1/users/${user.id}`,
    { email: null, first_name: null, text_to_accept_enabled: null },
    admin,
  );
  expect(fieldsOf(refused)).toEqual(['email', 'first_name', 'text_to_accept_enabled']);
});

test('discarded trucks and labels cannot be assigned', async () => {
  const own = { company: ref(tenant.company), discardedAt: new Date() };
  const type = await tenant.save(EquipmentType, { company: ref(tenant.company), name: 'Retired' });
  const truck = await tenant.save(Equipment, { ...own, name: 'Scrapped', equipmentType: ref(type) });
  const label = await tenant.save(Label, { ...own, name: 'Old', color: '#336699' });
  const refused = await tenant.http(
    'POST',
    '/v1/users',
    input({ equipment_id: truck.id, additional_equipment_ids: [truck.id], label_ids: [label.id] }),
  );
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['additional_equipment_ids.0', 'equipment_id', 'label_ids.0']]);
});

test.each(['Nia\r\n\r\nhttps://elsewhere.example', 'Nia\u2028Low', 'Nia \u202eaiN', 'N\u0000ia'])('%j is no name', async (name) => {
  const refused = await tenant.http('POST', '/v1/users', input({ first_name: name, last_name: name }));
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['first_name', 'last_name']]);
});

test.each([
  'nia@quarry..example',
  'x<nia@quarry.example>',
  'nia,ivy@quarry.example',
  '"nia"@quarry.example',
  'nia\u200b@quarry.example',
  'nia\u202e@quarry.example',
  'nia@quarry.example\r\nBcc:ivy@quarry.example',
])('%j is no e-mail address', async (email) => {
  const refused = await tenant.http('POST', '/v1/users', input({ email }));
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['email']]);
});

test('preferences change by event', async () => {
  const user = await tenant.must('POST', '/v1/users', input(), admin);
  const patch = async (notifications: object | null) =>
    (await tenant.must('PATCH', `/v1/users/${user.id}`, { preferences: { notifications } }, admin)).preferences;
  await patch({ job_canceled: ['sms', 'push'], order_accepted: [] });
  expect(await patch({ job_canceled: ['push'], new_job_request: ['sms'] })).toEqual({
    notifications: { job_canceled: ['push'], order_accepted: [], new_job_request: ['sms'] },
  });
  expect(await patch({ job_canceled: null })).toEqual({ notifications: { order_accepted: [], new_job_request: ['sms'] } });
  const wrong = await tenant.http('PATCH', `/v1/users/${user.id}`, { preferences: { notifications: { job_canceled: ['pigeon'] } } }, admin);
  expect([wrong.status, fieldsOf(wrong)]).toEqual([422, ['preferences.notifications.job_canceled.0']]);
});

test('people change their own preferences, drivers their own equipment, and neither anything else', async () => {
  const type = await tenant.save(EquipmentType, { company: ref(tenant.company), name: `Type ${++made}` });
  const truck = await tenant.save(Equipment, { company: ref(tenant.company), name: 'T-2', equipmentType: ref(type) });
  const driver = await tenant.person({ roles: ['driver'] });
  const foreman = await tenant.person({ roles: ['foreman'] });
  const patch = async (who: typeof driver, body: object, on = who) =>
    (await tenant.http('PATCH', `/v1/users/${on.user.id}`, body, who.token)).status;
  expect(await patch(driver, { equipment_id: truck.id, time_zone: 'UTC' })).toBe(200);
  expect(await patch(driver, { equipment_id: truck.id }, foreman)).toBe(403);
  expect(await patch(driver, { last_name: 'Other' })).toBe(403);
  expect(await patch(driver, { iam_role_ids: [roles.company_admin] })).toBe(403);
  expect(await patch(foreman, { preferences: { notifications: { job_canceled: [] } } })).toBe(200);
  expect(await patch(foreman, { equipment_id: truck.id })).toBe(403);
});

test('a parent adds people inside a child, where they remain', async () => {
  const child = await makeTenant(app, { company: { parentCompany: ref(tenant.company) } });
  const user = await tenant.must('POST', child.path('/users'), input(), admin);
  expect(user.company.id).toBe(child.company.id);
  const inBody = await tenant.must('POST', '/v1/users', input({ company_id: child.company.id }), admin);
  expect(inBody.company.id).toBe(child.company.id);
  const other = await tenant.http('POST', child.path('/users'), input({ company_id: tenant.company.id }), admin);
  expect([other.status, messageOf(other)]).toEqual([422, 'must be the company of the address']);
  expect((await child.http('PATCH', `/v1/users/${tenant.driver.id}`, { last_name: 'x' })).status).toBe(404);
});
