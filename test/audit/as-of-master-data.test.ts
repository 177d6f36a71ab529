import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { CompanyShare } from '../../src/directory/shares/company-share.entity.ts';
import { makeBooks } from '../billing/books.ts';
import { makeStaffedTenant } from '../helpers/staffed-tenant.ts';
import { makeTenant } from '../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

/** A moment that is clearly after what was done before, and before what is done next. */
async function moment(): Promise<string> {
  await sleep(5);
  const [row] = await books.app.orm.em.fork().execute<{ now: string }[]>('select clock_timestamp() as now');
  await sleep(5);
  return new Date(row!.now).toISOString();
}
const asOf = (path: string, instant: string) => `${path}?as_of=${encodeURIComponent(instant)}`;
/** Returns the fields of the record itself, without those that change with each write. */
const ownOf = ({ updated_at: _, version: __, ...body }: Json): Json =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => typeof value !== 'object' || value === null));

test('master data and companies are answered as they were', async () => {
  const at = await makeStaffedTenant(books.app, { timeZone: 'America/Chicago' });
  const { admin, company } = at;
  const make = (path: string, body: object): Promise<Json> => at.must('POST', path, body);
  const rateCard = { name: 'Card', owner_type: 'customer', type: 'RatePerTon', unit_rate: 4.25, unit_minimum: 0, unit_increment: 0 };
  const [project, site, account, rate, truck, material] = await Promise.all([
    make('/v1/projects', { name: 'Ring road', account_id: at.account.id }),
    make('/v1/sites', { name: 'Pit', site_type: 'Quarry' }),
    make('/v1/accounts', { name: 'Acme', account_types: ['customer'] }),
    make('/v1/rates', rateCard),
    make('/v1/equipment', { name: 'Truck 7', equipment_type_id: (await make('/v1/equipment_types', { name: 'Tri-axle' })).id }),
    make('/v1/materials', { name: 'Sand' }),
  ]);
  const { data } = await at.gql('{ iamRoles(first: 20) { nodes { id key } } }');
  const driver = data.iamRoles.nodes.find(({ key }: Json) => key === 'driver').id;
  const named = { first_name: 'Dora', last_name: 'Wheel', email: `dora-${company.platformId}@example.com` };
  const person = await make('/v1/users', { ...named, iam_role_ids: [driver] });
  const changes: [path: string, field: string, to: unknown][] = [
    [`/v1/projects/${project.id}`, 'name', 'Ring road, north'],
    [`/v1/sites/${site.id}`, 'notes', 'Mind the gate'],
    [`/v1/accounts/${account.id}`, 'name', 'Acme Paving'],
    [`/v1/rates/${rate.id}`, 'name', 'Card of the north'],
    [`/v1/equipment/${truck.id}`, 'name', 'Truck 8'],
    [`/v1/materials/${material.id}`, 'name', 'Washed sand'],
    [`/v1/users/${person.id}`, 'last_name', 'Wheeler'],
    [`/v1/drivers/${person.id}`, 'first_name', 'Theodora'],
    [`/v1/companies/${company.id}`, 'dba_name', 'The yard'],
  ];
  const read = async (path: string, instant?: string): Promise<Json> =>
    ownOf(await admin.must('GET', instant ? asOf(path, instant) : path));
  const paths = changes.map(([path]) => path);
  const before = await Promise.all(paths.map((path) => read(path)));
  const then = await moment();
  for (const [path, field, to] of changes) {
    await at.must('PATCH', path.replace('/drivers/', '/users/'), { [field]: to });
    // Something of it, and not what it was made with.
    expect([path, (await read(path))[field]]).toEqual([path, to]);
  }
  const later = await moment();
  const after = await Promise.all(paths.map((path) => read(path)));
  for (const path of paths) await at.must('PATCH', path.replace('/drivers/', '/users/'), changesBack(path));
  for (const [i, path] of paths.entries()) {
    expect([path, await read(path, then)]).toEqual([path, before[i]]);
    expect([path, await read(path, later)]).toEqual([path, after[i]]);
  }
  // Before it was made there was none.
  expect((await admin.http('GET', asOf(paths[0]!, '2020-01-01T00:00:00Z'))).status).toBe(404);
  // The other kinds have it over GraphQL.
  const { data: made } = await at.gql('mutation { createDepartment(input: { name: "By night" }) { id } }');
  const { id } = made.createDepartment;
  const night = await moment();
  await at.gql('mutation ($id: ID!) { updateDepartment(id: $id, input: { name: "By day" }) { id } }', { id });
  const query = 'query ($id: ID!, $asOf: DateTime) { department(id: $id, asOf: $asOf) { name } }';
  expect((await books.app.graphql(query, { id, asOf: night }, admin)).body.data).toEqual({ department: { name: 'By night' } });

  /** Changes once more, so that two steps are taken back. */
  function changesBack(path: string): object {
    const [, field] = changes.find(([one]) => one === path)!;
    return { [field]: 'Once more' };
  }
});

