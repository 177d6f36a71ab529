import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeStaffedTenant, plannedOrder, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { errorsOf, type Json, materialOf, merge, merged, rowsOf, siteOf, undo } from './merging.ts';

let app: TestApp;
let tenant: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeStaffedTenant(app);
});
afterAll(() => app.close());

const at = (site: { id: string }, type = 'pickup') => ({
  waypoints: [
    { type, site_id: site.id, ordinality: 0 },
    { type: 'drop_off', site_id: tenant.dropoff.id, ordinality: 1 },
  ],
});
const stopsOf = (order: Json): string[] => order.waypoints.map(({ site }: Json) => site.id);

test('the site that stays has the work of the former one and answers for its id, over both interfaces', async () => {
  const kept = await siteOf(tenant, { name: 'North Pit', externalId: 'N-1' });
  const former = await siteOf(tenant, { name: 'Pit North', externalId: 'N-2', notes: 'Gate 3' });
  const order = await plannedOrder(tenant, at(former));
  await plannedOrder(tenant, {});
  const merge = await merged(tenant, 'sites', kept.id, [former.id]);
  expect(merge).toMatchObject({ record_type: 'Site', kept_id: kept.id, former_ids: [former.id], state: 'merged', undone_at: null });
  expect(merge.moved).toEqual(expect.arrayContaining([{ records: 'waypoint', moved: expect.any(Number), put_aside: 0 }]));
  expect(Date.parse(merge.undo_until) - Date.parse(merge.created_at)).toBe(24 * 3_600_000);

  // Its work.
  expect(stopsOf(await tenant.dispatcher.must('GET', `/v1/orders/${order.id}`))).toEqual([kept.id, tenant.dropoff.id]);
  // Single reads, by path and by GraphQL.
  for (const path of [`/v1/sites/${former.id}`, tenant.path(`/sites/${former.id.toUpperCase()}`)])
    expect(await tenant.dispatcher.must('GET', path)).toMatchObject({ id: kept.id, name: 'North Pit' });
  const { data } = await tenant.dispatcher.gql('query($id: ID!) { site(id: $id) { id } node(id: $id) { id } nodes(ids: [$id]) { id } }', {
    id: former.id,
  });
  expect(data).toEqual({ site: { id: kept.id }, node: { id: kept.id }, nodes: [{ id: kept.id }] });
  // Lists have it once; filters take the former id.
  const sites: Json[] = await tenant.dispatcher.must('GET', tenant.path('/sites?page[limit]=100'));
  expect(sites.filter(({ id, name }) => [kept.id, former.id].includes(id) || name === 'Pit North').map(({ id }) => id)).toEqual([kept.id]);
  const orders: Json[] = await tenant.dispatcher.must('GET', tenant.path(`/orders?filter[job][pickup_site_ids]=${former.id}`));
  expect(orders.map(({ id }) => id)).toEqual([order.id]);
  const nested = await tenant.dispatcher.gql('query($id: ID!) { orders(filter: { job: { pickupSiteIds: [$id] } }) { nodes { id } } }', {
    id: former.id,
  });
  expect(nested.data.orders.nodes).toEqual([{ id: order.id }]);
  // References in inputs.
  expect(stopsOf(await tenant.dispatcher.must('POST', tenant.path('/orders'), { ...(await input()), ...at(former) }))[0]).toBe(kept.id);
  // Commands on the former id are about the one that stays, under its version.
  const { headers } = await tenant.admin.http('GET', `/v1/sites/${former.id}`);
  const match = { 'If-Match': headers.get('etag')! };
  expect((await tenant.admin.http('PATCH', `/v1/sites/${former.id}`, { notes: 'One gate' }, match)).status).toBe(200);
  expect((await tenant.admin.http('PATCH', `/v1/sites/${former.id}`, { notes: 'Two gates' }, match)).status).toBe(412);
  expect(await tenant.admin.must('GET', `/v1/sites/${kept.id}`)).toMatchObject({ notes: 'One gate' });
});

