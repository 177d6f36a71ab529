import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { runs } from '../../helpers/properties.ts';
import { jobOf, makeStaffedTenant, type StaffedTenant, shortHaul } from '../../helpers/staffed-tenant.ts';
import { untilWaiting } from '../../helpers/until.ts';
import { zoneAt } from '../../helpers/zones.ts';
import { approve, day, off, unapprove } from './days.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let owner: StaffedTenant;
let biller: string;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  owner = await makeStaffedTenant(app, { timeZone: zoneAt(12) });
  biller = (await owner.person({ roles: ['biller'] })).token;
});
afterAll(() => app.close());

/** A day of a driver of the owner, with a finished job and one under way when the shift ended. */
async function ownDay() {
  const foreman = await owner.person({ roles: ['foreman'] });
  const { user, token } = await owner.person({ roles: ['driver'] });
  const jobs: Json[] = [];
  for (let n = 0; n < 2; n++) {
    const job = await jobOf(owner, { driver_id: user.id, foreman_ids: [foreman.user.id] });
    jobs.push(job);
    for (const event of n === 0 ? shortHaul() : ['enroute']) await owner.must('PUT', `/v1/jobs/${job.id}/${event}`, {}, token);
  }
  return { token, foreman: foreman.token, jobs, today: async () => owner.must('GET', '/v1/users/me/driver_day', undefined, token) };
}

test('a day is approved with its jobs and loads, partly while a job goes on, and taken back with them', async () => {
  const { token, jobs, today } = await ownDay();
  const { id } = await today();
  expect((await approve(owner, id, biller)).status).toBe(422);
  await off(owner, token);
  // As if dispatch had reopened it.
  await app.orm.em.fork().execute("update job set state = 'to_pickup' where id = ?", [jobs[1].id]);
  await app.orm.em.fork().execute("update load set state = 'completed' where job_id = ?", [jobs[1].id]);
  const { status, body } = await approve(owner, id, biller);
  expect([status, body.data.approved, body.data.approvable, body.data.unapprovable]).toEqual([200, true, false, true]);
  expect(body.data.approval_status).toMatchObject({ id, biller_approved: true, field_approved_at: null });
  const [done, open] = await Promise.all(jobs.map((job) => owner.must('GET', `/v1/jobs/${job.id}`)));
  expect([done.approved, open.approved]).toEqual([true, false]);
  const [load] = await owner.must('GET', `/v1/jobs/${jobs[0].id}/loads`);
  // The load that is done of a job that goes on waits for it.
  const [ofOpen] = await owner.must('GET', `/v1/jobs/${jobs[1].id}/loads`);
  expect([load.approved, ofOpen.state, ofOpen.approved]).toEqual([true, 'completed', false]);
  const { data } = await owner.gql('query($id: ID!) { driverDay(id: $id) { warnings { jobId category } } }', { id });
  expect(data.driverDay.warnings).toEqual([{ jobId: jobs[1].id, category: 'billing' }]);
  expect((await approve(owner, id, biller)).status).toBe(422);
  const log = await owner.must('GET', `/v1/driver_days/${id}/approvals`);
  expect(log).toMatchObject([{ approval_action: 'approve', approval_category: 'billing', approval_type: 'biller' }]);
  expect(await owner.must('GET', owner.path(`/driver_days/${id}/approval_status`))).toEqual(body.data.approval_status);
  const back = await unapprove(owner, id, biller);
  expect([back.status, back.body.data.approved]).toEqual([200, false]);
  expect((await owner.must('GET', `/v1/jobs/${jobs[0].id}`)).approved).toBe(false);
  expect((await unapprove(owner, id, biller)).status).toBe(422);
});

test('approving the last load approves no job and no day; taking a load back leaves job and day', async () => {
  const { token, jobs, today } = await ownDay();
  const { id } = await off(owner, token);
  const [load] = await owner.must('GET', `/v1/jobs/${jobs[0].id}/loads`);
  await owner.must('PUT', `/v1/loads/${load.id}/approve`, {}, biller);
  expect([(await today()).approved, (await owner.must('GET', `/v1/jobs/${jobs[0].id}`)).approved]).toEqual([false, false]);
  await approve(owner, id, biller);
  await owner.must('PUT', `/v1/loads/${load.id}/unapprove`, {}, biller);
  expect([(await today()).approved, (await owner.must('GET', `/v1/jobs/${jobs[0].id}`)).approved]).toEqual([true, true]);
});

