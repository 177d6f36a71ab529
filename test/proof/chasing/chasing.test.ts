import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { localMinutes } from '../../../src/platform/time.ts';
import { connect, drive, jobOf, makeStaffedTenant, ONE_LOAD } from '../../helpers/staffed-tenant.ts';
import { until } from '../../helpers/until.ts';
import { reach } from '../../helpers/walk.ts';
import { zoneAt } from '../../helpers/zones.ts';
import { type Chased, Chasing } from './chasing.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let chasing: Chasing;
beforeAll(async () => {
  chasing = await Chasing.start();
});
afterAll(() => chasing.app.close());

const ticketOn = ({ tenant, load }: Chased): Promise<Json> =>
  tenant.must('POST', '/v1/tickets', { load_id: load.id, unit_of_measure: 'Ton' });

test('a driver is reminded four times of a missing ticket, and then it is given up', async () => {
  const one = await chasing.hauled();
  expect([await one.texts(), await chasing.chasesOf(one)]).toEqual([[], []]);
  await chasing.pass(one, 0.6);
  const [text] = await one.texts();
  expect(text).toMatch(new RegExp(`ticket of job ${one.job.job_id} of \\d{4}-\\d\\d-\\d\\d is missing.*${chasing.app.url}/t/[\\w-]{43}$`));
  for (const [hours, sent] of [
    [3.9, 1],
    [0.2, 2],
    [24, 3],
    [23.9, 3],
    [0.2, 4],
    [23.9, 4],
  ] as const) {
    await chasing.pass(one, hours);
    expect(await one.texts()).toHaveLength(sent);
  }
  await chasing.pass(one, 0.2);
  expect(await one.texts()).toHaveLength(4);
  expect(await chasing.chasesOf(one)).toMatchObject([{ state: 'given_up', reminders: 4, load_ids: [one.load.id] }]);
  const events = await chasing.sql(`select name from outbox_event where subject_id = $1 and name like '%chase%' order by position`, [
    one.job.id,
  ]);
  expect(events.map(({ name }) => name)).toEqual([
    ...['job.ticket_chase_opened', ...Array(4).fill('job.ticket_chase_reminded'), 'job.ticket_chase_given_up'],
  ]);
  const timeline: Json[] = await one.tenant.must('GET', `/v1/jobs/${one.job.id}/job_events`);
  const notes = timeline.map(({ event_name: name }) => name).filter((name) => /Chase|Notification/.test(name));
  expect(notes.sort()).toEqual([...Array(4).fill('NotificationSent'), 'TicketChaseInitiated']);
  // Every link opens its own door.
  expect(new Set((await one.texts()).map((sent) => sent.split('/t/')[1])).size).toBe(4);
  // A chase that was given up does not begin again for the same load.
  await chasing.pass(one, 48);
  expect([(await one.texts()).length, (await chasing.chasesOf(one)).length]).toEqual([4, 1]);
});

test('a worker that dies, or looks again and again, sends no reminder twice', async () => {
  const one = await chasing.hauled();
  await chasing.pass(one, 0.6);
  await one.texts();
  for (let n = 0; n < 10; n++) {
    await chasing.sql('update ticket_chase_task set due_at = now(), attempts = $2 where id = $1', [one.job.id, n % 4]);
    expect(await one.texts()).toHaveLength(1);
  }
  const [{ id }] = await chasing.chasesOf(one);
  const insert = (number: number) =>
    chasing.sql('insert into ticket_chase_reminder (chase_id, number, company_id, sent_at) values ($1, $2, $3, now())', [
      ...[id, number, one.tenant.company.id],
    ]);
  await expect(insert(1)).rejects.toThrow(/duplicate key/);
  await expect(insert(5)).rejects.toThrow(/check constraint/);
  await expect(
    chasing.sql(
      'insert into ticket_chase (id, company_id, job_id) select gen_random_uuid(), company_id, job_id from ticket_chase where id = $1',
      [id],
    ),
  ).rejects.toThrow(/duplicate key/);
});

