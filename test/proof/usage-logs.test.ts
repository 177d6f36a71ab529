import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Phase } from '../../src/dispatch/model/phase.entity.ts';
import { pastShift } from '../dispatch/drivers/shifts.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { runs } from '../helpers/properties.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app, { company: { timeZone: 'America/Chicago' } });
});
afterAll(() => app.close());

/** A day of 600 minutes, with a job of an order with a phase. */
async function worked() {
  const { user, token } = await tenant.person({ roles: ['driver'] });
  const day = await pastShift(tenant, user, [['on_duty', new Date('2026-11-18T12:00:00Z'), new Date('2026-11-18T22:00:00Z')]]);
  const order = await makeOrder(tenant, { driver_id: user.id, phases: [{ name: 'Base' }] });
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  await app.orm.em.fork().execute('update job set driver_day_id = ? where id = ?', [day.id, job.id]);
  const log = (usage_minutes: number, more: object = {}) => ({
    ...{ resource_usage_loggable_type: 'DriverDay', resource_usage_loggable_id: day.id },
    ...{ usage_minutes, date_of_use: '2026-11-18', driver_id: user.id, ...more },
  });
  const path = `/v1/driver_days/${day.id}/resource_usage_logs`;
  const list = async (): Promise<number[]> => (await tenant.must('GET', path)).map((one: Json) => one.usage_minutes).sort();
  return { user, token, day, order, job, log, path, list };
}

test('time is divided by phase and truck, on a day and its jobs, and never beyond the shift', async () => {
  const { order, job, log, path, list } = await worked();
  const ofJob = { resource_usage_loggable_type: 'Job', resource_usage_loggable_id: job.id, phase_id: order.phases[0].id };
  const made = await tenant.must('POST', path, log(400, ofJob));
  expect(made).toMatchObject({ usage_minutes: 400, phase: { name: 'Base' } });
  expect('equipment' in made).toBe(false);
  const more = await tenant.http('POST', path, log(250));
  expect([more.status, more.body.error.errors[0].message]).toEqual([
    422,
    'is 50 minutes more than the 200 that are left of the time worked',
  ]);
  await tenant.must('POST', path, log(200));
  const over = await tenant.http('POST', path, log(1));
  expect([over.status, over.body.error.errors[0]]).toEqual([
    422,
    { model: 'ResourceUsageLog', field: 'usage_minutes', message: 'is 1 minutes more than the 0 that are left of the time worked' },
  ]);
  expect(await list()).toEqual([200, 400]);
  expect((await tenant.must('GET', `/v1/jobs/${job.id}/resource_usage_logs`)).map((one: Json) => one.id)).toEqual([made.id]);
  expect((await tenant.must('PATCH', `/v1/resource_usage_logs/${made.id}`, { usage_minutes: 300, phase_id: null })).usage_minutes).toBe(
    300,
  );
  expect((await tenant.http('PATCH', `/v1/resource_usage_logs/${made.id}`, { usage_minutes: 401 })).status).toBe(422);
  expect((await tenant.http('DELETE', `/v1/resource_usage_logs/${made.id}`)).status).toBe(204);
  expect(await list()).toEqual([200]);
});

test('a log that names no record divides the time of the path, as the contract has it', async () => {
  const { user, day, job, path } = await worked();
  const log = { usage_minutes: 60, date_of_use: '2026-11-18', driver_id: user.id };
  const ofDay = { resource_usage_loggable_type: 'DriverDay', resource_usage_loggable_id: day.id };
  expect(await tenant.must('POST', path, log)).toMatchObject(ofDay);
  const named = { resource_usage_loggable_type: 'Job', resource_usage_loggable_id: job.id };
  const made = await tenant.must('PATCH', `/v1/jobs/${job.id}/resource_usage_logs`, { resource_usage_logs: [log] });
  expect(made).toEqual([expect.objectContaining(named)]);
  for (const [half, lacking] of [
    [{ resource_usage_loggable_type: 'DriverDay' }, 'resource_usage_loggable_id'],
    [{ resource_usage_loggable_id: day.id }, 'resource_usage_loggable_type'],
  ] as const) {
    const { status, body } = await tenant.http('POST', path, { ...log, ...half });
    expect([status, body.error.errors]).toEqual([422, [{ model: 'ResourceUsageLog', field: lacking, message: 'is required' }]]);
  }
});