test('a load that is open of a finished job is left, and named in the warnings and in the timeline', async () => {
  const { token, jobs } = await ownDay();
  const { id } = await off(owner, token);
  const [load] = await owner.must('GET', `/v1/jobs/${jobs[0].id}/loads`);
  // As if a person had reopened it.
  await app.orm.em.fork().execute("update load set state = 'to_dropoff' where id = ?", [load.id]);
  expect((await approve(owner, id, biller)).status).toBe(200);
  const warnings = async () => {
    const { data } = await owner.gql('query($id: ID!) { driverDay(id: $id) { warnings { jobId number loadId loadNumber category } } }', {
      id,
    });
    return data.driverDay.warnings.filter(({ jobId }: Json) => jobId === jobs[0].id);
  };
  expect(await warnings()).toEqual([
    { jobId: jobs[0].id, number: jobs[0].job_id, loadId: load.id, loadNumber: load.load_id, category: 'billing' },
  ]);
  const events: Json[] = await owner.must('GET', `/v1/jobs/${jobs[0].id}/job_events?page[limit]=100`);
  expect(events.filter(({ payload }) => payload?.approval_partial).map((event) => [event.load_id, event.payload.approval_partial])).toEqual(
    [[load.id, 'billing']],
  );
  await app.orm.em.fork().execute("update load set state = 'completed' where id = ?", [load.id]);
  expect(await warnings()).toEqual([]);
});

test('a load that nobody began and that a ticket proves is named, too, and keeps its job from being signed off until it is completed and approved', async () => {
  const { user, token } = await owner.person({ roles: ['driver'] });
  const job = await jobOf(owner, { driver_id: user.id, loads_per_truck: 3 });
  for (const event of [...shortHaul().slice(0, -1), 'complete_load']) await owner.must('PUT', `/v1/jobs/${job.id}/${event}`, {}, token);
  const { id } = await off(owner, token);
  const loads: Json[] = (await owner.must('GET', `/v1/jobs/${job.id}/loads`)).sort((a: Json, b: Json) => a.ordinality - b.ordinality);
  expect(loads.map(({ state }) => state)).toEqual(['completed', 'created', 'created']);
  const [, proven] = loads;
  await owner.must('POST', '/v1/tickets', { load_id: proven.id, ticket_number: 'P-9', quantity: 9, unit_of_measure: 'Ton' });
  expect((await approve(owner, id, biller)).status).toBe(200);
  const warnings = async () => {
    const { data } = await owner.gql('query($id: ID!) { driverDay(id: $id) { warnings { jobId loadId category } } }', { id });
    return data.driverDay.warnings;
  };
  expect(await warnings()).toEqual([{ jobId: job.id, loadId: proven.id, category: 'billing' }]);
  const events: Json[] = await owner.must('GET', `/v1/jobs/${job.id}/job_events?page[limit]=100`);
  expect(events.filter(({ payload }) => payload?.approval_partial).map(({ load_id }) => load_id)).toEqual([proven.id]);
  const signOff = async () => {
    const { status, body } = await owner.http('PUT', owner.path(`/jobs/${job.id}/sign_off`), {});
    return [status, body.error?.errors[0].message];
  };
  const offered = async () => (await owner.must('GET', `/v1/jobs/${job.id}`)).state_events.includes('sign_off');
  expect([await offered(), ...(await signOff())]).toEqual([false, 409, expect.stringContaining('approved')]);
  await owner.must('PUT', owner.path(`/loads/${proven.id}/complete`), {});
  expect([await warnings(), (await signOff())[0]]).toEqual([[], 409]);
  await owner.must('PUT', `/v1/loads/${proven.id}/approve`, {}, biller);
  expect([await offered(), (await signOff())[0]]).toEqual([true, 200]);
});

