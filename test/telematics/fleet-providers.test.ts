import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ago, byPath, FleetScene } from './fleet-scene.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const at = new FleetScene();
beforeAll(() => at.start());
afterAll(() => at.stop());

const times = { a: ago(300), b: ago(200), c: ago(100) };
const same = (position: Json, time: string) => new Date(position.at).getTime() === new Date(time).getTime();

test('Samsara: pages until there is no next one, miles an hour, and the names of the fleet with plates and VINs', async () => {
  const page = (cursor: string, next: boolean, ...gps: object[]) => ({
    data: [{ id: '281474977075805', name: 'Tipper 7', gps }],
    pagination: { endCursor: cursor, hasNextPage: next },
  });
  const gps = (time: string, more: object = {}) => ({ time, latitude: 30.123456789, longitude: -97.5, speedMilesPerHour: 50, ...more });
  const pages: Record<string, object> = {
    '': page('c1', true, gps(times.a, { headingDegrees: 370 }), { ...gps(times.b), latitude: 91 }, gps('0001-01-01T00:00:00Z')),
    // It repeats what it has sent before.
    c1: page('c2', false, gps(times.a), gps(times.b), gps(new Date(Date.now() + 3_600_000).toISOString())),
    c2: page('c2', true),
  };
  const provider = await at.provider(
    byPath({
      '/fleet/vehicles/stats/feed': ({ query }) => pages[query.get('after') ?? '']!,
      '/fleet/vehicles': {
        data: [{ id: '281474977075805', name: 'Tipper 7', make: 'Mack', model: 'Granite', licensePlate: 'BK 91', vin: '1M2' }],
      },
    }),
  );
  const { id } = await at.connect({ provider: 'samsara', server: provider.url, credentials: { token: 't' } });
  expect(await at.poll(id)).toMatchObject({ cursor: 'c2', state: 'connected', seconds: expect.any(Number) });
  expect(await at.vehicles(id)).toMatchObject([
    {
      ...{
        remote_vehicle_external_id: 281474977075805,
        remote_vehicle_external_name: 'Tipper 7',
        remote_vehicle_external_model: 'Mack Granite',
      },
      remote_vehicle_external_license_plate_number: 'BK 91',
    },
  ]);
  const truck = await at.link(id, 'Tipper 7');
  // Nobody said whose positions they were when they came.
  expect(await at.positions(truck)).toEqual([]);
  await at.app.orm.em.execute('update telematics_fleet set cursor = null where id = ?', [id]);
  await at.poll(id);
  const stored = await at.positions(truck);
  expect(stored).toMatchObject([
    { key: '281474977075805', lat: '30.123456789000', lon: '-97.500000000000', speed: 22.352, bearing: 10, source: 'telematics' },
    { speed: 22.352, bearing: null },
  ]);
  expect(stored.map((one, i) => same(one, [times.a, times.b][i]!))).toEqual([true, true]);
  // A feed that repeats its cursor and promises more is read once a poll.
  provider.asked.length = 0;
  await at.poll(id);
  expect(provider.asked).toHaveLength(1);
});

