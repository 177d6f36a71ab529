import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { endForgottenShifts } from '../../../src/dispatch/drivers/forgotten-shifts.ts';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { JobEvent } from '../../../src/dispatch/model/job-event.entity.ts';
import { LocationHistory } from '../../../src/telematics/positions/location-history.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { pastShift } from './shifts.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const fail = (error: unknown): never => {
  throw error;
};
const sweep = () => endForgottenShifts(app.productOrm.em, fail);
const now = Date.now();
const ago = (hours: number) => new Date(now - hours * 3_600_000);
const dayOf = (id: string) => tenant.must('GET', `/v1/driver_days/${id}`);

/** A driver on duty for some hours, who was last heard of by a ping. */
async function onDuty(hours: number, lastPing?: number) {
  const { user, token } = await tenant.person({ roles: ['driver'], lastPingAt: lastPing === undefined ? null : ago(lastPing) });
  const day = await pastShift(tenant, user, [['on_duty', ago(hours), null]]);
  return { user, token, day };
}

test('A12: a driver who forgets to end the shift is off duty from the last activity on, and begins a new day in the morning', async () => {
  const forgotten = await onDuty(30, 20);
  const order = await makeOrder(tenant, { driver_id: forgotten.user.id });
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const under = { state: 'to_pickup', driverDayId: forgotten.day.id } as const;
  await app.orm.em.fork().nativeUpdate(Job, { id: job.id }, under, { filters: { tenant: false } });
  // The act of the office on the job is older than the last ping.
  await app.orm.em.fork().execute('update job_event set occurred_at = ? where job_id = ?', [ago(25), job.id]);
  expect(await sweep()).toBe(1);
  const day = await dayOf(forgotten.day.id);
  expect([day.total_on_duty_minutes, day.current_driver_state_event.state]).toEqual([10 * 60, 'off_duty']);
  const { data } = await tenant.gql('query($id: ID!) { driverDay(id: $id) { endReason exceptions } }', { id: day.id });
  expect(data.driverDay).toEqual({ endReason: 'auto', exceptions: expect.arrayContaining(['forgotten_shift']) });
  expect((await tenant.must('GET', `/v1/jobs/${job.id}`)).state).toBe('ended');
  const events = await tenant.must('GET', `/v1/jobs/${job.id}/job_events?page[limit]=2&sort[occurred_at]=desc`);
  expect(events.map(({ event_name, event_source }: Record<string, string>) => [event_name, event_source]).sort()).toEqual([
    ['JobEnded', 'automation'],
    ['ShiftEnded', 'automation'],
  ]);
  const next = await tenant.must('PUT', '/v1/users/me/driver_day/on_duty', {}, forgotten.token);
  expect(next.id).not.toBe(day.id);
  expect(await sweep()).toBe(0);
});

test('the truck of a job under way speaks for a driver whose telephone is silent', async () => {
  const shifts = { heard: 3.9, silent: 5 };
  const ended = [];
  for (const hours of Object.values(shifts)) {
    const { user, day } = await onDuty(15);
    const company = ref(tenant.company);
    const equipmentType = ref(await tenant.save(EquipmentType, { company, name: `Tri-axle ${hours}` }));
    const truck = await tenant.save(Equipment, { company, name: `Truck ${hours}`, equipmentType });
    const order = await makeOrder(tenant, { driver_id: user.id });
    await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
    const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
    const under = { state: 'to_pickup', driverDayId: day.id, equipment: ref(truck) } as const;
    await app.orm.em.fork().nativeUpdate(Job, { id: job.id }, under, { filters: { tenant: false } });
    const em = app.orm.em.fork();
    await em.execute('update job_event set occurred_at = ? where job_id = ?', [ago(14.5), job.id]);
    const left = { companyId: tenant.company.id, job: ref(Job, job.id), eventName: 'ToPickup', state: 'to_pickup', createdByType: 'User' };
    await tenant.save(JobEvent, { ...left, occurredAt: ago(14.4) });
    // Before the job was begun it was somebody else's.
    const seen = {
      companyId: tenant.company.id,
      equipmentId: truck.id,
      deviceId: 'unit',
      source: 'telematics',
      lat: '30.25',
      lon: '-97.75',
    };
    for (const at of [ago(14.6), ago(hours)]) await tenant.save(LocationHistory, { ...seen, occurredAt: at });
    await sweep();
    const { ended_shift_at: end, total_on_duty_minutes: minutes } = await dayOf(day.id);
    ended.push([end !== null, minutes]);
  }
  expect(ended).toEqual([
    [false, null],
    [true, 10 * 60],
  ]);
});

test('a shift is forgotten after 14 hours with 4 of silence, or after 20 hours', async () => {
  const shifts = {
    short: await onDuty(13.9),
    heard: await onDuty(15, 3.9),
    silent: await onDuty(15, 4.1),
    endless: await onDuty(20.1, 0.1),
  };
  expect(await sweep()).toBe(2);
  const ended = await Promise.all(Object.values(shifts).map(async ({ day }) => (await dayOf(day.id)).ended_shift_at !== null));
  expect(ended).toEqual([false, false, true, true]);
  expect((await dayOf(shifts.endless.day.id)).total_on_duty_minutes).toBe(20 * 60);
});

test('who was deactivated on duty, or is no driver any more, is put off duty by the office, or when the shift is forgotten', async () => {
  const clerk = (await tenant.must('GET', '/v1/iam_roles')).find(({ name }: { name: string }) => name === 'Biller');
  const leave = (id: string) => tenant.http('DELETE', `/v1/users/${id}`);
  const change = (id: string) => tenant.must('PATCH', `/v1/users/${id}`, { iam_role_ids: [clerk.id] });
  const off = (id: string) => tenant.must('PUT', `/v1/drivers/${id}/driver_state/off_duty`, {});
  const [left, changed] = [await onDuty(2), await onDuty(2)];
  expect((await leave(left.user.id)).status).toBe(204);
  await change(changed.user.id);
  for (const { user, day } of [left, changed]) {
    expect(await off(user.id)).toMatchObject({ user_id: user.id, state: 'off_duty' });
    expect((await dayOf(day.id)).total_on_duty_minutes).toBe(120);
    // Somebody who is off duty already, and no driver, has no state to be put into.
    expect((await tenant.http('PUT', `/v1/drivers/${user.id}/driver_state/off_duty`, {})).status).toBe(404);
  }
  const [forgotten, other] = [await onDuty(30, 20), await onDuty(30, 20)];
  expect((await leave(forgotten.user.id)).status).toBe(204);
  await change(other.user.id);
  expect((await tenant.http('PUT', '/v1/users/me/driver_state/break', {}, other.token)).status).toBe(404);
  expect(await sweep()).toBe(2);
  expect((await dayOf(forgotten.day.id)).total_on_duty_minutes).toBe(10 * 60);
});
