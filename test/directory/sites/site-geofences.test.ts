import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
let truck: Equipment;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app, { company: { siteRadius: 150 } });
  const type = await tenant.save(EquipmentType, { company: ref(tenant.company), name: 'Paver' });
  truck = await tenant.save(Equipment, { company: ref(tenant.company), name: 'Paver 1', equipmentType: ref(type) });
});
afterAll(() => app.close());

const SQUARE = [
  [
    [-97.75, 30.25],
    [-97.74, 30.25],
    [-97.74, 30.26],
    [-97.75, 30.26],
    [-97.75, 30.25],
  ],
];
const BOW = [[SQUARE[0]![0], SQUARE[0]![2], SQUARE[0]![1], SQUARE[0]![3], SQUARE[0]![4]]];
const make = (more: object) => tenant.must('POST', '/v1/sites', { name: 'Pit', lat: 30.25, lon: -97.75, ...more });

test("a circle around the site has the company's radius by default", async () => {
  const plain = await make({ routing_geofence: { geofence: { name: 'Fence', type: 'circle' } } });
  expect(plain.routing_geofence).toEqual({
    id: expect.any(String),
    geofence: {
      id: expect.any(String),
      name: 'Fence',
      type: 'circle',
      circle_center: { lat: 30.25, lon: -97.75 },
      circle_radius: 150,
    },
    moving_geofence: false,
    tag: 'site',
    geofence_type: 'circle',
  });
  const reported = await make({
    routing_geofence: { tag: 'loading', geofence: { circle_center: { lat: '1.5', lon: 2 }, circle_radius: '25.5', tag: 'pickup' } },
  });
  expect(reported.routing_geofence).toMatchObject({
    tag: 'loading',
    geofence: { name: 'Pit', circle_center: { lat: 1.5, lon: 2 }, circle_radius: 25.5, tag: 'pickup' },
  });
  expect(await tenant.must('PATCH', `/v1/sites/${reported.id}`, reported)).toMatchObject({ routing_geofence: reported.routing_geofence });
});

test('when a site moves, circles around its old place move along, and those placed elsewhere stay', async () => {
  const site = await make({ lat: '30.123456789012', routing_geofence: { geofence: { circle_radius: 40 } } });
  const one = `/v1/sites/${site.id}`;
  const fences = [{}, { circle_center: { lat: 30.2, lon: -97.7 } }, { geojson: { type: 'Polygon', coordinates: SQUARE } }];
  await tenant.must('PATCH', `${one}/additional_geofences/bulk_assign`, {
    additional_geofences: fences.map((geofence) => ({
      geofence: { name: 'More', type: 'geojson' in geofence ? 'polygon' : 'circle', ...geofence },
    })),
  });
  const centres = async () =>
    (await tenant.must('GET', `${one}/additional_geofences`))
      .map(({ geofence }: Json) => geofence.circle_center?.lat ?? geofence.type)
      .sort();
  expect(await centres()).toEqual([30.123456789012, 30.2, 'polygon']);
  // The same place again, or another name, moves nothing.
  expect(await tenant.must('PATCH', one, { name: 'Old pit', lat: 30.123456789012 })).toMatchObject({
    routing_geofence: site.routing_geofence,
  });
  const moved = await tenant.must('PATCH', one, { lat: 31.5 });
  expect(moved.routing_geofence.geofence).toMatchObject({ circle_center: { lat: 31.5, lon: -97.75 }, circle_radius: 40 });
  expect(await centres()).toEqual([30.2, 31.5, 'polygon']);
  const reported = { lon: -96, routing_geofence: { geofence: { circle_center: { lat: 31.5, lon: -97 } } } };
  expect((await tenant.must('PATCH', one, reported)).routing_geofence.geofence.circle_center).toEqual({ lat: 31.5, lon: -97 });
  await tenant.must('PATCH', one, { lat: null, lon: null });
  expect((await tenant.must('PATCH', one, { lat: 1, lon: 2 })).routing_geofence.geofence.circle_center).toEqual({ lat: 31.5, lon: -97 });
});

test('a circle is changed into a polygon and removed, in place', async () => {
  const site = await make({ routing_geofence: { geofence: { circle_radius: 10 } } });
  const { id, geofence } = site.routing_geofence;
  const one = `/v1/sites/${site.id}`;
  const polygon = { type: 'Polygon', coordinates: SQUARE };
  expect((await tenant.must('PATCH', one, { routing_geofence: { geofence: { geojson: polygon } } })).routing_geofence).toMatchObject({
    id,
    geofence_type: 'polygon',
    geofence: { id: geofence.id, name: geofence.name, type: 'polygon', geojson: polygon },
  });
  expect((await tenant.must('GET', one)).routing_geofence.geofence).not.toHaveProperty('circle_radius');
  expect(await tenant.must('PATCH', one, { routing_geofence: { tag: 'scaling' } })).toMatchObject({
    routing_geofence: { tag: 'scaling', geofence: { geojson: polygon } },
  });
  expect((await tenant.must('PATCH', one, { routing_geofence: { _destroy: 1 } })).routing_geofence).toBeNull();
});

