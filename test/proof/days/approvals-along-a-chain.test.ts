import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { runs } from '../../helpers/properties.ts';
import { accountFor, act, jobOf, makeChain, type StaffedTenant, shortHaul } from '../../helpers/staffed-tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';
import { approve, day, off, unapprove } from './days.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let chain: Awaited<ReturnType<typeof makeChain>>;
let owner: StaffedTenant;
let middle: StaffedTenant;
let last: StaffedTenant;
const people = {} as Record<'ownersBiller' | 'middleBiller' | 'lastBiller', string>;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  chain = await makeChain(app, { timeZone: zoneAt(12) });
  ({ owner, middle, last } = chain);
  people.ownersBiller = (await owner.person({ roles: ['biller'] })).token;
  people.middleBiller = (await middle.person({ roles: ['biller'] })).token;
  people.lastBiller = (await last.person({ roles: ['biller'] })).token;
});
afterAll(() => app.close());

/** A day of a driver of the last company, who hauled a job of the middle one, and one that it had from the owner. */
async function hiredDay() {
  const { user, token } = await last.person({ roles: ['driver'] });
  const ownersForeman = await owner.person({ roles: ['foreman'] });
  const first = await jobOf(middle);
  await act(middle, first.id, 'assign_vendor', { vendor_id: chain.subHired.id });
  const second = await jobOf(owner, { foreman_ids: [ownersForeman.user.id] });
  await act(owner, second.id, 'assign_vendor', { vendor_id: chain.hired.id });
  await act(middle, second.id, 'assign_vendor', { vendor_id: chain.subHired.id });
  for (const job of [first, second]) {
    await last.dispatcher.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: user.id });
    await last.dispatcher.must('PUT', `/v1/jobs/${job.id}/request`, {});
    await last.must('PUT', `/v1/jobs/${job.id}/accept`, {}, token);
    for (const event of shortHaul()) await last.must('PUT', `/v1/jobs/${job.id}/${event}`, {}, token);
  }
  const { id } = await off(last, token);
  return { id: id as string, token, first, second, foreman: ownersForeman.token };
}

test('each company along the chain approves the day for itself, and nobody sees it two links away', async () => {
  const { id, first, second, foreman } = await hiredDay();
  // The owner hired the hauler, and knows nothing of those whom the hauler hires.
  expect([
    (await day(owner, id)).status,
    (await day(owner, id, foreman)).status,
    (await approve(owner, id, people.ownersBiller)).status,
  ]).toEqual([404, 404, 404]);
  const [asCustomer, asHauler] = [(await day(middle, id)).body.data, (await day(last, id)).body.data];
  expect(asCustomer).toMatchObject({
    total_on_duty_minutes: asHauler.total_on_duty_minutes,
    started_shift_at: asHauler.started_shift_at,
    external_id: null,
    vendor_account: { id: chain.subHired.id },
    approved: false,
    approvable: true,
  });
  expect('vendor_account' in asHauler).toBe(false);
  // The customer passed both jobs on: its own, and that of the owner.
  expect([asCustomer.jobs_count, asHauler.jobs_count]).toEqual([2, 2]);
  const customer = await approve(middle, id, people.middleBiller);
  expect([customer.status, customer.body.data.approved]).toEqual([200, true]);
  expect((await day(last, id)).body.data.approved).toBe(false);
  const approvedBy = async (firm: StaffedTenant, job: Json) => (await firm.must('GET', `/v1/jobs/${job.id}`)).approved;
  expect([await approvedBy(middle, first), await approvedBy(owner, second)]).toEqual([true, false]);
  const hauler = await approve(last, id, people.lastBiller);
  expect([hauler.status, hauler.body.data.approved]).toEqual([200, true]);
  expect([await approvedBy(owner, second)]).toEqual([false]);
  // The other side of the link sees that the company approved for billing, and not who.
  const seen = await last.must('GET', `/v1/driver_days/${id}/approvals`);
  expect(seen.map(({ approver_type, approval_type }: Json) => [approver_type, approval_type]).sort()).toEqual([
    ['Company', 'biller'],
    ['User', 'biller'],
  ]);
  const back = await unapprove(middle, id, people.middleBiller);
  expect([back.body.data.approved, (await day(last, id)).body.data.approved]).toEqual([false, true]);
});

test('A-I8: a customer keeps the hours that it approved, and learns that they are not those of the day any more', async () => {
  const { id } = await hiredDay();
  const hours = async (firm: StaffedTenant) => {
    const { total_on_duty_minutes: onDuty, total_break_minutes: breaks, total_shift_minutes: shift } = (await day(firm, id)).body.data;
    return { onDuty, breaks, shift };
  };
  const exceptions = async (firm: StaffedTenant) => {
    const { data } = await firm.gql('query($id: ID!) { driverDay(id: $id) { exceptions payableMinutes } }', { id });
    return data.driverDay;
  };
  const approved = await hours(middle);
  expect((await approve(middle, id, people.middleBiller)).status).toBe(200);
  expect(await exceptions(middle)).toEqual({ exceptions: [], payableMinutes: null });
  await last.must('PATCH', `/v1/driver_days/${id}`, { shift_adjustment_minutes: 45, shift_adjustment_type: 'wait_time' });
  const corrected = { ...approved, shift: approved.shift + 45 };
  expect([await hours(middle), await hours(last)]).toEqual([approved, corrected]);
  expect(await exceptions(middle)).toEqual({ exceptions: ['stale_after_approval'], payableMinutes: null });
  expect((await exceptions(last)).exceptions).not.toContain('stale_after_approval');
  // In a list, too, with the same statement.
  const listed = await middle.gql('{ driverDays(first: 100) { nodes { id totalShiftMinutes exceptions } } }');
  expect(listed.data.driverDays.nodes).toContainEqual({
    ...{ id, totalShiftMinutes: approved.shift, exceptions: ['stale_after_approval'] },
  });
  await unapprove(middle, id, people.middleBiller);
  expect([await hours(middle), (await exceptions(middle)).exceptions]).toEqual([corrected, []]);
  expect((await approve(middle, id, people.middleBiller)).status).toBe(200);
  expect([await hours(middle), (await exceptions(middle)).exceptions]).toEqual([corrected, []]);
});

