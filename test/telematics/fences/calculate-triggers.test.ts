import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { calculationLimits } from '../../../src/telematics/calculations/ways.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { onDuty } from '../../helpers/on-duty.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
/** Five minutes before the first position of the way. */
let from: Date;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app, { company: { defaultGeofenceDelaySeconds: 60 } });
  from = new Date(Date.now() - 3_600_000);
});
afterAll(() => app.close());

const METRE = 180 / Math.PI / 6_371_008.8;
const PIT = { lat: 30.25, lon: -97.75 };
const circle = (radius: number | string, more: object = {}) => ({
  geofence: { name: 'Pit', type: 'circle', circle_center: PIT, circle_radius: radius, ...more },
});
const north = (metres: number) => PIT.lat + metres * METRE;
const after = (seconds: number) => new Date(from.getTime() + seconds * 1000).toISOString();
/** Positions of a way, as `[seconds, metres north of the pit]`. */
const way = (jobId: string | null, ...steps: [number, number, number?][]) =>
  steps.map(([seconds, metres, accuracy = 8]) => ({
    ...{ occurred_at: after(300 + seconds), lat: north(metres).toFixed(12), lon: PIT.lon, job_id: jobId, accuracy },
  }));
// The way of M5.
const M5: [number, number, number?][] = [
  ...([
    [0, 190],
    [30, 140],
    [60, 165, 60],
    [95, 120],
    [600, 185],
    [640, 160],
    [655, 140],
    [900, 190],
    [930, 220],
    [965, 300],
  ] as [number, number, number?][]),
];

async function drivenJob(): Promise<{ jobId: string; orderId: string }> {
  const order = await makeOrder(tenant, { driver_id: tenant.driver.id });
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  return { jobId: job.id, orderId: order.id };
}

test('when drivers and trucks crossed a geofence is worked out from stored positions, and nothing is stored', async () => {
  const { jobId } = await drivenJob();
  const type = await tenant.must('POST', '/v1/equipment_types', { name: 'Tandem' });
  const truck = await tenant.must('POST', '/v1/equipment', { name: 'Truck 7', external_id: 'T7', equipment_type_id: type.id });
  await app.orm.em.getConnection().execute('update app_user set equipment_id = ? where id = ?', [truck.id, tenant.driver.id]);
  await onDuty(tenant, tenant.driver.id, { startedAt: from });
  const sent = await tenant.driver.http('POST', '/v1/users/me/locations', { device_id: 'phone', locations: way(jobId, ...M5) });
  expect(sent.status).toBe(204);
  const input = { start_at: after(0), end_at: after(3600), geofences: [{ ...circle(150), tag: 'site' }, circle(20_000)] };
  for (const [kind, asset] of [
    ['drivers', 'driver'],
    ['equipment', 'equipment'],
  ] as const) {
    const { status, body } = await tenant.http('POST', tenant.path(`/${kind}/geofence_triggers`), input);
    expect([status, body.data.length]).toEqual([200, 3]);
    const [wide, enter, exit] = body.data;
    expect(wide.geofence.geofence.circle_radius).toBe(20_000);
    expect([enter, exit].map((one) => [one.geofence_trigger_type, one.triggered_location.occurred_at])).toEqual([
      ['enter', after(330)],
      ['exit', after(1200)],
    ]);
    expect(enter.geofence).toEqual({
      geofence: { name: 'Pit', type: 'circle', circle_center: PIT, circle_radius: 150 },
      ...{ moving_geofence: false, tag: 'site', geofence_type: 'circle' },
    });
    expect(enter.triggered_location).toEqual(
      expect.objectContaining({
        ...{ driver: { id: tenant.driver.id, first_name: 'Dora', last_name: 'Wheel' }, job: expect.objectContaining({ id: jobId }) },
        ...{ equipment: { id: truck.id, name: 'Truck 7', external_id: 'T7' }, lat: expect.stringMatching(/^30\.25/) },
      }),
    );
    expect(enter.triggered_location[asset].id).toBeTruthy();
  }
  const { data } = await tenant.gql(
    `query ($input: CalculateTriggersInput!) { driverGeofenceTriggers(input: $input) { geofenceTriggerType confidence confirmedAt } }`,
    { input: { startAt: after(0), endAt: after(3600), geofences: [{ geofence: { circleCenter: PIT, circleRadius: 150 } }] } },
  );
  expect(data.driverGeofenceTriggers).toEqual([
    { geofenceTriggerType: 'enter', confidence: '0.85', confirmedAt: after(395) },
    { geofenceTriggerType: 'exit', confidence: '0.85', confirmedAt: after(1265) },
  ]);

  const path = tenant.path(`/jobs/${jobId}/geofence_triggers`);
  const types = async (body: object) =>
    (await tenant.must('POST', path, body)).map((one: { geofence_trigger_type: string }) => one.geofence_trigger_type);
  expect(await types({})).toEqual([]);
  expect(await types({ strategy: 'naive', delay_seconds: 0, geofences: [circle(150)] })).toEqual([
    ...['enter', 'exit', 'enter', 'exit', 'enter', 'exit'],
  ]);
  expect(await types({ strategy: 'accuracy_strict', delay_seconds: 60, geofences: [circle(150)] })).toEqual(['enter', 'exit']);
  // Without geofences, those of the job's sites: these have no coordinates, and so none.
  expect(await types({ strategy: 'naive', delay_seconds: 0 })).toEqual([]);
  const stored = await app.orm.em
    .getConnection()
    .execute<object[]>('select id from geofence_trigger where company_id = ?', [tenant.company.id]);
  expect(stored).toEqual([]);
});