test('Geotab: one log-in, the server that it names, a session that ends, and ids that are no numbers', async () => {
  let sessions = 0;
  let valid = '';
  const feed: string[] = [];
  const rpc =
    (where: string) =>
    ({ body }: { body: string }) => {
      const { method, params } = JSON.parse(body) as { method: string; params: Json };
      feed.push(`${where} ${method}`);
      if (method === 'Authenticate') {
        if (params.password !== 'right') return refused;
        valid = `s${++sessions}`;
        return { result: { credentials: { database: 'acme', sessionId: valid, userName: 'u' }, path: new URL(other.url).host } };
      }
      if (params.credentials.sessionId !== valid) return refused;
      if (method === 'Get') return { result: [{ id: 'b28', name: 'Truck 28', licensePlate: 'GT 28', vehicleIdentificationNumber: '@@' }] };
      const data = [{ id: 'bAB', device: { id: 'b28' }, dateTime: times.a, latitude: 30.5, longitude: -97.25, speed: 90 }];
      return { result: { data: params.fromVersion ? [] : data, toVersion: '000000000a1' } };
    };
  const refused = { error: { name: 'JSONRPCError', errors: [{ name: 'InvalidUserException', message: 'no' }] } };
  const other = await at.provider(byPath({ '/apiv1': rpc('other') }));
  const first = await at.provider(byPath({ '/apiv1': rpc('first') }));
  const credentials = { username: 'u', password: 'right' };
  const { id } = await at.connect({ provider: 'geotab', server: first.url, account: 'acme', credentials });
  await at.poll(id);
  const truck = await at.link(id, 'Truck 28');
  expect(await at.vehicles(id)).toMatchObject([{ remote_vehicle_external_id: 1, remote_vehicle_external_license_plate_number: 'GT 28' }]);
  feed.length = 0;
  await at.app.orm.em.execute('update telematics_fleet set cursor = null where id = ?', [id]);
  await at.poll(id);
  expect(feed).toEqual(['other GetFeed']);
  expect(await at.positions(truck)).toMatchObject([{ key: 'b28', speed: 25, bearing: null }]);
  // The provider ends the session: one log-in, and on with the feed.
  valid = 'ended';
  feed.length = 0;
  expect((await at.poll(id)).state).toBe('connected');
  expect(feed).toEqual(['other GetFeed', 'first Authenticate', 'other GetFeed']);
  // It no longer knows us at all: it is asked once, and not in a loop.
  valid = 'ended';
  feed.length = 0;
  first.answer = ({ body }) => {
    feed.push(`first ${JSON.parse(body).method}`);
    return refused;
  };
  expect(await at.poll(id)).toMatchObject({ state: 'failing', lastError: 'the provider refuses the credentials', cursor: '000000000a1' });
  expect(feed).toEqual(['other GetFeed', 'first Authenticate']);
});

test('Verizon Reveal: every vehicle is asked, with a token that is renewed', async () => {
  let token = 'one';
  const authorized = (reply: Json) => (asked: { authorization?: string }) =>
    asked.authorization === `Atmosphere atmosphere_app_id=app-1, Bearer ${token}` ? reply : { status: 401 };
  const provider = await at.provider(
    byPath({
      '/token': ({ authorization }) => (authorization === `Basic ${btoa('u:p')}` ? token : { status: 401 }),
      '/cmd/v1/vehicles': authorized([
        { VehicleNumber: 'V 9', Name: 'Nine', PlateNumber: 'VZ 9', Make: 'Ford', Model: 'F-550', VIN: '1FD' },
        { VehicleNumber: 'V2', Name: 'Two' },
      ]),
      // Times without an offset are UTC.
      '/rad/v1/vehicles/V%209/location': authorized({
        Latitude: 30.1,
        Longitude: -97.1,
        Speed: 10,
        Heading: 47,
        UpdateUTC: times.a.slice(0, 19),
      }),
      '/rad/v1/vehicles/V2/location': { status: 204 },
    }),
  );
  const { id } = await at.connect({
    provider: 'verizon_reveal',
    server: provider.url,
    account: 'app-1',
    credentials: { username: 'u', password: 'p' },
  });
  await at.poll(id);
  token = 'two';
  const truck = await at.link(id, 'Nine');
  expect((await at.poll(id)).state).toBe('connected');
  expect(await at.positions(truck)).toMatchObject([{ key: 'V 9', speed: 4.4704, bearing: 47 }]);
  expect(same((await at.positions(truck))[0], `${times.a.slice(0, 19)}Z`)).toBe(true);
  expect((await at.vehicles(id)).map((one) => one.remote_vehicle_external_name).sort()).toEqual(['Nine', 'Two']);
});

test('Verizon Reveal: the vehicles are listed once for all the pages of a poll', async () => {
  const provider = await at.provider(
    byPath({ '/token': 'one', '/cmd/v1/vehicles': Array.from({ length: 60 }, (_, i) => ({ VehicleNumber: `V${i}`, Name: `${i}` })) }),
  );
  const credentials = { username: 'u', password: 'p' };
  const { id } = await at.connect({ provider: 'verizon_reveal', server: provider.url, account: 'app-1', credentials });
  provider.asked.length = 0;
  expect((await at.poll(id)).state).toBe('connected');
  const paths = provider.asked.map(({ path }) => path);
  expect([paths.filter((path) => path.endsWith('/location')).length, paths.filter((path) => path === '/cmd/v1/vehicles').length]).toEqual([
    60, 1,
  ]);
});

