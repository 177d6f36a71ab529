import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { RECORD_TYPES } from '../../src/events/changes/record-types.ts';
import { deleteOldChanges } from '../../src/events/changes/retention.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { endOf, feedOf, Replica, snapshotOf } from './follower.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const sql = (text: string, values: unknown[] = []) => app.orm.em.fork().getConnection().execute<Json[]>(text, values);
const after = async (position: string, more = ''): Promise<Json> => (await feedOf(tenant, `?after=${position}${more}`)).body;
const said = ({ data }: Json): string[] => data.map(({ type, event, state }: Json) => `${type} ${event} ${state}`);

test('the feed reports an order from its creation on, with the record as its own path shows it', async () => {
  const start = await endOf(tenant);
  const order = await makeOrder(tenant);
  const first = await after(start, '&types=Order');
  expect(said(first)).toEqual([`Order create ${order.state}`]);
  expect(first.data[0].record).toEqual(await tenant.must('GET', tenant.path(`/orders/${order.id}`)));
  await tenant.must('PATCH', tenant.path(`/orders/${order.id}`), { notes: 'second' });
  await tenant.must('PUT', tenant.path(`/orders/${order.id}/accept`));
  const rest = await after(first.meta.position, '&types=Order');
  expect(said(rest)).toEqual(['Order update null', 'Order state_change accepted']);
  expect(rest.data[1]).toMatchObject({ previous_state: order.state, id: order.id });
  expect(await after(rest.meta.position)).toEqual({ data: [], meta: { position: expect.any(String), has_more: false } });
  const { data } = await tenant.gql(
    'query ($after: String) { changes(after: $after, types: [Order]) { position hasMore nodes { event record { id ... on Order { notes } } } } }',
    { after: start },
  );
  expect(data.changes.nodes.map(({ event, record }: Json) => [event, record])).toEqual(
    ['create', 'update', 'state_change'].map((event) => [event, { id: order.id, notes: 'second' }]),
  );
  // A job shows terms of its order, and changes with them alone.
  const [job] = await tenant.must('GET', tenant.path(`/orders/${order.id}/jobs`));
  const before = await endOf(tenant);
  await tenant.must('PATCH', tenant.path(`/orders/${order.id}`), { notes: 'third' });
  const ofJobs = await after(before, '&types=Job');
  expect(ofJobs.data.map(({ event, id, record }: Json) => [event, id, record.order.notes])).toEqual([['update', job.id, 'third']]);
  await tenant.must('PATCH', tenant.path(`/orders/${order.id}`), { external_id: 'of the order alone' });
  expect(said(await after(ofJobs.meta.position, '&types=Job'))).toEqual([]);
  // Only its stops are changed.
  const again = await endOf(tenant);
  const waypoints = [
    { type: 'pickup', site_id: tenant.dropoff.id, ordinality: 0 },
    { type: 'drop_off', site_id: tenant.pickup.id, ordinality: 1 },
  ];
  await tenant.must('PATCH', tenant.path(`/orders/${order.id}`), { waypoints });
  expect(said(await after(again, '&types=Order'))).toEqual(['Order update null']);
});

/** An event on its way to one endpoint, and a company to try things in: neither is a record of the company. */
const APART = ['WebhookDelivery', 'Sandbox'];

test('every type has changes: its table is watched, it is read by its id, and its records are in the snapshot', async () => {
  const triggers = await sql(`select tgrelid::regclass::text as "table" from pg_trigger where tgname like 'note\\_%\\_insert' group by 1`);
  const watched = new Set(triggers.map(({ table }) => table.replaceAll('"', '')));
  const forgotten = RECORD_TYPES.filter((type) => !watched.has(app.orm.getMetadata().getByClassName(type as never).tableName));
  expect(forgotten).toEqual([]);
  const { data } = await tenant.gql('{ __type(name: "Node") { possibleTypes { name } } }');
  const found = data.__type.possibleTypes.map(({ name }: Json) => name).filter((name: string) => !APART.includes(name));
  expect([...RECORD_TYPES].sort()).toEqual(found.sort());
  await makeOrder(tenant);
  const lines = await snapshotOf(tenant);
  expect(lines.at(-1)).toEqual({ position: lines[0].position, records: lines.length - 2 });
  const types = new Set(lines.map(({ type }) => type));
  expect([...types]).toEqual(
    expect.arrayContaining(['Account', 'Company', 'Job', 'M2MClient', 'Material', 'Order', 'Service', 'Site', 'User']),
  );
  const only = await snapshotOf(tenant, '?types=Site,Material');
  expect(new Set(only.slice(1, -1).map(({ type }) => type))).toEqual(new Set(['Site', 'Material']));
});