test('filters of lists below records, and of the pages of a day, take former ids as those of root lists do', async () => {
  const kept = await siteOf(tenant, { name: 'East Pit' });
  const former = await siteOf(tenant, { name: 'Pit East' });
  const { id: order } = await plannedOrder(tenant, at(former));
  await merged(tenant, 'sites', kept.id, [former.id]);
  const query = `query ($site: ID!, $order: ID!, $account: ID!, $filter: JobFilter) {
    order(id: $order) { jobs(filter: $filter) { count { value } } others: jobs(filter: { not: [{ pickupSiteIds: [$site] }] }) { count { value } } }
    account(id: $account) { orders(filter: { or: { job: { pickupSiteIds: [$site] } } }) { nodes { id } } }
    nodes(ids: [$order]) { ... on Order { jobs(filter: $filter) { count { value } } } }
    dayBoard(date: "2026-11-23") { jobsByPage(filter: $filter) { count { value } } ordersByPage(filter: { job: { pickupSiteIds: [$site] } }) { nodes { id } } } }`;
  const answer = (site: string) =>
    tenant.dispatcher.gql(query, { site, order, account: tenant.account.id, filter: { pickupSiteIds: [site] } });
  const one = { jobs: { count: { value: 1 } } };
  const expected = {
    order: { ...one, others: { count: { value: 0 } } },
    account: { orders: { nodes: [{ id: order }] } },
    nodes: [one],
    dayBoard: { jobsByPage: { count: { value: 1 } }, ordersByPage: { nodes: [{ id: order }] } },
  };
  expect(await answer(kept.id)).toEqual({ data: expected });
  expect(await answer(former.id.toUpperCase())).toEqual({ data: expected });
});

const input = async () => ({
  load_at: '2026-11-23T12:00:00.000Z',
  truck_count: 1,
  truck_delay: 0,
  account_id: tenant.account.id,
  service_id: tenant.service.id,
});

test('an undo restores exactly, and what was changed or made since stays', async () => {
  const of = await makeStaffedTenant(app);
  const kept = await siteOf(of, { name: 'Yard' });
  const former = await siteOf(of, { name: 'The Yard', externalId: 'Y-2' });
  const place = (site: { id: string }) => ({
    waypoints: [
      { type: 'pickup', site_id: site.id, ordinality: 0 },
      { type: 'drop_off', site_id: of.dropoff.id, ordinality: 1 },
    ],
  });
  const first = await plannedOrder(of, place(former));
  await of.admin.must('POST', of.path('/material_rates'), {
    material_id: of.material.id,
    site_id: former.id,
    unit_of_measure: 'Ton',
    sell_price: '4',
  });
  const before = await rowsOf(of);
  const merge = await merged(of, 'sites', kept.id, [former.id]);
  expect(await rowsOf(of)).not.toEqual(before);
  expect((await undo(of, merge.id)).status).toBe(200);
  expect(await rowsOf(of)).toEqual(before);
  expect(await of.admin.must('GET', `/v1/sites/${former.id}`)).toMatchObject({ id: former.id, name: 'The Yard' });
  expect(await of.admin.must('GET', `/v1/merges/${merge.id}`)).toMatchObject({ state: 'undone', undone_at: expect.any(String) });
  expect(errorsOf(await undo(of, merge.id))).toEqual(['409', 'state: was undone already']);

  const again = await merged(of, 'sites', kept.id, [former.id]);
  const second = await plannedOrder(of, place(kept));
  expect((await undo(of, again.id)).status).toBe(200);
  const stops = async ({ id }: { id: string }) => stopsOf(await of.dispatcher.must('GET', `/v1/orders/${id}`))[0];
  expect([await stops(first), await stops(second)]).toEqual([former.id, kept.id]);
});

test('a dry run says what would be moved, and changes nothing', async () => {
  const of = await makeStaffedTenant(app);
  const kept = await siteOf(of, { name: 'Plant' });
  await plannedOrder(of, {});
  const before = await rowsOf(of);
  const plan = await merged(of, 'sites', kept.id, [of.pickup.id], { dry_run: true });
  expect(plan).toMatchObject({ state: 'planned', kept_id: kept.id, former_ids: [of.pickup.id] });
  expect(plan.moved.find(({ records }: Json) => records === 'waypoint')).toMatchObject({ put_aside: 0 });
  expect(await rowsOf(of)).toEqual(before);
  expect((await of.admin.http('GET', `/v1/merges/${plan.id}`)).status).toBe(404);
  expect(await of.admin.must('GET', `/v1/sites/${of.pickup.id}`)).toMatchObject({ id: of.pickup.id });
});

