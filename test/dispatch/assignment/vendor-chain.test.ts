import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { act, connect, drive, jobOf, makeChain, makeStaffedTenant, read, type StaffedTenant, share } from '../../helpers/staffed-tenant.ts';
import { fieldsOf } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let owner: StaffedTenant;
let middle: StaffedTenant;
let last: StaffedTenant;
/** Accounts by which each knows the next. */
let hired: Json;
let subHired: Json;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  ({ owner, middle, last, hired, subHired } = await makeChain(app));
});
afterAll(() => app.close());

test('a job goes down the chain to the driver, and each company sees its own links only', async () => {
  const { id } = await jobOf(owner);
  expect([(await read(middle, id)).status, (await read(last, id)).status]).toEqual([404, 404]);
  await act(owner, id, 'assign_vendor', { vendor_id: hired.id });
  await act(owner, id, 'request');
  expect([(await read(middle, id)).status, (await read(last, id)).status]).toEqual([200, 404]);
  expect((await act(middle, id, 'accept')).state).toBe('accepted');
  await act(middle, id, 'assign_vendor', { vendor_id: subHired.id });
  await act(middle, id, 'request');
  expect((await act(last, id, 'accept')).state).toBe('accepted');
  await last.dispatcher.must('PATCH', last.path(`/jobs/${id}`), { driver_id: last.driver.id });
  await act(last, id, 'request');
  expect((await last.must('PUT', `/v1/jobs/${id}/accept`, {}, last.driver.token)).state).toBe('accepted');

  const links = async (who: StaffedTenant) =>
    (await who.must('GET', who.path(`/jobs/${id}/job_assignments`))).map((link: Json) => [
      link.customer_account?.company.id,
      link.vendor_account?.id,
    ]);
  // Of a link each side reads the account that it keeps of the other one.
  expect(await links(owner)).toEqual([[undefined, hired.id]]);
  expect((await links(middle)).sort()).toEqual(
    [
      [middle.company.id, undefined],
      [undefined, subHired.id],
    ].sort(),
  );
  expect(await links(last)).toEqual([[last.company.id, undefined]]);
  const sendingAccounts = async (who: StaffedTenant) =>
    (await who.admin.gql('query($id: ID!) { job(id: $id) { order { sendingAccounts { company { id } } } } }', { id })).data.job.order
      .sendingAccounts;
  expect(await sendingAccounts(owner)).toEqual([]);
  expect(await sendingAccounts(middle)).toEqual([{ company: { id: middle.company.id } }]);
  expect(await sendingAccounts(last)).toEqual([{ company: { id: last.company.id } }]);
  for (const who of [owner, middle, last]) {
    const seen = (await read(who, id)).body.data;
    expect(seen).toMatchObject({ state: 'accepted', driver: { id: last.driver.id } });
    // The last one does not learn whom the work is for in the end by its accounts, nor the first one whom its hauler hires.
    expect(JSON.stringify([seen.vendor_job_assignment, seen.customer_job_assignment])).not.toContain(
      who === owner ? last.company.id : who === last ? owner.company.id : 'nobody',
    );
  }
  expect((await read(owner, id, middle.dispatcher)).status).toBe(404);
  const stranger = await makeStaffedTenant(app, { legalName: 'Stranger' });
  expect((await read(stranger, id)).status).toBe(404);
});

test('a vendor reads the name of the account that work is for, but not its contacts', async () => {
  const account = await owner.must('POST', '/v1/accounts', {
    name: 'Secret Paving',
    account_types: ['customer'],
    external_id: 'SECRET-1',
    notes: 'pays late',
    primary_contact: { name: 'Pat Private', email: 'pat@private.example', phone: '+15125550177' },
    address: { thoroughfare: '77 Hidden St', locality: 'Austin', administrative_area: 'TX', postal_code: '78701', country: 'US' },
  });
  const { id, order } = await jobOf(owner, { account_id: account.id });
  await act(owner, id, 'assign_vendor', { vendor_id: hired.id });
  await act(owner, id, 'request');
  const reported = `account { name externalId notes address { thoroughfare } primaryContact { name email phone } connectedCompany { id } }`;
  const query = `query($id: ID!, $order: ID!) { order(id: $order) { ${reported} } job(id: $id) { order { ${reported} } } }`;
  const answers = async (who: StaffedTenant) => (await who.admin.gql(query, { id, order: order.id })).data;
  const seen = { name: 'Secret Paving', externalId: null, notes: null, address: null, primaryContact: null, connectedCompany: null };
  expect(await answers(middle)).toEqual({ order: { account: seen }, job: { order: { account: seen } } });
  expect((await answers(owner)).order.account).toMatchObject({
    address: { thoroughfare: '77 Hidden St' },
    primaryContact: { name: 'Pat Private', email: 'pat@private.example', phone: '+15125550177' },
  });
  expect(JSON.stringify(await middle.admin.must('GET', middle.path(`/orders/${order.id}`)))).not.toMatch(
    /Pat Private|Hidden St|SECRET-1|pays late/,
  );
});

