import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { SmsIntegration } from '../../src/directory/companies/sms-integration.entity.ts';
import { Equipment } from '../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../src/directory/equipment/equipment-type.entity.ts';
import { TelematicsRemoteVehicle } from '../../src/telematics/fleets/remote-vehicle.entity.ts';
import { telematicsSettings } from '../../src/telematics/fleets/settings.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { FakeProvider, samsaraPage } from './fake-provider.ts';

let app: TestApp;
let tenant: Tenant;
let provider: FakeProvider;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  provider = await new FakeProvider().start();
});
beforeEach(() => {
  app.application.provide(telematicsSettings, { privateHosts: true, timeout: 10_000 });
  provider.answer = () => samsaraPage('c1');
  provider.asked.length = 0;
});
afterAll(async () => {
  await provider.stop();
  await app.close();
});

const FLEET = 'id name provider providerSource server state lastError pollSeconds nextPollAt pushUrl pushPassword';
const connect = (input: object, as?: string) =>
  tenant.gql(`mutation($input: ConnectTelematicsFleetInput!) { connectTelematicsFleet(input: $input) { ${FLEET} } }`, { input }, as);
const samsara = (more: object = {}) => ({
  name: 'Trucks',
  provider: 'samsara',
  server: provider.url,
  credentials: { token: 'key-1' },
  ...more,
});
const connected = async (more: object = {}) => (await connect(samsara(more))).data.connectTelematicsFleet;
const change = (id: string, input: object) =>
  tenant.gql(`mutation($id: ID!, $input: UpdateTelematicsFleetInput!) { updateTelematicsFleet(id: $id, input: $input) { ${FLEET} } }`, {
    ...{ id, input },
  });
const problems = (answer: { errors?: { extensions: { errors?: object[] } }[] }) => answer.errors?.[0]?.extensions.errors;
const sealed = async (id: string) =>
  (await app.orm.em.execute<{ sealed: string }[]>('select sealed from telematics_secret where fleet_id = ?', [id]))[0]?.sealed;
const truck = async (fields: object = {}, owner = tenant) =>
  owner.save(Equipment, {
    ...{ company: ref(owner.company), name: 'Truck 7' },
    equipmentType: ref(await owner.save(EquipmentType, { company: ref(owner.company), name: `Tri-axle ${Math.random()}` })),
    ...fields,
  });
let keys = 0;
const vehicle = (telematicsFleetId: string, fields: object = {}) =>
  tenant.save(TelematicsRemoteVehicle, {
    ...{ companyId: tenant.company.id, telematicsFleetId, externalKey: `k${++keys}`, remoteVehicleExternalId: keys },
    ...{ remoteVehicleExternalName: 'Truck 7', ...fields },
  });
const patch = (id: string, body: object) => tenant.http('PATCH', `/v1/telematics/remote_vehicles/${id}`, body);
const wrongFields = (body: { error: { errors: { field: string }[] } }) => body.error.errors.map(({ field }) => field);

test('a fleet is connected after its provider was read once; its credentials are sealed and in no answer', async () => {
  const fleet = await connected();
  expect(fleet).toMatchObject({
    provider: 'samsara',
    providerSource: 'axle',
    state: 'connected',
    pollSeconds: 15,
    pushUrl: null,
    pushPassword: null,
  });
  expect(fleet.nextPollAt).not.toBeNull();
  expect(provider.asked.map(({ path, authorization }) => [path, authorization])).toEqual([['/fleet/vehicles/stats/feed', 'Bearer key-1']]);
  expect(await sealed(fleet.id)).toMatch(/^v1\./);
  const audit = JSON.stringify(await app.orm.em.execute('select * from audit_entry where subject_id = ?', [fleet.id]));
  expect([audit.includes('Trucks'), audit.includes('key-1')]).toEqual([true, false]);
  const [listed] = (await tenant.must('GET', '/v1/telematics/fleets')).filter(({ id }: { id: string }) => id === fleet.id);
  expect(listed).toEqual({
    ...{ id: fleet.id, created_at: expect.any(String), updated_at: expect.any(String), external_remote_fleet_id: null },
    ...{ provider_source: 'axle', company_id: tenant.company.id },
  });
});

test('what the provider refuses, and an address that must not be called, is not kept', async () => {
  const count = async () => (await app.orm.em.execute<{ n: number }[]>('select count(*)::int as n from telematics_fleet'))[0]!.n;
  const before = await count();
  provider.answer = () => ({ status: 401 });
  expect(problems(await connect(samsara()))).toEqual([
    { model: 'TelematicsFleet', field: 'credentials', message: 'were tried and did not work: the provider refuses the credentials (401)' },
  ]);
  provider.answer = () => 'no JSON at all';
  expect(problems(await connect(samsara()))).toMatchObject([{ message: expect.stringContaining('no JSON') }]);
  expect(
    problems(await connect(samsara({ credentials: {}, pollSeconds: 5, mapping: { key: 'k', time: 't', lat: 'a', lon: 'o' } }))),
  ).toMatchObject([{ field: 'mapping' }, { field: 'credentials.token' }]);
  expect(problems(await connect({ name: 'Machines', provider: 'iso_15143' }))).toMatchObject([
    { field: 'server' },
    { field: 'credentials.token' },
  ]);
  expect(problems(await connect(samsara({ provider: 'geotab', credentials: { username: 'u' } })))).toMatchObject([
    { field: 'account' },
    { field: 'credentials.password' },
  ]);
  provider.asked.length = 0;
  app.application.provide(telematicsSettings, { privateHosts: false, timeout: 10_000 });
  expect(problems(await connect(samsara()))).toMatchObject([{ field: 'server' }]);
  const local = provider.url.replace('http:', 'https:');
  expect(problems(await connect(samsara({ server: local })))).toMatchObject([
    { field: 'credentials', message: expect.stringContaining('private') },
  ]);
  expect([provider.asked, await count()]).toEqual([[], before]);
});

