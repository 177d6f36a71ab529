import { beforeAll, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { poolOf } from '../../src/platform/database/sql.ts';
import { at, pastShift } from '../dispatch/drivers/shifts.ts';
import { sendForm } from '../files/form.ts';
import { drive, jobOf, ONE_LOAD, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { until } from '../helpers/until.ts';
import { hasBrowser } from '../helpers/where.ts';
import { zoneAt } from '../helpers/zones.ts';
import { jpeg } from '../ingest/files/sample-files.ts';
import { makeRoad } from '../telematics/fences/road.ts';
import { makeOperator, withBrowser } from './operator.ts';

const operator = makeOperator();

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const sql = async (text: string, values: unknown[] = []): Promise<Json[]> =>
  (await (await poolOf(operator.app.orm.em.fork())).query(text, values)).rows;

let tenant: StaffedTenant;
beforeAll(async () => {
  if (!hasBrowser) return;
  const zone = zoneAt(12);
  await sql('update company set ai_review_loads = true, time_zone = $2 where id = $1', [operator.tenant.company.id, zone]);
  operator.tenant.company.timeZone = zone;
  const person = (role: string) => operator.tenant.person({ roles: [role] });
  tenant = { ...operator.tenant, admin: await person('company_admin'), dispatcher: await person('dispatcher') };
});

/** A load that its driver has completed, with a ticket that has a picture, unless it is to have none. */
async function hauled(
  ticket: object | undefined,
  order: object = {},
): Promise<{ id: string; loadId: string; job: string; ticket?: string }> {
  const { user, ...driver } = await tenant.person({ roles: ['driver'] });
  const job = await jobOf(tenant, { driver_id: user.id, ...order });
  await drive({ ...driver, user }, job.id, ...ONE_LOAD);
  const [load] = await tenant.must('GET', `/v1/jobs/${job.id}/loads`);
  const made = { id: load.id, loadId: load.load_id, job: job.id };
  if (!ticket) return made;
  const body = { load_id: load.id, unit_of_measure: 'Ton', quantity: 20, service_date: new Date().toISOString(), ...ticket };
  const { id } = await tenant.must('POST', '/v1/tickets', body);
  expect((await sendForm(operator.app, 'POST', `/v1/tickets/${id}/image`, [['image', jpeg(), 'ticket.jpg']], tenant.token)).status).toBe(
    201,
  );
  return { ...made, ticket: id };
}

const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement.innerText || document.activeElement.name || ""');
const stateOf = async (kind: 'loads' | 'tickets', id: string): Promise<Json> => tenant.must('GET', `/v1/${kind}/${id}`);

withBrowser('loads are amended, approved and asked about by keyboard, and what is refused is back with its reason', async () => {
  const numberless = await hauled({});
  const missing = await hauled(undefined, { chase_missing_tickets: true });
  const doubted = await hauled({ ticket_number: 'REV-3' });
  await operator.app.settled();
  await sql('update load set needs_review = true where id = $1', [doubted.id]);
  const { page, complaints, asked, hosts } = await operator.open('/console/review');
  await operator.signIn(page);
  await page.getByText('3 loads need a person.').waitFor();

  await page.keyboard.press('j');
  const first = page.getByRole('region', { name: `load ${numberless.loadId}` });
  await first.getByText('The number of the ticket is missing: the ticket has no number.').waitFor();
  expect(await focused(page)).toBe(`load ${numberless.loadId}`);
  await first.getByRole('img', { name: 'Ticket without a number' }).waitFor();
  await until(() => page.evaluate("document.querySelector('.picture img').naturalWidth > 0"));
  // Its ticket cannot be approved without a number.
  expect(await first.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
  await page.keyboard.press('e');
  await page.keyboard.type('REV-1');
  await page.keyboard.press('Enter');
  await page.getByText(`load ${numberless.loadId}: amended.`).waitFor();
  expect(await focused(page)).toBe(`load ${numberless.loadId}`);
  await page.keyboard.press('a');

  // The next one is shown at once.
  const second = page.getByRole('region', { name: `load ${missing.loadId}` });
  await second.waitFor();
  await page.getByText(`load ${numberless.loadId}: approved.`).waitFor();
  expect([(await stateOf('tickets', numberless.ticket!)).state, (await stateOf('loads', numberless.id)).approved]).toEqual([
    'approved',
    true,
  ]);
  expect(await page.getByRole('button', { name: numberless.loadId, exact: true }).count()).toBe(0);
  await page.keyboard.press('r');
  await page.getByText(`load ${missing.loadId}: the driver is asked again.`).waitFor();
  const chases = await sql('select asked_at is not null as asked from ticket_chase where job_id = $1', [missing.job]);
  expect(chases).toEqual([{ asked: true }]);

  await page.keyboard.press('j');
  const third = page.getByRole('region', { name: `load ${doubted.loadId}` });
  await third.getByText('A geofence moved it without being quite certain, or its sites changed while it had material.').waitFor();
  // Somebody else is faster.
  await tenant.must('PUT', `/v1/loads/${doubted.id}/approve`, {});
  await page.keyboard.press('a');
  await page
    .getByRole('alert')
    .filter({ hasText: `load ${doubted.loadId} was not approved: its ticket is approved, but` })
    .waitFor();
  await page.getByRole('button', { name: doubted.loadId, exact: true }).waitFor();
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('1 load needs a person.').waitFor();
  // Letters do nothing while they are switched off.
  await page.getByLabel('Letters act').uncheck();
  await page.getByRole('button', { name: missing.loadId, exact: true }).press('Enter');
  await second.waitFor();
  await page.keyboard.press('Escape');
  await second.waitFor({ state: 'detached' });
  await page.keyboard.press('j');
  expect(await page.locator('.panel').count()).toBe(0);
  expect([complaints, [...hosts]]).toEqual([[], [operator.app.url]]);
  const own = /^\/(graphql|v1\/auth\/login|v1\/tickets\/[^/]+\/image\/(file|preview))$/;
  expect(asked.filter((path) => !own.test(path))).toEqual([]);
});

withBrowser('a ticket that cannot be used is voided, after a question, and the driver is asked for another one', async () => {
  const one = await hauled({ quantity: 0, ticket_number: 'REV-4' }, { chase_missing_tickets: true });
  await operator.app.settled();
  const { page } = await operator.open(`/console/review?item=${one.id}`);
  await operator.signIn(page);
  const panel = page.getByRole('region', { name: `load ${one.loadId}` });
  await panel.getByText('The quantity is zero').waitFor();
  await page.keyboard.press('r');
  await panel.getByRole('group', { name: /is voided, and the driver is asked/ }).waitFor();
  expect(await focused(page)).toBe('Void it and ask again');
  await page.keyboard.press('Enter');
  await page.getByText(`load ${one.loadId}: the driver is asked again.`).waitFor();
  expect((await stateOf('tickets', one.ticket!)).state).toBe('voided');
  await panel.getByText('The driver is being reminded of the ticket').waitFor();
});

withBrowser('days are amended and approved by keyboard, with what is unusual about them', async () => {
  const zone = tenant.company.timeZone;
  const shift = async (lastName: string, date: string, until: string) => {
    const { user } = await tenant.person({ roles: ['driver'], firstName: 'Dee', lastName });
    return pastShift(tenant, user, [['on_duty', at(`${date}T06:00`, zone), at(`${date}T${until}`, zone)]]);
  };
  const long = await shift('Long', '2026-10-05', '17:00');
  const short = await shift('Short', '2026-10-06', '09:00');
  const { page, complaints } = await operator.open('/console/review?show=days');
  await operator.signIn(page);
  await page.getByRole('row', { name: /Dee Long/ }).waitFor();
  await page.keyboard.press('j');
  const panel = page.getByRole('region', { name: `day ${long.driverDayId}` });
  await panel.getByText('No break that was long enough is recorded.').waitFor();
  await page.keyboard.press('e');
  const minutes = panel.getByLabel('Minutes added');
  await minutes.fill('-30');
  await page.keyboard.press('Enter');
  // Minutes are for something; what is refused is said, and the form stays.
  await panel.getByRole('alert').filter({ hasText: /./ }).waitFor();
  await panel.getByLabel('For').selectOption('lunch');
  await panel.getByRole('button', { name: 'Save' }).press('Enter');
  await page.getByText(`day ${long.driverDayId}: amended.`).waitFor();
  await panel.getByText('-30 for lunch').waitFor();
  await page.keyboard.press('a');
  await page.getByRole('region', { name: `day ${short.driverDayId}` }).waitFor();
  await page.getByText(`day ${long.driverDayId}: approved.`).waitFor();
  const approved = await tenant.must('GET', `/v1/driver_days/${long.id}`);
  expect([approved.approved, approved.total_shift_minutes]).toEqual([true, 630]);
  expect((await tenant.must('GET', `/v1/driver_days/${short.id}`)).approved).toBe(false);
  expect(complaints).toEqual([]);
});

withBrowser('crossings of geofences that are not certain are confirmed, dismissed and undone by keyboard', async () => {
  // By its place in the list: too few positions to be certain, and a silence that made one less certain.
  const ways: [number, number][][] = [
    [
      [9, 0],
      [11, 0],
    ],
    [
      [6, 0],
      [8, 0],
    ],
    [
      [3, 0],
      [5, 0],
    ],
    [
      [0, 0],
      [0.5, 0],
      [20, 0],
    ],
  ];
  const roads = [];
  for (const way of ways) {
    const road = await makeRoad(tenant);
    await road.drive(...way);
    const { job_id: number, state } = await road.job();
    roads.push({ ...road, number, state, name: `job ${number}, entered the pickup` });
  }
  expect(roads.map(({ state }) => state)).toEqual(['accepted', 'accepted', 'accepted', 'arrived_pickup']);
  const [sure, wrong, decided, moved] = roads;
  const { page, complaints } = await operator.open('/console/review?show=crossings');
  await operator.signIn(page);
  await page.getByText('4 crossings need a person.').waitFor();
  await page.keyboard.press('j');
  const first = page.getByRole('region', { name: sure!.name });
  await first.getByText('There are too few positions of it, or they are too coarse, to be certain: the job has not moved.').waitFor();
  expect(await first.getByRole('button', { name: 'Undo' }).count()).toBe(0);
  await page.keyboard.press('a');
  await page.getByText(`${sure!.name}: confirmed.`).waitFor();
  expect((await sure!.job()).state).toBe('arrived_pickup');
  await page.getByRole('region', { name: wrong!.name }).waitFor();
  await page.keyboard.press('d');
  await page.getByText(`${wrong!.name}: dismissed.`).waitFor();
  expect([(await wrong!.job()).state, (await wrong!.triggers())[0]]).toEqual([
    'accepted',
    expect.objectContaining({ state: 'skipped', skip_reason: 'dismissed' }),
  ]);
  // Somebody else is faster.
  const third = page.getByRole('region', { name: decided!.name });
  await third.waitFor();
  const [{ id }] = await decided!.triggers();
  await tenant.gql('mutation ($id: ID!) { dismissTrigger(id: $id) { id } }', { id });
  await page.keyboard.press('a');
  await page
    .getByRole('alert')
    .filter({ hasText: `${decided!.name} was not confirmed:` })
    .waitFor();
  await page.getByRole('button', { name: decided!.number, exact: true }).press('Enter');
  await third.getByText('Nothing can be decided about it any more.').waitFor();
  await page.keyboard.press('j');
  const fourth = page.getByRole('region', { name: moved!.name });
  await fourth.getByText('It has moved the job without being quite certain: its confidence is 0.51.').waitFor();
  expect(await fourth.getByRole('button', { name: 'Confirm' }).count()).toBe(0);
  await page.keyboard.press('u');
  await page.getByText(`${moved!.name}: undone.`).waitFor();
  expect((await moved!.job()).state).toBe('accepted');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.locator('tbody tr').waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});