test('ways are read in parts, and a calculation over more positions than one may have is refused', async () => {
  const { jobId } = await drivenJob();
  const hauler = await makeTenant(app, { company: { defaultGeofenceDelaySeconds: 60 } });
  const drivers = [await hauler.person({ roles: ['driver'] }), await hauler.person({ roles: ['driver'] })];
  for (const { id, must } of drivers) {
    await onDuty(hauler, id, { startedAt: from });
    await must('POST', '/v1/users/me/locations', { device_id: 'phone', locations: way(null, ...M5) });
  }
  const input = { start_at: after(0), end_at: after(3600), geofences: [circle(150)] };
  const ask = () => hauler.http('POST', hauler.path('/drivers/geofence_triggers'), input);
  const limits = calculationLimits.of(app.orm.em);
  const usual = { ...limits };
  try {
    // Each way is longer than what is in memory at a time.
    Object.assign(limits, { most: 2 * M5.length, inMemory: 5 });
    const { data } = (await ask()).body;
    expect(data.map((one: { geofence_trigger_type: string }) => one.geofence_trigger_type)).toEqual(['enter', 'enter', 'exit', 'exit']);
    expect(new Set(data.map((one: { triggered_location: { driver: { id: string } } }) => one.triggered_location.driver.id)).size).toBe(2);
    limits.most--;
    const refused = await ask();
    expect([refused.status, fieldsOf(refused)]).toEqual([422, ['end_at']]);
    expect(JSON.stringify(refused.body)).toContain(String(limits.most));
    await tenant.driver.must('POST', '/v1/users/me/locations', { device_id: 'another', locations: way(jobId, ...M5) });
    limits.most = M5.length - 1;
    const body = { strategy: 'naive', delay_seconds: 0, geofences: [circle(150)] };
    const ofJob = await tenant.http('POST', tenant.path(`/jobs/${jobId}/geofence_triggers`), body);
    expect([ofJob.status, fieldsOf(ofJob)]).toEqual([422, ['strategy']]);
  } finally {
    Object.assign(limits, usual);
  }
});

