import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { User } from '../../../src/directory/people/user.entity.ts';
import { CompanyShare } from '../../../src/directory/shares/company-share.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { connect, makeOwner, makePair, mustShare, type Owner, sees, share, truckOf } from '../../helpers/shares.ts';
import { fieldsOf, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const owner = (company: object = {}): Promise<Owner> => makeOwner(app, company);
const pair = (): Promise<[Owner, Owner]> => makePair(app);
const soon = (ms: number) => new Date(Date.now() + ms).toISOString();
const FIELDS = [
  'company_shareable',
  'company_shareable_id',
  'company_shareable_type',
  'created_at',
  'dispatchable',
  'expires_at',
  'external_id',
  'id',
  'parent_company_share_id',
  'rate_override',
  'receiver_company',
  'schedule_on',
  'sender_company',
  'ticket_match_id',
  'updated_at',
];

test('a share has every field, and defaults by the type of its record', async () => {
  const [a, b] = await pair();
  const expires_at = soon(3_600_000);
  const made = await mustShare(a, truckOf(a, b, { expires_at, ticket_match_id: 'T7', rate_override: true }));
  expect(Object.keys(made).sort()).toEqual(FIELDS);
  expect(made).toMatchObject({
    sender_company: { id: a.company.id, platform_id: a.company.platformId },
    receiver_company: { id: b.company.id },
    company_shareable: { id: a.truck.id, name: 'Truck 7', type: 'Equipment' },
    dispatchable: false,
    rate_override: false,
    schedule_on: false,
    external_id: null,
    ticket_match_id: 'T7',
    parent_company_share_id: null,
    expires_at,
  });
  const person = { receiver_company_id: b.company.id, company_shareable_id: a.driver.id, company_shareable_type: 'User' };
  expect(await mustShare(a, person)).toMatchObject({ dispatchable: true, rate_override: false, company_shareable: { name: 'Dora Wheel' } });
  const site = { receiver_company_id: b.company.id, company_shareable_id: a.pickup.id, company_shareable_type: 'Site', dispatchable: true };
  expect(await mustShare(a, site)).toMatchObject({ dispatchable: true, company_shareable: { name: 'Quarry', type: 'Site' } });
});

test('the receiver sees the shared record, marked as shared and without internal fields, and nothing else of the sender', async () => {
  const [a, b] = await pair();
  const other = await a.save(Equipment, { company: ref(a.company), name: 'Truck 8', equipmentType: a.truck.equipmentType });
  expect(await sees(b, a.truck)).toBe(false);
  const { id } = await mustShare(a, truckOf(a, b));
  expect(await sees(b, a.truck)).toBe(true);
  expect(await sees(b, other)).toBe(false);
  const seen = await b.must('GET', `/v1/equipment/${a.truck.id}`);
  expect(seen).toMatchObject({
    name: 'Truck 7',
    company: { id: a.company.id },
    company_share: { id, dispatchable: false },
    accounting_id: null,
  });
  expect(await a.must('GET', `/v1/equipment/${a.truck.id}`)).toMatchObject({ company_share: null, accounting_id: 'A-7' });
  expect((await b.http('GET', `/v1/sites/${a.pickup.id}`)).status).toBe(404);
  await mustShare(a, { receiver_company_id: b.company.id, company_shareable_id: a.pickup.id, company_shareable_type: 'Site' });
  expect(await b.must('GET', `/v1/sites/${a.pickup.id}`)).toMatchObject({
    name: 'Quarry',
    company_share: { sender_company: { id: a.company.id } },
  });
  expect((await b.http('GET', `/v1/sites/${a.dropoff.id}`)).status).toBe(404);
  // One way, and to nobody else.
  expect(await sees(a, b.truck)).toBe(false);
  expect(await sees(await owner(), a.truck)).toBe(false);
});

test('a parent of the receiver sees it through the child, the sender only at itself', async () => {
  const top = await makeTenant(app);
  const [a, b] = [await owner(), await owner({ parentCompany: ref(top.company) })];
  await connect(a, b);
  await mustShare(a, truckOf(a, b));
  expect((await top.http('GET', b.path(`/equipment/${a.truck.id}`))).status).toBe(200);
  expect((await top.http('GET', top.path(`/equipment/${a.truck.id}`))).status).toBe(404);
});

test('an expired share disappears at once, everywhere', async () => {
  const [a, b] = await pair();
  const { id } = await mustShare(a, truckOf(a, b, { expires_at: soon(60_000) }));
  expect(await sees(b, a.truck)).toBe(true);
  // As if a minute had passed: nobody does anything when the time comes.
  await app.orm.em.fork().nativeUpdate(CompanyShare, { id }, { expiresAt: new Date() }, { filters: { tenant: false } });
  expect(await sees(b, a.truck)).toBe(false);
  // With a new end it is valid again, and ended explicitly it is gone again.
  await a.must('PATCH', a.path(`/company_shares/${id}`), { expires_at: soon(3_600_000) });
  expect(await sees(b, a.truck)).toBe(true);
  expect((await a.must('PATCH', a.path(`/company_shares/${id}`), { expires_at: soon(-1000) })).id).toBe(id);
  expect(await sees(b, a.truck)).toBe(false);
  // It can be shared anew.
  expect((await mustShare(a, truckOf(a, b))).id).not.toBe(id);
  expect(await sees(b, a.truck)).toBe(true);
});

test('either side ends a share', async () => {
  const [a, b] = await pair();
  for (const who of [a, b]) {
    const { id } = await mustShare(a, truckOf(a, b));
    expect((await who.http('DELETE', who.path(`/company_shares/${id}`))).status).toBe(204);
    expect(await sees(b, a.truck)).toBe(false);
    expect((await who.http('GET', `/v1/company_shares/${id}`)).status).toBe(404);
  }
});

test('a shared record can be shared further, and that share ends with the first', async () => {
  const [a, b] = await pair();
  const [c, d] = [await owner(), await owner()];
  await connect(b, c);
  await connect(c, d);
  const first = await mustShare(a, truckOf(a, b, { dispatchable: true }));
  const second = await mustShare(b, truckOf(a, c));
  const third = await mustShare(c, truckOf(a, d, { expires_at: soon(3_600_000) }));
  expect([second.parent_company_share_id, third.parent_company_share_id]).toEqual([first.id, second.id]);
  expect(second.sender_company.id).toBe(b.company.id);
  const all = () => Promise.all([b, c, d].map((tenant) => sees(tenant, a.truck)));
  expect(await all()).toEqual([true, true, true]);
  const end = (expires_at: string | null) => a.must('PATCH', a.path(`/company_shares/${first.id}`), { expires_at });
  await end(soon(-1));
  expect(await all()).toEqual([false, false, false]);
  await end(null);
  expect(await all()).toEqual([true, true, true]);
  await b.must('PATCH', b.path(`/company_shares/${second.id}`), { expires_at: soon(-1) });
  expect(await all()).toEqual([true, false, false]);
  await b.must('PATCH', b.path(`/company_shares/${second.id}`), { expires_at: null });
  expect((await a.http('DELETE', a.path(`/company_shares/${first.id}`))).status).toBe(204);
  expect(await all()).toEqual([false, false, false]);
  expect(await d.must('GET', d.path('/company_shares'))).toEqual([]);
  const rows = await app.orm.em
    .getConnection()
    .execute<{ company_id: string }[]>(
      "select company_id from audit_entry where subject_type = 'CompanyShare' and event = 'destroy' and company_id in (?, ?, ?)",
      [a.company.id, b.company.id, c.company.id],
    );
  expect(rows.map((row) => row.company_id).sort()).toEqual([a.company.id, b.company.id, c.company.id].sort());
});

test('a share that is created while its parent ends does not outlive it', async () => {
  for (let round = 0; round < 5; round++) {
    const [a, b] = await pair();
    const c = await owner();
    await connect(b, c);
    const first = await mustShare(a, truckOf(a, b));
    await Promise.all([share(b, truckOf(a, c)), a.http('DELETE', a.path(`/company_shares/${first.id}`))]);
    expect(await sees(c, a.truck)).toBe(false);
  }
});

test('records that cannot be shared are reported by field', async () => {
  const [a, b] = await pair();
  const stranger = await owner();
  const clerk = await a.save(User, { company: ref(a.company), firstName: 'Ada', lastName: 'Clerk', roles: ['accountant'] });
  const cases: [Tenant, object, string[]][] = [
    [a, truckOf(a, stranger), ['receiver_company_id']],
    [a, truckOf(a, a), ['receiver_company_id']],
    [a, truckOf(stranger, b), ['company_shareable_id']],
    [a, truckOf(a, b, { company_shareable_type: 'Site' }), ['company_shareable_id']],
    [a, truckOf(a, b, { company_shareable_type: 'Company' }), ['company_shareable_type']],
    [a, truckOf(a, b, { company_shareable_id: clerk.id, company_shareable_type: 'User' }), ['company_shareable_id']],
    [a, truckOf(a, b, { expires_at: soon(-1000) }), ['expires_at']],
    [a, truckOf(a, b, { expires_at: 'tomorrow' }), ['expires_at']],
    [a, {}, ['company_shareable_id', 'company_shareable_type', 'receiver_company_id']],
    [b, truckOf(a, a), ['company_shareable_id']],
  ];
  for (const [from, body, fields] of cases) {
    const answer = await share(from, body);
    expect([answer.status, fieldsOf(answer)]).toEqual([422, fields]);
  }
  await mustShare(a, truckOf(a, b));
  for (const [from, body, fields] of [
    [a, truckOf(a, b), ['company_shareable_id']],
    // Back to its owner, and beyond what its owner allowed.
    [b, truckOf(a, a), ['receiver_company_id']],
    [b, truckOf(a, stranger, { dispatchable: true }), ['dispatchable', 'receiver_company_id']],
  ] as [Tenant, object, string[]][]) {
    const answer = await share(from, body);
    expect([answer.status, fieldsOf(answer)]).toEqual([422, fields]);
  }
});

test('each side changes its own fields', async () => {
  const [a, b] = await pair();
  const { id } = await mustShare(a, {
    receiver_company_id: b.company.id,
    company_shareable_id: a.driver.id,
    company_shareable_type: 'User',
  });
  const patch = (who: Tenant, body: object) => who.http('PATCH', who.path(`/company_shares/${id}`), body);
  expect((await patch(a, { dispatchable: false, rate_override: true, ticket_match_id: 'M' })).body.data).toMatchObject({
    dispatchable: false,
    rate_override: true,
    ticket_match_id: 'M',
  });
  const received = {
    external_id: 'DRV-1',
    schedule_on: true,
    default_equipment_id: b.truck.id,
    default_additional_equipment_ids: [b.truck.id],
  };
  expect((await patch(b, received)).body.data).toMatchObject({ external_id: 'DRV-1', schedule_on: true });
  const { data } = await b.gql(
    'query($id: ID!) { companyShare(id: $id) { defaultEquipment { name } defaultAdditionalEquipment { name } receiverAccount { name } } }',
    { id },
  );
  expect(data.companyShare).toEqual({
    defaultEquipment: { name: 'Truck 7' },
    defaultAdditionalEquipment: [{ name: 'Truck 7' }],
    receiverAccount: { name: a.company.legalName },
  });
  for (const [who, body, fields] of [
    [a, { external_id: 'X', schedule_on: false, default_equipment_id: null }, ['default_equipment_id', 'external_id', 'schedule_on']],
    [b, { dispatchable: true, rate_override: false, expires_at: soon(60_000) }, ['dispatchable', 'expires_at', 'rate_override']],
    [b, { default_equipment_id: a.truck.id }, ['default_equipment_id']],
    [a, { dispatchable: null }, ['dispatchable']],
  ] as [Tenant, object, string[]][]) {
    const answer = await patch(who, body);
    expect([answer.status, fieldsOf(answer)]).toEqual([422, fields]);
  }
  const truck = await mustShare(a, truckOf(a, b));
  const wrong = await b.http('PATCH', b.path(`/company_shares/${truck.id}`), { default_equipment_id: b.truck.id });
  expect([wrong.status, fieldsOf(wrong)]).toEqual([422, ['default_equipment_id']]);
  expect((await a.must('PATCH', a.path(`/company_shares/${truck.id}`), { rate_override: true })).rate_override).toBe(false);
});

test('the roles decide who may create, change and end shares', async () => {
  const [a, b] = await pair();
  const { id } = await mustShare(a, truckOf(a, b));
  const path = a.path(`/company_shares/${id}`);
  const site = { receiver_company_id: b.company.id, company_shareable_id: a.pickup.id, company_shareable_type: 'Site' };
  const allowed: Record<string, number[]> = {
    dispatcher: [201, 200, 204],
    it_admin: [201, 200, 204],
    manager: [403, 200, 403],
    biller: [403, 403, 403],
    foreman: [403, 403, 403],
    driver: [403, 403, 403],
  };
  for (const [role, statuses] of Object.entries(allowed)) {
    const { token } = await a.person({ roles: [role] });
    const made = await share(a, site, token);
    const changed = await a.http('PATCH', path, { ticket_match_id: role }, token);
    const ended = await a.http('DELETE', a.path(`/company_shares/${made.body.data?.id ?? id}`), undefined, token);
    expect([role, made.status, changed.status, ended.status]).toEqual([role, ...statuses]);
  }
  const stranger = await owner();
  for (const method of ['GET', 'PATCH', 'DELETE'])
    expect((await stranger.http(method, `/v1/company_shares/${id}`, method === 'PATCH' ? {} : undefined)).status).toBe(404);
  expect((await stranger.http('GET', path)).status).toBe(404);
});

test('a discarded company shares nothing any more', async () => {
  const top = await makeTenant(app);
  const [a, b] = [await owner({ parentCompany: ref(top.company) }), await owner()];
  await connect(a, b);
  await mustShare(a, truckOf(a, b));
  expect((await top.http('DELETE', `/v1/companies/${a.company.id}`)).status).toBe(204);
  expect(await sees(b, a.truck)).toBe(false);
});

test('either side sends a share back as it read it, to change a field of its own', async () => {
  const [a, b] = await pair();
  const { id } = await mustShare(a, truckOf(a, b, { dispatchable: true, expires_at: soon(3_600_000) }));
  const path = `/v1/company_shares/${id}`;
  await b.must('PATCH', path, { external_id: 'OURS', schedule_on: true });
  const asSender = await a.must('GET', path);
  expect(await a.must('PATCH', path, { ...asSender, dispatchable: false })).toMatchObject({ dispatchable: false, external_id: 'OURS' });
  const asReceiver = await b.must('GET', path);
  expect(await b.must('PATCH', path, { ...asReceiver, external_id: 'MINE' })).toMatchObject({
    ...{ external_id: 'MINE', schedule_on: true, dispatchable: false },
    expires_at: asSender.expires_at,
  });
  expect(fieldsOf(await a.http('PATCH', path, { ...asSender, external_id: 'THEIRS' }))).toEqual(['external_id']);
  expect(fieldsOf(await b.http('PATCH', path, { ...asReceiver, dispatchable: true }))).toEqual(['dispatchable']);
});