test('a list of changes happens as a whole or not at all', async () => {
  const { log, path, list } = await worked();
  const [first, second] = [await tenant.must('POST', path, log(100)), await tenant.must('POST', path, log(200))];
  const change = (...resource_usage_logs: object[]) => tenant.http('PATCH', path, { resource_usage_logs });
  const done = await change({ id: first.id, _destroy: 1 }, { id: second.id, usage_minutes: 250 }, log(350));
  expect([done.status, done.body.data.map((one: Json) => one.usage_minutes).sort()]).toEqual([200, [250, 350]]);
  const tooMuch = await change({ id: second.id, usage_minutes: 50 }, log(201));
  expect([tooMuch.status, await list()]).toEqual([422, [250, 350]]);
  const incomplete = await change({ id: second.id, _destroy: 1 }, { usage_minutes: 5 });
  expect(incomplete.body.error.errors.map((item: Json) => item.field)).toContain('resource_usage_logs.1.driver_id');
  const foreign = await worked();
  const other = await tenant.must('POST', foreign.path, foreign.log(10));
  for (const [field, ...changes] of [
    ['0.id', { id: other.id, usage_minutes: 11 }],
    ['0.id', { id: 'first', usage_minutes: 11 }],
    ['0._destroy', { id: second.id, _destroy: 2 }],
    ['1.id', { id: second.id, usage_minutes: 11 }, { id: second.id, _destroy: 1 }],
  ] as const) {
    const { status, body } = await change(...changes);
    expect([status, body.error.errors.map((item: Json) => item.field)]).toEqual([422, [`resource_usage_logs.${field}`]]);
  }
  expect(await list()).toEqual([250, 350]);
});

test.each([
  ['usage_minutes of 0', { usage_minutes: 0 }, 'usage_minutes'],
  ['negative usage_minutes', { usage_minutes: -5 }, 'usage_minutes'],
  ['more than a day', { usage_minutes: 1441 }, 'usage_minutes'],
  ['a date before the shift', { date_of_use: '2026-11-17' }, 'date_of_use'],
  ['the next date of a shift that ended before midnight', { date_of_use: '2026-11-19' }, 'date_of_use'],
])('bad input of a log: %s', async (_row, more, field) => {
  const { log, path, list } = await worked();
  const { status, body } = await tenant.http('POST', path, log(60, more));
  expect([status, body.error.errors.map((item: Json) => item.field), await list()]).toEqual([422, [field], []]);
});

test('bad input of a log: a driver, phase or job of other work, and people without the permission', async () => {
  const { token, log, path, list } = await worked();
  const other = await worked();
  const phase = await tenant.save(Phase, { companyId: tenant.company.id, orderId: other.order.id, name: 'Curb' });
  for (const [more, field] of [
    [{ driver_id: other.user.id }, 'driver_id'],
    [{ phase_id: phase.id }, 'phase_id'],
    [{ resource_usage_loggable_type: 'Job', resource_usage_loggable_id: other.job.id }, 'resource_usage_loggable_id'],
    [{ resource_usage_loggable_id: other.day.id }, 'resource_usage_loggable_id'],
  ] as const) {
    const { status, body } = await tenant.http('POST', path, log(60, more));
    expect([status, body.error.errors.map((item: Json) => item.field)]).toEqual([422, [field]]);
  }
  expect((await tenant.http('POST', path, log(60), token)).status).toBe(403);
  expect((await tenant.must('GET', path, undefined, token)).length).toBe(0);
  const stranger = await makeTenant(app);
  expect([(await stranger.http('POST', path, log(60))).status, (await stranger.http('GET', path)).status]).toEqual([404, 404]);
  expect(await list()).toEqual([]);
});

