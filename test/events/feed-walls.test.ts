import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../src/directory/equipment/equipment-type.entity.ts';
import { noteEndedShares } from '../../src/events/changes/ended-shares.ts';
import { ResourceScope } from '../../src/identity/access/resource-scope.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { act, connect, jobOf, makeChain, makeStaffedTenant, type StaffedTenant, share } from '../helpers/staffed-tenant.ts';
import { makeOrder } from '../helpers/tenant.ts';
import { leastProcessorTime, until } from '../helpers/until.ts';
import { endOf, feedOf, Replica, snapshotOf } from './follower.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let owner: StaffedTenant;
let vendor: StaffedTenant;
let hired: Json;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  [owner, vendor] = [await makeStaffedTenant(app), await makeStaffedTenant(app)];
  hired = await connect(owner, vendor);
});
afterAll(() => app.close());

test('a vendor learns of work when it is passed on, of its changes, and that it is taken back; nothing of other work', async () => {
  const job = await jobOf(owner);
  const replica = await new Replica(vendor).begin();
  await act(owner, job.id, 'assign_vendor', { vendor_id: hired.id });
  expect(new Set(await replica.follow())).toEqual(new Set(['Job update', 'Order update', 'Load update', 'JobAssignment create']));
  const shown = replica.records.get(`Job ${job.id}`);
  expect(shown).toEqual(await vendor.must('GET', vendor.path(`/jobs/${job.id}`)));
  const other = await jobOf(owner);
  await owner.dispatcher.must('PATCH', owner.path(`/jobs/${other.id}`), { notes: 'not theirs' });
  expect(await replica.follow()).toEqual([]);
  await owner.dispatcher.must('PATCH', owner.path(`/jobs/${job.id}`), { notes: 'theirs' });
  expect(await replica.follow()).toContain('Job update');
  expect(replica.records.get(`Job ${job.id}`).notes).toBe('theirs');
  await act(owner, job.id, 'unassign');
  expect(new Set(await replica.follow())).toEqual(new Set(['Job removed', 'Order removed', 'Load removed', 'JobAssignment removed']));
  expect([...replica.records.keys()].filter((key) => key.startsWith('Job ') || key.startsWith('Load '))).toEqual([]);
  await owner.dispatcher.must('PATCH', owner.path(`/jobs/${job.id}`), { notes: 'not theirs any more' });
  expect(await replica.follow()).toEqual([]);
});

test('who is limited to a site sees work come to it and leave it, and nothing else', async () => {
  const limited = await owner.person({ roles: ['dispatcher'] });
  await owner.save(ResourceScope, { company: ref(owner.company), user: ref(limited.user), site: ref(owner.pickup) });
  const elsewhere = [0, 1].map((ordinality) => ({ type: ordinality ? 'drop_off' : 'pickup', site_id: owner.dropoff.id, ordinality }));
  const order = await makeOrder(owner, { waypoints: elsewhere });
  const replica = await new Replica(owner, limited.token).begin();
  await owner.must('PATCH', owner.path(`/orders/${order.id}`), { notes: 'unseen' });
  expect(await replica.follow()).toEqual([]);
  const here = elsewhere.map((one) => (one.ordinality ? one : { ...one, site_id: owner.pickup.id }));
  const move = (waypoints: object[]) => owner.must('PATCH', owner.path(`/orders/${order.id}`), { waypoints });
  await move(here);
  const came = await replica.follow();
  expect(new Set(came)).toEqual(new Set(['Order update', 'Job update', 'Load update']));
  expect(replica.records.get(`Order ${order.id}`)).toEqual(await limited.must('GET', owner.path(`/orders/${order.id}`)));
  await move(elsewhere);
  expect(new Set(await replica.follow())).toEqual(new Set(['Order removed', 'Job removed', 'Load removed']));
  await owner.must('PATCH', owner.path(`/orders/${order.id}`), { notes: 'unseen again' });
  expect(await replica.follow()).toEqual([]);
  // The limits themselves change: what was read before is not what would be read now.
  await app.orm.em.fork().nativeDelete(ResourceScope, { user: limited.id }, { filters: { tenant: false } });
  await until(async () => (await feedOf(owner, `?after=${replica.position}`, limited.token)).status === 410);
});

test('the work around an order is looked at once in a page, however often the order has changed', async () => {
  const limited = await owner.person({ roles: ['dispatcher'] });
  await owner.save(ResourceScope, { company: ref(owner.company), user: ref(limited.user), site: ref(owner.pickup) });
  const order = await makeOrder(owner, { truck_count: 20, loads_per_truck: 15 });
  const pageOf = async (changes: number): Promise<string> => {
    const start = await endOf(owner, limited.token);
    for (let i = 0; i < changes; i++)
      await app.orm.em
        .fork()
        .getConnection()
        .execute('update orders set external_id = ? where id = ?', [`change ${i}`, order.id]);
    return `?after=${start}&types=Order,Job,Load&limit=100`;
  };
  const cost = async (page: string) => {
    const read = async () => expect((await feedOf(owner, page, limited.token)).status).toBe(200);
    await read();
    return leastProcessorTime(read);
  };
  const once = await cost(await pageOf(1));
  const often = await cost(await pageOf(80));
  expect(often / once).toBeLessThan(2);
});

