import { onDuty } from '../../helpers/on-duty.ts';
import { makeOrder, type Person, type Tenant } from '../../helpers/tenant.ts';
import { until } from '../../helpers/until.ts';

const METRE = 180 / Math.PI / 6_371_008.8;
const LON = -97.75;
const PIT = 30.25;
const MINUTE = 60_000;

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** A truck whose road goes north from a pit (0 m) to a bridge (5,000 m, unless the test says otherwise), around each of which is a circle of 150 m. */
export interface Road {
  jobId: string;
  orderId: string;
  driver: Person;
  /** Returns the moment so many minutes after the beginning, three hours ago. */
  at(minutes: number): string;
  /** Sends positions as `[minutes, metres north of the pit]`, and waits until all crossings followed from them. */
  drive(...way: [number, number][]): Promise<void>;
  /** Sends positions every half minute from one moment and place to another. */
  go(from: [number, number], to: [number, number]): Promise<void>;
  job(): Promise<Json>;
  load(): Promise<Json>;
  triggers(): Promise<Json[]>;
  press(event: string, minutes: number): Promise<Json>;
  /** Hands the job over to another driver, who has been on duty for as long. @returns the same road for what is left */
  handOver(): Promise<Road>;
  /** The same road as another telephone of the driver reports from it. */
  on(device: string): Road;
  /** The same road and job as another driver has it, who got the job since. */
  by(driver: Person): Road;
  /** Makes a site so many metres north of the pit. */
  site(name: string, metres: number, type?: string): Promise<Json>;
}

let roads = 0;

/**
 * Puts an accepted job of a driver on duty on a road of its own. The worker must run. If the driver is given, nobody has the job yet, nobody has accepted
 * it, and the driver is not on duty.
 */
export async function makeRoad(
  tenant: Tenant,
  more: { order?: object; accept?: boolean; duty?: boolean; bridge?: number; driver?: Person } = {},
): Promise<Road> {
  const began = Date.now() - 180 * MINUTE;
  const lon = LON + ++roads * 0.1;
  const driver = more.driver ?? (await tenant.person({ roles: ['driver'], firstName: `Driver ${roads}` }));
  const at = (minutes: number) => new Date(began + minutes * MINUTE).toISOString();
  const number = roads;
  const site: Road['site'] = (name, metres, type) => {
    const at = { lat: (PIT + metres * METRE).toFixed(9), lon: lon.toFixed(6) };
    return tenant.must('POST', '/v1/sites', { name: `${name} ${number}`, ...at, ...(type ? { site_type: type } : {}) });
  };
  const [pit, bridge] = [await site('Pit', 0), await site('Bridge', more.bridge ?? 5_000)];
  const order = await makeOrder(tenant, {
    ...{ load_at: at(0), driver_id: more.driver ? null : driver.id, geofence_delay_seconds: 60, recurring_loads: true },
    waypoints: [
      { type: 'pickup', site_id: pit.id, ordinality: 0 },
      { type: 'drop_off', site_id: bridge.id, ordinality: 1 },
    ],
    ...more.order,
  });
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [{ id: jobId }] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  if (more.accept !== false && !more.driver) await driver.must('PUT', `/v1/jobs/${jobId}/accept`, {});
  const begun = new Date(began - 60 * MINUTE);
  if (more.duty !== false && !more.driver) await onDuty(tenant, driver.id, { startedAt: begun });
  const roadOf = (jobId: string, driver: Person, device = 'phone'): Road => {
    const position = ([minutes, metres]: [number, number]) => ({
      ...{ occurred_at: at(minutes), lat: (PIT + metres * METRE).toFixed(12), lon: lon.toFixed(6), job_id: jobId, accuracy: 8 },
    });
    const drive: Road['drive'] = async (...way) => {
      await driver.must('POST', '/v1/users/me/locations', { device_id: device, locations: way.map(position) });
      await settled(tenant);
    };
    return {
      ...{ jobId, orderId: order.id, driver, at, drive, site },
      go: ([from, start], [to, end]) => {
        const steps = Math.round((to - from) * 2);
        return drive(...Array.from({ length: steps + 1 }, (_, i): [number, number] => [from + i / 2, start + ((end - start) * i) / steps]));
      },
      job: () => tenant.must('GET', `/v1/jobs/${jobId}`),
      load: async () => (await tenant.must('GET', `/v1/jobs/${jobId}/loads`)).find((one: Json) => one.ordinality === 1),
      triggers: () =>
        tenant.app.orm.em
          .getConnection()
          .execute('select * from geofence_trigger where asset_id = ? order by occurred_at, geofence_trigger_type desc', [driver.id]),
      press: (event, minutes) => driver.must('PUT', `/v1/jobs/${jobId}/${event}`, { occurred_at: at(minutes) }),
      async handOver() {
        const second = await tenant.person({ roles: ['driver'], firstName: `Second ${number}` });
        await onDuty(tenant, second.id, { startedAt: begun });
        const asked = { id: jobId, driver: second.id };
        const { data, errors } = await tenant.gql(HAND_OVER, asked);
        if (errors) throw new Error(JSON.stringify(errors));
        return roadOf(data.handOverJob.id, second);
      },
      on: (other) => roadOf(jobId, driver, other),
      by: (other) => roadOf(jobId, other),
    };
  };
  return roadOf(jobId, driver);
}

const HAND_OVER = 'mutation ($id: ID!, $driver: ID!) { handOverJob(id: $id, driverId: $driver) { id } }';

/** Waits until no crossing follows from positions any more. */
export const settled = (tenant: Tenant): Promise<void> =>
  until(async () => (await tenant.app.orm.em.getConnection().execute("select id from position_task where kind = 'fences'")).length === 0);

/** Returns the crossings of a road so far, as `enter pickup applied`; one from which nothing followed with the reason. The home base has no type of waypoint. */
export const became = async (road: Road) =>
  (await road.triggers()).map(({ geofence_trigger_type: type, waypoint_type: place, state, skip_reason: reason }) =>
    [type, place ?? 'home', state, ...(reason ? [reason] : [])].join(' '),
  );