test('A11 geofence_triggers: every bad input of a calculation is named', async () => {
  const good = { start_at: after(0), end_at: after(3600), geofences: [circle(150)] };
  const refused = async (more: object) => {
    const answer = await tenant.http('POST', tenant.path('/drivers/geofence_triggers'), { ...good, ...more });
    return [answer.status, fieldsOf(answer)];
  };
  const polygon = (...ring: [number, number][]) => [
    { geofence: { name: 'P', type: 'polygon', geojson: { type: 'Polygon', coordinates: [ring] } } },
  ];
  const [w, e, s, n] = [-97.76, -97.74, 30.24, 30.26];
  expect(await refused({ end_at: good.start_at })).toEqual([422, ['end_at']]);
  expect(await refused({ end_at: after(7 * 86_400 + 1) })).toEqual([422, ['end_at']]);
  expect((await refused({ geofences: Array.from({ length: 21 }, () => circle(150)) }))[0]).toBe(422);
  expect(await refused({ geofences: polygon([w, s], [e, s], [e, n], [w, n]) })).toEqual([
    422,
    ['geofences.0.geofence.geojson.coordinates'],
  ]);
  expect((await refused({ geofences: polygon([w, s], [e, n], [e, s], [w, n], [w, s]) }))[0]).toBe(422);
  const many = Array.from({ length: 1_001 }, (_, i): [number, number] => [w + i / 1e6, s]);
  expect((await refused({ geofences: polygon(...many, [w, s]) }))[0]).toBe(422);
  for (const radius of [0, -1, 20_001])
    expect(await refused({ geofences: [circle(radius)] })).toEqual([422, ['geofences.0.geofence.circle_radius']]);
  expect(await refused({ geofences: [{ id: crypto.randomUUID() }, {}] })).toEqual([422, ['geofences.0.id', 'geofences.1.geofence']]);
  expect(await refused({ geofences: [{ ...circle(150), moving_geofence: true }] })).toEqual([422, ['geofences.0.geofence.id']]);

  const { jobId } = await drivenJob();
  const ofJob = async (body: object, as?: string) => {
    const answer = await tenant.http('POST', tenant.path(`/jobs/${jobId}/geofence_triggers`), body, as);
    return [answer.status, fieldsOf(answer)];
  };
  expect((await ofJob({ strategy: 'clairvoyant' }))[0]).toBe(422);
  expect(await ofJob({ strategy: 'naive' })).toEqual([422, ['delay_seconds']]);
  expect(await ofJob({ strategy: 'accuracy_strict', delay_seconds: -1 })).toEqual([422, ['delay_seconds']]);
  expect(await ofJob({ strategy: 'naive', delay_seconds: 86_401 })).toEqual([422, ['delay_seconds']]);
  expect(await ofJob({ delay_seconds: 0, geofences: [] })).toEqual([422, ['delay_seconds', 'geofences']]);
  // A driver has no permission of the office, for which the contract has 404, and a stranger no job.
  expect((await tenant.driver.http('POST', tenant.path('/drivers/geofence_triggers'), good)).status).toBe(404);
  const stranger = await makeTenant(app);
  expect((await stranger.http('POST', stranger.path(`/jobs/${jobId}/geofence_triggers`), {})).status).toBe(404);
});

test('a company that the caller does not see is answered as one that does not exist', async () => {
  const stranger = await makeTenant(app);
  const child = await makeTenant(app, { company: { parentCompany: ref(tenant.company) } });
  const { token } = await tenant.person({ roles: ['company_admin'] });
  const input = { start_at: after(0), end_at: after(3600), geofences: [circle(150)] };
  const answers = async (companyId: string) => {
    const rest = await Promise.all(
      ['drivers', 'equipment'].map((kind) => tenant.http('POST', `/v1/companies/${companyId}/${kind}/geofence_triggers`, input, token)),
    );
    const { errors } = await tenant.gql(
      `query ($input: CalculateTriggersInput!, $id: ID!) { driverGeofenceTriggers(input: $input, companyId: $id) { confidence } equipmentGeofenceTriggers(input: $input, companyId: $id) { confidence } }`,
      { input: { startAt: after(0), endAt: after(3600), geofences: [] }, id: companyId },
      token,
    );
    return [
      ...rest.map(({ status }) => status),
      ...(errors ?? []).map(({ extensions }: { extensions: { code: string } }) => extensions.code),
    ];
  };
  expect(await answers(stranger.company.id)).toEqual([404, 404, 'object_not_found', 'object_not_found']);
  expect(await answers(crypto.randomUUID())).toEqual([404, 404, 'object_not_found', 'object_not_found']);
  expect(await answers('none')).toEqual([404, 404, 'object_not_found', 'object_not_found']);
  expect(await answers(child.company.id)).toEqual([200, 200]);
});
