import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { asCompanies } from '../../src/platform/database/scope.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import { at, pastShift } from '../dispatch/drivers/shifts.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { drive, jobOf, makeStaffedTenant, ONE_LOAD, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { zoneAt } from '../helpers/zones.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeStaffedTenant(app, { aiReviewLoads: true, timeZone: zoneAt(12) });
});
afterAll(() => app.close());

const sql = async (text: string, values: unknown[] = []): Promise<Json[]> =>
  (await (await poolOf(app.orm.em.fork())).query(text, values)).rows;

/** A completed load. Reviews flag it, because nothing proves it. */
async function hauled(of = tenant): Promise<Json> {
  const { user, ...driver } = await of.person({ roles: ['driver'] });
  const job = await jobOf(of, { driver_id: user.id });
  await drive({ ...driver, user }, job.id, ...ONE_LOAD);
  await app.settled();
  return { ...(await of.must('GET', `/v1/jobs/${job.id}/loads`))[0], job };
}

const PAGE = `query ($filter: LoadFilter, $after: String, $first: Int) {
  loads(filter: $filter, first: $first, after: $after) { nodes { id needsReview } pageInfo { endCursor hasNextPage } } }`;
/** Lists loads by the filter, whose field says the same. */
async function listed(needsReview: boolean, more: object = {}): Promise<string[]> {
  const ids: string[] = [];
  let after: string | null = null;
  do {
    const { data } = await tenant.gql(PAGE, { filter: { needsReview, ...more }, first: 2, after });
    expect(data.loads.nodes.filter((load: Json) => load.needsReview !== needsReview)).toEqual([]);
    ids.push(...data.loads.nodes.map(({ id }: Json) => id));
    after = data.loads.pageInfo.hasNextPage ? data.loads.pageInfo.endCursor : null;
  } while (after);
  return ids.sort();
}

test('loads and tickets that a person should look at are listed page by page until somebody has approved them', async () => {
  const loads = [await hauled(), await hauled(), await hauled(), await hauled()];
  const ids = loads.map(({ id }) => id).sort();
  expect(await listed(true, { states: ['completed'] })).toEqual(ids);
  expect(await listed(false, { states: ['completed'] })).toEqual([]);
  const [doubted, fine, ticketed, canceled] = loads;
  await sql('update load set review_flagged = false where id = any($1)', [[doubted.id, fine.id]]);
  await sql('update load set needs_review = true where id = $1', [doubted.id]);
  await sql(`update load set state = 'canceled' where id = $1`, [canceled.id]);
  expect(await listed(true)).toEqual([doubted.id, ticketed.id].sort());
  expect(await listed(false, { states: ['completed'] })).toEqual([fine.id]);

  const ticket = (load: Json, number: string) =>
    tenant.must('POST', '/v1/tickets', { load_id: load.id, ticket_number: number, unit_of_measure: 'Ton', quantity: 20 });
  const bare = await ticket(ticketed, 'R-1');
  const flagged = await ticket(fine, 'R-2');
  await tenant.must('PATCH', `/v1/tickets/${flagged.id}`, { flagged: true });
  const other = await tenant.must('POST', '/v1/tickets', { ticket_number: 'R-3', unit_of_measure: 'Ton' });
  await app.settled();
  // The review of the fine load found that its ticket has no picture.
  await sql('update load set review_flagged = false where id = $1', [fine.id]);
  const tickets = async (value: boolean) =>
    (await tenant.must('GET', `/v1/tickets?filter[needs_review]=${value}`)).map(({ id }: Json) => id).sort();
  expect([await tickets(true), await tickets(false)]).toEqual([[bare.id, flagged.id].sort(), [other.id]]);
  expect(await listed(true)).toEqual([doubted.id, fine.id, ticketed.id].sort());
  await tenant.must('PUT', `/v1/tickets/${flagged.id}/void`);
  await tenant.must('PUT', `/v1/loads/${ticketed.id}/approve`, {});
  await app.settled();
  // Without its ticket the fine one lacks a proof.
  expect([await tickets(true), await listed(true)]).toEqual([[], [doubted.id, fine.id].sort()]);
  await tenant.must('PUT', `/v1/loads/${ticketed.id}/unapprove`, {});
  expect([await tickets(true), (await tenant.must('GET', `/v1/jobs/${ticketed.job.id}/loads?filter[needs_review]=true`)).length]).toEqual([
    [bare.id],
    1,
  ]);
});