test('A-I9: logs stay when the day is shortened, and the day says that they exceed it', async () => {
  const { day, log, path, list } = await worked();
  await tenant.must('POST', path, log(600));
  await tenant.must('PATCH', `/v1/driver_days/${day.id}`, { shift_adjustment_minutes: -30, shift_adjustment_type: 'lunch' });
  expect(await list()).toEqual([600]);
  const { data } = await tenant.gql('query($id: ID!) { driverDay(id: $id) { exceptions } }', { id: day.id });
  expect(data.driverDay.exceptions).toContain('exceeds_shift');
  // Truck and phase are corrected all the same, alone and in a list; minutes are not.
  const [{ id }] = await tenant.must('GET', path);
  const truck = await tenant.must('POST', '/v1/equipment', {
    name: 'Truck 7',
    equipment_type_id: (await tenant.must('POST', '/v1/equipment_types', { name: 'Tandem' })).id,
  });
  expect((await tenant.must('PATCH', `/v1/resource_usage_logs/${id}`, { equipment_id: truck.id })).equipment.id).toBe(truck.id);
  const [without] = await tenant.must('PATCH', path, { resource_usage_logs: [{ id, equipment_id: null, usage_minutes: 600 }] });
  expect([without.id, without.equipment]).toEqual([id, undefined]);
  for (const minutes of [599, 601])
    expect((await tenant.http('PATCH', path, { resource_usage_logs: [{ id, usage_minutes: minutes }] })).status).toBe(422);
  expect(await list()).toEqual([600]);
});

test('A-I9: however logs come, change and go, and a shift is shortened, no log is taken that is more than was worked, and what is too much is an exception', async () => {
  const minutes = fc.integer({ min: 1, max: 400 });
  const step = fc.oneof(
    fc.record({ add: minutes }),
    fc.record({ change: fc.nat(5), to: minutes }),
    fc.record({ remove: fc.nat(5) }),
    fc.record({ adjust: fc.integer({ min: -590, max: 0 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
      const { day, log, path } = await worked();
      const kept: { id: string; minutes: number }[] = [];
      let shift = 600;
      const sum = (but = -1, more = 0) => kept.reduce((all, one, i) => all + (i === but ? 0 : one.minutes), more);
      for (const one of steps) {
        if ('add' in one) {
          const { status, body } = await tenant.http('POST', path, log(one.add));
          expect([one, shift, status]).toEqual([one, shift, sum(-1, one.add) <= shift ? 201 : 422]);
          if (status === 201) kept.push({ id: body.data.id, minutes: one.add });
        } else if ('adjust' in one) {
          const type = one.adjust === 0 ? null : 'break';
          await tenant.must('PATCH', `/v1/driver_days/${day.id}`, { shift_adjustment_minutes: one.adjust, shift_adjustment_type: type });
          shift = 600 + one.adjust;
        } else {
          const at = ('change' in one ? one.change : one.remove) % Math.max(1, kept.length);
          const chosen = kept[at];
          if (!chosen) continue;
          if ('remove' in one) {
            expect((await tenant.http('DELETE', `/v1/resource_usage_logs/${chosen.id}`)).status).toBe(204);
            kept.splice(at, 1);
          } else {
            const { status } = await tenant.http('PATCH', `/v1/resource_usage_logs/${chosen.id}`, { usage_minutes: one.to });
            expect([one, shift, status]).toEqual([one, shift, sum(at, one.to) <= shift ? 200 : 422]);
            if (status === 200) chosen.minutes = one.to;
          }
        }
        const logged = (await tenant.must('GET', path)).reduce((all: number, { usage_minutes }: Json) => all + usage_minutes, 0);
        const { data } = await tenant.gql('query ($id: ID!) { driverDay(id: $id) { totalShiftMinutes exceptions } }', { id: day.id });
        expect([logged, data.driverDay.totalShiftMinutes]).toEqual([sum(), shift]);
        expect(data.driverDay.exceptions.includes('exceeds_shift')).toBe(logged > shift);
      }
    }),
    { numRuns: runs(5) },
  );
}, 120_000);