test('deleted and discarded records leave the copy of a follower', async () => {
  const replica = await new Replica(tenant).begin();
  const label = await tenant.must('POST', tenant.path('/labels'), { name: 'Night shift', color: '#112233' }, await tenant.administrator());
  const order = await makeOrder(tenant);
  await replica.follow();
  expect(replica.records.get(`Label ${label.id}`)).toMatchObject({ name: 'Night shift' });
  await tenant.must('DELETE', tenant.path(`/labels/${label.id}`), undefined, await tenant.administrator());
  const [job] = await tenant.must('GET', tenant.path(`/orders/${order.id}/jobs`));
  await tenant.must('DELETE', `/v1/jobs/${job.id}`);
  const events = await replica.follow(3);
  expect(events).toEqual(expect.arrayContaining(['Label removed', 'Job delete', 'Load delete']));
  expect([replica.records.has(`Label ${label.id}`), replica.records.has(`Job ${job.id}`)]).toEqual([false, false]);
  expect(replica.records.get(`Order ${order.id}`)).toEqual(await tenant.must('GET', tenant.path(`/orders/${order.id}`)));
});

test('a geofence that is drawn anew is a change of its site', async () => {
  const site = await tenant.must('POST', tenant.path('/sites'), {
    ...{ name: 'Quarry', type: 'Quarry', lat: 41.9, lon: -87.6 },
    routing_geofence: { geofence: { circle_radius: 150 } },
  });
  const start = await endOf(tenant);
  const wider = { routing_geofence: { geofence: { circle_radius: 250 } } };
  await tenant.must('PATCH', `/v1/sites/${site.id}`, wider);
  expect(said(await after(start, '&types=Site'))).toEqual(['Site update null']);
  await tenant.must('PATCH', `/v1/sites/${site.id}`, wider);
  expect(said(await after(start, '&types=Site'))).toEqual(['Site update null']);
});

test("a company that is not the caller's is 404, and its changes are in no other feed", async () => {
  const other = await makeTenant(app);
  const start = await endOf(other);
  await makeOrder(tenant);
  const foreign = await other.http('GET', tenant.path(`/changes?after=${start}`));
  const snapshot = await other.http('GET', tenant.path('/changes/snapshot'));
  const { errors } = await other.gql('query ($id: ID) { changes(companyId: $id) { position } }', { id: tenant.company.id });
  expect([foreign.status, snapshot.status, errors[0].extensions.code]).toEqual([404, 404, 'object_not_found']);
  expect((await app.http('GET', tenant.path('/changes'))).status).toBe(401);
  expect((await feedOf(other, `?after=${start}`)).body.data).toEqual([]);
  // Positions are counted for each company.
  expect(await endOf(other)).toBe(start);
});

test('a position of one company of a family is none of the others', async () => {
  const [parent, child] = [await makeTenant(app), await makeTenant(app)];
  await sql('update company set parent_company_id = ? where id = ?', [parent.company.id, child.company.id]);
  const fresh = await parent.person({ roles: ['company_admin'] });
  const at = ({ path }: Tenant, after = '') =>
    parent.http('GET', `${path('/changes')}${after && `?after=${after}`}`, undefined, fresh.token);
  const positionOf = async (tenant: Tenant): Promise<string> => (await at(tenant)).body.meta.position;
  const [above, below] = [await positionOf(parent), await positionOf(child)];
  // Read on from there, the first order would be missed: the numbers of both feeds are similar.
  await makeOrder(child);
  await makeOrder(parent);
  const status = async (tenant: Tenant, after: string) => (await at(tenant, after)).status;
  expect([await status(parent, above), await status(child, below)]).toEqual([200, 200]);
  expect([await status(parent, below), await status(child, above)]).toEqual([410, 410]);
});

