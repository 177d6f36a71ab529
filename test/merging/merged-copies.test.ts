import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Company } from '../../src/directory/companies/company.entity.ts';
import { User } from '../../src/directory/people/user.entity.ts';
import { endOf, feedOf, Replica } from '../events/follower.ts';
import { subscribed } from '../events/subscribed.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { acceptedOrder, machineToken, makeStaffedTenant, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { fieldsOf, inviteInput } from '../helpers/tenant.ts';
import { accountOf, type Json, materialOf, merged, truckOf, undo } from './merging.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

const sql = (text: string, values: unknown[] = []): Promise<Json[]> => app.orm.em.fork().getConnection().execute(text, values);

/** Two accounts and two drivers, the second of whom has a truck; and one of each that was deleted. */
async function doubled(of: StaffedTenant) {
  const truck = await truckOf(of, { name: 'T-1' });
  const driver = (lastName: string, more: object = {}) =>
    of.save(User, { company: ref(of.company), firstName: 'Dan', lastName, roles: ['driver'], ...more });
  const accounts = [await accountOf(of, { name: 'ACME' }), await accountOf(of, { name: 'Acme Inc' })] as const;
  const drivers = [await driver('Kept'), await driver('Former', { defaultEquipment: ref(truck) })] as const;
  const [account, person] = [await accountOf(of, { name: 'Gone' }), await driver('Gone')];
  await of.admin.must('DELETE', `/v1/accounts/${account.id}`);
  await of.admin.must('DELETE', `/v1/users/${person.id}`);
  return { truck, accounts, drivers, deleted: [`Account ${account.id}`, `User ${person.id}`] };
}

/** The ids under which the rows of the merged records of a company are kept, by type. */
async function remainsOf(of: StaffedTenant): Promise<{ Account: string; User: string }> {
  const rows = await sql('select record_type as type, remains_id as id from merged_record where company_id = ?', [of.company.id]);
  return Object.fromEntries(rows.map(({ type, id }) => [type, id])) as { Account: string; User: string };
}

const keysOf = ({ records }: Replica): string[] => [...records.keys()].sort();

test('a snapshot has what a follower of the feed has, deleted records too, and nothing of what is left of merged ones', async () => {
  const of = await makeStaffedTenant(app);
  const { truck, accounts, drivers, deleted } = await doubled(of);
  const readers = [of.admin.token, of.driver.token];
  const copies: Replica[] = [];
  for (const token of readers) copies.push(await new Replica(of, token).begin());
  const [ofAdmin] = copies as [Replica];
  const compare = async () => {
    for (const [at, copy] of copies.entries()) {
      await copy.follow();
      expect([at, keysOf(await new Replica(of, readers[at]).begin())]).toEqual([at, keysOf(copy)]);
    }
  };
  await compare();
  const before = keysOf(ofAdmin);
  expect(before).toEqual(expect.arrayContaining(deleted));
  const merges = [
    await merged(of, 'accounts', accounts[0].id, [accounts[1].id]),
    await merged(of, 'users', drivers[0].id, [drivers[1].id]),
  ];
  await compare();
  expect(keysOf(ofAdmin)).toEqual(expect.arrayContaining(deleted));
  const remains = await remainsOf(of);
  const ids = Object.values(remains);
  expect(ids).toHaveLength(2);
  // What is left of the driver changes with the truck that they had.
  await of.admin.must('DELETE', `/v1/equipment/${truck.id}`);
  expect(await sql('select default_equipment_id as truck from app_user where id = ?', [remains.User])).toEqual([{ truck: null }]);
  const { body } = await feedOf(of, `?after=${ofAdmin.position}&limit=100`, of.admin.token);
  expect(body.data.filter(({ type, id }: Json) => ids.includes(id) || type === 'Equipment')).toMatchObject([
    { event: 'removed', id: truck.id },
  ]);
  await compare();
  for (const { id } of merges.toReversed()) expect((await undo(of, id)).status).toBe(200);
  await compare();
  const merging = new Set([`Equipment ${truck.id}`, ...merges.map(({ id }) => `RecordMerge ${id}`)]);
  expect(keysOf(ofAdmin).filter((key) => !merging.has(key))).toEqual(before.filter((key) => !merging.has(key)));
});

