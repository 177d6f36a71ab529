import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { until, untilWaiting } from '../../helpers/until.ts';
import { makeRoad, type Road, settled } from './road.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const execute = <T extends object>(sql: string, values: unknown[]) => app.orm.em.fork().execute<T[]>(sql, values);
const believed = async (road: Road) =>
  (await road.triggers())
    .filter(({ state }) => state !== 'superseded')
    .map(({ geofence_trigger_type: type, waypoint_type: place, occurred_at: at }) => [type, place ?? 'home', new Date(at).toISOString()]);

/** Positions of a truck as `[minutes, metres north of the pit]`, as its fleet stores them. */
async function truckReports(road: Road, truckId: string, ...way: [number, number][]): Promise<void> {
  const [like] = await execute<{ lat: string; lon: string }>(
    'select lat, lon from site where id = (select site_id from waypoint w join job j on j.route_id = w.route_id where j.id = ? and w.type = ?)',
    [road.jobId, 'pickup'],
  );
  for (const [minutes, metres] of way)
    await execute(
      `insert into location_history (id, company_id, equipment_id, device_id, source, occurred_at, lat, lon, job_id, accuracy)
       values (gen_random_uuid(), ?, ?, 'fleet', 'telematics', ?, ?, ?, ?, 8)`,
      [tenant.company.id, truckId, road.at(minutes), Number(like!.lat) + (metres * 180) / Math.PI / 6_371_008.8, like!.lon, road.jobId],
    );
  await execute(
    `insert into position_task (company_id, asset_id, asset_type, kind, since, due_at) values (?, ?, 'Equipment', 'fences', ?, now())
     on conflict (asset_id, kind) do update set since = least(position_task.since, excluded.since)`,
    [tenant.company.id, truckId, road.at(Math.min(...way.map(([minutes]) => minutes)))],
  );
}

test('the tasks of a telephone and of the truck that run at once lose nothing of each other', async () => {
  const type = await tenant.must('POST', '/v1/equipment_types', { name: 'Tandem' });
  const truck = await tenant.must('POST', '/v1/equipment', { name: 'Truck 7', equipment_type_id: type.id });
  const road = await makeRoad(tenant, { order: { equipment_id: truck.id } });
  await road.drive([-30, -400]);
  // The telephone says that the driver is in the pit. What follows from it waits for somebody who has the job locked.
  const holder = app.orm.em.fork();
  await holder.begin();
  await holder.execute('select id from job where id = ? for update', [road.jobId]);
  const inPit = road.drive([2, 0], [3, 0], [4, 0], [5, 0]);
  await untilWaiting(app);
  // The truck, which measures better, was outside all the time, and its task is done before that of the telephone.
  await truckReports(road, truck.id, ...Array.from({ length: 12 }, (_, i): [number, number] => [i / 2, 400]));
  await until(async () => (await execute('select id from position_task where asset_id = ?', [truck.id])).length === 0);
  await holder.commit();
  await inPit;
  await settled(tenant);
  expect(await believed(road)).toEqual([]);
  // Nobody leaves where they never were.
  await truckReports(road, truck.id, [7, 500], [8, 600], [9, 700]);
  await settled(tenant);
  expect(await believed(road)).toEqual([]);
});

test('late positions of after somebody was forgotten disprove nothing of before', async () => {
  const road = await makeRoad(tenant);
  await road.go([0, 0], [5, 0]);
  expect(await believed(road)).toEqual([['enter', 'pickup', road.at(0)]]);
  const forget = 'mutation ($id: ID!) { forgetPositions(id: $id) }';
  await tenant.gql(forget, { id: road.driver.id }, await tenant.administrator());
  // As if it had been then: what comes next is after it.
  await execute('update app_user set positions_forgotten_at = ? where id = ?', [road.at(5.1), road.driver.id]);
  await road.go([20, 600], [22, 600]);
  await road.drive([19, 600], [6, 0], [7, 0]);
  expect(await believed(road)).toEqual([
    ['enter', 'pickup', road.at(0)],
    ['exit', 'pickup', road.at(19)],
  ]);
});

test('a truck that was at its home base all night entered it once, also when positions of the morning come late', async () => {
  const hauler = await makeTenant(app);
  const road = await makeRoad(hauler, { duty: false });
  const { errors } = await hauler.gql('mutation { updateCompanySettings(input: { trackOffDuty: true }) { id } }');
  expect(errors).toBeUndefined();
  await road.site('Depot', -9_000, 'EquipmentHomeBase');
  const hour = 60;
  await road.go([-30 * hour, -9_000], [-30 * hour + 3, -9_000]);
  await road.drive(...Array.from({ length: 57 }, (_, i): [number, number] => [(i / 2 - 29) * hour, -9_000]));
  await road.drive([-2.1 * hour, -9_000], [-2.2 * hour, -9_000]);
  expect(await believed(road)).toEqual([['enter', 'home', road.at(-30 * hour)]]);
});
