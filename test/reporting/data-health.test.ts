import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../src/directory/accounts/account.entity.ts';
import { Contact } from '../../src/directory/contacts/contact.entity.ts';
import { Equipment } from '../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../src/directory/equipment/equipment-type.entity.ts';
import { User } from '../../src/directory/people/user.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { connect, makeStaffedTenant, plannedOrder, type StaffedTenant, share } from '../helpers/staffed-tenant.ts';
import type { Person } from '../helpers/tenant.ts';
import { nextNumber } from '../jest/numbers.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

const TOMORROW = new Date(Date.now() + 26 * 3_600_000).toISOString();
const phone = (): string => `+1512${String(5_000_000 + nextNumber()).padStart(7, '0')}`;
const sql = (statement: string, values: unknown[]): Promise<unknown> => app.orm.em.fork().execute(statement, values);
const accountOf = (of: StaffedTenant, fields: object): Promise<Account> => of.save(Account, { company: ref(of.company), ...fields });
const driverOf = (of: StaffedTenant, fields: object): Promise<User> =>
  of.save(User, { company: ref(of.company), lastName: 'Doe', roles: ['driver'], ...fields });

const findings = (of: StaffedTenant, codes: string[], by: Person = of.admin): Promise<Json[]> =>
  by.must('GET', of.path(`/data_health?page[limit]=100${codes.map((code) => `&filter[codes][]=${code}`).join('')}`));
const named = (found: Json[]): string[] => found.map(({ code, name }) => `${code}: ${name}`);

test('a driver is found who is also a vendor, or a driver whom a vendor shares', async () => {
  const of = await makeStaffedTenant(app);
  const [own, shared] = [phone(), phone()];
  const contact = await of.save(Contact, { companyId: of.company.id, phone: own, email: 'Otto@Example.com' });
  const hauling = await accountOf(of, { name: 'O. Hauling', accountTypes: ['vendor'], primaryContact: ref(contact) });
  const vera = await accountOf(of, { name: 'VÉRA Doe', accountTypes: ['vendor'] });
  await accountOf(of, { name: 'Carl Doe', accountTypes: ['customer'] });
  await accountOf(of, { name: 'Gone Doe', accountTypes: ['vendor'], discardedAt: new Date() });
  await driverOf(of, { firstName: 'Véra' });
  await driverOf(of, { firstName: 'Otto', phone: own });
  await driverOf(of, { firstName: 'Carl' });
  await driverOf(of, { firstName: 'Gone' });
  await driverOf(of, { firstName: 'Véra', roles: ['dispatcher'] });
  const vendors = await findings(of, ['driver_is_vendor']);
  expect(vendors.map(({ name, record_type, related_id }) => [name, record_type, related_id]).sort()).toEqual([
    ['Otto Doe', 'User', hauling.id],
    ['Véra Doe', 'User', vera.id],
  ]);
  expect(vendors.find(({ name }) => name === 'Otto Doe').message).toBe(
    'Otto Doe is a driver and, by name, telephone or e-mail address, also the vendor O. Hauling: pay for the work one way, and deactivate the driver or discard the account',
  );

  const other = await makeStaffedTenant(app);
  await connect(of, other);
  const [theirs, kept] = [await driverOf(other, { firstName: 'Theo', phone: shared }), phone()];
  await driverOf(other, { firstName: 'Kurt', phone: kept });
  await driverOf(of, { firstName: 'Theodor', phone: shared, unclaimed: true });
  // Whom nobody shares, nobody reads of.
  await driverOf(of, { firstName: 'Kurt', phone: kept, unclaimed: true });
  expect(await findings(of, ['driver_of_vendor'])).toEqual([]);
  await share(other, of, 'User', theirs.id);
  const [found, ...more] = await findings(of, ['driver_of_vendor']);
  expect([named([found]), found.related_id, more]).toEqual([['driver_of_vendor: Theodor Doe'], theirs.id, []]);
  expect(found.message).toContain(`also on that of the vendor ${other.company.legalName}, who shares this driver`);
});