test('a driver sees the work that they are given, and its end', async () => {
  const replica = await new Replica(owner, owner.driver.token).begin();
  const job = await jobOf(owner);
  expect((await replica.follow()).filter((one) => /^(Job|Order|Load) /.test(one))).toEqual([]);
  await owner.dispatcher.must('PATCH', owner.path(`/jobs/${job.id}`), { driver_id: owner.driver.id });
  expect(new Set(await replica.follow())).toEqual(new Set(['Job update', 'Order update', 'Load update']));
  await act(owner, job.id, 'unassign');
  expect(new Set(await replica.follow())).toEqual(new Set(['Job removed', 'Order removed', 'Load removed']));
});

test('money and types are shown only to those who may see them', async () => {
  const foreman = await owner.person({ roles: ['foreman'] });
  const biller = await owner.person({ roles: ['biller'] });
  const starts = await Promise.all([biller, owner.dispatcher, foreman].map(({ token }) => endOf(owner, token)));
  await owner.must('POST', owner.path('/webhook_subscriptions'), { url: 'https://hooks.example.com/a', triggers: ['Order::create'] });
  const order = await makeOrder(owner, {
    material_id: owner.material.id,
    material_rate_sell_price: '12.5',
    material_rate_unit_of_measure: 'Ton',
  });
  const read = async (token: string, at: number): Promise<Json[]> => (await feedOf(owner, `?after=${starts[at]}`, token)).body.data;
  const [ofBiller, ofDispatcher, ofForeman] = await Promise.all(
    [biller, owner.dispatcher, foreman].map(({ token }, at) => read(token, at)),
  );
  for (const [person, changes] of [
    [biller, ofBiller],
    [owner.dispatcher, ofDispatcher],
  ] as const) {
    const { record } = changes!.find(({ type }) => type === 'Order');
    expect(record).toEqual(await person.must('GET', owner.path(`/orders/${order.id}`)));
    expect(changes!.map(({ type }) => type)).not.toContain('WebhookSubscription');
  }
  expect(ofForeman).toEqual([]);
});

test('imports and files that a person may not read are never announced, those of their own are', async () => {
  const dispatcher = await owner.person({ roles: ['dispatcher'] });
  const replica = await new Replica(owner, dispatcher.token).begin();
  const order = (id: string) => ({ external_id: id, load_at: '2026-11-20T07:00:00', customer: { external_id: 'C', name: 'Customer' } });
  const send = (id: string, token?: string) => owner.must('POST', '/ingest/orders', { orders: [order(id)] }, token);
  const { batch_id: theirs } = await send('wall-1');
  const { batch_id: own } = await send('wall-2', dispatcher.token);
  // A batch changes with each of its records.
  const touch = (id: string) =>
    app.orm.em.fork().getConnection().execute(`update imported_record set attempts = attempts + 1 where batch_id = ?`, [id]);
  await touch(theirs);
  await touch(own);
  const said = (await replica.follow()).filter((one) => one.startsWith('Import'));
  expect(new Set(said)).toEqual(new Set(['ImportBatch create', 'ImportBatch update']));
  expect([replica.records.has(`ImportBatch ${own}`), replica.records.has(`ImportBatch ${theirs}`)]).toEqual([true, false]);
  // Whoever may read them all gets both.
  const admin = await new Replica(owner).begin();
  expect([own, theirs].map((id) => admin.records.has(`ImportBatch ${id}`))).toEqual([true, true]);
});

test('a snapshot has what was passed on or sent once each, and as the feed would have reported it', async () => {
  const [first, second] = [await jobOf(owner), await jobOf(owner)];
  for (const { id } of [first, second]) await act(owner, id, 'assign_vendor', { vendor_id: hired.id });
  const before = await new Replica(vendor).begin();
  const keys = [...before.records.keys()];
  expect(keys).toEqual(expect.arrayContaining([`Job ${first.id}`, `Job ${second.id}`, `Order ${first.order_id ?? first.order.id}`]));
  const lines = await snapshotOf(vendor);
  const named = lines.slice(1, -1).map(({ type, id }) => `${type} ${id}`);
  expect(named.length).toBe(new Set(named).size);
});

test('a vendor that passes work on sees that link, too: in its feed and in its snapshot', async () => {
  const { owner: first, middle, hired: middleHired, subHired } = await makeChain(app);
  const job = await jobOf(first);
  await act(first, job.id, 'assign_vendor', { vendor_id: middleHired.id });
  const replica = await new Replica(middle).begin();
  await act(middle, job.id, 'assign_vendor', { vendor_id: subHired.id });
  expect(await replica.follow()).toContain('JobAssignment create');
  const fresh = await new Replica(middle).begin();
  expect([...fresh.records.keys()].sort()).toEqual([...replica.records.keys()].sort());
  expect([...fresh.records.keys()].filter((key) => key.startsWith('JobAssignment '))).toHaveLength(2);
});