test('mistakes name their fields, and nothing changes', async () => {
  const [kept, other] = [await siteOf(tenant, { name: 'A' }), await siteOf(tenant, { name: 'B' })];
  const stranger = await makeStaffedTenant(app);
  const refused = async (others: string[]) => errorsOf(await merge(tenant, 'sites', kept.id, others));
  expect(await refused([])).toEqual(['422', 'other_ids: is required']);
  expect(await refused([kept.id])).toEqual(['422', 'other_ids.0: is the record that stays, or was merged into it']);
  expect(await refused([other.id, other.id])).toEqual(['422', 'other_ids.1: is named twice']);
  expect(await refused([stranger.pickup.id, tenant.material.id])).toEqual(['422', 'other_ids.0: must exist', 'other_ids.1: must exist']);
  expect((await stranger.admin.http('PUT', `/v1/sites/${kept.id}/merge`, { other_ids: [other.id] })).status).toBe(404);
  expect((await tenant.driver.http('PUT', `/v1/sites/${kept.id}/merge`, { other_ids: [other.id] })).status).toBe(403);
  expect((await merge(tenant, 'sites', kept.id, [other.id])).status).toBe(200);
  expect(await refused([other.id])).toEqual(['422', 'other_ids.0: is the record that stays, or was merged into it']);
  // A merge of another company is not seen, and not undone.
  const [{ id }] = await tenant.admin.must('GET', '/v1/merges?page[limit]=1');
  for (const [method, path] of [
    ['GET', `/v1/merges/${id}`],
    ['PUT', `/v1/merges/${id}/undo`],
  ] as const)
    expect((await stranger.admin.http(method, path)).status).toBe(404);
  expect((await tenant.driver.http('PUT', `/v1/merges/${id}/undo`, {})).status).toBe(403);
});

test('what is merged and merged again answers with the last one, and is undone from the last', async () => {
  const [a, b, c] = [
    await materialOf(tenant, { name: 'A' }),
    await materialOf(tenant, { name: 'B' }),
    await materialOf(tenant, { name: 'C' }),
  ];
  const first = await merged(tenant, 'materials', b.id, [a.id]);
  const second = await merged(tenant, 'materials', c.id, [b.id]);
  for (const { id } of [a, b, c]) expect(await tenant.admin.must('GET', `/v1/materials/${id}`)).toMatchObject({ id: c.id, name: 'C' });
  expect(errorsOf(await undo(tenant, first.id))).toEqual([
    '409',
    'state: cannot be undone now: the record that stayed was itself merged since. Undo that merge first',
  ]);
  expect((await undo(tenant, second.id)).status).toBe(200);
  expect(await tenant.admin.must('GET', `/v1/materials/${a.id}`)).toMatchObject({ id: b.id });
  expect((await undo(tenant, first.id)).status).toBe(200);
  expect(await tenant.admin.must('GET', `/v1/materials/${a.id}`)).toMatchObject({ id: a.id });
});

test('after a day nobody undoes a merge', async () => {
  const [a, b] = [await materialOf(tenant, { name: 'Old' }), await materialOf(tenant, { name: 'Older' })];
  const { id } = await merged(tenant, 'materials', a.id, [b.id]);
  await app.orm.em
    .fork()
    .getConnection()
    .execute(`update record_merge set created_at = created_at - interval '25 hours' where id = ?`, [id]);
  expect(errorsOf(await undo(tenant, id))).toEqual(['409', 'state: can be undone for a day only']);
});