test('only with the permission; a fleet of others is missing', async () => {
  const dispatcher = await tenant.person({ roles: ['driver'] });
  expect((await connect(samsara(), dispatcher.token)).errors[0].extensions.code).toBe('forbidden');
  expect(provider.asked).toEqual([]);
  expect((await tenant.http('GET', '/v1/telematics/fleets', undefined, dispatcher.token)).status).toBe(403);
  const fleet = await connected();
  const other = await makeTenant(app);
  expect((await other.http('GET', `/v1/telematics/fleets/${fleet.id}/remote_vehicles`)).status).toBe(404);
  const { id } = await vehicle(fleet.id);
  expect((await other.http('PATCH', `/v1/telematics/remote_vehicles/${id}`, {})).status).toBe(404);
});

test('stored credentials never reach another server; a change is proven before it is kept, and pausing stops the polls', async () => {
  const fleet = await connected();
  const before = await sealed(fleet.id);
  provider.asked.length = 0;
  const elsewhere = await new FakeProvider().start();
  elsewhere.answer = () => samsaraPage('c1');
  try {
    expect(problems(await change(fleet.id, { server: elsewhere.url }))).toMatchObject([{ field: 'credentials' }]);
    expect(problems(await change(fleet.id, { server: elsewhere.url, credentials: {} }))).toMatchObject([{ field: 'credentials.token' }]);
    expect([elsewhere.asked, await sealed(fleet.id)]).toEqual([[], before]);
    const moved = await change(fleet.id, { server: elsewhere.url, credentials: { token: 'key-2' }, pollSeconds: 60 });
    expect(moved.data.updateTelematicsFleet).toMatchObject({ server: elsewhere.url, pollSeconds: 60 });
    expect(elsewhere.asked.map(({ authorization }) => authorization)).toEqual(['Bearer key-2']);
  } finally {
    await elsewhere.stop();
  }
  // A name is no reason to ask the provider, which is gone.
  expect((await change(fleet.id, { name: 'Tippers' })).data.updateTelematicsFleet.name).toBe('Tippers');
  const run = async (name: string) =>
    (await tenant.gql(`mutation($id: ID!) { ${name}(id: $id) { state nextPollAt } }`, { id: fleet.id })).data[name];
  expect(await run('pauseTelematicsFleet')).toEqual({ state: 'paused', nextPollAt: null });
  expect(await run('resumeTelematicsFleet')).toEqual({ state: 'connected', nextPollAt: expect.any(String) });
  await vehicle(fleet.id);
  expect((await tenant.gql('mutation($id: ID!) { disconnectTelematicsFleet(id: $id) }', { id: fleet.id })).data).toEqual({
    disconnectTelematicsFleet: fleet.id,
  });
  expect([await sealed(fleet.id), (await tenant.http('GET', `/v1/telematics/fleets/${fleet.id}/remote_vehicles`)).status]).toEqual([
    undefined,
    404,
  ]);
});

test('a fleet whose provider sends gets a password, which is shown once', async () => {
  const fleet = (await connect({ name: 'Reveal', provider: 'verizon_reveal' })).data.connectTelematicsFleet;
  expect(fleet).toMatchObject({ nextPollAt: null, pushUrl: `${app.url}/v1/telematics/fleets/${fleet.id}/positions` });
  expect(fleet.pushPassword).toMatch(/^[\w-]{32}$/);
  const read = await tenant.gql('query($id: ID!) { telematicsFleet(id: $id) { pushPassword } }', { id: fleet.id });
  expect(read.data.telematicsFleet.pushPassword).toBeNull();
  const renewed = await tenant.gql('mutation($id: ID!) { renewTelematicsPushPassword(id: $id) { pushPassword } }', { id: fleet.id });
  expect(renewed.data.renewTelematicsPushPassword.pushPassword).not.toBe(fleet.pushPassword);
});