test('accounts are found that are there twice, are used as what they are not, or get jobs that nobody sees', async () => {
  const of = await makeStaffedTenant(app);
  await plannedOrder(of, { load_at: TOMORROW, vendor_id: of.vendor.id });
  const codes = ['account_twice', 'customer_type_missing', 'vendor_type_missing', 'vendor_not_connected'];
  const before = await findings(of, codes);
  expect(named(before)).toEqual(['vendor_not_connected: Vendor']);
  expect(before[0].message).toContain('Vendor has jobs to do (1) but no connection');
  const twin = await accountOf(of, { name: 'CUSTOMER' });
  await sql(`update account set account_types = '{vendor}' where id = ?`, [of.account.id]);
  await sql(`update account set account_types = '{customer}' where id = ?`, [of.vendor.id]);
  expect((await findings(of, codes)).map(({ code, id, related_id }) => [code, id, related_id])).toEqual([
    ['account_twice', twin.id, of.account.id],
    ['customer_type_missing', of.account.id, null],
    ['vendor_not_connected', of.vendor.id, null],
    ['vendor_type_missing', of.vendor.id, null],
  ]);
});

test('a driver or customer is found whose work is that of another company of the family', async () => {
  const parent = await makeStaffedTenant(app);
  const child = await makeStaffedTenant(app, { parentCompany: ref(parent.company) });
  const acme = await accountOf(parent, { name: 'Acme' });
  const theirs = await accountOf(child, { name: 'ACME' });
  const { id } = await plannedOrder(child, { load_at: TOMORROW, account_id: theirs.id });
  await sql('update job set driver_id = ? where order_id = ?', [parent.driver.id, id]);
  const codes = ['account_at_wrong_level', 'driver_at_wrong_level'];
  const found = await findings(parent, codes);
  expect(found.map(({ code, id, related_id }) => [code, id, related_id])).toEqual([
    ['account_at_wrong_level', acme.id, theirs.id],
    ['driver_at_wrong_level', parent.driver.id, child.company.id],
  ]);
  expect(found[1].message).toContain(`all of their work in the last 30 days is of ${child.company.legalName}`);
  // The child sees nothing of its parent.
  expect(await findings(child, codes)).toEqual([]);
  // Work of its own, and all is well.
  const own = await plannedOrder(parent, { load_at: TOMORROW, account_id: acme.id });
  await sql('update job set driver_id = ? where order_id = ?', [parent.driver.id, own.id]);
  expect(await findings(parent, codes)).toEqual([]);
});

test('what has no rate, capacity or density, or no unit that converts, is found by who sees the rates', async () => {
  const of = await makeStaffedTenant(app);
  const order = await plannedOrder(of, { load_at: TOMORROW, driver_id: of.driver.id, unit_of_measure: 'Ton' });
  const { order_id: number } = await of.admin.must('GET', `/v1/orders/${order.id}`);
  const equipmentType = ref(await of.save(EquipmentType, { company: ref(of.company), name: 'Odd truck' }));
  await of.save(Equipment, { company: ref(of.company), equipmentType, name: 'T1' });
  await of.save(Equipment, { company: ref(of.company), equipmentType, name: 'T2', state: 'inactive' });
  const codes = ['driver_without_rate', 'order_without_rate', 'type_without_capacity', 'material_without_density', 'unit_mismatch'];
  const found = await findings(of, codes);
  expect(named(found)).toEqual(['driver_without_rate: Dora Wheel', `order_without_rate: ${number}`, 'type_without_capacity: Odd truck']);
  expect(found[0].message).toContain(`no driver rate applies to job ${order.jobs[0].job_id}`);
  expect(found[2].message).toContain('active equipment of that type (1)');
  // Dispatchers see neither customer nor driver rates.
  expect(named(await findings(of, codes, of.dispatcher))).toEqual(['type_without_capacity: Odd truck']);

  const card = { name: 'All', type: 'RatePerTon', unit_rate: 5, unit_minimum: 0, unit_increment: 0 };
  await of.admin.must('POST', '/v1/rates', { ...card, owner_type: 'customer' });
  await of.admin.must('POST', '/v1/rates', { ...card, name: 'All drivers' });
  expect(named(await findings(of, codes))).toEqual(['type_without_capacity: Odd truck']);

  await sql(`update orders set customer_rate_type = 'RatePerYard', customer_rate_value = 4 where id = ?`, [order.id]);
  expect(named(await findings(of, codes))).toEqual(['material_without_density: Gravel', 'type_without_capacity: Odd truck']);
  const dense = 'mutation ($id: ID!) { updateMaterial(id: $id, input: { density: "1.6" }) { density } }';
  expect((await of.admin.gql(dense, { id: of.material.id })).data.updateMaterial).toEqual({ density: '1.6' });
  expect(named(await findings(of, codes))).toEqual(['type_without_capacity: Odd truck']);
  await sql(`update orders set customer_rate_type = 'RatePerBushel' where id = ?`, [order.id]);
  const [, mismatch] = await findings(of, codes);
  expect([mismatch.code, mismatch.id, mismatch.related_id]).toEqual(['unit_mismatch', order.id, of.material.id]);
  expect(mismatch.message).toContain(`order ${number} is counted in Ton and paid by Bushel`);
  expect(named(await findings(of, codes, of.dispatcher))).toEqual(['type_without_capacity: Odd truck']);
});