test('an external id of a former record is taken, but for the one that stays', async () => {
  const [a, b, c] = [
    await materialOf(tenant, { name: 'Sand', externalId: 'SND' }),
    await materialOf(tenant, { name: 'Sand 2', externalId: 'SND2' }),
    await materialOf(tenant, { name: 'Clay' }),
  ];
  await merged(tenant, 'materials', a.id, [b.id]);
  const give = (id: string) => tenant.admin.http('PATCH', `/v1/materials/${id}`, { external_id: 'SND2' });
  expect(errorsOf(await give(c.id))).toEqual(['422', 'external_id: has already been taken']);
  expect((await give(a.id)).status).toBe(200);
});

test('the feed says that the former record is lost and what it was merged into, and that it is there again', async () => {
  const of = await makeStaffedTenant(app);
  const [kept, former] = [await siteOf(of, { name: 'Here' }), await siteOf(of, { name: 'Also here' })];
  const feed = async (after: string) => {
    const { body } = await of.admin.http('GET', of.path(`/changes?after=${after}&types=Site&limit=100`));
    return body as Json;
  };
  const start = (await feed('0')).meta.position;
  const { id } = await merged(of, 'sites', kept.id, [former.id]);
  const after = await feed(start);
  const entriesOf = ({ data }: Json) =>
    data.map(({ id, event, merged_into, record }: Json) => ({ id, event, merged_into, name: record?.name ?? null }));
  expect(entriesOf(after)).toEqual(
    expect.arrayContaining([
      { id: former.id, event: 'removed', merged_into: kept.id, name: null },
      { id: kept.id, event: 'update', merged_into: null, name: 'Here' },
    ]),
  );
  expect(after.data).toHaveLength(2);
  await undo(of, id);
  const again = await feed(after.meta.position);
  expect(entriesOf(again)).toEqual(
    expect.arrayContaining([
      { id: former.id, event: 'create', merged_into: null, name: 'Also here' },
      { id: kept.id, event: 'update', merged_into: null, name: 'Here' },
    ]),
  );
  expect(again.data).toHaveLength(2);
  // The log says so of both.
  for (const [subject, change] of [
    [former.id, { merged_into_id: [null, kept.id] }],
    [kept.id, { merged_ids: [null, [former.id]] }],
  ] as const) {
    const entries: Json[] = await of.admin.must('GET', of.path(`/audit_entries?filter[subject_id]=${subject}&page[limit]=100`));
    expect(entries.map(({ object_changes }) => object_changes)).toEqual(expect.arrayContaining([change]));
  }
});

test('the feed says so also in pages of one change each, which read one record each', async () => {
  const of = await makeStaffedTenant(app);
  const [kept, former] = [await siteOf(of, { name: 'Gravel Pit' }), await siteOf(of, { name: 'Pit of gravel' })];
  const page = async (after: string): Promise<Json> =>
    (await of.admin.http('GET', of.path(`/changes?after=${after}&types=Site&limit=1`))).body;
  let position: string = (await of.admin.http('GET', of.path('/changes'))).body.meta.position;
  const start = position;
  await merged(of, 'sites', kept.id, [former.id]);
  const said: Json[] = [];
  for (let more = true; more; ) {
    const { data, meta } = await page(position);
    said.push(...data.map(({ id, event, merged_into, record }: Json) => [id, event, merged_into, record?.id ?? null]));
    ({ position, has_more: more } = meta);
  }
  expect(said).toHaveLength(2);
  expect(said).toEqual(
    expect.arrayContaining([
      [former.id, 'removed', kept.id, null],
      [kept.id, 'update', null, kept.id],
    ]),
  );
  const asked: Json[] = [];
  for (let after = start, more = true; more; ) {
    const { data } = await of.admin.gql(
      'query ($after: String) { changes(after: $after, types: [Site], first: 1) { position hasMore nodes { id event record { id } mergedIntoRecord { id } } } }',
      { after },
    );
    asked.push(...data.changes.nodes);
    [after, more] = [data.changes.position, data.changes.hasMore];
  }
  expect(asked).toEqual(
    expect.arrayContaining([
      { id: former.id, event: 'removed', record: null, mergedIntoRecord: { id: kept.id } },
      { id: kept.id, event: 'update', record: { id: kept.id }, mergedIntoRecord: null },
    ]),
  );
});