test('a driver who takes back the approval of a day keeps those of its jobs and loads', async () => {
  const { token, jobs } = await ownDay();
  const { id } = await off(owner, token);
  const [load] = await owner.must('GET', `/v1/jobs/${jobs[0].id}/loads`);
  const paths = [`/v1/driver_days/${id}`, `/v1/jobs/${jobs[0].id}`, `/v1/loads/${load.id}`];
  const given = async () => Promise.all(paths.map(async (path) => (await owner.must('GET', path)).approval_status.driver_approved));
  // A job is approved with its loads.
  for (const path of paths.slice(0, 2)) await owner.must('PUT', `${path}/approve`, {}, token);
  expect(await given()).toEqual([true, true, true]);
  await owner.must('PUT', `${paths[0]}/unapprove`, {}, token);
  expect(await given()).toEqual([false, true, true]);
});

test("A-I8: a day's approved totals stay, whatever is reported later", async () => {
  const { token, today } = await ownDay();
  const { id } = await off(owner, token);
  await approve(owner, id, biller);
  const before = await today();
  await app.orm.em
    .fork()
    .execute(
      "update driver_state_event set started_at = started_at - interval '90 minutes' where driver_day_id = ? and state = 'on_duty'",
      [id],
    );
  const after = await today();
  expect([after.total_on_duty_minutes, after.total_shift_minutes]).toEqual([before.total_on_duty_minutes, before.total_shift_minutes]);
  const { data } = await owner.gql('query($id: ID!) { driverDay(id: $id) { exceptions } }', { id });
  expect(data.driverDay.exceptions).toContain('stale_after_approval');
  expect((await owner.http('PATCH', `/v1/driver_days/${id}`, { external_id: 'LATE' })).status).toBe(422);
  await unapprove(owner, id, biller);
  expect((await today()).total_on_duty_minutes).toBe(before.total_on_duty_minutes + 90);
});

test('foremen approve days of their jobs in the field, drivers their own, and only administrators choose as what', async () => {
  const { token, foreman } = await ownDay();
  const { id } = await off(owner, token);
  const stranger = (await owner.person({ roles: ['foreman'] })).token;
  const mate = (await owner.person({ roles: ['driver'] })).token;
  // To another driver the day is nobody's business.
  expect([(await approve(owner, id, mate)).status, (await approve(owner, id, stranger)).status]).toEqual([404, 403]);
  for (const external_approver_name of ['', '   ', 'x'.repeat(201)]) {
    const refused = await approve(owner, id, foreman, { external_approver_name });
    expect([refused.status, refused.body.error.errors[0].field]).toEqual([422, 'external_approver_name']);
  }
  const field = await approve(owner, id, foreman, { external_approver_name: 'Pat of the site' });
  expect(field.body.data).toMatchObject({
    approved: false,
    field_approved_at: expect.any(String),
    approval_status: { foreman_approved: true },
  });
  const notes = async () =>
    app.orm.em
      .fork()
      .execute(
        "select 1 from approval_assignment where approval_type = 'driver' and approvable_id = any(select id from job where driver_day_id = ?)",
        [id],
      );
  expect((await approve(owner, id, token)).body.data.approval_status.driver_approved).toBe(true);
  // He answers for the day alone.
  expect(await notes()).toEqual([]);
  const named = await approve(owner, id, biller, { approval_type: 'driver' });
  expect([named.status, named.body.error.errors[0].field]).toEqual([422, 'approval_type']);
  const name = await approve(owner, id, biller, { external_approver_name: 'Pat' });
  expect([name.status, name.body.error.errors[0].field]).toEqual([422, 'external_approver_name']);
  expect((await approve(owner, id, biller, { external_approver_name: 'x'.repeat(201) })).status).toBe(422);
});

test('A-I7: a category is approved as long as one approval of it is in effect, whoever approves and takes back in whatever order', async () => {
  const { token, foreman } = await ownDay();
  const { id } = await off(owner, token);
  const by = { foreman, driver: token, biller, company_admin: owner.admin.token };
  const step = fc.record({ who: fc.constantFrom(...(Object.keys(by) as (keyof typeof by)[])), back: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
      for (const { who, back } of steps) {
        const { status } = back ? await unapprove(owner, id, by[who]) : await approve(owner, id, by[who]);
        expect([200, 422]).toContain(status);
        const flags = await owner.must('GET', `/v1/driver_days/${id}/approval_status`);
        expect(flags.field_approved_at !== null).toBe(flags.foreman_approved);
        expect(flags.billing_approved_at !== null).toBe(flags.biller_approved || flags.company_admin_approved);
        const log = await owner.must('GET', `/v1/driver_days/${id}/approvals?page[limit]=100`);
        for (const type of Object.keys(by)) {
          const [last] = log.filter((entry: Json) => (entry.approval_type ?? 'driver') === type);
          expect([type, last?.approval_action === 'approve']).toEqual([type, flags[`${type}_approved`]]);
        }
      }
    }),
    { numRuns: runs(5) },
  );
}, 120_000);