test('findings come page by page, in both directions and counted by code, and only to who may read them', async () => {
  const of = await makeStaffedTenant(app);
  for (let i = 0; i < 4; i++) await accountOf(of, { name: 'Same' });
  for (let i = 0; i < 3; i++) {
    await accountOf(of, { name: `V${i} Doe`, accountTypes: ['vendor'] });
    await driverOf(of, { firstName: `V${i}` });
  }
  const all = await findings(of, []);
  expect(all.map(({ code }) => code)).toEqual([...Array(3).fill('account_twice'), ...Array(3).fill('driver_is_vendor')]);
  const met: Json[] = [];
  let next: string | undefined = of.path('/data_health?page[limit]=2');
  while (next) {
    const { body, headers } = await of.admin.http('GET', next);
    met.push(...(body as Json).data);
    next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]?.replace(/^https?:\/\/[^/]+/, '');
  }
  expect(met).toEqual(all);
  const counts: Json[] = await of.admin.must('GET', of.path('/data_health/counts'));
  expect(counts).toHaveLength(13);
  expect(counts.filter(({ count }) => count > 0)).toEqual([
    { code: 'account_twice', count: 3 },
    { code: 'driver_is_vendor', count: 3 },
  ]);
  expect((await of.dispatcher.must('GET', of.path('/data_health/counts'))).map(({ code }: Json) => code)).not.toContain(
    'order_without_rate',
  );

  const query = `query($last: Int, $before: String) { dataHealthFindings(last: $last, before: $before) {
    count { value } pageInfo { startCursor hasPreviousPage } nodes { code record { id } related { id } } } dataHealthCounts { code count } }`;
  const { data } = await of.admin.gql(query, { last: 4 });
  expect(data.dataHealthFindings).toMatchObject({ count: { value: 6 }, pageInfo: { hasPreviousPage: true } });
  const pairs = (rows: Json[]) => rows.map(({ id, related_id }) => [id, related_id]);
  const objects = ({ nodes }: Json) => nodes.map(({ record, related }: Json) => [record.id, related.id]);
  expect(objects(data.dataHealthFindings)).toEqual(pairs(all.slice(2)));
  expect(data.dataHealthCounts).toEqual(counts);
  const { data: before } = await of.admin.gql(query, { last: 4, before: data.dataHealthFindings.pageInfo.startCursor });
  expect(objects(before.dataHealthFindings)).toEqual(pairs(all.slice(0, 2)));

  const sheet = await of.admin.http('GET', of.path('/data_health'), undefined, { Accept: 'text/csv' });
  expect(String(sheet.body).trim().split('\r\n')).toHaveLength(7);
  expect((await of.admin.http('GET', of.path('/data_health?filter[codes][]=nothing'))).status).toBe(422);
  for (const path of ['/data_health', '/data_health/counts']) {
    expect((await of.driver.http('GET', of.path(path))).status).toBe(403);
    const stranger = await makeStaffedTenant(app);
    expect((await stranger.admin.http('GET', of.path(path))).status).toBe(404);
  }
  const french = await of.admin.http('GET', of.path('/data_health?page[limit]=1'), undefined, { 'Accept-Language': 'fr-CA' });
  expect((french.body as Json).data[0].message).toContain('il y a un compte plus ancien');
});
