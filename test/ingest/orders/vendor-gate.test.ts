import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import fc from 'fast-check';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { ComplianceDocument, ComplianceDocumentType } from '../../../src/directory/compliance/compliance.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { runs } from '../../helpers/properties.ts';
import { makeOrder, makeTenant, orderInput, type Tenant } from '../../helpers/tenant.ts';
import { expectPreviewed, send } from '../dry-runs.ts';
import { order } from '../payloads.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await makeTenant(app);
});

const own = (at: Tenant) => ({ company: ref(at.company) });
const vendor = (name: string, more: object = {}, at = tenant) =>
  at.save(Account, { ...own(at), name, accountTypes: ['vendor'], ...more }) as Promise<Account>;
const asking = (name: string, more: object = {}, at = tenant) =>
  at.save(ComplianceDocumentType, { ...own(at), name, requiredVendors: true, dispatchGating: true, hasExpiration: true, ...more });
const paper = (type: ComplianceDocumentType, of: Account, until: string, at = tenant) =>
  at.save(ComplianceDocument, {
    ...own(at),
    complianceDocumentType: ref(type),
    compliantType: 'Account',
    compliantId: of.id,
    expiresAt: new Date(until),
  });
const hiring = (id: string, name: string, more: object = {}) =>
  order(id, { vendors: [{ name }], load_at: '2036-03-01T15:00:00Z', ...more });

/** Sends orders after a dry run that must say the same. @returns of each whom its jobs went to, and what was warned of */
async function imported(orders: object[], at = tenant): Promise<{ jobs: (string | null)[]; warnings: Json[] }[]> {
  const [records] = (await expectPreviewed(app, at, 'orders', [orders])) as [Json[]];
  expect(records.map(({ state }) => state)).toEqual(orders.map(() => 'processed'));
  return Promise.all(records.map(async ({ result_id, warnings }) => ({ jobs: await hired(result_id, at), warnings })));
}

/** Vendors of an order's jobs, as their states agree with. */
async function hired(id: string, at = tenant): Promise<(string | null)[]> {
  const query = 'query($id: ID!) { order(id: $id) { jobs { nodes { state jobAssignments { vendorAccount { name } } } } } }';
  const { data } = await at.gql(query, { id });
  return data.order.jobs.nodes.map(({ state, jobAssignments }: Json) => {
    expect(state).toBe(jobAssignments.length > 0 ? 'assigned' : 'created');
    return jobAssignments[0]?.vendorAccount.name ?? null;
  });
}

test('an order whose vendor lacks required compliance documents is imported without the vendor, and names the documents', async () => {
  const insurance = await asking('Insurance');
  const licence = await asking('Licence');
  await asking('Safety talk', { dispatchGating: false });
  const hauler = await vendor('Hauler');
  await paper(licence, hauler, '2036-03-01T20:00:00Z');
  const missing = { code: 'vendor_papers_missing', pointer: '/vendors/0', given: { vendor: 'Hauler', documents: ['Insurance'] } };
  expect(await imported([hiring('A-1', 'Hauler', { truck_count: 2 })])).toEqual([{ jobs: [null, null], warnings: [missing].map(full) }]);
  // A vendor that the import itself makes has shown none.
  expect(await imported([hiring('A-2', 'Newcomer')])).toMatchObject([
    { jobs: [null], warnings: [{ ...missing, given: { vendor: 'Newcomer', documents: ['Insurance', 'Licence'] } }] },
  ]);
  await paper(insurance, hauler, '2037-01-01');
  expect(await imported([hiring('A-3', 'Hauler', { truck_count: 2 })])).toEqual([{ jobs: ['Hauler', 'Hauler'], warnings: [] }]);
  // The documents must be valid until the last truck starts: the second leaves nine hours later.
  expect(await imported([hiring('A-4', 'Hauler', { truck_count: 2, truck_delay: 540 })])).toMatchObject([
    { jobs: [null, null], warnings: [{ code: 'vendor_papers_expired', given: { vendor: 'Hauler', documents: ['Licence'] } }] },
  ]);
});