test('a review that finds nothing any more takes the load off the list', async () => {
  const load = await hauled();
  const { id } = await tenant.must('POST', '/v1/tickets', { load_id: load.id, ticket_number: 'F-1', unit_of_measure: 'Ton', quantity: 20 });
  await app.settled();
  expect(await listed(true)).toContain(load.id);
  await sql(`update ticket set image_url = 'https://pictures.example/1.jpg' where id = $1`, [id]);
  const settings = `mutation { updateCompanySettings(input: { reviewShortestOnSiteMinutes: 0 }) { reviewShortestOnSiteMinutes } }`;
  expect((await tenant.admin.gql(settings)).errors).toBeUndefined();
  await tenant.must('PATCH', `/v1/tickets/${id}`, { quantity: 21, service_date: new Date().toISOString() });
  await app.settled();
  expect(await listed(true)).not.toContain(load.id);
});

test('days are listed whose shift is over and that nobody of their company approved for billing', async () => {
  const of = await makeStaffedTenant(app);
  const zone = of.company.timeZone;
  const shift = async (date: string, until: string | null) =>
    pastShift(of, (await of.person({ roles: ['driver'] })).user, [
      ['on_duty', at(`${date}T06:00`, zone), until === null ? null : at(`${date}T${until}`, zone)],
    ]);
  const waiting = await shift('2026-11-02', '14:00');
  const approved = await shift('2026-11-03', '14:00');
  const reopened = await shift('2026-11-04', '14:00');
  const running = await shift('2026-11-05', null);
  for (const { id } of [approved, reopened]) await of.must('PUT', `/v1/driver_days/${id}/approve`, {});
  // Work that is reported for an approved day marks it.
  await sql('update driver_day set worked_after_approval = true where id = $1', [reopened.id]);
  const listed = async (value: boolean) =>
    (await of.must('GET', `/v1/driver_days?filter[needs_review]=${value}&sort[driver_day_date]=asc`)).map(({ id }: Json) => id);
  expect([await listed(true), await listed(false)]).toEqual([
    [waiting.id, reopened.id],
    [approved.id, running.id],
  ]);
  for (const what of ['unapprove', 'approve']) await of.must('PUT', `/v1/driver_days/${reopened.id}/${what}`, {});
  expect(await listed(true)).toEqual([waiting.id]);
});

/** Has trucks of the company cross geofences two thousand times, for certain and for no job: between empty indexes PostgreSQL takes any. */
const seeCrossings = () =>
  sql(
    `insert into geofence_trigger (id, company_id, asset_type, asset_id, fence_id, geofence_trigger_type, occurred_at, confirmed_at, location_id, lat, lon, state, confidence)
     select gen_random_uuid(), $1, 'driver', gen_random_uuid(), gen_random_uuid(), 'enter', now(), now(), gen_random_uuid(), 30.25, -97.75, 'applied', 1
     from generate_series(1, 2000)`,
    [tenant.company.id],
  );

test.each([
  ['loads', 'load', '{ loads(filter: { needsReview: true }) { nodes { id } } }', ['load_to_review_idx']],
  ['tickets', 'ticket', '{ tickets(filter: { needsReview: true }) { nodes { id } } }', ['load_to_review_idx', 'ticket_flagged_idx']],
  [
    'driverDays',
    'driver_day',
    '{ driverDays(filter: { needsReview: true }, sort: { driverDayDate: asc }) { nodes { id } } }',
    ['driver_day_to_review_idx'],
  ],
  [
    'geofenceTriggers',
    'geofence_trigger',
    '{ geofenceTriggers(needsReview: true) { nodes { id undoable } } }',
    ['geofence_trigger_proposed_idx', 'geofence_trigger_doubtful_idx'],
  ],
])('%s that need a person are found by an index', async (_list, table, query, indexes) => {
  if (table === 'geofence_trigger') await seeCrossings();
  const { statements } = await app.countStatements(() => tenant.gql(query));
  const page = statements.find((text) => text.includes('json_build_array') && text.includes(`"${table}"`))!;
  const plan = await asCompanies([tenant.company.id], () =>
    app.productOrm.em.fork().transactional(async (em) => {
      // Tables of a test are small: where PostgreSQL reads them whole all the same, no index may be asked.
      await em.execute('set local enable_seqscan = off');
      const values = { 'uuid[]': `'{${tenant.company.id}}'`, uuid: `'${tenant.company.id}'`, boolean: 'true' };
      const asked = page.replaceAll(/\$\d+::(uuid\[\]|uuid|boolean)/g, (_, type: keyof typeof values) => `${values[type]}::${type}`);
      const rows = await em.execute<{ 'QUERY PLAN': string }[]>(`explain (costs off) ${asked}`);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    }),
  );
  for (const index of indexes) expect(plan).toContain(index);
});
