import type { MikroORM } from '@mikro-orm/postgresql';
import { Company } from '../../src/directory/companies/company.entity.ts';
import { PERMISSIONS } from '../../src/identity/access/permissions.ts';
import { makeMachineClient } from '../../src/identity/machine-clients/machine-clients.ts';
import { newRefreshToken } from '../../src/identity/sessions/sessions.ts';
import { identitySettings, identitySettingsWith } from '../../src/identity/settings.ts';
import { issueToken } from '../../src/identity/tokens/tokens.ts';
import { applicationOf } from '../../src/platform/application.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import { newId } from '../../src/platform/ids.ts';
import { EARTH } from '../../src/platform/routing.ts';

/** Metres between the pit and the bridge of every road, and degrees of longitude between two roads: two kilometres. */
export const BRIDGE = 5_000;
const APART = 0.02;
const [PIT, WEST] = [30.25, -120];

/** A truck with a road of its own, which goes north from a pit to a bridge. */
export interface Truck {
  driverId: string;
  jobId: string;
  token: string;
  lon: number;
}

const id = (kind: string, n = 'n') => `md5('road ${kind}' || ${n})::uuid`;
const one = (kind: string) => id(kind, "''");

/** $1: trucks; $2: minutes since when they are on duty and accepted their jobs. */
const WORLD = [
  `insert into company (id, platform_id, legal_name, time_zone) select ${one('company')}, '0ADD01', 'Road', 'America/Chicago'`,
  `insert into account (id, company_id, name, account_types) select ${one('account')}, ${one('company')}, 'Customer', '{customer}'`,
  `insert into service (id, company_id, name) select ${one('service')}, ${one('company')}, 'Haulage'`,
  `insert into company_counter (company_id, kind, value) select ${one('company')}, 'order', $1`,
  `insert into app_user (id, company_id, first_name, last_name, email, phone, roles)
     select ${id('driver')}, ${one('company')}, 'Driver', n::text, 'road' || n || '@example.com', '+1519' || lpad(n::text, 7, '0'), '{driver}' from generate_series(1, $1) n`,
  `insert into site (id, company_id, name, lat, lon) select ${id('pit')}, ${one('company')}, 'Pit ' || n, ${PIT}, ${WEST} + n * ${APART} from generate_series(1, $1) n`,
  `insert into site (id, company_id, name, lat, lon)
     select ${id('bridge')}, ${one('company')}, 'Bridge ' || n, ${PIT} + degrees(${BRIDGE} / ${EARTH}), ${WEST} + n * ${APART} from generate_series(1, $1) n`,
  `insert into orders (id, company_id, number, order_id, name, state, account_id, service_id, load_at, truck_count, loads_per_truck, quantity, unit_of_measure,
       load_unit_of_measure, job_quantity, route_id, recurring_loads, geofence_delay_seconds)
     select ${id('order')}, ${one('company')}, n, n::text, 'Order ' || n, 'accepted', ${one('account')}, ${one('service')}, now() - $2 * interval '1 minute', 1, 5, 5, 'Load', 'Ton', 5,
       ${id('route')}, true, 0 from generate_series(1, $1) n`,
  `insert into waypoint (id, route_id, company_id, type, ordinality, site_id) select ${id('from')}, ${id('route')}, ${one('company')}, 'pickup', 0, ${id('pit')} from generate_series(1, $1) n`,
  `insert into waypoint (id, route_id, company_id, type, ordinality, site_id) select ${id('to')}, ${id('route')}, ${one('company')}, 'drop_off', 1, ${id('bridge')} from generate_series(1, $1) n`,
  `insert into job (id, company_id, order_id, number, job_id, state, job_start_at, quantity, unit_of_measure, load_unit_of_measure, service_id, driver_id, billable_hours,
       requested_loads_count, recurring_loads, route_id)
     select ${id('job')}, ${one('company')}, ${id('order')}, 1, n || '-1', 'accepted', now() - $2 * interval '1 minute', 5, 'Load', 'Ton', ${one('service')}, ${id('driver')}, 0, 5, true,
       ${id('route')} from generate_series(1, $1) n`,
  // As if each had gone on duty: the day of their shift is there.
  `insert into company_counter (company_id, kind, value) select ${one('company')}, 'driver_day', $1`,
  `insert into driver_day (id, company_id, driver_id, driver_day_date, driver_day_id, starts_at, ends_at, started_shift_at)
     select ${id('day')}, ${one('company')}, ${id('driver')}, (on_duty at time zone 'America/Chicago')::date, 'D-' || n,
       date_trunc('day', on_duty, 'America/Chicago'), date_trunc('day', on_duty, 'America/Chicago') + interval '1 day', on_duty
     from generate_series(1, $1) n cross join (select now() - $2 * interval '1 minute') s (on_duty)`,
  `insert into driver_state_event (id, company_id, user_id, state, started_at, driver_day_id)
     select gen_random_uuid(), ${one('company')}, ${id('driver')}, 'on_duty', now() - $2 * interval '1 minute', ${id('day')} from generate_series(1, $1) n`,
];

