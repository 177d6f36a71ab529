import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../src/directory/equipment.entity.ts';
import { EquipmentType } from '../../src/directory/equipment-type.entity.ts';
import { type Answer, startTestApp, type TestApp } from '../helpers/app.ts';
import { fieldsOf, makeYard, type Yard } from '../helpers/yard.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** A company with a truck to share. */
interface Owner extends Yard {
  truck: Equipment;
}
async function owner(company: object = {}): Promise<Owner> {
  const yard = await makeYard(app, { company });
  const own = { company: ref(yard.company) };
  const type = await yard.save(EquipmentType, { ...own, name: 'Tandem' });
  return { ...yard, truck: await yard.save(Equipment, { ...own, name: 'Truck 7', equipmentType: ref(type), accountingId: 'A-7' }) };
}
const connect = (yard: Yard, other: Yard) =>
  yard.must('POST', yard.path('/accounts/connected'), { platform_id: other.company.platformId, account_types: ['vendor'] });
async function pair(): Promise<[Owner, Owner]> {
  const [a, b] = [await owner(), await owner()];
  await connect(a, b);
  return [a, b];
}
const truckOf = (from: Owner, to: Yard, more: object = {}) => ({
  receiver_company_id: to.company.id,
  company_shareable_id: from.truck.id,
  company_shareable_type: 'Equipment',
  ...more,
});
const share = (from: Yard, body: object, token?: string): Promise<Answer> => from.http('POST', from.path('/company_shares'), body, token);
const must = async (from: Yard, body: object) => {
  const answer = await share(from, body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data;
};
const sees = async (yard: Yard, truck: Equipment): Promise<boolean> => {
  const [one, listed] = [
    await yard.http('GET', yard.path(`/equipment/${truck.id}`)),
    (await yard.must('GET', yard.path('/equipment?page[limit]=100'))).some((each: { id: string }) => each.id === truck.id),
  ];
  expect([one.status, listed]).toEqual(listed ? [200, true] : [404, false]);
  return listed;
};
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

test('a share has every field, and defaults by what is shared', async () => {
  const [a, b] = await pair();
  const expires_at = soon(3_600_000);
  const made = await must(a, truckOf(a, b, { expires_at, ticket_match_id: 'T7', rate_override: true }));
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
  expect(await must(a, person)).toMatchObject({ dispatchable: true, rate_override: false, company_shareable: { name: 'Dora Wheel' } });
  const site = { receiver_company_id: b.company.id, company_shareable_id: a.pickup.id, company_shareable_type: 'Site', dispatchable: true };
  expect(await must(a, site)).toMatchObject({ dispatchable: true, company_shareable: { name: 'Quarry', type: 'Site' } });
});

test('the receiver sees what is shared, marked as shared and without what is internal, and nothing else of the sender', async () => {
  const [a, b] = await pair();
  const other = await a.save(Equipment, { company: ref(a.company), name: 'Truck 8', equipmentType: a.truck.equipmentType });
  expect(await sees(b, a.truck)).toBe(false);
  const { id } = await must(a, truckOf(a, b));
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
  await must(a, { receiver_company_id: b.company.id, company_shareable_id: a.pickup.id, company_shareable_type: 'Site' });
  expect(await b.must('GET', `/v1/sites/${a.pickup.id}`)).toMatchObject({
    name: 'Quarry',
    company_share: { sender_company: { id: a.company.id } },
  });
  expect((await b.http('GET', `/v1/sites/${a.dropoff.id}`)).status).toBe(404);
  // One way, and to nobody else.
  expect(await sees(a, b.truck)).toBe(false);
  expect(await sees(await owner(), a.truck)).toBe(false);
});

test('a parent of the receiver sees it through the child, the sender only where it is', async () => {
  const top = await makeYard(app);
  const [a, b] = [await owner(), await owner({ parentCompany: ref(top.company) })];
  await connect(a, b);
  await must(a, truckOf(a, b));
  expect((await top.http('GET', b.path(`/equipment/${a.truck.id}`))).status).toBe(200);
  expect((await top.http('GET', top.path(`/equipment/${a.truck.id}`))).status).toBe(404);
});

test('an expired share is gone at once, wherever it was seen', async () => {
  const [a, b] = await pair();
  const { id } = await must(a, truckOf(a, b, { expires_at: soon(1500) }));
  expect(await sees(b, a.truck)).toBe(true);
  await new Promise((wake) => setTimeout(wake, 1600));
  expect(await sees(b, a.truck)).toBe(false);
  // Given a new end it is back, and ended by hand it is gone again.
  await a.must('PATCH', a.path(`/company_shares/${id}`), { expires_at: soon(3_600_000) });
  expect(await sees(b, a.truck)).toBe(true);
  expect((await a.must('PATCH', a.path(`/company_shares/${id}`), { expires_at: soon(-1000) })).id).toBe(id);
  expect(await sees(b, a.truck)).toBe(false);
  // It can be shared anew.
  expect((await must(a, truckOf(a, b))).id).not.toBe(id);
  expect(await sees(b, a.truck)).toBe(true);
});

test('either side ends a share', async () => {
  const [a, b] = await pair();
  for (const who of [a, b]) {
    const { id } = await must(a, truckOf(a, b));
    expect((await who.http('DELETE', who.path(`/company_shares/${id}`))).status).toBe(204);
    expect(await sees(b, a.truck)).toBe(false);
    expect((await who.http('GET', `/v1/company_shares/${id}`)).status).toBe(404);
  }
});

test('what was shared can be shared on, and ends with what it hangs on', async () => {
  const [a, b] = await pair();
  const [c, d] = [await owner(), await owner()];
  await connect(b, c);
  await connect(c, d);
  const first = await must(a, truckOf(a, b, { dispatchable: true }));
  const second = await must(b, truckOf(a, c));
  const third = await must(c, truckOf(a, d, { expires_at: soon(3_600_000) }));
  expect([second.parent_company_share_id, third.parent_company_share_id]).toEqual([first.id, second.id]);
  expect(second.sender_company.id).toBe(b.company.id);
  const all = () => Promise.all([b, c, d].map((yard) => sees(yard, a.truck)));
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

test('a share made beside the end of its parent does not outlive it', async () => {
  for (let round = 0; round < 5; round++) {
    const [a, b] = await pair();
    const c = await owner();
    await connect(b, c);
    const first = await must(a, truckOf(a, b));
    await Promise.all([share(b, truckOf(a, c)), a.http('DELETE', a.path(`/company_shares/${first.id}`))]);
    expect(await sees(c, a.truck)).toBe(false);
  }
});

test('what cannot be shared is told by field', async () => {
  const [a, b] = await pair();
  const stranger = await owner();
  const cases: [Yard, object, string[]][] = [
    [a, truckOf(a, stranger), ['receiver_company_id']],
    [a, truckOf(a, a), ['receiver_company_id']],
    [a, truckOf(stranger, b), ['company_shareable_id']],
    [a, truckOf(a, b, { company_shareable_type: 'Site' }), ['company_shareable_id']],
    [a, truckOf(a, b, { company_shareable_type: 'Company' }), ['company_shareable_type']],
    [a, truckOf(a, b, { expires_at: soon(-1000) }), ['expires_at']],
    [a, truckOf(a, b, { expires_at: 'tomorrow' }), ['expires_at']],
    [a, {}, ['company_shareable_id', 'company_shareable_type', 'receiver_company_id']],
    [b, truckOf(a, a), ['company_shareable_id']],
  ];
  for (const [from, body, fields] of cases) {
    const answer = await share(from, body);
    expect([answer.status, fieldsOf(answer)]).toEqual([422, fields]);
  }
  await must(a, truckOf(a, b));
  for (const [from, body, fields] of [
    [a, truckOf(a, b), ['company_shareable_id']],
    // Back to its owner, and beyond what its owner allowed.
    [b, truckOf(a, a), ['receiver_company_id']],
    [b, truckOf(a, stranger, { dispatchable: true }), ['dispatchable', 'receiver_company_id']],
  ] as [Yard, object, string[]][]) {
    const answer = await share(from, body);
    expect([answer.status, fieldsOf(answer)]).toEqual([422, fields]);
  }
});

test('each side changes what is its own', async () => {
  const [a, b] = await pair();
  const { id } = await must(a, { receiver_company_id: b.company.id, company_shareable_id: a.driver.id, company_shareable_type: 'User' });
  const patch = (who: Yard, body: object) => who.http('PATCH', who.path(`/company_shares/${id}`), body);
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
    [b, { dispatchable: true, rate_override: false, expires_at: null }, ['dispatchable', 'expires_at', 'rate_override']],
    [b, { default_equipment_id: a.truck.id }, ['default_equipment_id']],
    [a, { dispatchable: null }, ['dispatchable']],
  ] as [Yard, object, string[]][]) {
    const answer = await patch(who, body);
    expect([answer.status, fieldsOf(answer)]).toEqual([422, fields]);
  }
  const truck = await must(a, truckOf(a, b));
  const wrong = await b.http('PATCH', b.path(`/company_shares/${truck.id}`), { default_equipment_id: b.truck.id });
  expect([wrong.status, fieldsOf(wrong)]).toEqual([422, ['default_equipment_id']]);
  expect((await a.must('PATCH', a.path(`/company_shares/${truck.id}`), { rate_override: true })).rate_override).toBe(false);
});

test('shares are listed and found from both sides, expired ones too', async () => {
  const [a, b] = await pair();
  const c = await owner();
  await connect(a, c);
  const ab = await must(a, truckOf(a, b));
  const ac = await must(a, truckOf(a, c));
  const ba = await must(b, truckOf(b, a));
  await a.must('PATCH', a.path(`/company_shares/${ac.id}`), { expires_at: soon(-1) });
  const ids = async (query: string) => (await a.must('GET', a.path(`/company_shares${query}`))).map((one: { id: string }) => one.id).sort();
  const sorted = (...list: { id: string }[]) => list.map((one) => one.id).sort();
  expect(await ids('')).toEqual(sorted(ab, ac, ba));
  expect(await ids(`?filter[sender_company_id]=${a.company.id}`)).toEqual(sorted(ab, ac));
  expect(await ids(`?filter[receiver_company_id]=${a.company.id}`)).toEqual(sorted(ba));
  expect(await ids(`?filter[between_company_id]=${b.company.id}`)).toEqual(sorted(ab, ba));
  expect(await ids(`?filter[company_shareable_id]=${a.truck.id}&filter[company_shareable_type]=Equipment`)).toEqual(sorted(ab, ac));
  expect(await ids('?filter[company_shareable_type]=Site')).toEqual([]);
  for (const side of ['sender', 'receiver']) {
    const both = await a.http(
      'GET',
      a.path(`/company_shares?filter[between_company_id]=${b.company.id}&filter[${side}_company_id]=${a.company.id}`),
    );
    expect([both.status, fieldsOf(both)]).toEqual([422, ['filter.between_company_id']]);
  }
  expect((await a.http('GET', a.path('/company_shares?filter[between_company_id]=7'))).status).toBe(422);
  const of = async (who: Yard, path: string) => (await who.must('GET', path)).map((one: { id: string }) => one.id).sort();
  expect(await of(a, `/v1/equipment/${a.truck.id}/company_shares`)).toEqual(sorted(ab, ac));
  // The receiver learns of its own share, not of whom else it is shared with.
  expect(await of(b, `/v1/equipment/${a.truck.id}/company_shares`)).toEqual(sorted(ab));
  expect((await c.http('GET', `/v1/equipment/${a.truck.id}/company_shares`)).status).toBe(404);
  const driver = await must(a, { receiver_company_id: b.company.id, company_shareable_id: a.driver.id, company_shareable_type: 'User' });
  const site = await must(a, { receiver_company_id: b.company.id, company_shareable_id: a.pickup.id, company_shareable_type: 'Site' });
  expect(await of(a, `/v1/drivers/${a.driver.id}/company_shares`)).toEqual(sorted(driver));
  expect(await of(a, a.path(`/foremen/${a.driver.id}/company_shares`))).toEqual(sorted(driver));
  expect(await of(b, b.path(`/sites/${a.pickup.id}/company_shares`))).toEqual(sorted(site));
});

test('trucks are listed by whose they are and whether work may be planned with them', async () => {
  const [a, b] = await pair();
  const c = await owner();
  await connect(c, b);
  await must(a, truckOf(a, b));
  await must(c, truckOf(c, b, { dispatchable: true }));
  const ids = async (query: string) => (await b.must('GET', b.path(`/equipment${query}`))).map((one: { id: string }) => one.id).sort();
  const of = (...trucks: Equipment[]) => trucks.map((one) => one.id).sort();
  expect(await ids('')).toEqual(of(a.truck, b.truck, c.truck));
  expect(await ids('?filter[shared]=true')).toEqual(of(a.truck, c.truck));
  expect(await ids('?filter[shared]=false')).toEqual(of(b.truck));
  expect(await ids('?filter[dispatchable]=true')).toEqual(of(b.truck, c.truck));
  expect(await ids(`?filter[sender_company_ids][]=${a.company.id}`)).toEqual(of(a.truck));
  expect(await ids(`?filter[equipment_type_ids][]=${c.truck.equipmentType.id}`)).toEqual(of(c.truck));
  expect(await b.must('GET', b.path('/equipment?search[datagrid]=nothing'))).toEqual([]);
});

test('shared people are among the drivers and foremen of the receiver, not among its users', async () => {
  const [a, b] = await pair();
  const foreman = await a.person({ firstName: 'Fay', roles: ['foreman'] });
  const body = (id: string) => ({ receiver_company_id: b.company.id, company_shareable_id: id, company_shareable_type: 'User' });
  const { id } = await must(a, { ...body(a.driver.id), expires_at: soon(3_600_000) });
  await must(a, body(foreman.user.id));
  await b.must('PATCH', b.path(`/company_shares/${id}`), { external_id: 'D-1', default_equipment_id: b.truck.id });
  const driver = await b.must('GET', b.path(`/drivers/${a.driver.id}`));
  expect(driver).toMatchObject({
    company: { id: a.company.id },
    labels: [],
    company_share: {
      id,
      external_id: 'D-1',
      sender_company: { id: a.company.id },
      default_equipment: { name: 'Truck 7' },
      receiver_account: { name: a.company.legalName, company: { id: b.company.id } },
    },
  });
  // What their roles are called at home is told there.
  const roles = 'query($id: ID!) { driver(id: $id) { iamRoles { name } } }';
  expect((await b.gql(roles, { id: a.driver.id })).data.driver.iamRoles).toEqual([]);
  expect((await a.gql(roles, { id: a.driver.id })).data.driver.iamRoles).toEqual([{ name: 'Driver' }]);
  const ids = async (path: string) => (await b.must('GET', b.path(path))).map((one: { id: string }) => one.id).sort();
  const of = (...people: { id: string }[]) => people.map((one) => one.id).sort();
  expect(await ids('/drivers')).toEqual(of(a.driver, b.driver));
  expect(await ids('/drivers?filter[shared]=true')).toEqual(of(a.driver));
  expect(await ids('/drivers?filter[shared]=false')).toEqual(of(b.driver));
  expect(await ids('/drivers?filter[expiring]=true')).toEqual(of(a.driver));
  expect(await ids('/drivers?filter[dispatchable]=true')).toEqual(of(a.driver, b.driver));
  expect(await ids('/drivers?filter[sender_company_types][]=hauler')).toEqual(of(a.driver));
  expect(await ids('/drivers?filter[sender_company_types][]=broker')).toEqual([]);
  expect(await ids('/foremen')).toEqual(of(foreman.user));
  expect(await ids('/users')).toEqual(of(b.driver));
  expect((await b.http('GET', `/v1/users/${a.driver.id}`)).status).toBe(404);
  await a.must('PATCH', a.path(`/company_shares/${id}`), { expires_at: soon(-1), dispatchable: false });
  expect(await ids('/drivers')).toEqual(of(b.driver));
  expect((await b.http('GET', b.path(`/drivers/${a.driver.id}`))).status).toBe(404);
  await a.must('PATCH', a.path(`/company_shares/${id}`), { expires_at: null });
  expect(await ids('/drivers?filter[dispatchable]=true')).toEqual(of(b.driver));
});

test('who may share, change and end shares follows the roles', async () => {
  const [a, b] = await pair();
  const { id } = await must(a, truckOf(a, b));
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
  const top = await makeYard(app);
  const [a, b] = [await owner({ parentCompany: ref(top.company) }), await owner()];
  await connect(a, b);
  await must(a, truckOf(a, b));
  expect((await top.http('DELETE', `/v1/companies/${a.company.id}`)).status).toBe(204);
  expect(await sees(b, a.truck)).toBe(false);
});
