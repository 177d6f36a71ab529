import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { deleteOldPositions } from '../../src/telematics/positions/retention.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { onDuty } from '../helpers/on-duty.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';

let app: TestApp;
let usual: Tenant;
let brief: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  usual = await makeTenant(app);
  brief = await makeTenant(app);
});
afterAll(() => app.close());

const DAY = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY).toISOString();
const position = (days: number) => ({ occurred_at: ago(days), lat: 30.25, lon: -97.75, job_id: null });
const change = (tenant: Tenant, input: object) =>
  tenant.gql('mutation($input: UpdateCompanySettingsInput!) { updateCompanySettings(input: $input) { id } }', { input });
/** How many days old the positions are that there are of somebody. */
const kept = async (userId: string) =>
  (await app.orm.em.execute<{ at: Date }[]>('select occurred_at as at from location_history where user_id = ? order by 1', [userId])).map(
    ({ at }) => Math.round((Date.now() - new Date(at).getTime()) / DAY),
  );
/** Somebody who was at work on those days, and whose positions were stored. */
async function trackedOn(tenant: Tenant, days: number[]) {
  const { user, token } = await tenant.person({ roles: ['driver'] });
  for (const one of days) {
    const at = Date.parse(ago(one));
    await onDuty(tenant, user.id, { startedAt: new Date(at - 60_000), endedAt: new Date(at + 60_000) });
  }
  const body = { device_id: 'phone', locations: days.map(position) };
  expect((await tenant.http('POST', '/v1/users/me/locations', body, token)).status).toBe(204);
  expect(await kept(user.id)).toEqual(days);
  return user.id;
}

test('positions are deleted when their company keeps them no longer, months that nobody keeps as a whole', async () => {
  const days = [600, 480, 401, 399, 32, 28];
  const [mine, theirs] = [await trackedOn(usual, days), await trackedOn(brief, days)];
  const months = async () => {
    const rows = await app.orm.em.execute<{ name: string }[]>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'location_history'::regclass`,
    );
    return rows.map(({ name }) => name);
  };
  const oldest = [600, 480].map((one) => `location_history_${ago(one).slice(0, 7).replace('-', '_')}`);
  expect(await months()).toEqual(expect.arrayContaining(oldest));
  const errors: unknown[] = [];
  const deleteOld = () => deleteOldPositions(app.productOrm.em.fork(), (error) => errors.push(error));
  expect((await change(brief, { positionRetentionDays: 29 })).errors).toBeDefined();
  // The operator keeps no archives, without which positions would wait for ever.
  const refused = await change(brief, { positionRetentionDays: 31, archivePositions: true });
  expect(refused.errors?.[0]?.extensions?.errors).toMatchObject([{ field: 'archivePositions' }]);
  expect((await change(brief, { positionRetentionDays: 30, archivePositions: false })).errors).toBeUndefined();
  await deleteOld();
  expect(await kept(mine)).toEqual([399, 32, 28]);
  expect(await kept(theirs)).toEqual([28]);
  expect((await months()).filter((name) => oldest.includes(name))).toEqual([]);
  expect(await deleteOld()).toBe(0);
  expect(errors).toEqual([]);
});

test('a company may keep positions of people who are not at work', async () => {
  const { user, token } = await brief.person({ roles: ['driver'] });
  const send = (days: number) => brief.http('POST', '/v1/users/me/locations', { device_id: 'phone', locations: [position(days)] }, token);
  expect((await send(2)).status).toBe(204);
  expect(await kept(user.id)).toEqual([]);
  await change(brief, { trackOffDuty: true });
  expect((await send(1)).status).toBe(204);
  expect(await kept(user.id)).toEqual([1]);
  await change(brief, { trackOffDuty: null });
  expect((await send(0)).status).toBe(204);
  expect(await kept(user.id)).toEqual([1]);
});
