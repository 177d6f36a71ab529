import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { seedDemo } from '../../src/demo/seed.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import { localDate, localDateAfter, localToInstant } from '../../src/platform/time.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { dateOfHours } from '../helpers/zones.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await startTestApp({ demo: true, worker: true });
  await app.settled();
  token = await signedIn('company_admin');
});
afterAll(() => app.close());

async function signedIn(role: string): Promise<string> {
  const { email, password } = app.access!.users.find((user) => user.role === role)!;
  const { body } = await app.http('POST', '/v1/auth/login', { body: { email, password } });
  return body.data.session_jwt;
}

const ask = async (query: string): Promise<Json> => {
  const { body } = await app.graphql(query, {}, { token });
  expect(body.errors).toBeUndefined();
  return body.data;
};

const NOBODY_TWICE = 'nothing of the demo happened in the future, and nobody was in two states or places at a time';
test(NOBODY_TWICE, () => nobodyTwice(app, new Date()));

test.each([2, 11])(`at %i o'clock, ${NOBODY_TWICE}`, async (hour) => {
  const other = await startTestApp();
  try {
    const yesterday = localDate(new Date(Date.now() - 86_400_000), 'America/Chicago');
    const now = localToInstant(`${yesterday}T${String(hour).padStart(2, '0')}:30:00`, 'America/Chicago')!;
    expect(await seedDemo(other.productOrm.em, now)).toBeDefined();
    await nobodyTwice(other, now);
  } finally {
    await other.close();
  }
});

test.each([
  ['half an hour before the end of a day of 25 hours', 25, 0, '23:30'],
  ['half an hour after one of 23 hours', 23, 1, '00:30'],
] as const)(`%s, yesterday's work was yesterday, and ${NOBODY_TWICE}`, async (_, hours, later, time) => {
  const other = await startTestApp();
  try {
    const zone = 'America/Chicago';
    const noon = localToInstant(`${dateOfHours(hours, zone, -1)}T12:00`, zone)!;
    const today = localDateAfter(noon, later, zone);
    const now = localToInstant(`${today}T${time}`, zone)!;
    // That month may be long over.
    await other.orm.em.fork().execute(`select keep_part('location_history', ?::timestamptz)`, [now.toISOString()]);
    expect(await seedDemo(other.productOrm.em, now)).toBeDefined();
    await nobodyTwice(other, now);
    const done = await (await poolOf(other.orm.em.fork())).query(
      `select distinct day from orders, lateral (select (load_at at time zone $1)::date - $2::date as day) d where state = 'completed' and day > -4 order by 1`,
      [zone, today],
    );
    expect(done.rows.map(({ day }) => day)).toEqual([-3, -2, -1]);
  } finally {
    await other.close();
  }
});

test.each(['00:10', '23:50'])(
  'at %s, the board of the day has all trucks that are on the road, and work that nobody has begun is ahead',
  async (time) => {
    const other = await startTestApp();
    try {
      const zone = 'America/Chicago';
      const yesterday = localDateAfter(new Date(), -1, zone);
      const now = localToInstant(`${yesterday}T${time}`, zone)!;
      expect(await seedDemo(other.productOrm.em, now)).toBeDefined();
      const { rows } = await (await poolOf(other.orm.em.fork())).query(
        `select j.state, (j.job_start_at at time zone $1)::date - $2::date as day, j.job_start_at >= $3::timestamptz as "isAhead"
      from job j join orders o on o.id = j.order_id where o.state = 'in_progress' and j.state <> all('{load_completed,completed}') order by 1`,
        [zone, yesterday, now.toISOString()],
      );
      expect(rows.map(({ state, day }) => [state, day])).toEqual(
        ['accepted', 'arrived_dropoff', 'arrived_pickup', 'loaded', 'to_dropoff', 'to_pickup', 'unloaded'].map((state) => [state, 0]),
      );
      expect(rows.find(({ state }) => state === 'accepted')).toMatchObject({ isAhead: true });
    } finally {
      await other.close();
    }
  },
);

async function nobodyTwice(of: TestApp, now: Date): Promise<void> {
  const sql = async (text: string): Promise<Json[]> =>
    (await (await poolOf(of.orm.em.fork())).query(text.replaceAll('now()', `'${now.toISOString()}'::timestamptz`))).rows;
  const later =
    await sql(`select 'event' from job_event where occurred_at > now() union all select 'state' from driver_state_event where started_at > now() or ended_at > now()
    union all select 'day' from driver_day where started_shift_at > now() or ended_shift_at > now() or billing_approved_at > now() or field_approved_at > now()
    union all select 'ticket' from ticket where service_date > now() or created_at > now() union all select 'position' from location_history where occurred_at > now()
    union all select 'reminder' from ticket_chase_reminder where sent_at > now()`);
  expect(later).toEqual([]);
  const twice = await sql(`select a.id from driver_state_event a join driver_state_event b on b.user_id = a.user_id and b.id > a.id
    and tstzrange(a.started_at, a.ended_at) && tstzrange(b.started_at, b.ended_at)`);
  expect(twice).toEqual([]);
  const elsewhere = await sql(`select h.user_id from location_history h join job j on j.id = h.job_id
    group by h.user_id, h.occurred_at having count(distinct h.job_id) > 1`);
  expect(elsewhere).toEqual([]);
  // Every position was taken on duty or on a break.
  const private_ =
    await sql(`select h.id from location_history h where not exists (select from driver_state_event e where e.user_id = h.user_id
    and e.state <> 'off_duty' and h.occurred_at >= e.started_at and h.occurred_at <= coalesce(e.ended_at, 'infinity'))`);
  expect(private_).toEqual([]);
}

