import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Notified, type Reached } from '../../dispatch/notifications/notified.ts';
import { drive, jobOf, makeStaffedTenant, ONE_LOAD, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { until } from '../../helpers/until.ts';
import { zoneAt } from '../../helpers/zones.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let notified: Notified;
let tenant: StaffedTenant;
beforeAll(async () => {
  notified = await Notified.start();
  tenant = await makeStaffedTenant(notified.app, { timeZone: zoneAt(12) });
});
afterAll(() => notified.app.close());

const tasks = (job: Json, hours: number) =>
  notified.sql(`update ticket_chase_task set due_at = due_at - $2 * interval '1 hour' where id = $1`, [job.id, hours]);
/** A job whose first load was completed 40 minutes ago, without a ticket. */
async function hauled(driver: Reached): Promise<Json> {
  const job = await jobOf(tenant, { driver_id: driver.user.id, chase_missing_tickets: true, loads_per_truck: 2 });
  await drive(driver, job.id, ...ONE_LOAD);
  await notified.app.settled();
  await notified.sql(`update load set summary_load_completed_at = summary_load_completed_at - interval '40 minutes' where job_id = $1`, [
    job.id,
  ]);
  await tasks(job, 1);
  return job;
}

test('A4: a driver with the app is reminded by push, and one without, or who wants texts, by text', async () => {
  const [usual, both, without, silent] = [
    await notified.person(tenant, ['driver'], {}, 2),
    await notified.person(tenant, ['driver'], { pending_job_reminder: ['push', 'sms'] }),
    await notified.person(tenant, ['driver'], {}, 0),
    await notified.person(tenant, ['driver'], { pending_job_reminder: [] }),
  ];
  const job = await hauled(usual);
  for (const driver of [both, without, silent]) await hauled(driver);
  const ofTickets = async (who: Reached) => {
    const { pushes, texts } = await notified.got(who);
    return [pushes.filter((kind) => kind === 'missing_ticket').length, texts.filter((text) => text.includes('/t/')).length];
  };
  expect(await ofTickets(usual)).toEqual([2, 0]);
  expect([await ofTickets(both), await ofTickets(without), await ofTickets(silent)]).toEqual([
    [1, 1],
    [0, 1],
    [0, 0],
  ]);
  const push = notified.pushes.find(({ token, kind }) => token === usual.tokens[0] && kind === 'missing_ticket');
  expect(push).toMatchObject({ title: tenant.company.legalName, data: { job_id: job.id }, language: 'en' });
  expect(push!.text).toMatch(new RegExp(`^A ticket of job ${job.job_id} of \\d{4}-\\d\\d-\\d\\d is missing\\.`));
  const reminded = await notified.sql(`select payload from outbox_event where name = 'job.ticket_chase_reminded' and subject_id = $1`, [
    job.id,
  ]);
  expect(reminded.map(({ payload }) => payload)).toEqual([{ number: 1, texted: false, pushed: true }]);
});

test('A4: a push that waited is not sent after the answer, and a device without the app is forgotten', async () => {
  const driver = await notified.person(tenant, ['driver'], {}, 2);
  notified.works = false;
  const job = await hauled(driver);
  await notified.settle();
  const [load] = (await tenant.must('GET', `/v1/jobs/${job.id}/loads`)).filter(({ state }: Json) => state === 'completed');
  await tenant.must('POST', '/v1/tickets', { load_id: load.id, unit_of_measure: 'Ton' });
  notified.works = true;
  await notified.sql('update outgoing_message set next_at = now()');
  expect((await notified.got(driver)).pushes).toEqual([]);
  notified.gone.add(driver.tokens[0]!);
  const next = await hauled(driver);
  expect((await notified.got(driver)).pushes).toEqual(['missing_ticket']);
  expect(await notified.sql('select token from device_token where user_id = $1', [driver.user.id])).toEqual([{ token: driver.tokens[1] }]);
  expect(next.id).not.toBe(job.id);
});

test('A4 give_up: when four reminders brought nothing, the office is notified, once', async () => {
  const driver = await notified.person(tenant, ['driver'], {}, 0);
  const office = await notified.person(tenant, ['dispatcher']);
  const silent = await notified.person(tenant, ['manager'], { tickets_given_up: [] });
  const job = await hauled(driver);
  await notified.settle();
  const [{ id }] = await notified.sql('select id from ticket_chase where job_id = $1', [job.id]);
  for (const number of [2, 3, 4])
    await notified.sql('insert into ticket_chase_reminder (chase_id, number, company_id, sent_at) values ($1, $2, $3, now())', [
      ...[id, number, tenant.company.id],
    ]);
  await notified.sql(`update ticket_chase_reminder set sent_at = now() - interval '25 hours' where chase_id = $1`, [id]);
  // A worker that has the task at that moment writes anew when it is due.
  await until(async () => {
    await tasks(job, 30);
    await notified.settle();
    const [chase] = await notified.sql('select state from ticket_chase where id = $1', [id]);
    return chase.state === 'given_up';
  });
  expect((await notified.got(office)).pushes).toEqual(['tickets_given_up']);
  const push = notified.pushes.find(({ kind }) => kind === 'tickets_given_up');
  expect(push!.text).toMatch(new RegExp(`^Four reminders brought no ticket of job ${job.job_id} of `));
  expect([(await notified.got(silent)).pushes, (await notified.got(driver)).pushes]).toEqual([[], []]);
  await tasks(job, 30);
  expect((await notified.got(office)).pushes).toEqual(['tickets_given_up']);
});