test('an empty list of types selects none of them, as an empty list of any filter does', async () => {
  const start = await endOf(tenant);
  await makeOrder(tenant);
  const query = `query ($after: String, $types: [RecordType!]) {
    changes(after: $after, types: $types, first: 100) { position hasMore nodes { id } } orders(filter: { states: [] }) { nodes { id } } }`;
  const asked = async (types: string[] | null) => (await tenant.gql(query, { after: start, types })).data;
  const [none, all] = [await asked([]), await asked(null)];
  expect(all.changes.nodes.length).toBeGreaterThan(0);
  // Whoever follows none gets on all the same.
  expect(none).toEqual({ changes: { position: all.changes.position, hasMore: false, nodes: [] }, orders: { nodes: [] } });
  for (const path of ['', '/snapshot'])
    for (const types of ['types=', 'types[]=']) {
      const { status, body } = await tenant.http('GET', tenant.path(`/changes${path}?${types}`));
      expect([path, types, status, body.error.errors.map(({ field }: Json) => field)]).toEqual([path, types, 422, ['types']]);
    }
});

test('what is wrong with a question is said, and from where one cannot read on', async () => {
  const wrong = await feedOf(tenant, '?after=yesterday&types=Order,Moon&limit=0&wait=600');
  expect([wrong.status, wrong.body.error.errors.map(({ field }: Json) => field).sort()]).toEqual([422, ['limit', 'types', 'wait']]);
  expect((await feedOf(tenant, '?after=yesterday')).status).toBe(422);
  // GraphQL has the same limits: a page of the feed is one statement, and each record of it is read.
  const { errors } = await tenant.gql('{ changes(after: "0", first: 101, wait: 31) { position } }');
  expect([errors[0].extensions.code, errors[0].extensions.errors.map(({ field }: Json) => field)]).toEqual([
    'unprocessable_content',
    ['first', 'wait'],
  ]);
  // What is not known changes nothing, and is named, as everywhere: this one would read from the present end for ever.
  const typo = await feedOf(tenant, '?afer=1-0123456789ab');
  expect([typo.body.meta.ignored, typo.body.meta.position, typo.headers.get('warning')]).toEqual([
    ['afer'],
    expect.stringMatching(/^\d+-/),
    '299 - "Ignored: afer"',
  ]);
  const copy = await tenant.http('GET', tenant.path('/changes/snapshot?type=Order'));
  expect([copy.status, copy.headers.get('warning')]).toEqual([200, '299 - "Ignored: type"']);
  // Who asks for what a snapshot is not gets none; lines are JSON.
  for (const [accept, expected] of [
    ['text/csv', 406],
    ['text/event-stream', 406],
    ['application/json', 200],
    ['application/x-ndjson', 200],
    ['text/csv, */*;q=0.1', 200],
  ] as const) {
    const { status } = await app.http('GET', tenant.path('/changes/snapshot?types=Material'), {
      token: tenant.token,
      headers: { Accept: accept },
    });
    expect([accept, status]).toEqual([accept, expected]);
  }
  const strict = { token: tenant.token, headers: { Prefer: 'handling=strict' } };
  for (const path of ['/changes?afer=0', '/changes/snapshot?type=Order'])
    expect((await app.http('GET', tenant.path(path), strict)).status).toBe(422);
  const start = await endOf(tenant);
  const [number, rights] = start.split('-');
  for (const position of [`${Number(number) + 1_000}-${rights}`, `${number}-0123456789ab`]) {
    const { status, body, headers } = await feedOf(tenant, `?after=${position}`);
    expect([status, body.error.code, headers.get('link')]).toEqual([410, 'gone', `<${tenant.path('/changes/snapshot')}>; rel="start"`]);
    const twin = await tenant.gql('query ($after: String) { changes(after: $after) { position } }', { after: position });
    expect(twin.errors[0].extensions).toMatchObject({ code: 'gone', begin: tenant.path('/changes/snapshot') });
  }
  await makeOrder(tenant);
  await endOf(tenant);
  // As if it had been a month ago.
  await sql(`update change_entry set moved_at = now() - interval '31 days' where company_id = ?`, [tenant.company.id]);
  await deleteOldChanges(app.productOrm.em.fork());
  expect((await feedOf(tenant, `?after=${start}`)).status).toBe(410);
  // From the beginning of what is kept, everybody can read.
  expect((await feedOf(tenant, '?after=0')).status).toBe(200);
  const now = await endOf(tenant);
  await makeOrder(tenant);
  expect(said(await after(now, '&types=Order'))).toEqual(['Order create created']);
});

test('a position of the beginning gets too old, as every other one', async () => {
  const own = await makeTenant(app);
  const [, rights] = (await endOf(own)).split('-');
  await sql(`update change_entry set moved_at = now() - interval '31 days' where company_id = ?`, [own.company.id]);
  await deleteOldChanges(app.productOrm.em.fork());
  expect((await feedOf(own, `?after=0-${rights}`)).status).toBe(410);
  expect((await feedOf(own, '?after=0')).status).toBe(200);
});