test("orders take no more of a vendor's trucks than it has on a day, one order after the other", async () => {
  await vendor('Small', { truckCount: 2 });
  const late = { load_at: '2036-03-02T05:30:00Z' };
  const reported = await imported([
    hiring('A-1', 'Small'),
    hiring('A-2', 'Small', { truck_count: 2 }),
    hiring('A-3', 'Small', late),
    hiring('A-4', 'Small', late),
    hiring('A-5', 'Small', { load_at: '2036-03-02T15:00:00Z' }),
  ]);
  const full = (trucks: number, left: number) => [
    { code: 'vendor_full', pointer: '/vendors/0', given: { vendor: 'Small', date: '2036-03-01', trucks }, used: { trucks: left } },
  ];
  expect(reported).toEqual([
    { jobs: ['Small'], warnings: [] },
    { jobs: [null, null], warnings: full(2, 1) },
    { jobs: ['Small'], warnings: [] },
    { jobs: [null], warnings: full(1, 0) },
    { jobs: ['Small'], warnings: [] },
  ]);
});

test.each([
  ['customer', 'vendor'],
  ['vendor', 'customer'],
])('of two accounts of one name, the %s being the older, each is found where its kind is meant', async (...kinds) => {
  for (const kind of kinds) await vendor('Twin', { accountTypes: [kind], externalId: `T-${kind}` });
  const twice = (id: string, customer: object, vendor: object) =>
    order(id, { customer, vendors: [vendor], load_at: '2036-03-01T15:00:00Z' });
  const orders = [
    twice('A-1', { external_id: 'T-customer', name: 'twin' }, { name: 'TWIN' }),
    twice('A-2', { external_id: 'T-customer' }, { external_id: 'T-vendor' }),
  ];
  expect(await imported(orders)).toEqual(orders.map(() => ({ jobs: ['Twin'], warnings: [] })));
  const made = await app.orm.em
    .getConnection()
    .execute(
      'select c.external_id as customer, v.external_id as vendor from orders o join account c on c.id = o.account_id join account v on v.id = o.vendor_id where o.company_id = ?',
      [tenant.company.id],
    );
  expect(made).toEqual(orders.map(() => ({ customer: 'T-customer', vendor: 'T-vendor' })));
});

test('a customer that is found among vendors only gets a warning', async () => {
  await vendor('Hauler', { externalId: 'H-1' });
  const [reported] = await imported([order('A-1', { customer: { external_id: 'H-1', name: 'Hauler' } })]);
  expect(reported!.warnings).toMatchObject([{ code: 'not_a_customer', pointer: '/customer', given: 'Hauler' }]);
});

test('a customer is no vendor, and a discarded vendor is neither assigned nor created again', async () => {
  await vendor('Paver', { accountTypes: ['customer'] });
  expect(await imported([hiring('A-1', 'Paver')])).toMatchObject([{ jobs: [null], warnings: [{ code: 'not_a_vendor', given: 'Paver' }] }]);

  const gone = await vendor('Gone', { externalId: 'V-1' });
  expect(await imported([hiring('B-1', 'Gone')])).toEqual([{ jobs: ['Gone'], warnings: [] }]);
  await tenant.must('DELETE', `/v1/accounts/${gone.id}`);
  const reported = { code: 'vendor_discarded', pointer: '/vendors/0', given: ' gone' };
  expect(await imported([hiring('B-2', ' gone')])).toMatchObject([{ jobs: [null], warnings: [{ ...reported, given: 'gone' }] }]);
  expect(await imported([order('B-3', { vendors: [{ external_id: 'V-1', name: 'Gone & Sons' }] })])).toMatchObject([
    { jobs: [null], warnings: [{ ...reported, given: 'Gone & Sons' }] },
  ]);
  // Where it is it stays.
  expect(await imported([hiring('B-1', 'Gone', { notes: 'x' })])).toEqual([{ jobs: ['Gone'], warnings: [] }]);
  // Another one of that name is another one.
  expect(await imported([order('B-4', { vendors: [{ external_id: 'V-2', name: 'Gone' }] })])).toEqual([{ jobs: ['Gone'], warnings: [] }]);
});

test('an existing order refuses an unsuitable vendor, and keeps the one it has', async () => {
  await vendor('Hauler');
  const [made] = await send(app, tenant, 'orders', [hiring('A-1', 'Hauler')]);
  const vendorOf = async () => {
    const sql = 'select v.name from orders o left join account v on v.id = o.vendor_id where o.id = ?';
    return (await app.orm.em.getConnection().execute(sql, [made.result_id]))[0]!.name;
  };
  await asking('Insurance');
  expect(await imported([hiring('A-1', 'Hauler', { notes: 'x' })])).toEqual([{ jobs: ['Hauler'], warnings: [] }]);
  expect(await vendorOf()).toBe('Hauler');
  await vendor('Other');
  expect(await imported([hiring('A-1', 'Other')])).toMatchObject([{ jobs: ['Hauler'], warnings: [{ code: 'vendor_papers_missing' }] }]);
  expect(await vendorOf()).toBeNull();
  const [type] = await tenant.must('GET', tenant.path('/compliance_document_types'));
  await tenant.must('DELETE', tenant.path(`/compliance_document_types/${type.id}`));
  expect(await imported([hiring('A-1', 'Other', { notes: 'y' })])).toEqual([{ jobs: ['Hauler'], warnings: [] }]);
  expect(await vendorOf()).toBe('Other');
});

