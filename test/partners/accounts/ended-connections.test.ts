import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { connect, makeOwner, makePair, mustShare, type Owner, sees, share, truckOf } from '../../helpers/shares.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const accountOf = async (tenant: Tenant, other: Tenant): Promise<Json> => {
  const all: Json[] = await tenant.must('GET', tenant.path('/accounts?page[limit]=100'));
  return all.find((one) => one.connected_company?.id === other.company.id);
};
/** Discards a company's account for another one. */
const leave = async (tenant: Tenant, other: Tenant, by: 'REST' | 'GraphQL' = 'REST'): Promise<void> => {
  const { id } = await accountOf(tenant, other);
  if (by === 'REST') expect((await tenant.http('DELETE', `/v1/accounts/${id}`)).status).toBe(204);
  else expect((await tenant.gql('mutation($id: ID!) { deleteAccount(id: $id) }', { id })).data).toEqual({ deleteAccount: id });
};
const truckSeen = async (tenant: Tenant, owner: Owner) =>
  (await tenant.gql('query($id: ID!) { equipment(id: $id) { id } }', { id: owner.truck.id })).data?.equipment?.id === owner.truck.id;

test('shares end with the connection, in both directions and with those passed on from them, whichever side ends it', async () => {
  for (const by of ['REST', 'GraphQL'] as const) {
    for (const side of [0, 1]) {
      const [a, b] = await makePair(app);
      const c = await makeOwner(app);
      await connect(b, c);
      await mustShare(a, truckOf(a, b));
      await mustShare(b, truckOf(a, c));
      await mustShare(b, truckOf(b, a));
      await mustShare(b, truckOf(b, c));
      expect([await sees(b, a.truck), await sees(c, a.truck), await truckSeen(b, a), await truckSeen(a, b)]).toEqual([
        true,
        true,
        true,
        true,
      ]);
      await leave([a, b][side]!, [b, a][side]!, by);
      expect([await sees(b, a.truck), await sees(c, a.truck), await truckSeen(b, a), await truckSeen(a, b)]).toEqual([
        false,
        false,
        false,
        false,
      ]);
      // A share that needs no connection of theirs stays.
      expect(await sees(c, b.truck)).toBe(true);
      expect(await a.must('GET', a.path('/company_shares'))).toEqual([]);
      const ended = await app.orm.em
        .getConnection()
        .execute<{ company_id: string }[]>(
          "select company_id from audit_entry where subject_type = 'CompanyShare' and event = 'destroy' and company_id in (?, ?)",
          [a.company.id, b.company.id],
        );
      expect(ended.map((row) => row.company_id).sort()).toEqual([a.company.id, b.company.id, b.company.id].sort());
    }
  }
});

test('nothing new is shared or passed over an ended connection, and a new one begins without shares', async () => {
  const [a, b] = await makePair(app);
  await mustShare(a, truckOf(a, b));
  const ours = await accountOf(a, b);
  await leave(b, a);
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    const answer = await share(from, truckOf(from, to));
    expect([answer.status, fieldsOf(answer)]).toEqual([422, ['receiver_company_id']]);
    const query = 'query($id: ID!) { connectedCompanies(companyId: $id) { nodes { id } } }';
    expect((await from.gql(query, { id: from.company.id })).data.connectedCompanies.nodes).toEqual([]);
    expect(await from.must('GET', from.path('/connected_companies'))).toEqual([]);
  }
  // The other side keeps its account, and is informed.
  const kept = await a.must('GET', `/v1/accounts/${ours.id}`);
  expect(kept).toMatchObject({ discarded_at: null, connected_company: { id: b.company.id } });
  expect(kept.connected_account.discarded_at).not.toBeNull();
  const reported = await a.http('PATCH', `/v1/accounts/${ours.id}`, { connected_account: { truck_count: 3 } });
  expect([reported.status, fieldsOf(reported)]).toEqual([422, ['connected_account']]);
  expect(await a.must('PATCH', `/v1/accounts/${ours.id}`, { account_types: ['customer'] })).toMatchObject({ account_types: ['customer'] });
  await connect(a, b);
  expect(await sees(b, a.truck)).toBe(false);
  await mustShare(a, truckOf(a, b));
  expect(await sees(b, a.truck)).toBe(true);
});

test('within a family shares require no connection, and outlive one', async () => {
  const top = await makeTenant(app);
  const [a, b] = [await makeOwner(app, { parentCompany: ref(top.company) }), await makeOwner(app, { parentCompany: ref(top.company) })];
  await connect(a, b);
  await mustShare(a, truckOf(a, b));
  await leave(a, b);
  expect(await sees(b, a.truck)).toBe(true);
});