test('a type that hardly ever changes is found behind many changes of others, and no statement looks through all of them', async () => {
  const own = await makeTenant(app);
  const start = await endOf(own);
  const many = 45_000;
  await sql(
    `with moved as (update change_feed set position = position + ${many} where company_id = ? returning company_id, position)
     insert into change_entry (company_id, position, owner_company_id, subject_type, subject_id, kind, changed_at)
     select company_id, position - ${many} + n, company_id, 'Material', gen_random_uuid(), 'delete', now() from moved, generate_series(1, ${many}) n`,
    [own.company.id],
  );
  const label = await own.must('POST', own.path('/labels'), { name: 'Rare', color: '#112233' }, await own.administrator());
  let found: Json;
  const { statements } = await app.countStatements(async () => {
    found = (await feedOf(own, `?after=${start}&types=Label`)).body;
  });
  expect(found.data.map(({ id }: Json) => id)).toEqual([label.id]);
  expect(statements.filter((text) => text.includes('from change_entry'))).toHaveLength(3);
});

test('what a transaction does to a record is one change, however many records it changes', async () => {
  const own = await makeTenant(app);
  await endOf(own);
  // More than are moved at a time.
  const many = 2_100;
  const em = app.orm.em.fork();
  await em.begin();
  const run = (text: string, values: unknown[]) => em.getConnection().execute(text, values, 'run', em.getTransactionContext());
  await run(
    `insert into material (id, company_id, name, created_at, updated_at) select gen_random_uuid(), ?, 'Many ' || n, now(), now() from generate_series(1, ${many}) n`,
    [own.company.id],
  );
  await run(`update material set name = name || '!' where company_id = ? and name like 'Many %'`, [own.company.id]);
  await em.commit();
  await endOf(own);
  const kinds = await sql(
    `select e.kind, count(*)::int from change_entry e join material m on m.id = e.subject_id where e.company_id = ? and m.name like 'Many %' group by 1`,
    [own.company.id],
  );
  expect(kinds).toEqual([{ kind: 'create', count: many }]);
});

test('what readers saw is forgotten when they have not read for a month, and when it was lost before that', async () => {
  const person = await tenant.person({ roles: ['dispatcher'] });
  const ofPerson = (id: string) => sql('select subject_id as id from change_sight where reader_id = ?', [id]);
  const replica = await new Replica(tenant, person.token).begin();
  await tenant.must('POST', '/ingest/orders', { orders: [{ external_id: 'seen' }] }, person.token);
  expect(await replica.follow()).toContain('ImportBatch create');
  const [{ position }] = await sql('select position::text from change_feed where company_id = ?', [tenant.company.id]);
  const lost = 'insert into change_sight (company_id, reader_id, subject_id, subject_type, lost_at) values (?, ?, gen_random_uuid(), ?, ?)';
  await sql(lost, [tenant.company.id, person.id, 'Order', position]);
  expect(await ofPerson(person.id)).toHaveLength(2);
  // Everything that is kept is older now.
  await sql(`update change_entry set moved_at = now() - interval '31 days' where company_id = ?`, [tenant.company.id]);
  await deleteOldChanges(app.productOrm.em.fork());
  expect(await ofPerson(person.id)).toHaveLength(1);
  expect((await feedOf(tenant, `?after=${replica.position}`, person.token)).status).toBe(200);
  await sql(`update change_reader set read_at = now() - interval '31 days' where reader_id = ?`, [person.id]);
  await deleteOldChanges(app.productOrm.em.fork());
  expect(await ofPerson(person.id)).toEqual([]);
  const late = await feedOf(tenant, `?after=${replica.position}`, person.token);
  expect([late.status, late.headers.get('link')]).toEqual([410, `<${tenant.path('/changes/snapshot')}>; rel="start"`]);
  await replica.begin();
  expect(await replica.follow()).toEqual([]);
  // It is noted that somebody reads, an hour later at the earliest.
  await sql(`update change_reader set read_at = now() - interval '2 hours' where reader_id = ?`, [person.id]);
  await replica.follow();
  const [{ late: old }] = await sql(`select read_at < now() - interval '1 hour' as late from change_reader where reader_id = ?`, [
    person.id,
  ]);
  expect(old).toBe(false);
});