test('Verizon Reveal sends positions with the password of the fleet, in JSON and XML', async () => {
  const { id, pushUrl, pushPassword } = await at.connect({ provider: 'verizon_reveal' });
  await at.run('mutation($id: ID!) { resumeTelematicsFleet(id: $id) { id } }', { id });
  const send = async (body: string, user = id, password = pushPassword) =>
    (await at.app.http('POST', new URL(pushUrl).pathname, { body, headers: { Authorization: `Basic ${btoa(`${user}:${password}`)}` } }))
      .status;
  const message = (time: string) => ({
    VehicleNumber: 'P1',
    VehicleName: 'Pushed',
    Latitude: 30.2,
    Longitude: -97.2,
    Speed: 20,
    Heading: 90,
    UpdateUtc: time,
  });
  expect(await send(JSON.stringify(message(times.a)))).toBe(204);
  const truck = await at.link(id, 'Pushed');
  expect(await send(JSON.stringify([message(times.a), message(times.b)]))).toBe(204);
  const xml = `<?xml version="1.0"?><DataFeedReport><UnitMessage UnitId="P1" Latitude="30.401656" Longitude="-97.721615" SpeedMph="15" Heading="47" Time="${times.c.slice(0, 19)}"/></DataFeedReport>`;
  expect(await send(xml)).toBe(204);
  expect(await at.positions(truck)).toMatchObject([
    { speed: 8.9408 },
    { speed: 8.9408 },
    { lat: '30.401656000000', speed: 6.7056, bearing: 47 },
  ]);
  expect([await send('{}', id, 'wrong'), await send('{}', at.tenant.company.id), await send('{}', 'x')]).toEqual([401, 401, 401]);
  expect((await at.app.http('POST', new URL(pushUrl).pathname, { body: '{}' })).status).toBe(401);
  expect([await send('neither'), await send('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')]).toEqual([400, 400]);
  await at.pause(id);
  expect(await send(JSON.stringify(message(times.c)))).toBe(403);
  expect(await at.positions(truck)).toHaveLength(3);
});

const machine = (
  name: string,
  location: string,
) => `<Equipment><EquipmentHeader><UnitInstallDateTime>0001-01-01T00:00:00Z</UnitInstallDateTime>
  <OEMName>CAT</OEMName><Model>AP555</Model><EquipmentID>${name}</EquipmentID><SerialNumber>S-${name}</SerialNumber><PIN>PIN-${name}</PIN></EquipmentHeader>${location}</Equipment>`;
const link = (rel: string, href: string) => `<Links><rel>${rel}</rel><href>${href}</href></Links>`;