test('no statement asks about vendors if none is named, and one is enough for a hundred orders', async () => {
  await vendor('Hauler', { truckCount: 150 });
  await asking('Safety talk', { dispatchGating: false });
  const cost = async (tag: string, size: number, more: object) => {
    const orders = Array.from({ length: size }, (_, i) => hiring(`${tag}-${i}`, 'Hauler', { truck_count: 2, ...more }));
    const { statements } = await app.countStatements(() => send(app, tenant, 'orders', orders));
    return statements.filter((sql) => /compliance_document|truck_count as/.test(sql)).length;
  };
  expect([await cost('none', 3, { vendors: [] }), await cost('one', 1, {}), await cost('many', 100, {})]).toEqual([0, 1, 1]);
});

test('concurrent people and imports assign a vendor no more trucks than it has, and as many as it has', async () => {
  const limited = await vendor('Hauler', { truckCount: 3 });
  const day = { load_at: '2036-03-01T15:00:00Z' };
  const made = await Promise.all(Array.from({ length: 5 }, () => makeOrder(tenant, { ...day, truck_count: 1 })));
  const jobs = await Promise.all(made.map(async ({ id }) => (await tenant.must('GET', `/v1/orders/${id}/jobs`))[0].id));
  const people = [
    ...jobs.map((id) => tenant.http('PUT', `/v1/jobs/${id}/assign_vendor`, { vendor_id: limited.id })),
    ...[1, 2, 3].map(() => tenant.http('POST', '/v1/orders', orderInput(tenant, { ...day, truck_count: 1, vendor_id: limited.id }))),
  ];
  const imports = ['A', 'B', 'C'].map((id) =>
    tenant.http('POST', '/ingest/orders', { orders: [hiring(`${id}-1`, 'Hauler'), hiring(`${id}-2`, 'Hauler')] }),
  );
  const reported = (await Promise.all(people)).map(({ status, body }) => [status, body.error?.items?.[0]?.key ?? null]);
  for (const { status } of await Promise.all(imports)) expect(status).toBe(202);
  await app.settled();
  const [{ hired }] = (await app.orm.em
    .getConnection()
    .execute(
      `select count(*)::int as hired from job_assignment a join job j on j.id = a.job_id where a.vendor_account_id = ? and j.state <> 'created'`,
      [limited.id],
    )) as [Json];
  expect(hired).toBe(3);
  expect(reported.filter(([status]) => status === 422).length).toBeGreaterThanOrEqual(people.length - 3);
  expect(reported.filter(([status]) => status !== 422).every(([status]) => status === 200 || status === 201)).toBe(true);
  expect(await tenant.must('GET', '/v1/imported_records')).toEqual(
    Array(6).fill(expect.objectContaining({ state: 'processed', attempts: 1 })),
  );
});

const full = (warning: object) => ({ used: null, ...warning });
const hour = fc.integer({ min: 0, max: 60 });
const wanted = fc.record({
  hour,
  job: fc.option(hour, { nil: undefined, freq: 2 }),
  truck_count: fc.integer({ min: 1, max: 3 }),
  truck_delay: fc.constantFrom(0, 45, 720),
  trucks_per_delay: fc.constantFrom(1, 2),
});
const standing = fc.record({
  truckCount: fc.integer({ min: 0, max: 4 }),
  accountTypes: fc.constantFrom(['vendor'], ['vendor'], ['customer', 'vendor'], ['customer']),
  documents: fc.array(fc.record({ gating: fc.boolean(), until: fc.option(hour, { nil: undefined, freq: 4 }) }), { maxLength: 2 }),
});
const at = (hours: number) => new Date(Date.parse('2036-03-08T06:00:00Z') + hours * 3_600_000).toISOString();