test('a customer reads the minutes with positions of its own jobs, and the company of the driver those of the shift', async () => {
  const { id, first } = await hiredDay();
  const em = app.orm.em.fork();
  await em.execute('update driver_day set gps_minutes = 500 where id = ?', [id]);
  await em.execute('update load set summary_gps_minutes = 12 where job_id = ?', [first.id]);
  const minutes = async (firm: StaffedTenant) => (await day(firm, id)).body.data.total_gps_minutes;
  expect([await minutes(middle), await minutes(last)]).toEqual([12, 500]);
});

test('a day that is approved without an open job says so in its timeline, also to the customer of the link, and to nobody two links away', async () => {
  const { id, first, second } = await hiredDay();
  // As if dispatch had reopened them.
  await app.orm.em.fork().execute("update job set state = 'to_pickup' where id in (?, ?)", [first.id, second.id]);
  const partly = async (firm: StaffedTenant, job: Json) => {
    const events: Json[] = await firm.must('GET', `/v1/jobs/${job.id}/job_events?page[limit]=100`);
    return events.flatMap(({ payload }) => (payload?.approval_partial ? [[payload.approval_partial, payload.driver_day_id]] : []));
  };
  expect((await approve(last, id, people.lastBiller)).status).toBe(200);
  // The middle one owns the first job and passed it on; the second one is of a company that does not know the last one.
  expect(await partly(middle, first)).toEqual([['billing', undefined]]);
  expect([await partly(owner, second), await partly(middle, second)]).toEqual([[], []]);
  expect((await approve(middle, id, people.middleBiller)).status).toBe(200);
  expect(await partly(middle, first)).toEqual(
    expect.arrayContaining([
      ['billing', undefined],
      ['billing', id],
    ]),
  );
  expect(await partly(owner, second)).toEqual([['billing', undefined]]);
  const { data } = await last.gql('query($id: ID!) { driverDay(id: $id) { warnings { jobId category } } }', { id });
  expect(data.driverDay.warnings.map(({ jobId }: Json) => jobId).sort()).toEqual([first.id, second.id].sort());
});

test('partners correct no times, sign nothing, and find the day in their list with their vendor', async () => {
  const { id } = await hiredDay();
  expect((await middle.http('PATCH', `/v1/driver_days/${id}`, { external_id: 'OURS' })).status).toBe(403);
  const listed = await middle.must('GET', middle.path(`/driver_days?filter[vendor_account_ids][]=${chain.subHired.id}&page[limit]=100`));
  expect(listed.map((one: Json) => one.id)).toContain(id);
  expect((await owner.must('GET', owner.path('/driver_days?page[limit]=100'))).map((one: Json) => one.id)).not.toContain(id);
  const jobs = await middle.must('GET', middle.path(`/driver_days/${id}/jobs`));
  expect(jobs).toHaveLength(2);
  // For whom the owner's order is stays with the owner, and the filter confirms it to nobody.
  const forAccount = async (firm: StaffedTenant, account: string) =>
    (await firm.must('GET', firm.path(`/driver_days?filter[customer_account_ids][]=${account}&page[limit]=100`))).map(
      (one: Json) => one.id,
    );
  expect([await forAccount(middle, owner.account.id), await forAccount(last, owner.account.id)]).toEqual([[], []]);
  expect(await forAccount(middle, middle.account.id)).toContain(id);
  // A hauler finds the days by its own account of whom it hauls for.
  expect(await forAccount(last, await accountFor(last, middle))).toContain(id);
  expect(await forAccount(last, await accountFor(middle, owner))).toEqual([]);
  expect((await owner.http('GET', owner.path(`/driver_days/${id}/jobs`))).status).toBe(404);
});

test('A-I7: of the two sides of a link each approves and takes back by itself, in whatever order', async () => {
  const { id } = await hiredDay();
  const firms = { middle: [middle, people.middleBiller], last: [last, people.lastBiller] } as const;
  type Side = keyof typeof firms;
  const step = fc.record({ side: fc.constantFrom<Side>('middle', 'last'), back: fc.boolean() });
  const approved = { middle: false, last: false };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 5 }), async (steps) => {
      for (const { side, back } of steps) {
        const [firm, token] = firms[side];
        const { status } = back ? await unapprove(firm, id, token) : await approve(firm, id, token);
        expect([side, back, status]).toEqual([side, back, approved[side] === back ? 200 : 422]);
        if (status === 200) approved[side] = !back;
        for (const name of Object.keys(firms) as Side[]) {
          const { data } = (await day(firms[name][0], id)).body;
          const { billing_approved_at, biller_approved } = data.approval_status;
          const seen = [data.approved, data.approvable, data.unapprovable, biller_approved, billing_approved_at !== null];
          expect([name, ...seen]).toEqual([name, approved[name], !approved[name], approved[name], approved[name], approved[name]]);
        }
      }
    }),
    { numRuns: runs(4) },
  );
}, 120_000);