test.each([
  ['crossing itself', { geojson: { type: 'Polygon', coordinates: BOW } }, 'geojson.coordinates'],
  ['left open', { geojson: { type: 'Polygon', coordinates: [SQUARE[0]!.slice(0, 4)] } }, 'geojson.coordinates'],
  [
    'of two corners',
    {
      geojson: {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [1, 1],
            [0, 0],
          ],
        ],
      },
    },
    'geojson.coordinates',
  ],
  [
    'off the globe',
    {
      geojson: {
        type: 'Polygon',
        coordinates: [
          [
            [181, 0],
            [182, 0],
            [182, 1],
            [181, 0],
          ],
        ],
      },
    },
    'geojson.coordinates',
  ],
  [
    'as large as a state',
    {
      geojson: {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [9, 0],
            [9, 9],
            [0, 0],
          ],
        ],
      },
    },
    'geojson.coordinates',
  ],
  ['with a hole', { geojson: { type: 'Polygon', coordinates: [SQUARE[0], SQUARE[0]] } }, 'geojson.coordinates'],
  ['of texts', { geojson: { type: 'Polygon', coordinates: [[['a', 'b']]] } }, 'geojson.coordinates'],
  ['of nothing', { geojson: { type: 'Polygon', coordinates: {} } }, 'geojson.coordinates'],
  ['of another kind', { geojson: { type: 'LineString', coordinates: [] } }, 'geojson.type'],
  ['without corners', { type: 'polygon' }, 'geojson'],
  ['with a wrong radius', { circle_radius: 0 }, 'circle_radius'],
  ['around no place', { circle_center: { lat: 91, lon: 0 } }, 'circle_center.lat'],
  ['of an unknown shape', { type: 'star' }, 'type'],
  ['with an unknown tag', { tag: 'lunch' }, 'tag'],
])('a geofence %s is refused by its field, and the site is not created', async (_, geofence, field) => {
  const before = (await tenant.must('GET', '/v1/sites?page[limit]=100')).length;
  const answer = await tenant.http('POST', '/v1/sites', { name: 'Pit', lat: 30, lon: -97, routing_geofence: { geofence } });
  expect([answer.status, fieldsOf(answer)]).toEqual([422, [`routing_geofence.geofence.${field}`]]);
  expect((await tenant.must('GET', '/v1/sites?page[limit]=100')).length).toBe(before);
});

test('a moving site follows equipment, with a circle and nothing else', async () => {
  const fence = { moving_geofence: true, geofence: { circle_radius: 40 } };
  const alone = await tenant.http('POST', '/v1/sites', { name: 'Paving', routing_geofence: fence });
  expect(fieldsOf(alone)).toEqual(['routing_geofence.moving_geofence']);
  const site = await tenant.must('POST', '/v1/sites', { name: 'Paving', moving_site: { equipment_id: truck.id }, routing_geofence: fence });
  expect(site).toMatchObject({
    moving_site: { id: expect.any(String), equipment_id: truck.id, site_id: site.id, polling_interval_seconds: 60 },
    routing_geofence: { moving_geofence: true, geofence_type: 'moving', geofence: { circle_radius: 40 } },
  });
  const one = `/v1/sites/${site.id}`;
  expect((await tenant.must('PATCH', one, { moving_site: { polling_interval_seconds: 30 } })).moving_site).toMatchObject({
    id: site.moving_site.id,
    polling_interval_seconds: 30,
  });
  const wrong = async (body: object) => fieldsOf(await tenant.http('PATCH', one, body));
  expect(await wrong({ moving_site: { _destroy: 1 } })).toEqual(['moving_site']);
  expect(await wrong({ moving_site: { equipment_id: tenant.company.id, polling_interval_seconds: 5 } })).toEqual([
    'moving_site.polling_interval_seconds',
  ]);
  expect(await wrong({ moving_site: { equipment_id: tenant.company.id } })).toEqual(['moving_site.equipment_id']);
  expect(await wrong({ routing_geofence: { geofence: { geojson: { type: 'Polygon', coordinates: SQUARE } } } })).toEqual([
    'routing_geofence.geofence.type',
  ]);
  expect(await wrong({ routing_geofence: { geofence_type: 'polygon' } })).toEqual(['routing_geofence.geofence_type']);
  expect(await tenant.must('PATCH', one, { moving_site: null, routing_geofence: null })).toMatchObject({
    moving_site: null,
    routing_geofence: null,
  });
});