/** Puts trucks with an accepted job each on roads. @param issuer the address of the product. @param minutes since when they are on duty */
export async function makeRoads(orm: MikroORM, issuer: string, count: number, minutes: number): Promise<Truck[]> {
  const pool = await poolOf(orm.em);
  for (const sql of WORLD) {
    const values = [count, minutes].slice(0, sql.includes('$2') ? 2 : sql.includes('$1') ? 1 : 0);
    await pool.query(sql.replaceAll('$1', '$1::int').replaceAll('$2', '$2::int'), values);
  }
  const { rows } = await pool.query<{ driverId: string; jobId: string; n: number }>(
    `select ${id('driver')} as "driverId", ${id('job')} as "jobId", n from generate_series(1, $1::int) n order by n`,
    [count],
  );
  applicationOf(orm.em).provide(identitySettings, identitySettingsWith({ issuer, sessionSeconds: 86_400 }));
  const trucks: Truck[] = [];
  for (const { n, ...row } of rows) trucks.push({ ...row, token: await sessionOf(orm, row.driverId), lon: WEST + n * APART });
  return trucks;
}

async function sessionOf(orm: MikroORM, userId: string): Promise<string> {
  const sessionId = newId();
  const { familyHash, secretHash } = newRefreshToken();
  const pool = await poolOf(orm.em);
  await pool.query(
    `insert into user_session (id, company_id, user_id, method, family_hash, refresh_hash, expires_at, ends_at)
     select $1, company_id, id, 'password', $2, $3, now() + interval '1 day', now() + interval '1 day' from app_user where id = $4`,
    [sessionId, familyHash, secretHash, userId],
  );
  return (await issueToken(orm.em.fork(), 'session', userId, undefined, { sessionId })).token;
}

/** A position so many metres north of the pit, as a telephone sends it. */
export const positionAt = (truck: Truck, at: number, metres: number) => ({
  occurred_at: new Date(at).toISOString(),
  lat: (PIT + (metres / EARTH) * (180 / Math.PI)).toFixed(9),
  lon: truck.lon.toFixed(6),
  job_id: truck.jobId,
  accuracy: 8,
});

/** Sends positions of a truck. @returns the status; 0 if nobody answered */
export async function send(base: string, truck: Truck, locations: readonly object[]): Promise<number> {
  try {
    const response = await fetch(`${base}/v1/users/me/locations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${truck.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ device_id: 'phone', locations }),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

/** Returns a machine client of the company of all roads, and the company's geofence delay. */
export async function administratorOf(orm: MikroORM): Promise<{ companyId: string; token: string; delaySeconds: number }> {
  const em = orm.em.fork();
  const company = await em.findOneOrFail(Company, { platformId: '0ADD01' }, { filters: false });
  const { client } = makeMachineClient(em, company, { name: 'Office', permissions: PERMISSIONS });
  await em.flush();
  const { token } = await issueToken(orm.em.fork(), 'machine', client.id);
  return { companyId: company.id, token, delaySeconds: company.defaultGeofenceDelaySeconds };
}
