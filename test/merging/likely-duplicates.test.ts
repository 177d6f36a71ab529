import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { User } from '../../src/directory/people/user.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeStaffedTenant, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { accountOf, type Json, merged, siteOf, truckOf } from './merging.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

const listed = (of: StaffedTenant, type: string): Promise<Json[]> =>
  of.admin.must('GET', of.path(`/likely_duplicates?record_type=${type}&page[limit]=100`));
const pairs = (found: Json[]): string[] => found.map(({ name, other_name, reasons }) => `${name} = ${other_name}: ${reasons.join(', ')}`);

test('records are likely the same that are alike in name, number, address or place', async () => {
  const of = await makeStaffedTenant(app);
  await accountOf(of, { name: 'Müller', externalId: 'M-1', accountingId: '7' });
  const other = await accountOf(of, { name: 'MÜLLER', accountingId: '7' });
  await accountOf(of, { name: 'Miller', externalId: 'M-1' });
  const gone = await accountOf(of, { name: 'Müller', discardedAt: new Date() });
  expect(pairs(await listed(of, 'Account')).sort()).toEqual(
    ['Müller = MÜLLER: same_accounting_id, same_name', 'Müller = Miller: same_external_id'].sort(),
  );
  expect((await listed(of, 'Account')).flatMap(({ id, other_id }) => [id, other_id])).not.toContain(gone.id);
  // A merged record is no duplicate any more.
  const [{ id, other_id }] = (await listed(of, 'Account')).filter((pair) => pair.other_id === other.id);
  await merged(of, 'accounts', id, [other_id]);
  expect(pairs(await listed(of, 'Account'))).toEqual(['Müller = Miller: same_external_id']);

  await siteOf(of, { name: 'Here', lat: '60', lon: '10' });
  // About 56 metres to the north-east across the border of a square, and 112 metres to the north.
  await siteOf(of, { name: 'Next door', lat: '60.0004', lon: '9.9995' });
  await siteOf(of, { name: 'Down the road', lat: '59.9990', lon: '10' });
  expect(pairs(await listed(of, 'Site'))).toEqual(['Here = Next door: near']);

  const driver = (fields: object) =>
    of.save(User, { company: ref(of.company), firstName: 'Dan', lastName: 'Doe', roles: ['driver'], ...fields });
  await driver({ phone: '+15125550188' });
  await driver({ firstName: 'Daniel', phone: '+15125550188', unclaimed: true });
  await driver({ roles: ['dispatcher'] });
  expect(pairs(await listed(of, 'User'))).toEqual(['Dan Doe = Daniel Doe: same_phone']);

  await truckOf(of, { name: 'A1', licenseNumber: 'TX 12-34' });
  await truckOf(of, { name: 'A2', licenseNumber: 'tx1234' });
  expect(pairs(await listed(of, 'Equipment'))).toEqual(['A1 = A2: same_license_number']);
});

test('pairs come page by page, in both directions and counted, and only to who may merge', async () => {
  const of = await makeStaffedTenant(app);
  for (let i = 0; i < 4; i++) await accountOf(of, { name: 'Same' });
  const all = await listed(of, 'Account');
  expect(all).toHaveLength(6);
  const met: Json[] = [];
  let next: string | undefined = of.path('/likely_duplicates?record_type=Account&page[limit]=4');
  while (next) {
    const { body, headers } = await of.admin.http('GET', next);
    met.push(...(body as Json).data);
    next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]?.replace(/^https?:\/\/[^/]+/, '');
  }
  expect(met).toEqual(all);
  const query = `query($last: Int, $before: String) { likelyDuplicates(recordType: Account, last: $last, before: $before) {
    count { value } pageInfo { startCursor hasPreviousPage } nodes { id other { id } record { id } } } }`;
  const { data } = await of.admin.gql(query, { last: 4 });
  expect(data.likelyDuplicates).toMatchObject({ count: { value: 6 }, pageInfo: { hasPreviousPage: true } });
  expect(data.likelyDuplicates.nodes.map(({ record, other }: Json) => [record.id, other.id])).toEqual(
    all.slice(2).map(({ id, other_id }) => [id, other_id]),
  );
  const { data: before } = await of.admin.gql(query, { last: 4, before: data.likelyDuplicates.pageInfo.startCursor });
  expect(before.likelyDuplicates.nodes.map(({ id }: Json) => id)).toEqual(all.slice(0, 2).map(({ id }) => id));
  expect((await of.driver.http('GET', of.path('/likely_duplicates?record_type=Account'))).status).toBe(403);
  const stranger = await makeStaffedTenant(app);
  expect((await stranger.admin.http('GET', of.path('/likely_duplicates?record_type=Account'))).status).toBe(404);
  expect((await of.admin.http('GET', of.path('/likely_duplicates?record_type=Job'))).status).toBe(422);
});
