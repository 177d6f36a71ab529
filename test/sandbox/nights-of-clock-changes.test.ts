// What a new user tries, by REST alone and by GraphQL alone: a shift with a break over midnight of a night in which clocks change.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { localToInstant } from '../../src/platform/time.ts';
import { newSandboxId } from '../../src/platform/worlds/sandbox-ids.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeOrder, makeTenant, type Person, type Tenant } from '../helpers/tenant.ts';
import { dateOfHours } from '../helpers/zones.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const ZONE = 'America/Toronto';
const DAY = 86_400_000;

let app: TestApp;
let owner: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  owner = await makeTenant(app);
});
afterAll(() => app.close());

/** A company that has a clock of its own. */
async function makeWorld(): Promise<Tenant> {
  const id = newSandboxId();
  const tenant = await makeTenant(app, { company: { id, timeZone: ZONE } });
  await app.orm.em.execute(
    `insert into sandbox (id, company_id, name, administrator, client_id, ends_at) values (?, ?, 'Night', 'night@example.com', ?, now() + interval '1 day')`,
    [id, owner.company.id, `hg_${id}`],
  );
  return tenant;
}

/** Sets the clock of a company. Its people may move it by two months; the next change of clocks may be half a year away. */
async function setClock({ company }: Tenant, at: Date): Promise<void> {
  await app.orm.em.execute('select move_sandbox_clock(?, ?)', [company.id, Math.round((at.getTime() - Date.now()) / 1000)]);
}

const wall = (date: string, time: string): Date => localToInstant(`${date}T${time}`, ZONE)!;
const dateAfter = (date: string, days: number): string => new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10);

interface Seen {
  id: string;
  date: string;
  state?: string;
  onDuty: number | null;
  breaks: number | null;
  shift: number | null;
}

/** The acts by one interface. */
interface Client {
  report(driver: Person, state: string, occurredAt: Date): Promise<Seen>;
  own(driver: Person): Promise<Seen>;
  /** As the office reads it. */
  day(office: Person, id: string): Promise<Seen>;
  approve(office: Person, id: string): Promise<boolean>;
}

const seen = (day: Json): Seen => ({
  ...{ id: day.id, date: day.driver_day_date, state: day.current_driver_state_event?.state },
  ...{ onDuty: day.total_on_duty_minutes, breaks: day.total_break_minutes, shift: day.total_shift_minutes },
});
const REST: Client = {
  report: async (driver, state, occurredAt) =>
    seen(await driver.must('PUT', `/v1/users/me/driver_day/${state}`, { occurred_at: occurredAt.toISOString() })),
  own: async (driver) => seen(await driver.must('GET', '/v1/users/me/driver_day')),
  day: async (office, id) => seen(await office.must('GET', `/v1/driver_days/${id}`)),
  approve: async (office, id) => (await office.must('PUT', `/v1/driver_days/${id}/approve`, {})).approved,
};

const FIELDS = `id date: driverDayDate event: currentDriverStateEvent { state } onDuty: totalOnDutyMinutes breaks: totalBreakMinutes shift: totalShiftMinutes`;
async function run(by: Person, query: string, variables: Record<string, unknown> = {}): Promise<Json> {
  const { data, errors } = await by.gql(query, variables);
  expect(errors).toBeUndefined();
  return Object.values(data)[0];
}
const flat = ({ event, ...day }: Json): Seen => ({ ...day, state: event?.state });
const GRAPHQL: Client = {
  report: async (driver, state, occurredAt) =>
    flat(
      await run(
        driver,
        `mutation ($state: DriverState!, $at: DateTime) { setMyDriverDay(state: $state, input: { occurredAt: $at }) { ${FIELDS} } }`,
        {
          ...{ state, at: occurredAt.toISOString() },
        },
      ),
    ),
  own: async (driver) => flat(await run(driver, `{ myDriverDay { ${FIELDS} } }`)),
  day: async (office, id) => flat(await run(office, `query ($id: ID!) { driverDay(id: $id) { ${FIELDS} } }`, { id })),
  approve: async (office, id) => (await run(office, 'mutation ($id: ID!) { approveDriverDay(id: $id) { approved } }', { id })).approved,
};

test.each([
  ['REST', REST, 'fall back', 25, 570],
  ['REST', REST, 'spring forward', 23, 450],
  ['GraphQL', GRAPHQL, 'fall back', 25, 570],
  ['GraphQL', GRAPHQL, 'spring forward', 23, 450],
] as const)('by %s alone: a shift with a break over midnight of the night in which clocks %s', async (_, client, __, hours, minutes) => {
  const tenant = await makeWorld();
  const [driver, office] = [tenant.driver, await tenant.person({ roles: ['biller'] })];
  const eve = dateAfter(dateOfHours(hours, ZONE), -1);
  const next = dateAfter(eve, 1);
  // It is late in the evening.
  await setClock(tenant, wall(eve, '23:50'));
  const { id } = await client.report(driver, 'on_duty', wall(eve, '22:00'));
  await client.report(driver, 'break', wall(eve, '23:40'));
  // Midnight is over, and the shift goes on.
  await setClock(tenant, wall(next, '00:30'));
  expect(await client.own(driver)).toMatchObject({ id, date: eve, state: 'break', shift: null });
  await client.report(driver, 'on_duty', wall(next, '00:25'));
  await setClock(tenant, wall(next, '06:31'));
  const ended = await client.report(driver, 'off_duty', wall(next, '06:30'));
  const whole = { id, date: eve, state: 'off_duty', breaks: 45, onDuty: minutes - 45, shift: minutes };
  expect(ended).toEqual(whole);
  expect(await client.day(office, id)).toEqual(whole);
  expect(await client.approve(office, id)).toBe(true);
});

test('a week is reviewed from the end of the day after it on, also if that day has 23 hours', async () => {
  const tenant = await makeWorld();
  const [dispatcher, admin] = [await tenant.person({ roles: ['dispatcher'] }), await tenant.person({ roles: ['company_admin'] })];
  const input = { periodsReviewed: true, workReviewMinutes: 1_440, billingReviewMinutes: 1_440 };
  const change = 'mutation($input: UpdateCompanySettingsInput!) { updateCompanySettings(input: $input) { periodsReviewed } }';
  expect((await admin.gql(change, { input })).errors).toBeUndefined();
  // The last work of the week that ends with Saturday; its books are reviewed from Monday on.
  const sunday = dateOfHours(23, ZONE);
  const { id } = await makeOrder(tenant, { load_at: wall(dateAfter(sunday, -1), '23:30').toISOString() });
  const [job] = await tenant.must('GET', `/v1/orders/${id}/jobs`);
  const note = async (notes: string) => (await dispatcher.http('PATCH', `/v1/jobs/${job.id}`, { notes })).status;
  await setClock(tenant, wall(sunday, '23:50'));
  expect(await note('in time')).toBe(200);
  await setClock(tenant, wall(dateAfter(sunday, 1), '00:10'));
  expect(await note('too late')).toBe(422);
});