test('a company that leaves its family keeps its shares with those below it and with connected companies', async () => {
  const top = await makeTenant(app);
  const a = await makeOwner(app, { parentCompany: ref(top.company) });
  const [b, friend] = [
    await makeOwner(app, { parentCompany: ref(top.company) }),
    await makeOwner(app, { parentCompany: ref(top.company) }),
  ];
  const below = await makeOwner(app, { parentCompany: ref(a.company) });
  await connect(a, friend);
  const body = (from: Owner, to: Tenant) => top.must('POST', from.path('/company_shares'), truckOf(from, to));
  for (const [from, to] of [
    [a, b],
    [b, below],
    [a, below],
    [a, friend],
  ] as const)
    await body(from, to);
  const admin = (await (await makeTenant(app)).person({ roles: ['platform_admin'] })).token;
  const move = 'mutation($id: ID!, $to: ID) { moveCompany(id: $id, parentCompanyId: $to) { id } }';
  const seen = async () => [await sees(b, a.truck), await sees(below, b.truck), await sees(below, a.truck), await sees(friend, a.truck)];
  // Within the family nothing ends.
  expect((await top.gql(move, { id: a.company.id, to: b.company.id })).data.moveCompany.id).toBe(a.company.id);
  expect(await seen()).toEqual([true, true, true, true]);
  expect((await top.gql(move, { id: a.company.id, to: null }, admin)).data.moveCompany.id).toBe(a.company.id);
  expect(await seen()).toEqual([false, false, true, true]);
});

test('a share that is created while the connection ends does not outlive it', async () => {
  for (let round = 0; round < 5; round++) {
    const [a, b] = await makePair(app);
    await Promise.all([share(a, truckOf(a, b)), leave(b, a)]);
    expect(await sees(b, a.truck)).toBe(false);
  }
});

test('a job that was passed on remains readable to the vendors that had it, and new ones do not get it', async () => {
  for (const side of ['owner', 'vendor'] as const) {
    const [owner, vendor] = await makePair(app);
    const { id: account } = await accountOf(owner, vendor);
    const job = async (more: object = {}): Promise<string> => {
      const order = await makeOrder(owner, { loads_per_truck: 1, ...more });
      await owner.must('PUT', owner.path(`/orders/${order.id}/accept`), {});
      const [first] = await owner.must('GET', owner.path(`/orders/${order.id}/jobs`));
      return first.id;
    };
    const read = async (id: string) => (await vendor.http('GET', vendor.path(`/jobs/${id}`))).status;
    const assign = (id: string) => owner.http('PUT', owner.path(`/jobs/${id}/assign_vendor`), { vendor_id: account });
    const [old, planned] = [await job(), await job({ vendor_id: account, truck_count: 1 })];
    expect((await assign(old)).status).toBe(200);
    expect([await read(old), await read(planned)]).toEqual([200, 200]);
    await (side === 'owner' ? leave(owner, vendor) : leave(vendor, owner));
    expect([await read(old), await read(planned)]).toEqual([200, 200]);
    const fresh = await job();
    expect((await assign(fresh)).status).toBe(side === 'owner' ? 422 : 200);
    expect(await read(fresh)).toBe(404);
    if (side === 'owner') continue;
    // New orders for the vendor, and jobs added to older ones, are the company's own record of a vendor outside the platform.
    expect(await read(await job({ vendor_id: account, truck_count: 1 }))).toBe(404);
    const seen = await vendor.gql('{ jobs(first: 50) { nodes { jobId: id } } }');
    expect(seen.data.jobs.nodes.map((one: Json) => one.jobId).sort()).toEqual([old, planned].sort());
  }
});

test('received work remains readable when the company becomes a customer only', async () => {
  const [owner, vendor] = await makePair(app);
  const { id: account } = await accountOf(owner, vendor);
  const order = await makeOrder(owner, { loads_per_truck: 1, vendor_id: account, truck_count: 1 });
  const [job] = await owner.must('GET', owner.path(`/orders/${order.id}/jobs`));
  await owner.must('PATCH', `/v1/accounts/${account}`, { account_types: ['customer'] });
  expect((await vendor.http('GET', vendor.path(`/jobs/${job.id}`))).status).toBe(200);
});

test('managing a company ends with the connection, and does not come back with it', async () => {
  const [a, b] = await makePair(app);
  await app.orm.em.getConnection().execute('update company set platform_customer = false where id = ?', [b.company.id]);
  await app.orm.em.getConnection().execute('update account set managed = true, invited = true where company_id = ?', [a.company.id]);
  const path = a.path(`/managed_companies/${b.company.id}`);
  expect((await a.http('GET', path)).status).toBe(200);
  await leave(b, a);
  expect((await a.http('GET', path)).status).toBe(404);
  await connect(a, b);
  expect((await a.http('GET', path)).status).toBe(404);
  expect(await a.must('GET', a.path('/managed_companies'))).toEqual([]);
});

test('an account that comes back leaves its external id to the one that has it by now', async () => {
  const [a, b] = await makePair(app);
  const [ours, theirs] = [await accountOf(a, b), await accountOf(b, a)];
  await a.must('PATCH', `/v1/accounts/${ours.id}`, { external_id: 'B-1' });
  await b.must('PATCH', `/v1/accounts/${theirs.id}`, { external_id: 'A-1' });
  await leave(a, b);
  await leave(b, a);
  const holder = await a.must('POST', '/v1/accounts', { name: 'Holder', account_types: ['vendor'], external_id: 'B-1' });
  await connect(a, b);
  expect(await accountOf(a, b)).toMatchObject({ id: ours.id, discarded_at: null, external_id: null });
  expect(await a.must('GET', `/v1/accounts/${holder.id}`)).toMatchObject({ external_id: 'B-1' });
  // Nobody has the other one.
  expect(await accountOf(b, a)).toMatchObject({ id: theirs.id, external_id: 'A-1' });
});