test('what is left of a merged record is not read, changed or used again by its id', async () => {
  const of = await makeStaffedTenant(app);
  const { accounts, drivers } = await doubled(of);
  await merged(of, 'accounts', accounts[0].id, [accounts[1].id]);
  const { id: merge } = await merged(of, 'users', drivers[0].id, [drivers[1].id]);
  const { Account: account, User: driver } = await remainsOf(of);
  const rows = () =>
    sql('select to_jsonb(t) as row from account t where id = ? union all select to_jsonb(t) from app_user t where id = ?', [
      account,
      driver,
    ]);
  const before = await rows();
  expect(before).toHaveLength(2);
  const doors: [method: string, path: string, body?: object][] = [
    ['GET', `/v1/accounts/${account}`],
    ['GET', `/v1/users/${driver}`],
    ['GET', of.path(`/drivers/${driver}`)],
    ['PATCH', `/v1/accounts/${account}`, { notes: 'Found' }],
    ['PATCH', `/v1/users/${driver}`, { first_name: 'Found' }],
    ['PUT', `/v1/users/${driver}/reactivate`, {}],
    ['DELETE', `/v1/users/${driver}`],
    ['DELETE', `/v1/accounts/${account}`],
    ['GET', of.path(`/accounts/${account}/billing_profile`)],
    ['GET', of.path(`/accounts/${account}/compliance_documents/checklist`)],
    ['GET', `/v1/accounts/${account}/scheduled_time_offs`],
    ['PUT', `/v1/accounts/${account}/scheduled_time_offs/unavailable`, {}],
    ['GET', of.path(`/users/${driver}/compliance_documents`)],
    ['GET', of.path(`/users/${driver}/location_histories`)],
    ['GET', of.path(`/drivers/${driver}/company_shares`)],
    ['GET', `/v1/users/${driver}/resource_scopes`],
    ['GET', `/v1/users/${driver}/sessions`],
    ['PUT', `/v1/users/${driver}/invite/sms`, {}],
    ['PUT', of.path(`/users/${driver}/merge`), { other_ids: [drivers[0].id] }],
  ];
  for (const [method, path, body] of doors)
    expect([method, path, (await of.admin.http(method, path, body)).status]).toEqual([method, path, 404]);
  const query = 'query($ids: [ID!]!) { nodes(ids: $ids) { id } }';
  const { body } = await app.graphql(query, { ids: [account, driver, accounts[1].id] }, { token: of.admin.token });
  expect(body.data.nodes).toEqual([null, null, { id: accounts[0].id }]);
  expect(await rows()).toEqual(before);
  // The merged driver comes back with the undo, and with nothing else.
  expect((await undo(of, merge)).status).toBe(200);
  expect(await of.admin.must('GET', `/v1/users/${drivers[1].id}`)).toMatchObject({ id: drivers[1].id, discarded_at: null });
});

test('a company that manages another one finds nothing by such an id either', async () => {
  const of = await makeStaffedTenant(app);
  const { connected_company: managed } = await of.admin.must('POST', '/v1/accounts/invite', inviteInput());
  const at = (rest: string) => of.path(`/managed_companies/${managed.id}${rest}`);
  await of.admin.must('PUT', at(''), {});
  const driver = (last_name: string) =>
    of.save(User, { company: ref(Company, managed.id), firstName: 'Mina', lastName: last_name, roles: ['driver'] });
  const [kept, former] = [await driver('Kept'), await driver('Former')];
  const token = await machineToken({ ...of, company: { ...of.company, id: managed.id } }, ['delete_user']);
  const path = `/v1/companies/${managed.id}/users/${kept.id}/merge`;
  const { status } = await app.http('PUT', path, { body: { other_ids: [former.id] }, token });
  expect(status).toBe(200);
  const [{ id }] = (await sql('select remains_id as id from merged_record where former_id = ?', [former.id])) as [Json];
  const found = async (one: string) => {
    const answers = [await of.admin.http('GET', at(`/users/${one}`)), await of.admin.http('GET', at(`/drivers/${one}`))];
    return answers.map(({ status, body }) => [status, body.data?.id]);
  };
  expect(await found(id)).toEqual([
    [404, undefined],
    [404, undefined],
  ]);
  expect(await found(former.id)).toEqual([
    [200, kept.id],
    [200, kept.id],
  ]);
});