test('a text that the service may have is not sent again, and counts as a reminder', async () => {
  const one = await chasing.hauled();
  chasing.breaks = true;
  await chasing.pass(one, 0.6);
  expect(await one.texts()).toHaveLength(1);
  chasing.breaks = false;
  await chasing.sql(`update outgoing_message set next_at = now() where kind = 'missing_ticket'`);
  expect(await one.texts()).toHaveLength(1);
  expect(await chasing.chasesOf(one)).toMatchObject([{ state: 'open', reminders: 1 }]);
  await chasing.pass(one, 4.1);
  expect(await one.texts()).toHaveLength(2);
});

test('the ticket ends the chase at once, and takes back a text that was not sent; a voided ticket begins another one', async () => {
  const one = await chasing.hauled();
  chasing.works = false;
  await chasing.pass(one, 0.6);
  await one.texts();
  expect(await chasing.chasesOf(one)).toMatchObject([{ state: 'open', reminders: 1 }]);
  const ticket = await ticketOn(one);
  chasing.works = true;
  await chasing.sql(`update outgoing_message set next_at = now() where kind = 'missing_ticket'`);
  expect(await one.texts()).toEqual([]);
  await until(async () => {
    await chasing.app.emails();
    return (await chasing.sql(`select 1 from outgoing_message where kind = 'missing_ticket'`)).length === 0;
  });
  expect([await one.texts(), (await chasing.chasesOf(one)).map(({ state }) => state)]).toEqual([[], ['answered']]);
  await one.tenant.must('PUT', `/v1/tickets/${ticket.id}/void`);
  expect(await one.texts()).toHaveLength(1);
  expect((await chasing.chasesOf(one)).map(({ state, reminders }) => [state, reminders])).toEqual([
    ...[
      ['answered', 1],
      ['open', 1],
    ],
  ]);
});

test('nobody is texted at night where they are', async () => {
  const one = await chasing.hauled(23);
  const { timeZone: zone } = one.tenant.company;
  await chasing.pass(one, 1);
  expect(await one.texts()).toEqual([]);
  expect(await chasing.chasesOf(one)).toMatchObject([{ state: 'open', reminders: 0 }]);
  const [{ due_at: due }] = await chasing.sql('select due_at from ticket_chase_task where id = $1', [one.job.id]);
  expect(localMinutes(new Date(due), zone)).toBe(6 * 60);
  expect(new Date(due).getTime() - Date.now()).toBeLessThan(24 * 3_600_000);
  // The driver is elsewhere, where it is noon.
  await chasing.sql('update app_user set time_zone = $2 where phone = $1', [one.phone, zoneAt(12)]);
  await chasing.sql('update ticket_chase_task set due_at = now() where id = $1', [one.job.id]);
  expect(await one.texts()).toHaveLength(1);
});

test('an order that does not want it, or counts hours, is not chased, and a changed mind ends the chase', async () => {
  const quiet = await chasing.hauled(12, { chase_missing_tickets: false });
  const hourly = await chasing.hauled(12, { unit_of_measure: 'Hour', job_unit_of_measure: 'Hour' });
  const one = await chasing.hauled();
  for (const each of [quiet, hourly, one]) await chasing.pass(each, 1);
  expect([(await one.texts()).length, await quiet.texts(), await hourly.texts()]).toEqual([1, [], []]);
  expect([await chasing.chasesOf(quiet), await chasing.chasesOf(hourly)]).toEqual([[], []]);
  await one.tenant.must('PATCH', `/v1/orders/${one.orderId}`, { chase_missing_tickets: false });
  await one.texts();
  expect(await chasing.chasesOf(one)).toMatchObject([{ state: 'stopped' }]);
  await one.tenant.must('PATCH', `/v1/orders/${one.orderId}`, { chase_missing_tickets: true });
  await one.texts();
  expect((await chasing.chasesOf(one)).map(({ state }) => state)).toEqual(['stopped', 'open']);
});