test('A-I8: whatever comes late and whatever is set anew, the approved figures of a day stay until the approval is taken back', async () => {
  const { token, jobs } = await ownDay();
  const { id } = await off(owner, token);
  const figures = async () => {
    const query =
      'query($id: ID!) { driverDay(id: $id) { totalOnDutyMinutes totalBreakMinutes totalShiftMinutes payableMinutes totalGpsMinutes exceptions } }';
    const { exceptions, ...rest } = (await owner.gql(query, { id })).data.driverDay;
    return { rest, stale: exceptions.includes('stale_after_approval') };
  };
  // The telephone kept for itself that the shift began earlier.
  const beginEarlier = async (minutes: number) => {
    const span = "driver_day_id = ? and state = 'on_duty'";
    await app.orm.em
      .fork()
      .execute(`update driver_state_event set started_at = started_at - ? * interval '1 minute' where ${span}`, [minutes, id]);
  };
  const settings = (breaksPaid: boolean) =>
    owner.gql(
      'mutation($paid: Boolean) { updateCompanySettings(input: { breaksPaid: $paid }) { id } }',
      { paid: breaksPaid },
      owner.admin.token,
    );
  const ping = (minutes: number) =>
    owner.http(
      'POST',
      '/v1/users/me/locations',
      {
        device_id: 'phone',
        locations: [{ occurred_at: new Date(Date.now() - minutes * 1_000).toISOString(), lat: 30.25, lon: -97.75, job_id: jobs[0].id }],
      },
      token,
    );
  const state = (name: string) => owner.http('PUT', `/v1/users/me/driver_day/${name}`, {}, token);
  const step = fc.oneof(
    fc.record({ earlier: fc.integer({ min: 1, max: 60 }) }),
    fc.record({ paid: fc.boolean() }),
    fc.record({ ping: fc.integer({ min: 1, max: 50 }) }),
    fc.record({ state: fc.constantFrom('on_duty', 'break', 'off_duty') }),
    fc.record({ adjust: fc.integer({ min: -20, max: -1 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 5 }), async (steps) => {
      expect((await approve(owner, id, biller)).status).toBe(200);
      const { rest, stale } = await figures();
      expect(stale).toBe(false);
      let moved = false;
      for (const one of steps) {
        if ('earlier' in one) await beginEarlier(one.earlier);
        else if ('paid' in one) expect((await settings(one.paid)).errors).toBeUndefined();
        else if ('ping' in one) expect([204, 422]).toContain((await ping(one.ping)).status);
        else if ('state' in one) expect([200, 409, 422]).toContain((await state(one.state)).status);
        else {
          const body = { shift_adjustment_minutes: one.adjust, shift_adjustment_type: 'lunch' };
          expect((await owner.http('PATCH', `/v1/driver_days/${id}`, body)).status).toBe(422);
        }
        moved ||= 'earlier' in one;
        const now = await figures();
        expect([one, now.rest, now.stale]).toEqual([one, rest, moved]);
      }
      expect((await unapprove(owner, id, biller)).status).toBe(200);
    }),
    { numRuns: runs(4) },
  );
  await settings(false);
}, 120_000);

test('a driver who is called back while an approval waits keeps the day open', async () => {
  const { token } = await ownDay();
  const { id } = await off(owner, token);
  let waiting: ReturnType<typeof approve> | undefined;
  await app.orm.em.fork().transactional(async (em) => {
    await em.execute('select 1 from app_user where id = (select driver_id from driver_day where id = ?) for update', [id]);
    waiting = approve(owner, id, biller);
    await untilWaiting(app);
    await em.execute('update driver_day set ended_shift_at = null where id = ?', [id]);
  });
  expect([(await waiting!).status, (await day(owner, id)).body.data.approved]).toEqual([422, false]);
});
