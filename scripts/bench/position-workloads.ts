import { deepStrictEqual } from 'node:assert/strict';
import type { MikroORM } from '@mikro-orm/postgresql';
import type pg from 'pg';
import { newRefreshToken } from '../../src/identity/sessions/sessions.ts';
import { identitySettings, identitySettingsWith } from '../../src/identity/settings.ts';
import { issueToken } from '../../src/identity/tokens/tokens.ts';
import { applicationOf } from '../../src/platform/application.ts';
import { newId } from '../../src/platform/ids.ts';
import { idOf, idSql } from './data.ts';
import type { Workload } from './workloads.ts';

/** Drivers of the largest company who send, and positions of a request. */
const DRIVERS = 50;
const BATCH = 500;
/** Milliseconds for which the drivers have been on duty, and stretches of a second for each position that fit into it. */
const ON_DUTY = 12 * 3_600_000;
const STRETCHES = Math.floor(ON_DUTY / (BATCH * 1000)) - 1;
/** Jobs of the largest company that are under way, and positions of each. */
const UNDER_WAY = 500;

/** A driver who may send positions. */
export interface Sender {
  id: string;
  token: string;
}

/** Signs drivers in and puts them on duty, and has jobs under way with positions. */
export async function preparePositions(orm: MikroORM, base: URL, pool: pg.Pool): Promise<Sender[]> {
  const drivers = Array.from({ length: DRIVERS }, (_, i) => idOf('user', `1-${1 + i}`));
  await pool.query(
    `insert into driver_state_event (id, company_id, user_id, state, started_at)
     select gen_random_uuid(), company_id, id, 'on_duty', now() - interval '13 hours' from app_user where id = any($1)`,
    [drivers],
  );
  await pool.query(
    `with chosen as (select id from job where company_id = ${idSql('company', '1')} and state = 'to_dropoff' order by created_at limit ${UNDER_WAY})
     update job set job_start_at = now() from chosen where job.id = chosen.id`,
  );
  // Before what drivers send, which is not to be late.
  await pool.query(
    `insert into location_history (id, company_id, user_id, device_id, occurred_at, lat, lon, job_id, accuracy)
     select gen_random_uuid(), j.company_id, j.driver_id, j.id::text, now() - interval '12 hours 10 minutes' - n * interval '10 seconds', 43.5, -80.2, j.id, 8
     from job j, generate_series(1, 60) n where j.company_id = ${idSql('company', '1')} and j.job_start_at > now() - interval '1 hour' and j.state = 'to_dropoff'`,
  );
  await pool.query('vacuum analyze job, location_history, driver_state_event');
  // Their tokens are signed here, with the keys of the product, and name its address.
  applicationOf(orm.em).provide(identitySettings, identitySettingsWith({ issuer: base.origin, sessionSeconds: 86_400 }));
  return Promise.all(drivers.map(async (id) => ({ id, token: await sessionOf(orm, pool, id) })));
}

async function sessionOf(orm: MikroORM, pool: pg.Pool, userId: string): Promise<string> {
  const sessionId = newId();
  const { familyHash, secretHash } = newRefreshToken();
  await pool.query(
    `insert into user_session (id, company_id, user_id, method, family_hash, refresh_hash, expires_at, ends_at)
     select $1, company_id, id, 'password', $2, $3, now() + interval '1 day', now() + interval '1 day' from app_user where id = $4`,
    [sessionId, familyHash, secretHash, userId],
  );
  return (await issueToken(orm.em.fork(), 'session', userId, undefined, { sessionId })).token;
}

// The rows that the first request of somebody has left, and where; without values that product and limit draw by themselves.
const STORED = `select tableoid::regclass::text as table, to_jsonb(h) - '{id,created_at,user_id,asset_id}'::text[] as row from location_history h
  where asset_id = $1 and occurred_at >= $2::timestamptz and occurred_at < $2::timestamptz + interval '${BATCH} seconds' order by occurred_at`;

/** @throws Error unless both have stored the same positions of the time from `first` on, in the same partitions */
async function requireSameStored(pool: pg.Pool, senderId: string, otherId: string, first: number): Promise<void> {
  const stored = async (id: string) => (await pool.query(STORED, [id, new Date(first)])).rows as object[];
  const [products, limits] = [await stored(senderId), await stored(otherId)];
  if (products.length !== BATCH) throw new Error(`w20: the product stored ${products.length} of ${BATCH} positions`);
  deepStrictEqual(limits, products, 'w20: the limit stores something else');
}

/** Storing what telephones send, and reading where everybody is. @param token of a machine client of the company */
export function positionWorkloads(token: string, senders: readonly Sender[], pool: pg.Pool): Workload[] {
  const turns = { product: 0, limit: 0 };
  const began = Date.now();
  // Each request is the next stretch of its sender's way, far from all sites: what is measured is to store it, and to see that nothing follows.
  const batch = (n: number): string => {
    const stretch = Math.floor(n / DRIVERS);
    const first = began - ON_DUTY + (stretch % STRETCHES) * BATCH * 1000 + Math.floor(stretch / STRETCHES);
    return JSON.stringify({
      device_id: 'phone',
      locations: Array.from({ length: BATCH }, (_, i) => ({
        occurred_at: new Date(first + i * 1000).toISOString(),
        ...{
          lat: (50.5 + (stretch * BATCH + i) / 10_000).toFixed(6),
          lon: '-95.200000',
          accuracy: 8,
          speed_meters_per_second: 12.5,
          bearing_degrees: 90,
        },
        job_id: null,
      })),
    });
  };
  const senderAt = (n: number) => senders[n % DRIVERS]!;
  // The limit's are of people whom nobody follows: otherwise each side would find the positions of the other.
  const others = senders.map(() => newId());
  return [
    {
      name: 'w20',
      what: `POST of ${BATCH} positions (REST)`,
      target: 1.5,
      tasks: { table: 'position_task', kinds: ['fences', 'distances'] },
      check: () => requireSameStored(pool, senders[0]!.id, others[0]!, began - ON_DUTY),
      product: () => {
        const n = turns.product++;
        return {
          method: 'POST',
          path: '/v1/users/me/locations',
          headers: { authorization: `Bearer ${senderAt(n).token}` },
          body: batch(n),
        };
      },
      limit: () => {
        const n = turns.limit++;
        return { method: 'POST', path: `/w20?id=${others[n % DRIVERS]}`, body: batch(n) };
      },
    },
    {
      name: 'w21',
      what: `newest positions of ${UNDER_WAY} jobs (REST)`,
      target: 2,
      product: () => ({ method: 'GET', path: '/v1/location_histories/latest', headers: { authorization: `Bearer ${token}` } }),
      limit: () => ({ method: 'GET', path: '/w21' }),
    },
  ];
}
