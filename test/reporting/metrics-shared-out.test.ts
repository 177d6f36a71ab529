import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Site } from '../../src/directory/sites/site.entity.ts';
import { hauled, M10, ticketed } from '../billing/books.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { migratedDatabase } from '../helpers/database.ts';
import { jobOfChain, makeChain, makeStaffedTenant, ONE_LOAD, type StaffedTenant, share } from '../helpers/staffed-tenant.ts';
import type { Person } from '../helpers/tenant.ts';
import { until } from '../helpers/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const CHICAGO = { timeZone: 'America/Chicago', currency: 'USD' };
const RATES = { customer_rate_value: 4.25, customer_rate_type: 'RatePerTon', driver_rate_value: 2, driver_rate_type: 'RatePerTon' };

/** A process of the product on a database of its own, whose tables are too small for PostgreSQL to share anything out. */
let usual: TestApp;
let url: string;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  url = await migratedDatabase('auto');
  usual = await startTestApp({ server: { url, readUrls: [], mostLag: 0 }, invoices: true });
  closing.push(() => usual.close());
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

/** Another process on the same database, on whose connections PostgreSQL shares out whatever it may, however few rows there are. */
async function startShared(): Promise<TestApp> {
  await usual.orm.em.fork().execute(`do $$ declare name text; begin
    -- PostgreSQL 15 has it under its former name.
    select s.name into name from pg_settings s where s.name in ('debug_parallel_query', 'force_parallel_mode');
    execute format('alter database %I set %I = on', current_database(), name);
  end $$`);
  const shared = await startTestApp({ server: { url, readUrls: [], mostLag: 0 } });
  closing.push(() => shared.close());
  return shared;
}

/** The processes that were to help with statements of the database, and those that did. PostgreSQL counts them when a connection has nothing to do. */
async function helpers(): Promise<{ wanted: number; came: number }> {
  const [row] = await usual.orm.em
    .fork()
    .execute<{ wanted: number; came: number }[]>(
      `select parallel_workers_to_launch::int as wanted, parallel_workers_launched::int as came from pg_stat_database where datname = current_database()`,
    );
  return row!;
}

/** A vendor is found by a sub-query with policies of its own, which PostgreSQL leaves to the process that was asked, as it does with limits to people. */
const DIMENSIONS = ['company', 'customer', 'driver', 'truck', 'material', 'pickup_site', 'dropoff_site'];
const QUESTIONS = [
  ...[...DIMENSIONS, 'vendor'].map((one) => `measures[]=loads&measures[]=delivered_quantity&group_by[]=day&group_by[]=${one}`),
  'measures[]=jobs&measures[]=on_time_starts&measures[]=job_hours&group_by[]=state&group_by[]=driver',
  'measures[]=orders&measures[]=loads&group_by[]=week&group_by[]=order',
  'measures[]=on_site_minutes&measures[]=cycle_minutes&measures[]=ticketed_quantity',
  'measures[]=loads_to_approve&measures[]=jobs_to_approve&measures[]=import_failures',
  'measures[]=receivable&measures[]=payable&measures[]=margin&measures[]=material_cost&group_by[]=customer&group_by[]=vendor',
];

interface Caller {
  name: string;
  person: Pick<Person, 'token'>;
  of: StaffedTenant;
  more?: string;
}

const ask = async (app: TestApp, { person, of, more = '' }: Caller, question: string): Promise<Json> => {
  const { status, body } = await app.http('GET', of.path(`/metrics?${question}${more}`), { token: person.token });
  return { status, data: body.data, errors: body.error?.errors };
};

test('a metric that several processes of PostgreSQL work out is the same for everybody, and nobody sees another company by it', async () => {
  const chain = await makeChain(usual, CHICAGO);
  const { owner, middle, last } = chain;
  const passed = await jobOfChain(chain);
  for (const event of ONE_LOAD) await passed.go(event);
  await passed.go('complete');
  const [load] = await owner.must('GET', `/v1/jobs/${passed.id}/loads`);
  await ticketed(owner, load, '23.21');
  await hauled({ app: usual, tenant: owner } as never, M10, { at: owner, order: RATES });
  const stranger = await makeStaffedTenant(usual, CHICAGO);
  await hauled({ app: usual, tenant: stranger } as never, ['9'], { at: stranger, order: RATES });
  // A site that is shared without any work, and somebody who sees the work of one site alone.
  const lent = await owner.save(Site, { company: ref(owner.company), name: 'Lent pit', siteType: 'Quarry' });
  await share(owner, middle, 'Site', lent.id);
  const limited = await owner.person({ roles: ['manager'] });
  const scope = { resource_id: owner.pickup.id, resource_type: 'Site' };
  expect((await owner.admin.http('POST', `/v1/users/${limited.user.id}/resource_scopes`, scope)).status).toBe(201);
  await usual.settled();

  const office = [owner, middle, last, stranger];
  const callers: Caller[] = [
    ...office.map((of) => ({ name: `administrator of ${of.company.legalName}`, person: of.admin, of })),
    { name: 'biller', person: await owner.person({ roles: ['biller'] }), of: owner },
    { name: 'biller of the hauler', person: await middle.person({ roles: ['biller'] }), of: middle },
    { name: 'driver of the last', person: { token: passed.token }, of: last },
    { name: 'own driver', person: owner.driver, of: owner },
    { name: 'limited to a site', person: limited, of: owner },
    { name: 'a stranger for the owner', person: stranger.admin, of: owner },
    { name: 'a stranger with its company', person: stranger.admin, of: stranger, more: `&filter[company_ids][]=${owner.company.id}` },
    { name: 'nobody', person: { token: 'none' }, of: owner },
  ];
  const asked = callers.flatMap((caller) => QUESTIONS.map((question) => ({ caller, question })));
  const expected: Json[] = [];
  for (const { caller, question } of asked) expected.push(await ask(usual, caller, question));
  expect(expected.filter(({ status }) => status === 200).length).toBeGreaterThan(60);

  const shared = await startShared();
  const before = await helpers();
  for (const [at, { caller, question }] of asked.entries()) {
    const about = { caller: caller.name, question };
    expect({ ...about, ...(await ask(shared, caller, question)) }).toEqual({ ...about, ...expected[at] });
  }
  await until(async () => {
    const { wanted, came } = await helpers();
    return wanted - before.wanted >= office.length * DIMENSIONS.length && came > before.came;
  });

  // The names of partners are among them: the hauler sees the site of the customer, and the customer the driver of the owner-operator.
  const labels = async (of: StaffedTenant, dimension: string): Promise<string[]> => {
    const { data } = await ask(shared, { name: '', person: of.admin, of }, `measures[]=loads&group_by[]=${dimension}`);
    return data.map(({ keys }: Json) => keys[0].label);
  };
  expect(await labels(middle, 'pickup_site')).toEqual([owner.pickup.name]);
  expect(await labels(last, 'pickup_site')).toEqual([owner.pickup.name]);
  expect((await labels(owner, 'driver')).filter(Boolean)).toHaveLength(2);
  expect(await labels(stranger, 'pickup_site')).toEqual([stranger.pickup.name]);
});
