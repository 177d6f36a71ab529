import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { connect, makeOwner, makePair, mustShare, type Owner, truckOf } from '../../helpers/shares.ts';
import { fieldsOf, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const owner = (company: object = {}): Promise<Owner> => makeOwner(app, company);
const pair = (): Promise<[Owner, Owner]> => makePair(app);
const soon = (ms: number) => new Date(Date.now() + ms).toISOString();

test('shares are listed and found from both sides, including expired ones', async () => {
  const [a, b] = await pair();
  const c = await owner();
  await connect(a, c);
  const ab = await mustShare(a, truckOf(a, b));
  const ac = await mustShare(a, truckOf(a, c));
  const ba = await mustShare(b, truckOf(b, a));
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
    expect([both.status, fieldsOf(both)]).toEqual([422, ['filter[between_company_id]']]);
  }
  expect((await a.http('GET', a.path('/company_shares?filter[between_company_id]=7'))).status).toBe(422);
  const of = async (who: Tenant, path: string) => (await who.must('GET', path)).map((one: { id: string }) => one.id).sort();
  expect(await of(a, `/v1/equipment/${a.truck.id}/company_shares`)).toEqual(sorted(ab, ac));
  // The receiver sees its own share, but not those with others.
  expect(await of(b, `/v1/equipment/${a.truck.id}/company_shares`)).toEqual(sorted(ab));
  expect((await c.http('GET', `/v1/equipment/${a.truck.id}/company_shares`)).status).toBe(404);
  const driver = await mustShare(a, {
    receiver_company_id: b.company.id,
    company_shareable_id: a.driver.id,
    company_shareable_type: 'User',
  });
  const site = await mustShare(a, { receiver_company_id: b.company.id, company_shareable_id: a.pickup.id, company_shareable_type: 'Site' });
  expect(await of(a, `/v1/drivers/${a.driver.id}/company_shares`)).toEqual(sorted(driver));
  expect(await of(a, a.path(`/foremen/${a.driver.id}/company_shares`))).toEqual(sorted(driver));
  expect(await of(b, b.path(`/sites/${a.pickup.id}/company_shares`))).toEqual(sorted(site));
});

test('an ended share shows the name that its record had then, to those who no longer see the record', async () => {
  const [a, b] = await pair();
  const kinds = [
    {
      type: 'User',
      id: a.driver.id,
      path: `/v1/users/${a.driver.id}`,
      named: (name: string) => ({ first_name: name, last_name: 'Wheel' }),
    },
    { type: 'Equipment', id: a.truck.id, path: `/v1/equipment/${a.truck.id}`, named: (name: string) => ({ name }) },
    { type: 'Site', id: a.pickup.id, path: `/v1/sites/${a.pickup.id}`, named: (name: string) => ({ name }) },
  ];
  for (const { type, id, path, named } of kinds) {
    const rename = (name: string) => a.must('PATCH', path, named(name));
    const { id: shared } = await mustShare(a, {
      receiver_company_id: b.company.id,
      company_shareable_id: id,
      company_shareable_type: type,
    });
    const end = (at: string | null) => a.must('PATCH', a.path(`/company_shares/${shared}`), { expires_at: at });
    const reported = async (who: Tenant) => {
      const one = (await who.must('GET', who.path(`/company_shares/${shared}`))).company_shareable.name;
      const listed = await who.must('GET', who.path(`/company_shares?filter[company_shareable_id]=${id}`));
      const text = 'query($id: ID!) { companyShare(id: $id) { companyShareable { name } } }';
      const { companyShare } = (await who.gql(text, { id: shared })).data;
      expect([listed[0].company_shareable.name, companyShare.companyShareable.name]).toEqual([one, one]);
      return one.replace(' Wheel', '');
    };
    await rename('First');
    expect([type, await reported(a), await reported(b)]).toEqual([type, 'First', 'First']);
    await end(soon(-1));
    await rename('Second');
    await rename('Third');
    expect([type, await reported(a), await reported(b)]).toEqual([type, 'Third', 'First']);
    await end(null);
    expect([type, await reported(b)]).toEqual([type, 'Third']);
    await end(soon(-1));
    await rename('Fourth');
    expect([type, await reported(a), await reported(b)]).toEqual([type, 'Fourth', 'Third']);
  }
});

test('trucks are listed by owner and by whether they are dispatchable', async () => {
  const [a, b] = await pair();
  const c = await owner();
  await connect(c, b);
  await mustShare(a, truckOf(a, b));
  await mustShare(c, truckOf(c, b, { dispatchable: true }));
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
  const { id } = await mustShare(a, { ...body(a.driver.id), expires_at: soon(3_600_000) });
  const { id: ofForeman } = await mustShare(a, body(foreman.user.id));
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
  // Wherever the driver is named, so is the truck that the receiver chose, and nothing while it chose none.
  const shareIn = async (): Promise<object> => {
    const offered = await b.must('GET', b.path('/drivers/typeahead'));
    return offered.find((one: { id: string }) => one.id === a.driver.id).company_share;
  };
  expect(await shareIn()).toMatchObject({ id, default_equipment: { id: b.truck.id, name: 'Truck 7' } });
  await b.must('PATCH', b.path(`/company_shares/${id}`), { default_equipment_id: null });
  expect(Object.keys(await shareIn())).not.toContain('default_equipment');
  const truck = (await b.must('GET', b.path(`/drivers/${a.driver.id}`))).company_share;
  expect(Object.keys(truck)).not.toContain('default_equipment');
  // The names of their roles are visible in their own company.
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
  expect(await b.must('GET', b.path('/foremen/typeahead'))).toMatchObject([
    { id: foreman.user.id, company_share: { id: ofForeman, sender_company: { id: a.company.id } } },
  ]);
  expect(await ids('/users')).toEqual(of(b.driver));
  expect((await b.http('GET', `/v1/users/${a.driver.id}`)).status).toBe(404);
  await a.must('PATCH', a.path(`/company_shares/${id}`), { expires_at: soon(-1), dispatchable: false });
  expect(await ids('/drivers')).toEqual(of(b.driver));
  expect((await b.http('GET', b.path(`/drivers/${a.driver.id}`))).status).toBe(404);
  await a.must('PATCH', a.path(`/company_shares/${id}`), { expires_at: null });
  expect(await ids('/drivers?filter[dispatchable]=true')).toEqual(of(b.driver));
});