test('a vehicle is linked to equipment of its company, one vehicle to each; null unlinks it', async () => {
  const fleet = await connected();
  const [first, second, equipment] = [
    await vehicle(fleet.id, { remoteVehicleExternalId: 281474977075805 }),
    await vehicle(fleet.id),
    await truck(),
  ];
  const linked = await patch(first.id, {
    equipment_id: equipment.id,
    remote_vehicle_external_name: 'Seven',
    remote_vehicle_external_id: 12,
  });
  expect(linked.body.data).toMatchObject({
    equipment: { id: equipment.id },
    remote_vehicle_external_name: 'Seven',
    remote_vehicle_external_id: 12,
  });
  const taken = await patch(second.id, { equipment_id: equipment.id });
  expect([taken.status, taken.body.error.errors]).toEqual([
    422,
    [{ model: 'TelematicsRemoteVehicle', field: 'equipment_id', message: 'is already followed by Seven of Trucks' }],
  ]);
  expect('equipment' in (await patch(first.id, { equipment_id: null })).body.data).toBe(false);
  // At the same time, one of the two gets it.
  const both = await Promise.all([patch(first.id, { equipment_id: equipment.id }), patch(second.id, { equipment_id: equipment.id })]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 422]);
  const found = await tenant.must('GET', `/v1/telematics/fleets/${fleet.id}/remote_vehicles?search[datagrid]=seven`);
  expect(found.map(({ id }: { id: string }) => id)).toEqual([first.id]);
  expect(found[0]).toMatchObject({ telematics_fleet_id: fleet.id, remote_vehicle_external_id: 12, remote_vehicle_external_model: null });
});

test('A11: bad input of remote vehicles changes nothing', async () => {
  const [fleet, other, sibling] = [await connected(), await connected(), await makeTenant(app)];
  const { id } = await vehicle(fleet.id);
  const gone = await truck({ discardedAt: new Date() });
  const wrong = await patch(id, {
    ...{ remote_vehicle_external_id: 1e300, remote_vehicle_external_name: '', equipment_id: (await truck({}, sibling)).id },
    telematics_fleet_id: other.id,
  });
  expect([wrong.status, wrongFields(wrong.body).sort()]).toEqual([422, ['remote_vehicle_external_id', 'remote_vehicle_external_name']]);
  for (const [body, field] of [
    [{ remote_vehicle_external_id: 1e300 }, 'remote_vehicle_external_id'],
    [{ remote_vehicle_external_id: 1.5 }, 'remote_vehicle_external_id'],
    [{ remote_vehicle_external_id: null }, 'remote_vehicle_external_id'],
    [{ remote_vehicle_external_name: '  ' }, 'remote_vehicle_external_name'],
    [{ equipment_id: (await truck({}, sibling)).id }, 'equipment_id'],
    [{ equipment_id: gone.id }, 'equipment_id'],
    [{ telematics_fleet_id: other.id }, 'telematics_fleet_id'],
  ] as const) {
    const answer = await patch(id, body);
    expect([answer.status, wrongFields(answer.body)]).toEqual([422, [field]]);
  }
  expect((await patch(id, {})).body.data).toMatchObject({ remote_vehicle_external_name: 'Truck 7', telematics_fleet_id: fleet.id });
});

test('equipment is suggested by plate, VIN and name, unless another vehicle is it', async () => {
  const fleet = await connected();
  const name = `Vac ${Math.random()}`;
  const { id } = await vehicle(fleet.id, {
    ...{ remoteVehicleExternalName: name.toUpperCase(), remoteVehicleExternalLicensePlateNumber: 'bk-91 277', vin: '1M2AX04C0BM00ABC' },
  });
  const plate = await truck({ name: 'A', licenseNumber: 'BK 91277' });
  const vin = await truck({ name: 'B', externalId: '1m2ax04c0bm00abc' });
  const named = await truck({ name });
  await truck({ name: 'C', licenseNumber: 'BK 91278' });
  await truck({ name, discardedAt: new Date() });
  const suggested = async () =>
    (await tenant.gql('query($id: ID!) { suggestedEquipment(telematicsRemoteVehicleId: $id) { id } }', { id })).data.suggestedEquipment.map(
      (one: { id: string }) => one.id,
    );
  expect((await suggested()).sort()).toEqual([plate.id, vin.id, named.id].sort());
  await patch((await vehicle(fleet.id)).id, { equipment_id: plate.id });
  expect((await suggested()).sort()).toEqual([vin.id, named.id].sort());
});

test('a company reads the numbers that the operator lets it text from, and no others', async () => {
  const other = await makeTenant(app);
  const [own] = [await tenant.save(SmsIntegration, { company: ref(tenant.company), phone: '+14165550100', smsRegion: 'ca' })];
  const foreign = await other.save(SmsIntegration, { company: ref(other.company), phone: '+12015550123', smsRegion: 'us' });
  const listed = await tenant.must('GET', tenant.path('/sms_integrations'));
  expect(listed).toEqual([
    {
      ...{ id: own!.id, phone: '+14165550100', sms_region: 'ca', created_at: expect.any(String), updated_at: expect.any(String) },
      company: expect.objectContaining({ id: tenant.company.id }),
    },
  ]);
  expect(await tenant.must('GET', tenant.path(`/sms_integrations/${own!.id}`))).toEqual(listed[0]);
  expect((await tenant.http('GET', tenant.path(`/sms_integrations/${foreign.id}`))).status).toBe(404);
});