test('the past of master data is read by those who read the audit log of its company', async () => {
  const at = await makeStaffedTenant(books.app);
  const { id } = await at.must('POST', '/v1/sites', { name: 'Pit', site_type: 'Quarry' });
  const then = await moment();
  const path = `/v1/sites/${id}`;
  await at.must('PATCH', path, { notes: 'Mind the gate' });
  expect([(await at.dispatcher.http('GET', path)).status, (await at.dispatcher.http('GET', asOf(path, then))).status]).toEqual([200, 403]);
  const receiver = await makeTenant(books.app);
  expect((await receiver.http('GET', asOf(path, then))).status).toBe(404);
  await at.save(CompanyShare, {
    ...{ companyId: at.company.id, senderCompany: ref(at.company), receiverCompany: ref(receiver.company), dispatchable: true },
    ...{ companyShareableType: 'Site', companyShareableId: id },
  });
  // A shared record is read as it is.
  expect([(await receiver.http('GET', path)).status, (await receiver.http('GET', asOf(path, then))).status]).toEqual([200, 403]);
});

test('where somebody was is in no log, and is not answered of the past', async () => {
  const at = await makeStaffedTenant(books.app);
  await at.driver.must('PUT', '/v1/users/me/driver_state/on_duty', {});
  const then = await moment();
  // As sign-ins and telephones note it: the person has not changed by it.
  const noted =
    'update app_user set last_ping_at = now(), last_lat = 30, last_lon = -97, still_since = now(), last_login_at = now() where id = ?';
  await books.app.orm.em.fork().execute(noted, [at.driver.id]);
  const FIELDS = 'id lastName lastLoginAt gpsStatus { status lastPingAt } lastPosition { lat }';
  const query = `query ($id: ID!, $asOf: DateTime) { user(id: $id, asOf: $asOf) { ${FIELDS} } drivers(asOf: $asOf) { nodes { ${FIELDS} } } }`;
  const read = async (asOf: string | null) => {
    const { body } = await books.app.graphql(query, { id: at.driver.id, asOf }, at.admin);
    return body.data ? [body.data.user, body.data.drivers.nodes.find(({ id }: Json) => id === at.driver.id)] : body;
  };
  const today = {
    lastLoginAt: expect.any(String),
    gpsStatus: { status: 'online', lastPingAt: expect.any(String) },
    lastPosition: { lat: expect.anything() },
  };
  expect(await read(null)).toEqual([expect.objectContaining(today), expect.objectContaining(today)]);
  const was = {
    id: at.driver.id,
    lastName: 'Wheel',
    lastLoginAt: null,
    gpsStatus: { status: 'no_signal', lastPingAt: null },
    lastPosition: null,
  };
  expect(await read(then)).toEqual([was, was]);
});