test('nothing that is written names what is left of a merged record, so that its merge can be undone', async () => {
  const of = await makeStaffedTenant(app);
  const vendor = { accountTypes: ['vendor'] };
  const pairs = {
    accounts: [await accountOf(of, { name: 'ACME', ...vendor }), await accountOf(of, { name: 'Acme Inc', ...vendor })],
    equipment: [await truckOf(of, { name: 'T-1' }), await truckOf(of, { name: 'T 1' })],
    materials: [await materialOf(of, { name: 'Flex base' }), await materialOf(of, { name: 'Flexbase' })],
  } as const;
  const done: string[] = [];
  for (const path of ['accounts', 'equipment', 'materials'] as const)
    done.push((await merged(of, path, pairs[path][0].id, [pairs[path][1].id])).id);
  const rows = await sql('select record_type as type, remains_id as id from merged_record where company_id = ?', [of.company.id]);
  const remains = Object.fromEntries(rows.map(({ type, id }) => [type, id]));
  const bill = { number: 'V-1', lines: [{ ticket_number: 'A-1', amount: 5 }] };
  const card = { name: 'Card', owner_type: 'vendor', type: 'RateFlatRate', flat_amount: 90 };
  // Of what is written by people, these may name a record that was discarded.
  const doors: [path: string, field: string, type: string, body: object, named: (id: string) => unknown][] = [
    ['/v1/tickets', 'material_id', 'Material', { unit_of_measure: 'Ton' }, (id) => id],
    [of.path('/billing/vendor_bills'), 'vendor_account_id', 'Account', bill, (id) => id],
    ['/v1/rates', 'equipment_ids', 'Equipment', card, (id) => [id]],
  ];
  for (const [path, field, type, body, named] of doors) {
    const refused = await of.admin.http('POST', path, { ...body, [field]: named(remains[type]) });
    const wrong = Array.isArray(named('')) ? `${field}.0` : field;
    expect([path, refused.status, fieldsOf(refused)]).toEqual([path, 422, [wrong]]);
  }
  // The former ids are answered by what stays.
  const ticket = await of.admin.must('POST', '/v1/tickets', { unit_of_measure: 'Ton', material_id: pairs.materials[1].id });
  expect(ticket.material.id).toBe(pairs.materials[0].id);
  const rate = await of.admin.must('POST', '/v1/rates', { ...card, equipment_ids: [pairs.equipment[1].id] });
  expect(rate.equipment.map(({ id }: Json) => id)).toEqual([pairs.equipment[0].id]);
  for (const id of done.toReversed()) expect((await undo(of, id)).status).toBe(200);
});

test('an order that a merge moved is in the feed, and in a webhook when something is done to it the next time', async () => {
  const of = await makeStaffedTenant(app);
  const [kept, former] = [await accountOf(of, { name: 'ACME' }), await accountOf(of, { name: 'Acme Inc' })];
  const { id } = await acceptedOrder(of, { account_id: former.id });
  const hooks = await subscribed(of, 'Order::update', 'Order::state_change', 'Job::update', 'Load::update');
  const ofOrder = (entries: Json[]) =>
    entries.filter((one) => one.id === id).map(({ event, record }) => [event, record.account.id, record.version]);
  const shown = async () => {
    const { account, version } = await of.admin.must('GET', of.path(`/orders/${id}`));
    return [account.id, version];
  };
  const [, version] = await shown();
  const position = await endOf(of, of.admin.token);
  const { id: merge } = await merged(of, 'accounts', kept.id, [former.id]);
  expect(await shown()).toEqual([kept.id, version + 1]);
  const after = await feedOf(of, `?after=${position}&limit=100`, of.admin.token);
  expect(ofOrder(after.body.data)).toEqual([['update', kept.id, version + 1]]);
  expect(await hooks.deliveries()).toEqual([]);
  await of.admin.must('PATCH', of.path(`/orders/${id}`), { notes: 'Ring first' });
  const payloads = async () =>
    (await sql(`select payload from webhook_delivery where subscription_id = ? and subject_id = ? order by sequence`, [hooks.id, id])).map(
      ({ payload }) => [payload.account.id, payload.version],
    );
  expect(await payloads()).toEqual([[kept.id, version + 2]]);
  const since = await endOf(of, of.admin.token);
  expect((await undo(of, merge)).status).toBe(200);
  const undone = await feedOf(of, `?after=${since}&limit=100`, of.admin.token);
  expect(ofOrder(undone.body.data)).toEqual([['update', former.id, version + 3]]);
  expect(await payloads()).toHaveLength(1);
});