const statesOf = async (one: Chased) => (await chasing.chasesOf(one)).map(({ state }) => state);

test('A4 open: a job that is over is chased at once, and not half an hour after its load', async () => {
  const one = await chasing.hauled(12, { loads_per_truck: 1 });
  expect(await one.texts()).toEqual([]);
  await one.driver.must('PUT', `/v1/jobs/${one.job.id}/complete`, {});
  expect([(await one.texts()).length, await statesOf(one)]).toEqual([1, ['open']]);
});

test('A4 stop: the chase ends with its job, and when its driver has left the company', async () => {
  const canceled = await chasing.hauled();
  await chasing.pass(canceled, 0.6);
  expect(await canceled.texts()).toHaveLength(1);
  await canceled.tenant.must('PUT', `/v1/jobs/${canceled.job.id}/cancel`, {});
  expect([(await canceled.texts()).length, await statesOf(canceled)]).toEqual([1, ['stopped']]);
  const left = await chasing.hauled();
  await chasing.pass(left, 0.6);
  expect(await left.texts()).toHaveLength(1);
  await chasing.sql('update app_user set discarded_at = now() where id = $1', [left.driver.id]);
  await chasing.pass(left, 4.1);
  expect([(await left.texts()).length, await statesOf(left)]).toEqual([1, ['stopped']]);
});

test('A4 reopen: a ticket that is taken from its load begins the chase anew, with four reminders', async () => {
  const one = await chasing.hauled();
  await chasing.pass(one, 0.6);
  await one.texts();
  const ticket = await ticketOn(one);
  expect([(await one.texts()).length, await statesOf(one)]).toEqual([1, ['answered']]);
  await one.tenant.must('PATCH', `/v1/tickets/${ticket.id}`, { load_id: null });
  expect([(await one.texts()).length, await statesOf(one)]).toEqual([2, ['answered', 'open']]);
  expect((await chasing.chasesOf(one)).map(({ reminders }) => reminders)).toEqual([1, 1]);
});

test('A4: a driver who is shared with the company is reminded where they are, in their own language', async () => {
  const [tenant, lender] = [
    await makeStaffedTenant(chasing.app, { timeZone: zoneAt(23) }),
    await makeStaffedTenant(chasing.app, { timeZone: zoneAt(12) }),
  ];
  const { phone } = reach();
  const driver = await lender.person({ roles: ['driver'], phone, preferences: { language: 'es' } });
  await connect(tenant, lender);
  await lender.must('POST', lender.path('/company_shares'), {
    ...{ receiver_company_id: tenant.company.id, company_shareable_id: driver.user.id, company_shareable_type: 'User', dispatchable: true },
  });
  const job = await jobOf(tenant, { driver_id: driver.user.id, chase_missing_tickets: true, loads_per_truck: 2 });
  await drive(driver, job.id, ...ONE_LOAD);
  await chasing.pass({ job }, 0.6);
  expect(await chasing.textsTo(phone)).toEqual([expect.stringContaining('Envíe una foto')]);
});