test('work cannot be passed back up the chain, neither to a vendor that has it nor to its owner', async () => {
  await connect(owner, last);
  /** Makes a company the vendor of another one, which it may hire. */
  const hire = async (from: StaffedTenant, to: StaffedTenant) => {
    const accounts = await from.admin.must('GET', from.path('/accounts?page[limit]=100'));
    const { id } = accounts.find((account: Json) => account.connected_company?.id === to.company.id);
    return from.admin.must('PATCH', `/v1/accounts/${id}`, { account_types: ['customer', 'vendor'] });
  };
  const [toOwner, toMiddle, direct] = [await hire(last, owner), await hire(last, middle), await hire(owner, last)];
  const { id } = await jobOf(owner);
  await act(owner, id, 'assign_vendor', { vendor_id: hired.id });
  await act(owner, id, 'request');
  await act(middle, id, 'accept');
  await act(middle, id, 'assign_vendor', { vendor_id: subHired.id });
  await act(middle, id, 'request');
  await act(last, id, 'accept');
  await last.admin.must('PATCH', `/v1/accounts/${toOwner.id}`, { auto_accept_orders: true });
  for (const account of [toOwner, toMiddle]) {
    const assigned = await last.dispatcher.http('PUT', last.path(`/jobs/${id}/assign_vendor`), { vendor_id: account.id });
    expect([assigned.status, fieldsOf(assigned), assigned.body.error.errors[0].message]).toEqual([
      422,
      ['vendor_id'],
      'belongs to a company from which this job came; a job cannot be passed back up the vendor chain',
    ]);
    const linked = await last.admin.http('POST', last.path(`/jobs/${id}/job_assignments`), { vendor_account_id: account.id });
    expect([linked.status, fieldsOf(linked)]).toEqual([422, ['vendor_account_id']]);
  }
  // A driver is hired from the company that shares them, which is the same way round.
  await share(owner, last, 'User', owner.driver.id);
  const driven = await last.dispatcher.http('PATCH', last.path(`/jobs/${id}`), { driver_id: owner.driver.id });
  expect([driven.status, fieldsOf(driven)]).toEqual([422, ['driver_id']]);
  expect((await read(last, id)).body.data).toMatchObject({ state: 'accepted', driver: null });
  // A company that is no longer above may be hired: the owner takes the job back and passes it on to the last one first.
  await act(owner, id, 'unassign');
  await act(owner, id, 'assign_vendor', { vendor_id: direct.id });
  await act(owner, id, 'request');
  await act(last, id, 'accept');
  expect((await act(last, id, 'assign_vendor', { vendor_id: toMiddle.id })).state).toBe('assigned');
});

test('a filter by vendor finds the work that the reader passed on, and shows nobody whom others of the chain hired', async () => {
  const { id, order } = await jobOf(owner);
  await act(owner, id, 'assign_vendor', { vendor_id: hired.id });
  await act(owner, id, 'request');
  await act(middle, id, 'accept');
  await act(middle, id, 'assign_vendor', { vendor_id: subHired.id });
  await act(middle, id, 'request');
  await act(last, id, 'accept');
  await last.dispatcher.must('PATCH', last.path(`/jobs/${id}`), { driver_id: last.driver.id });
  await act(last, id, 'request');
  await drive(last.driver, id, 'accept', 'enroute');
  const accounts = { hired: hired.id, subHired: subHired.id };
  /** Which lists find the work by the account. */
  const foundBy = async (reader: StaffedTenant, account: string) => {
    const rest = async (path: string) => (await reader.admin.must('GET', reader.path(path))).map((row: Json) => row.id);
    const job = { job: { vendorAccountIds: [account] } };
    const { data } = await reader.admin.gql(
      `query($job: OrderJobFilter, $jobs: JobFilter, $loads: LoadJobFilter, $order: ID!) {
        orders(filter: { job: $job }) { nodes { id } } jobs(filter: $jobs) { nodes { id } }
        loads(filter: { job: $loads }) { nodes { job { id } } } driverFacets(filter: { job: $job }) { nodes { id } }
        order(id: $order) { jobs(filter: $jobs) { nodes { id } } } }`,
      { ...job, jobs: job.job, loads: job.job, order: order.id },
    );
    return {
      restJobs: (await rest(`/jobs?filter[vendor_account_ids][]=${account}&page[limit]=100`)).includes(id),
      restOrders: (await rest(`/orders?filter[job][vendor_account_ids][]=${account}&page[limit]=100`)).includes(order.id),
      jobs: data.jobs.nodes.some((one: Json) => one.id === id),
      orders: data.orders.nodes.some((one: Json) => one.id === order.id),
      loads: data.loads.nodes.some((one: Json) => one.job.id === id),
      drivers: data.driverFacets.nodes.some((one: Json) => one.id === last.driver.id),
    };
  };
  const readers = { owner, middle, last };
  const found: Json = {};
  for (const [name, reader] of Object.entries(readers))
    for (const [account, accountId] of Object.entries(accounts))
      found[`${name} by ${account}`] = Object.entries(await foundBy(reader, accountId)).flatMap(([list, has]) => (has ? [list] : []));
  const nothing: string[] = [];
  expect(found).toEqual({
    'owner by hired': ['restJobs', 'restOrders', 'jobs', 'orders', 'loads'],
    'owner by subHired': nothing,
    'middle by hired': nothing,
    'middle by subHired': ['restJobs', 'restOrders', 'jobs', 'orders', 'loads'],
    'last by hired': nothing,
    'last by subHired': nothing,
  });
});
