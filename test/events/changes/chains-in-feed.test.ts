import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { act, jobOf, jobOfChain, makeChain, ONE_LOAD, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { Replica } from '../follower.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

const begin = (of: StaffedTenant) => new Replica(of).begin();
const ofType = ({ records }: Replica, type: string): Record<string, Json> =>
  Object.fromEntries([...records].filter(([key]) => key.startsWith(`${type} `)));
/** What the days of a copy count, by day: how long somebody is on duty goes on while they are. */
const countsIn = (copy: Replica): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(ofType(copy, 'DriverDay')).map(([key, { jobs_count, loads_count, delivered_quantities }]) => [
      key,
      { jobs_count, loads_count, delivered_quantities },
    ]),
  );

test('a company in the middle hears that the link which it made has ended, as of its own, and its copy equals a new one', async () => {
  const { owner, middle, last, hired, subHired } = await makeChain(app);
  const { id } = await jobOf(owner);
  await act(owner, id, 'assign_vendor', { vendor_id: hired.id });
  await act(middle, id, 'assign_vendor', { vendor_id: subHired.id });
  const copies = [await begin(owner), await begin(middle), await begin(last)] as const;
  expect(copies.map((copy) => Object.keys(ofType(copy, 'JobAssignment')).length)).toEqual([1, 2, 1]);
  // Only of links of others it is kept that they were seen.
  const kept = await app.orm.em
    .fork()
    .getConnection()
    .execute<{ company_id: string }[]>(
      `select s.company_id from change_sight s join job_assignment a on a.id = s.subject_id where a.job_id = ? and s.lost_at is null
        and s.company_id = a.customer_company_id`,
      [id],
    );
  expect(kept).toEqual([]);
  await act(owner, id, 'unassign');
  const said = await Promise.all(copies.map(async (copy) => (await copy.follow()).filter((one) => one.startsWith('JobAssignment')).sort()));
  expect(said).toEqual([['JobAssignment delete'], ['JobAssignment delete', 'JobAssignment removed'], ['JobAssignment removed']]);
  for (const copy of copies) expect(ofType(copy, 'JobAssignment')).toEqual({});
  for (const [at, tenant] of [owner, middle, last].entries())
    expect(Object.keys(ofType(copies[at]!, 'Job'))).toEqual(Object.keys(ofType(await begin(tenant), 'Job')));
});

test("the day of a vendor's driver is in the feed of the driver's company and of the one that hired it, as it is counted now, and in no other", async () => {
  const chain = await makeChain(app);
  const { owner, middle, last } = chain;
  const { go } = await jobOfChain(chain);
  const before = [await begin(owner), await begin(middle), await begin(last)] as const;
  for (const copy of before) expect(ofType(copy, 'DriverDay')).toEqual({});
  await go(ONE_LOAD[0]!);
  const copies = [...before, await begin(middle), await begin(last)] as const;
  for (const event of ONE_LOAD.slice(1)) await go(event);
  await go('complete');
  const said = await Promise.all(copies.map(async (copy) => (await copy.follow()).filter((one) => one.startsWith('DriverDay'))));
  // Its owner is two links away, and is not informed that there is such a day.
  expect(said[0]).toEqual([]);
  expect(said[2]).toContain('DriverDay create');
  for (const at of [3, 4]) expect(said[at]).toContain('DriverDay update');
  const fresh = { middle: countsIn(await begin(middle)), last: countsIn(await begin(last)) };
  expect(Object.values(fresh.last)).toMatchObject([{ jobs_count: 1, loads_count: 1 }]);
  expect(countsIn(copies[2])).toEqual(fresh.last);
  expect(countsIn(copies[4])).toEqual(fresh.last);
  expect(Object.keys(fresh.middle)).toEqual(Object.keys(fresh.last));
  expect(countsIn(copies[1])).toEqual(fresh.middle);
  expect(countsIn(copies[3])).toEqual(fresh.middle);
  expect(ofType(copies[0], 'DriverDay')).toEqual({});
});