test('what will not come is waived with a reason, by who may edit tickets, and nobody is reminded of it any more', async () => {
  const one = await chasing.hauled();
  await chasing.pass(one, 0.6);
  await one.texts();
  const waive = (reason: string, by: Pick<Chased['driver'], 'gql'> = one.tenant.dispatcher) =>
    by.gql(
      'mutation ($id: ID!, $input: WaiveMissingTicketsInput!) { waiveMissingTickets(id: $id, input: $input) { ticketChases { state reason remindersSent loads { id } } } }',
      { id: one.job.id, input: { reason } },
    );
  const flags = async () =>
    (await one.tenant.dispatcher.gql('query ($id: ID!) { load(id: $id) { ticketMissing ticketWaived } }', { id: one.load.id })).data.load;
  expect(await flags()).toEqual({ ticketMissing: true, ticketWaived: false });
  for (const nothing of ['', '  ']) {
    const [{ extensions }] = (await waive(nothing)).errors;
    expect([extensions.code, extensions.errors[0].field]).toEqual(['unprocessable_content', 'reason']);
  }
  expect((await waive('Not mine', one.driver)).errors[0].extensions.code).toBe('forbidden');
  const waived = [{ state: 'waived', reason: 'The pit was closed', remindersSent: 1, loads: [{ id: one.load.id }] }];
  expect((await waive('The pit was closed')).data.waiveMissingTickets.ticketChases).toEqual(waived);
  expect(await flags()).toEqual({ ticketMissing: false, ticketWaived: true });
  await chasing.pass(one, 5);
  await chasing.sql('update ticket_chase_task set due_at = now() where id = $1', [one.job.id]);
  expect([(await one.texts()).length, (await chasing.chasesOf(one)).length]).toEqual([1, 1]);
  // Nothing is missing now.
  expect((await waive('Again')).errors[0].extensions.errors[0].message).toMatch(/no load whose ticket is missing/);
  const [audit] = await chasing.sql(
    `select object_changes, created_by_id from audit_entry where subject_type = 'TicketChase' and company_id = $1`,
    [one.tenant.company.id],
  );
  expect([audit.object_changes.state[1], audit.created_by_id]).toEqual(['waived', one.tenant.dispatcher.id]);
});

test('the office asks again: at once, after it was given up, and not a fifth time', async () => {
  const one = await chasing.hauled();
  const ask = async (by: Pick<Chased['driver'], 'gql'> = one.tenant.dispatcher) =>
    by.gql('mutation ($id: ID!) { askForMissingTickets(id: $id) { ticketChases { state remindersSent askedAt } } }', { id: one.job.id });
  const refused = async (by?: Pick<Chased['driver'], 'gql'>) => {
    const { extensions } = (await ask(by)).errors[0];
    return [extensions.code, extensions.errors?.[0]?.message];
  };
  expect((await refused(one.driver))[0]).toBe('forbidden');
  // The half hour in which a ticket comes by itself is not over.
  expect((await ask()).data.askForMissingTickets.ticketChases).toEqual([
    { state: 'open', remindersSent: 0, askedAt: expect.stringMatching(/Z$/) },
  ]);
  expect(await one.texts()).toHaveLength(1);
  for (const sent of [2, 3, 4]) {
    await chasing.pass(one, 0.1);
    expect((await ask()).errors).toBeUndefined();
    expect(await one.texts()).toHaveLength(sent);
  }
  expect(await refused()).toEqual(['unprocessable_content', 'was asked for its tickets four times already']);
  await chasing.pass(one, 24.1);
  await one.texts();
  expect((await chasing.chasesOf(one)).map(({ state }) => state)).toEqual(['given_up']);
  expect((await ask()).errors).toBeUndefined();
  expect(await one.texts()).toHaveLength(5);
  expect((await chasing.chasesOf(one)).map(({ state, reminders }) => [state, reminders])).toEqual([
    ['stopped', 4],
    ['open', 1],
  ]);
  await ticketOn(one);
  await one.texts();
  expect(await refused()).toEqual(['unprocessable_content', 'has no load whose ticket is missing']);
});

test('nobody asks a driver who has left the company', async () => {
  const one = await chasing.hauled();
  await chasing.sql('update app_user set discarded_at = now() where id = $1', [one.driver.id]);
  const { errors } = await one.tenant.dispatcher.gql('mutation ($id: ID!) { askForMissingTickets(id: $id) { id } }', { id: one.job.id });
  expect(errors?.[0]?.extensions.errors).toEqual([expect.objectContaining({ message: 'has nobody who could be reminded' })]);
  expect(await chasing.chasesOf(one)).toEqual([]);
  expect(await one.texts()).toEqual([]);
});