/** The entries of the feed about records that can be shared. */
const SHAREABLE = /^(Site|Equipment|User) /;

test('a company learns of what is shared with it, of its changes and of the end of the share; of nothing else', async () => {
  const [sender, receiver] = [await makeStaffedTenant(app), await makeStaffedTenant(app)];
  await connect(sender, receiver);
  const own = { company: ref(sender.company) };
  const truck = await sender.save(Equipment, {
    ...own,
    name: 'Truck 7',
    equipmentType: ref(await sender.save(EquipmentType, { ...own, name: 'Tandem' })),
  });
  const replica = await new Replica(receiver).begin();
  const follow = async () => (await replica.follow()).filter((one) => SHAREABLE.test(one));
  const shown = (type: string, { id }: { id: string }) => replica.records.get(`${type} ${id}`);
  const site = await share(sender, receiver, 'Site', sender.pickup.id);
  const ofTruck = await share(sender, receiver, 'Equipment', truck.id);
  const person = await share(sender, receiver, 'User', sender.driver.id);
  expect(new Set(await follow())).toEqual(new Set(['Site update', 'Equipment update', 'User update']));
  expect(shown('Site', sender.pickup)).toEqual(await receiver.must('GET', receiver.path(`/sites/${sender.pickup.id}`)));
  expect(shown('Equipment', truck)).toEqual(await receiver.must('GET', receiver.path(`/equipment/${truck.id}`)));
  expect(shown('User', sender.driver)).toEqual(await receiver.must('GET', receiver.path(`/drivers/${sender.driver.id}`)));
  const people = 'query { changes(after: "0", types: [User], first: 100) { nodes { id record { id ... on User { lastName } } } } }';
  const { data } = await receiver.gql(people, {});
  expect(data.changes.nodes.filter(({ id }: Json) => id === sender.driver.id).map(({ record }: Json) => record?.id)).toEqual([
    sender.driver.id,
  ]);
  // Records that others share are not theirs, and a snapshot has the same as the feed.
  await sender.must('PATCH', sender.path(`/sites/${sender.dropoff.id}`), { name: 'Not shared' });
  expect(await follow()).toEqual([]);
  await sender.must('PATCH', sender.path(`/sites/${sender.pickup.id}`), { name: 'Shared pit' });
  expect([await follow(), shown('Site', sender.pickup).name]).toEqual([['Site update'], 'Shared pit']);
  await receiver.must('PATCH', receiver.path(`/company_shares/${ofTruck.id}`), { external_id: 'T-7' });
  expect([await follow(), shown('Equipment', truck).company_share.external_id]).toEqual([['Equipment update'], 'T-7']);
  const keysOf = (one: Replica) => [...one.records.keys()].filter((key) => SHAREABLE.test(key)).sort();
  const fresh = await new Replica(receiver).begin();
  expect(keysOf(fresh)).toEqual(keysOf(replica));
  expect(keysOf(fresh)).toEqual(expect.arrayContaining([`Site ${sender.pickup.id}`, `Equipment ${truck.id}`, `User ${sender.driver.id}`]));
  expect(fresh.records.get(`User ${sender.driver.id}`)).toEqual(shown('User', sender.driver));
  // One is ended, one is said to have ended, and one ends by itself.
  await sender.must('DELETE', sender.path(`/company_shares/${site.id}`));
  expect(await follow()).toEqual(['Site removed']);
  await sender.must('PATCH', sender.path(`/company_shares/${person.id}`), { expires_at: new Date(Date.now() - 1_000).toISOString() });
  expect(await follow()).toEqual(['User removed']);
  const end = Date.now() + 1_500;
  await sender.must('PATCH', sender.path(`/company_shares/${ofTruck.id}`), { expires_at: new Date(end).toISOString() });
  expect(await follow()).toEqual(['Equipment update']);
  await until(async () => Date.now() > end && (await receiver.http('GET', receiver.path(`/equipment/${truck.id}`))).status === 404);
  await noteEndedShares(app.productOrm.em.fork());
  expect(await follow()).toEqual(['Equipment removed']);
  await noteEndedShares(app.productOrm.em.fork());
  await sender.must('PATCH', sender.path(`/sites/${sender.pickup.id}`), { name: 'Shared no more' });
  expect(await replica.follow()).toEqual([]);
  expect(keysOf(replica)).toEqual(keysOf(await new Replica(receiver).begin()));
});

test('what is shared on ends with the share on which it hangs', async () => {
  const { owner: first, middle, last } = await makeChain(app);
  const given = await share(first, middle, 'Site', first.pickup.id);
  const replica = await new Replica(last).begin();
  const follow = async () => (await replica.follow()).filter((one) => SHAREABLE.test(one));
  await share(middle, last, 'Site', first.pickup.id);
  expect(await follow()).toEqual(['Site update']);
  await first.must('DELETE', first.path(`/company_shares/${given.id}`));
  expect(await follow()).toEqual(['Site removed']);
});