test('for random vendors and orders, an import assigns those whom POST /v1/orders would assign', () =>
  fc.assert(
    fc.asyncProperty(standing, fc.array(wanted, { minLength: 1, maxLength: 5 }), async ({ documents, ...terms }, orders) => {
      const [byPeople, byImport] = [await makeTenant(app), await makeTenant(app)];
      const ids = new Map<Tenant, string>();
      for (const where of [byPeople, byImport]) {
        const account = await vendor('Hauler', terms, where);
        ids.set(where, account.id);
        for (const [i, { gating, until }] of documents.entries()) {
          const type = await asking(`Paper ${i}`, { dispatchGating: gating }, where);
          if (until !== undefined) await paper(type, account, at(until), where);
        }
      }
      const fields = ({ hour: starts, job, ...more }: Json) => ({
        ...{ load_at: at(starts), ...more },
        ...(job === undefined ? {} : { job_start_at: at(job) }),
      });
      const expected: boolean[] = [];
      for (const one of orders) {
        const input = orderInput(byPeople, { ...fields(one), vendor_id: ids.get(byPeople) });
        const { status } = await byPeople.http('POST', byPeople.path('/orders'), input);
        expect([201, 422]).toContain(status);
        expected.push(status === 201);
      }
      const reported = await imported(
        orders.map((one, i) => hiring(`A-${i}`, 'Hauler', fields(one))),
        byImport,
      );
      expect(reported.map(({ jobs }) => jobs.every((name) => name === 'Hauler'))).toEqual(expected);
      expect(reported.map(({ warnings }) => warnings.length === 0)).toEqual(expected);
    }),
    { numRuns: runs(15) },
  ));

test('an import moves an order to a day on which its vendor has no truck left, with a warning', async () => {
  await vendor('Small', { truckCount: 2 });
  const [on, off] = ['2036-03-01T15:00:00Z', '2036-03-02T15:00:00Z'];
  await imported([hiring('stays', 'Small', { truck_count: 2 }), hiring('moves', 'Small', { load_at: off })]);
  const [same, moved] = await imported([
    hiring('stays', 'Small', { truck_count: 2, load_at: '2027-03-03T16:00:00Z' }),
    hiring('moves', 'Small', { load_at: off, notes: 'by the river' }),
  ]);
  expect([same!.warnings, moved!.warnings]).toEqual([[], []]);
  const [back] = await imported([hiring('stays', 'Small', { truck_count: 2, load_at: off })]);
  expect(back).toMatchObject({
    jobs: ['Small', 'Small'],
    warnings: [{ code: 'vendor_day_full', pointer: '/load_at', given: off, used: { vendor: 'Small', date: '2036-03-02', trucks: 2 } }],
  });
  expect((await imported([hiring('stays', 'Small', { truck_count: 2, load_at: on })]))[0]!.warnings).toEqual([]);
});

test('the warning of a full day points at the field that moves the truck there', async () => {
  await vendor('Small', { truckCount: 2 });
  const [on, off] = ['2036-03-01T15:00:00Z', '2036-03-02T15:00:00Z'];
  const day = { truck_count: 2, truck_delay: 0, trucks_per_delay: 1 };
  const full = { vendor: 'Small', date: '2036-03-02', trucks: 2 };
  const moving = (more: object) => hiring('moves', 'Small', { ...day, load_at: on, ...more });
  await imported([hiring('stays', 'Small', { truck_count: 2, load_at: off }), moving({})]);
  for (const [more, pointer, given] of [
    // An hour later it is the same day; it is the delay that takes the second truck to the next one.
    [{ load_at: '2036-03-01T16:00:00Z', truck_delay: 1440 }, '/truck_delay', 1440],
    [{ job_start_at: off }, '/job_start_at', off],
    // Where jobs start at a time of their own, loading says nothing.
    [{ load_at: '2036-03-01T17:00:00Z', job_start_at: '2036-03-02T16:00:00Z', truck_delay: 0 }, '/job_start_at', '2036-03-02T16:00:00Z'],
    [{ load_at: off }, '/load_at', off],
  ] as const) {
    const [reported] = await imported([moving(more)]);
    expect(reported!.warnings).toEqual([{ code: 'vendor_day_full', pointer, given, used: full }]);
    expect((await imported([moving({ job_start_at: null })]))[0]!.warnings).toEqual([]);
  }
});

test('an order that moves within a full day adds no work for the vendor', async () => {
  const { id } = await vendor('Small', { truckCount: 2 });
  const on = '2036-03-01T15:00:00Z';
  await imported([hiring('moves', 'Small', { truck_count: 2, load_at: on })]);
  await app.orm.em.fork().nativeUpdate(Account, id, { truckCount: 1 }, { filters: { tenant: false } });
  expect((await imported([hiring('moves', 'Small', { truck_count: 2, load_at: '2036-03-01T17:00:00Z' })]))[0]!.warnings).toEqual([]);
});