test('ISO 15143-3: pages of XML until the last one, which leads to itself; machines without a location', async () => {
  const provider = await at.provider(() => ({ status: 404 }));
  const page = (n: number) => `${provider.url}/aemp/Fleet/${n}`;
  const fleet = (...parts: string[]) => ({
    status: 200,
    type: 'application/xml',
    body: `<ns:Fleet xmlns:ns="urn:x" version="1">${parts.join('')}</ns:Fleet>`,
  });
  const place = (time: string) => `<Location datetime="${time}"><Latitude>49.237090</Latitude><Longitude>8.093496</Longitude></Location>`;
  provider.answer = byPath({
    '/aemp/Fleet/1': fleet(link('self', page(1)), link('next', page(2)), machine('paver-1', place(times.a)), machine('silent', '')),
    '/aemp/Fleet/2': fleet(link('Self', page(2)), link('Next', page(2)), machine('paver-2', place('0001-01-01T00:00:00Z'))),
  });
  const { id } = await at.connect({
    provider: 'iso_15143',
    server: `${provider.url}/aemp/`,
    credentials: { username: 'u', password: 'p' },
  });
  provider.asked.length = 0;
  await at.poll(id);
  expect(provider.asked.map(({ path, authorization }) => [path, authorization])).toEqual([
    ['/aemp/Fleet/1', `Basic ${btoa('u:p')}`],
    ['/aemp/Fleet/2', `Basic ${btoa('u:p')}`],
  ]);
  expect((await at.vehicles(id)).map((one) => [one.remote_vehicle_external_name, one.remote_vehicle_external_model]).sort()).toEqual([
    ['paver-1', 'CAT AP555'],
    ['paver-2', 'CAT AP555'],
    ['silent', 'CAT AP555'],
  ]);
  const paver = await at.link(id, 'paver-1');
  expect(await at.poll(id)).toMatchObject({ cursor: null, state: 'connected' });
  expect(await at.positions(paver)).toMatchObject([{ key: 'PIN-paver-1', lat: '49.237090000000', lon: '8.093496000000', speed: null }]);
  // An answer must not lead the credentials to somebody else, nor make us read entities.
  const elsewhere = await at.provider(() => ({ status: 200 }));
  provider.answer = () => fleet(link('next', `${elsewhere.url}/Fleet/2`));
  expect(await at.poll(id)).toMatchObject({ state: 'failing', lastError: 'the answer of the provider leads to another server' });
  provider.answer = () => '<!DOCTYPE Fleet [<!ENTITY a "b">]><Fleet>&a;</Fleet>';
  expect((await at.poll(id)).lastError).toBe('the answer of the provider is no fleet of ISO 15143-3');
  expect(elsewhere.asked).toEqual([]);
});

test('ISO 15143-3 in JSON', async () => {
  const Location = { '@datetime': times.b, Latitude: 49.5, Longitude: 8.5 };
  const provider = await at.provider(() => ({
    Fleet: { Links: [], Equipment: [{ EquipmentHeader: { OEMName: 'Volvo', SerialNumber: '77' }, Location }] },
  }));
  const { id } = await at.connect({ provider: 'iso_15143', server: `${provider.url}/Fleet/1`, credentials: { token: 't' } });
  await at.poll(id);
  const machineId = await at.link(id, '77');
  await at.poll(id);
  expect(await at.positions(machineId)).toMatchObject([{ key: 'Volvo 77', lat: '49.500000000000' }]);
  expect(await at.vehicles(id)).toMatchObject([{ remote_vehicle_external_id: 1 }]);
});

test('any list in JSON by a mapping, with the address of the next page or a cursor', async () => {
  const mapping = {
    items: 'data.list',
    key: 'unit.id',
    name: 'unit.label',
    time: 'at',
    lat: 'where.0',
    lon: 'where.1',
    speed: 'v',
    speedUnit: 'kilometers_per_hour',
  };
  const item = (id: number, time: string) => ({ unit: { id, label: `Unit ${id}` }, at: time, where: ['30.000000000001', '-97'], v: '36' });
  const provider = await at.provider(() => ({}));
  provider.answer = ({ path, query }) =>
    path === '/paged'
      ? { data: { list: [item(query.get('page') ? 2 : 1, times.a)], next: query.get('page') ? null : '/paged?page=2' } }
      : { data: { list: query.get('since') === 'n1' ? [] : [item(3, times.b)], next: 'n1' } };
  const paged = await at.connect({ provider: 'http_json', server: `${provider.url}/paged`, mapping: { ...mapping, next: 'data.next' } });
  await at.poll(paged.id);
  expect((await at.vehicles(paged.id)).map((one) => one.remote_vehicle_external_id).sort()).toEqual([1, 2]);
  const unit = await at.link(paged.id, 'Unit 2');
  await at.poll(paged.id);
  expect(await at.positions(unit)).toMatchObject([{ key: '2', lat: '30.000000000001', lon: '-97.000000000000', speed: 10 }]);
  const since = await at.connect({
    provider: 'http_json',
    server: `${provider.url}/since`,
    mapping: { ...mapping, next: 'data.next', cursorParameter: 'since' },
  });
  expect((await at.poll(since.id)).cursor).toBe('n1');
  provider.asked.length = 0;
  await at.poll(since.id);
  expect(provider.asked.map(({ query }) => query.get('since'))).toEqual(['n1']);
});
