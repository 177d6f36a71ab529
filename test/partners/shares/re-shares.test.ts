import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { User } from '../../../src/directory/people/user.entity.ts';
import type { Site } from '../../../src/directory/sites/site.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { connect, makeOwner, mustShare, type Owner, share } from '../../helpers/shares.ts';
import { fieldsOf } from '../../helpers/tenant.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const soon = (ms: number) => new Date(Date.now() + ms).toISOString();

/** Three companies in a row: the first one's record is shared to the second, and from there to the third. */
async function row(): Promise<[Owner, Owner, Owner]> {
  const [a, b, c] = [await makeOwner(app), await makeOwner(app), await makeOwner(app)];
  await connect(a, b);
  await connect(b, c);
  return [a, b, c];
}
const KINDS: [string, (owner: Owner) => Site | User | Owner['truck'], string][] = [
  ['Equipment', (owner) => owner.truck, 'equipment'],
  ['User', (owner) => owner.driver.user, 'drivers'],
  ['Site', (owner) => owner.pickup, 'sites'],
];

test.each(KINDS)('a %s that is shared further has no more rights than every share above it allows', async (type, recordOf, list) => {
  const [a, b, c] = await row();
  const record = recordOf(a);
  const to = (receiver: Owner, more: object = {}) => ({
    ...{ receiver_company_id: receiver.company.id, company_shareable_id: record.id, company_shareable_type: type, dispatchable: true },
    ...more,
  });
  const late = soon(7_200_000);
  const early = soon(3_600_000);
  const first = await mustShare(a, to(b));
  const second = await mustShare(b, to(c, { expires_at: late }));
  expect(second).toMatchObject({ dispatchable: true, expires_at: late });

  /** Returns the records that both sides of the second share receive, and those of whoever has the record by it. */
  const reported = async () => {
    const one = (who: Owner) => who.must('GET', who.path(`/company_shares/${second.id}`));
    const listed = (await c.must('GET', c.path('/company_shares'))).find(({ id }: { id: string }) => id === second.id);
    const withRecord = (await c.must('GET', c.path(`/${list}/${record.id}`))).company_share;
    const { data } = await c.gql('query($id: ID!) { companyShare(id: $id) { dispatchable expires_at: expiresAt } }', { id: second.id });
    const all = [await one(b), await one(c), listed, withRecord, data.companyShare];
    const pairs = all.map((each) => JSON.stringify([each.dispatchable, each.expires_at]));
    expect(new Set(pairs).size).toBe(1);
    return JSON.parse(pairs[0]!);
  };
  const usable = async () => {
    const ids = async (wanted: boolean) =>
      (await c.must('GET', c.path(`/${list}?filter[shared]=true&filter[dispatchable]=${wanted}`))).map((each: { id: string }) => each.id);
    // Places have no such filter in the contract.
    if (list === 'sites') return undefined;
    const [yes, no] = [await ids(true), await ids(false)];
    expect([...yes, ...no]).toEqual([record.id]);
    return yes.length === 1;
  };
  const change = (values: object) => a.must('PATCH', a.path(`/company_shares/${first.id}`), values);
  const says = (value: boolean) => (list === 'sites' ? undefined : value);

  expect([await reported(), await usable()]).toEqual([[true, late], says(true)]);
  await change({ dispatchable: false });
  expect([await reported(), await usable()]).toEqual([[false, late], says(false)]);
  // Whoever shared it on cannot allow what is not allowed to them.
  const refused = await b.http('PATCH', b.path(`/company_shares/${second.id}`), { dispatchable: true });
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['dispatchable']]);
  await change({ expires_at: early });
  expect(await reported()).toEqual([false, early]);
  // Their own settings hold again with those of the share above it.
  await change({ dispatchable: true, expires_at: null });
  expect([await reported(), await usable()]).toEqual([[true, late], says(true)]);
});

test("the third company in a row gets the first share's limits, and passes no more on", async () => {
  const [a, b, c] = await row();
  const d = await makeOwner(app);
  const e = await makeOwner(app);
  await connect(c, d);
  await connect(d, e);
  const to = (receiver: Owner) => ({
    ...{ receiver_company_id: receiver.company.id, company_shareable_id: a.driver.id, company_shareable_type: 'User' },
  });
  const first = await mustShare(a, to(b));
  await mustShare(b, to(c));
  const third = await mustShare(c, to(d));
  const early = soon(3_600_000);
  await a.must('PATCH', a.path(`/company_shares/${first.id}`), { dispatchable: false, expires_at: early });
  expect(await d.must('GET', d.path(`/company_shares/${third.id}`))).toMatchObject({ dispatchable: false, expires_at: early });
  const ids = async (query: string) => (await d.must('GET', d.path(`/drivers${query}`))).map((each: { id: string }) => each.id);
  expect(await ids('?filter[expiring]=true')).toEqual([a.driver.id]);
  expect(await ids('?filter[dispatchable]=true')).toEqual([d.driver.id]);
  const refused = await share(d, { ...to(e), dispatchable: true });
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['dispatchable']]);
  // Unless it says so itself, it shares what it has.
  expect(await mustShare(d, to(e))).toMatchObject({ dispatchable: false, expires_at: early });
  expect((await a.http('DELETE', a.path(`/company_shares/${first.id}`))).status).toBe(204);
  expect(await d.must('GET', d.path('/company_shares'))).toEqual([]);
});
