import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { connect, jobOfChain, makeChain, makeStaffedTenant, share } from '../../helpers/staffed-tenant.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { zoneAt } from '../../helpers/zones.ts';
import { makeRoad, settled } from './road.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
});
afterAll(() => app.close());

const NOON = { timeZone: zoneAt(12) };
const sql = <T extends object>(text: string, values: unknown[]) => app.orm.em.fork().execute<T[]>(text, values);

/** When the truck of a driver on duty first left its home, and last came back. */
async function homeTimes(driverId: string): Promise<(string | null)[]> {
  const [day] = await sql<{ left: string | null; back: string | null }>(
    'select first_homebase_exit_at as left, last_homebase_entry_at as back from driver_day where driver_id = ?',
    [driverId],
  );
  return [day!.left, day!.back].map((at) => at && new Date(at).toISOString());
}

const METRE = 180 / Math.PI / 6_371_008.8;
/** A home base of a company, so many metres north of a place. */
const baseOf = (of: Tenant, name: string, { lat, lon }: { lat: number; lon: number }, metres: number) =>
  of.must('POST', '/v1/sites', { name, site_type: 'EquipmentHomeBase', lat: (lat + metres * METRE).toFixed(9), lon: lon.toFixed(6) });

test('A5, A6: a truck that another company shares is at home at the base of that one, and at no base of a stranger', async () => {
  const [lender, borrower, stranger] = [
    await makeStaffedTenant(app, NOON),
    await makeStaffedTenant(app, NOON),
    await makeTenant(app, { company: NOON }),
  ];
  await connect(borrower, lender);
  const type = await lender.save(EquipmentType, { company: ref(lender.company), name: 'Tandem' });
  const truck = await lender.save(Equipment, { company: ref(lender.company), name: 'Truck 9', equipmentType: ref(type) });
  const { id: shareId } = await share(lender, borrower, 'Equipment', truck.id);
  await lender.must('PATCH', lender.path(`/company_shares/${shareId}`), { dispatchable: true });
  const road = await makeRoad(borrower, { duty: false });
  const [pit] = await sql<{ lat: string; lon: string }>(
    `select s.lat, s.lon from job j join waypoint w on w.route_id = j.route_id and w.type = 'pickup' join site s on s.id = w.site_id where j.id = ?`,
    [road.jobId],
  );
  const here = { lat: Number(pit!.lat), lon: Number(pit!.lon) };
  await baseOf(lender, 'Yard of the lender', here, -2_000);
  await baseOf(stranger, 'Yard of a stranger', here, -8_000);
  await road.driver.must('PUT', '/v1/users/me/driver_day/on_duty', { occurred_at: road.at(-60) });
  // Nobody has said yet in which truck the driver is.
  await road.go([-30, -2_000], [-28, -2_000]);
  await road.go([-25, -1_000], [-23, -600]);
  expect(await homeTimes(road.driver.id)).toEqual([null, null]);

  await borrower.must('PATCH', `/v1/jobs/${road.jobId}`, { equipment_id: truck.id });
  await road.go([-15, -1_000], [-13, -600]);
  await road.go([0, -2_000], [2, -2_000]);
  await road.go([5, -4_000], [7, -6_000]);
  await road.go([10, -8_000], [12, -8_000]);
  // Offices often note the truck after it has left.
  expect(await homeTimes(road.driver.id)).toEqual([road.at(-25), road.at(0)]);
  // The borrower learns when, and nothing of the place.
  const { body } = await borrower.http('GET', borrower.path('/sites?page[limit]=100'));
  expect(JSON.stringify(body)).not.toContain('Yard of');
});

test('A5, A6: who hauls for somebody else is at home at the base of their own company, not at that of the customer', async () => {
  const chain = await makeChain(app, NOON);
  const { owner, last } = chain;
  const { token } = await jobOfChain(chain);
  const here = { lat: 31.5, lon: -98.5 };
  await baseOf(owner, 'Yard of the customer', here, 0);
  await baseOf(last, 'Own yard', here, 5_000);
  const began = Date.now() - 120 * 60_000;
  const at = (minutes: number) => new Date(began + minutes * 60_000).toISOString();
  const { driver } = await last.must('PUT', '/v1/users/me/driver_day/on_duty', { occurred_at: at(0) }, token);
  const stay = async (from: number, metres: number) => {
    const locations = [0, 0.5, 1, 1.5, 2].map((more) => ({
      ...{ occurred_at: at(from + more), lat: here.lat + metres * METRE, lon: here.lon, accuracy: 8, job_id: null },
    }));
    await last.must('POST', '/v1/users/me/locations', { device_id: 'phone', locations }, token);
    await settled(last);
  };
  for (const [from, metres] of [
    [5, 0],
    [10, 2_500],
    [15, 5_000],
    [20, 2_500],
    [25, 5_000],
    [30, 2_500],
    [35, 0],
  ] as const)
    await stay(from, metres);
  expect(await homeTimes(driver.id)).toEqual([at(20), at(25)]);
});