test('contacts come with the site, and are assigned in bulk', async () => {
  const site = await make({
    contacts: [
      { name: 'Gate', phone: '(512) 555-0147' },
      { name: 'Scale', email: 'scale@example.com' },
    ],
  });
  expect(site.contacts).toEqual([
    { id: expect.any(String), name: 'Gate', email: null, phone: '+15125550147' },
    { id: expect.any(String), name: 'Scale', email: 'scale@example.com', phone: null },
  ]);
  const [gate, scale] = site.contacts;
  const bulk = `/v1/sites/${site.id}/contacts/bulk_assign`;
  const done = await tenant.http('PATCH', bulk, {
    contacts: [{ id: gate.id, name: 'Gate 2' }, { id: scale.id, _destroy: 1 }, { name: 'Office' }],
  });
  expect([done.status, done.body]).toEqual([202, {}]);
  const kept = [
    { ...gate, name: 'Gate 2' },
    { id: expect.any(String), name: 'Office', email: null, phone: null },
  ];
  for (const path of [`/v1/sites/${site.id}/contacts`, tenant.path(`/sites/${site.id}/contacts`)])
    expect(await tenant.must('GET', path)).toEqual(kept);
  expect((await tenant.must('GET', `/v1/sites/${site.id}`)).contacts).toEqual(kept);
  const other = await make({ contacts: [{ name: 'Other' }] });
  const wrong = await tenant.http('PATCH', bulk, { contacts: [{ id: other.contacts[0].id, name: 'Mine' }, { email: 'no' }, {}] });
  expect([wrong.status, fieldsOf(wrong)]).toEqual([422, ['contacts.0.id', 'contacts.1.email', 'contacts.2.name']]);
  expect(await tenant.must('GET', `/v1/sites/${site.id}/contacts`)).toEqual(kept);
});

test('additional geofences are created, read, changed, assigned in bulk and removed', async () => {
  const site = await make({});
  const all = `/v1/sites/${site.id}/additional_geofences`;
  const made = await tenant.must('POST', all, { tag: 'scaling', geofence: { name: 'Scale', circle_radius: 12 } });
  expect(made).toMatchObject({
    tag: 'scaling',
    geofence_type: 'circle',
    geofence: { name: 'Scale', circle_radius: 12, circle_center: { lat: 30.25, lon: -97.75 } },
  });
  expect(await tenant.must('GET', `${all}/${made.id}`)).toEqual(made);
  const changed = await tenant.must('PATCH', `${all}/${made.id}`, { tag: 'ticketing' });
  expect(changed).toEqual({ ...made, tag: 'ticketing' });
  const polygon = { tag: 'loading', geofence: { geojson: { type: 'Polygon', coordinates: SQUARE } } };
  const list = await tenant.must('PATCH', `${all}/bulk_assign`, { additional_geofences: [polygon, { id: made.id, tag: 'check_in' }] });
  expect(list.map((one: Json) => one.tag)).toEqual(['check_in', 'loading']);
  for (const path of [all, tenant.path(`/sites/${site.id}/additional_geofences`)]) expect(await tenant.must('GET', path)).toEqual(list);
  expect(await tenant.must('PATCH', `${all}/${list[1].id}`, { _destroy: 1 })).toEqual(list[1]);
  expect((await tenant.must('GET', all)).map((one: Json) => one.id)).toEqual([made.id]);
  expect((await tenant.must('GET', `/v1/sites/${site.id}`)).routing_geofence).toBeNull();
  const wrong = await tenant.http('PATCH', `${all}/bulk_assign`, {
    additional_geofences: [{ tag: 'site' }, { id: site.id }, { geofence: { geojson: { type: 'Polygon', coordinates: BOW } } }],
  });
  expect([wrong.status, fieldsOf(wrong)]).toEqual([
    422,
    ['additional_geofences.1.id', 'additional_geofences.2.geofence.geojson.coordinates'],
  ]);
  expect(await tenant.must('GET', all)).toHaveLength(1);
  const elsewhere = await make({});
  expect((await tenant.http('GET', `/v1/sites/${elsewhere.id}/additional_geofences/${made.id}`)).status).toBe(404);
  expect((await tenant.http('PATCH', `/v1/sites/${elsewhere.id}/additional_geofences/${made.id}`, { tag: 'site' })).status).toBe(404);
});

test('parts of a site are paged in one statement each', async () => {
  const site = await make({ contacts: [{ name: 'A' }, { name: 'B' }, { name: 'C' }] });
  const page = await tenant.http('GET', `/v1/sites/${site.id}/contacts?page[limit]=2`);
  expect(page.body.data.map((one: Json) => one.name)).toEqual(['A', 'B']);
  expect(page.headers.get('link')).toContain('rel="next"');
  const { statements } = await app.countStatements(() => tenant.must('GET', `/v1/sites/${site.id}/contacts`));
  // One that finds the site, one for the page.
  expect(statements).toHaveLength(2);
});