test('days are in every state, and what was approved is what was worked', async () => {
  const { driverDays } = await ask(
    '{ driverDays(first: 100) { nodes { endReason exceptions endedShiftAt approvalStatus { billerApproved foremanApproved driverApproved } totalShiftMinutes } } }',
  );
  const days: Json[] = driverDays.nodes;
  const some = (of: (day: Json) => unknown) => days.some((day) => Boolean(of(day)));
  expect([
    some((day) => day.approvalStatus.billerApproved),
    some((day) => day.approvalStatus.foremanApproved && !day.approvalStatus.billerApproved),
  ]).toEqual([true, true]);
  expect([some((day) => day.approvalStatus.driverApproved), some((day) => day.endedShiftAt === null)]).toEqual([true, true]);
  const exceptions = new Set(days.flatMap((day) => day.exceptions));
  for (const name of ['forgotten_shift', 'missing_break', 'break_counted_twice']) expect(exceptions).toContain(name);
  expect(exceptions).not.toContain('stale_after_approval');
  expect(exceptions).not.toContain('no_jobs');
});

test('loads wait for a person with reasons and pictures, a chase is under way, and histories are unbroken', async () => {
  const { loads } = await ask(`{ loads(first: 100, filter: { needsReview: true }) { nodes {
    aiReview { issues } ticket { id imageUrl } job { ticketChases { state remindersSent } } } } }`);
  const codes = new Set(loads.nodes.flatMap((load: Json) => load.aiReview?.issues.map((issue: string) => issue.split(':')[0]) ?? []));
  for (const code of ['weights_do_not_add', 'missing_number', 'over_capacity', 'missing_image']) expect(codes).toContain(code);
  expect(loads.nodes.flatMap((load: Json) => load.job.ticketChases).map(({ state }: Json) => state)).toContain('open');
  const pictured = loads.nodes.find((load: Json) => load.ticket?.imageUrl);
  const picture = await fetch(pictured.ticket.imageUrl.replace(/^https?:\/\/[^/]+/, app.url));
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  const { body } = await app.http('GET', `/v1/tickets/${pictured.ticket.id}/verify`, { token });
  expect(body.data.unbroken).toBe(true);
  const { latestLocations } = await ask('{ latestLocations { jobId } }');
  expect(latestLocations.length).toBeGreaterThanOrEqual(4);
});

test('a newcomer finds imports in the demo that were taken, guessed and refused', async () => {
  const { body } = await app.http('GET', '/v1/imported_records?page[limit]=100', { token });
  const found = body.data.map(({ kind, imported_for, state, last_error, warnings }: Json) => [
    `${kind} ${imported_for}`,
    state,
    ...(last_error ?? '').split('\n').map((line: string) => line.split(': ').slice(0, 2).join(' ')),
    ...new Set(warnings.map(({ code }: Json) => code)),
  ]);
  expect(found.sort()).toEqual([
    ['order DEMO-018', 'processed', '', 'unknown_unit', 'truck_count_kept'],
    ['order ERP-20431', 'failed', 'invalid_timestamp /load_at'],
    ['order ERP-20432', 'failed', 'missing_field /customer/external_id', 'invalid_number /truck_count'],
    ['ticket S-88101', 'failed', 'ticket_number_taken /ticket_number'],
    ['ticket S-88101', 'processed', ''],
    ['ticket S-88102', 'processed', ''],
    ['ticket S-88103', 'processed', '', 'unit_converted'],
    ['ticket S-88104', 'processed', ''],
    ['ticket S-88105', 'processed', '', 'unknown_truck'],
    ['ticket S-88106', 'processed', '', 'unknown_dispatch_number'],
    ['ticket S-88107', 'failed', 'missing_field /quantity'],
  ]);
});

test('whoever did something in the demo is a person of it', async () => {
  const { body } = await app.http('GET', '/v1/jobs?page[limit]=100', { token });
  const events = await Promise.all(body.data.map(({ id }: Json) => app.http('GET', `/v1/jobs/${id}/job_events`, { token })));
  // Reviews are nobody's.
  const done = events.flatMap((answer) => answer.body.data.filter(({ event_source }: Json) => event_source !== 'automation'));
  const authors = done.map(({ created_by }: Json) => created_by);
  expect(authors.length).toBeGreaterThan(20);
  for (const author of authors) expect(author).toMatchObject({ type: 'User', id: expect.any(String), first_name: expect.any(String) });
});

test('a dispatcher of the demo finds tickets to link, and those of known trucks are linked', async () => {
  const { body } = await app.http('GET', '/v1/tickets?search[datagrid]=S-88', { token: await signedIn('dispatcher') });
  const states = Object.fromEntries(body.data.map(({ ticket_number, state }: Json) => [ticket_number, state]));
  expect(states).toEqual({
    ...{ 'S-88101': 'pending', 'S-88102': 'pending', 'S-88103': 'pending', 'S-88104': 'pending' },
    ...{ 'S-88105': 'new', 'S-88106': 'new' },
  });
});
