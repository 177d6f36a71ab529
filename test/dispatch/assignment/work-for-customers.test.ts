import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { accountFor, act, jobOf, makeChain, type StaffedTenant } from '../../helpers/staffed-tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let chain: Awaited<ReturnType<typeof makeChain>>;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  chain = await makeChain(app);
});
afterAll(() => app.close());

test('a hauler finds the work of its customers by its own accounts of them, along with its own; nobody by the accounts of others', async () => {
  const { owner, middle, last, hired, subHired } = chain;
  const job = await jobOf(owner);
  await act(owner, job.id, 'assign_vendor', { vendor_id: hired.id });
  await act(middle, job.id, 'assign_vendor', { vendor_id: subHired.id });
  const own = await jobOf(middle);
  const idsOf = (list: Json[]) => list.map(({ id }) => id).sort();
  const found = async (who: StaffedTenant, account: string, more = '') => {
    const get = (path: string) => who.must('GET', who.path(path));
    return {
      jobs: idsOf(await get(`/jobs?filter[customer_account_ids][]=${account}`)),
      dispatch: idsOf(await get(`/orders/dispatch?filter[job][customer_account_ids][]=${account}${more}`)),
    };
  };
  const both = { jobs: [job.id], dispatch: [job.order.id] };
  const nothing = { jobs: [], dispatch: [] };
  const [ofOwner, ofMiddle] = [await accountFor(middle, owner), await accountFor(last, middle)];
  expect(await found(middle, ofOwner)).toEqual(both);
  expect(await found(last, ofMiddle)).toEqual(both);
  expect(await found(middle, middle.account.id)).toEqual({ jobs: [own.id], dispatch: [own.order.id] });
  expect(await found(middle, ofOwner, '&filter[job][states][]=assigned')).toEqual(both);
  // Whom the owner's order is for, and whom others know by which account, is theirs.
  expect(await found(middle, owner.account.id)).toEqual(nothing);
  expect(await found(last, ofOwner)).toEqual(nothing);
  expect(await found(middle, ofMiddle)).toEqual(nothing);
  expect(await found(owner, ofOwner)).toEqual(nothing);
  const { data } = await last.gql('query($ids: [ID!]) { orders(filter: { accountIds: $ids }) { nodes { id } } }', { ids: [ofMiddle] });
  expect(data.orders.nodes).toEqual([{ id: job.order.id }]);
});
