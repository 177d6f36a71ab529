import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app, { company: { siteRadius: 150 } });
});
afterAll(() => app.close());

const make = (more: object) => tenant.must('POST', '/v1/sites', { name: 'Pit', lat: 30.25, lon: -97.75, ...more });

test('a circle moves along with a site whose coordinates have more decimals than are kept', async () => {
  const [lat, lon] = [30.26715312345678, -97.74306081234568];
  const site = await make({ lat, lon, routing_geofence: { geofence: { name: 'Fence', type: 'circle', circle_center: { lat, lon } } } });
  const one = `/v1/sites/${site.id}`;
  const drawn = await tenant.must('POST', `${one}/additional_geofences`, { geofence: { name: 'Scale', circle_radius: 20 } });
  const moved = await tenant.must('PATCH', one, { lat: 31.5, lon: -96 });
  expect(moved.routing_geofence.geofence.circle_center).toEqual({ lat: 31.5, lon: -96 });
  expect((await tenant.must('GET', `${one}/additional_geofences/${drawn.id}`)).geofence.circle_center).toEqual({ lat: 31.5, lon: -96 });
});

test('a radius of the company that no geofence may have is none', async () => {
  const radius = (site_radius: number) => tenant.must('PATCH', `/v1/companies/${tenant.company.id}`, { site_radius });
  const geofence = { name: 'Fence', type: 'circle' };
  try {
    for (const meters of [0, 50_000]) {
      await radius(meters);
      const refused = await tenant.http('POST', '/v1/sites', { name: 'Pit', lat: 1, lon: 2, routing_geofence: { geofence } });
      expect([refused.status, fieldsOf(refused)]).toEqual([422, ['routing_geofence.geofence.circle_radius']]);
    }
    expect((await make({ routing_geofence: { geofence: { ...geofence, circle_radius: 30 } } })).routing_geofence).toMatchObject({
      geofence: { circle_radius: 30 },
    });
  } finally {
    await radius(150);
  }
});

test('what is removed by its id must be there, and what has none is not made', async () => {
  const site = await make({ routing_geofence: { geofence: { circle_radius: 40 } } });
  const assign = (one: object) =>
    tenant.http('PATCH', `/v1/sites/${site.id}/additional_geofences/bulk_assign`, { additional_geofences: [one] });
  const none = await assign({ _destroy: 1 });
  expect([none.status, none.body.data]).toEqual([200, []]);
  const strange = await assign({ id: site.id, _destroy: 1 });
  expect([strange.status, fieldsOf(strange)]).toEqual([422, ['additional_geofences.0.id']]);
  // The shape of another geofence is not that of this one.
  const other = await make({ routing_geofence: { geofence: { circle_radius: 40 } } });
  const mixed = { routing_geofence: { geofence: { id: other.routing_geofence.geofence.id, circle_radius: 70 } } };
  const refused = await tenant.http('PATCH', `/v1/sites/${site.id}`, mixed);
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['routing_geofence.geofence.id']]);
  expect(await tenant.must('GET', `/v1/sites/${site.id}`)).toMatchObject({ routing_geofence: { geofence: { circle_radius: 40 } } });
});

test('a contact of a site keeps something by which it is reached', async () => {
  const site = await make({ contacts: [{ name: 'Gate', phone: '+15125550100' }] });
  const [{ id }] = site.contacts;
  const empty = { contacts: [{ id, name: ' ', phone: '' }] };
  const refused = await tenant.http('PATCH', `/v1/sites/${site.id}`, empty);
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ['contacts.0.name']]);
  expect((await tenant.must('GET', `/v1/sites/${site.id}`)).contacts).toEqual(site.contacts);
});
