import type { Pool } from 'pg';
import { DAY } from './data.ts';
import { median } from './drive.ts';

type Ask = (method: string, path: string, body?: object) => Promise<Response>;
const askWith =
  (base: URL, token: string): Ask =>
  async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(new URL(path, base), { method, headers, body: body && JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${(await response.text()).slice(0, 500)}`);
    return response;
  };

interface Bulk {
  base: URL;
  token: string;
  companyId: string;
  pool: Pool;
  rounds: number;
  /** Returns the seconds of processor time that the product has used so far. */
  cpu(): Promise<number>;
  say(line: string): void;
}

/** Rounds without measurement, in which the product's code is compiled. */
const WARM = 2;
/** Milliseconds: the target. */
export const BULK_TARGET = 3_000;

/**
 * w12: how long it takes to assign the drivers of all jobs of a day in one request, from sending it to the last job being settled.
 * @returns milliseconds, the median
 */
export async function measureBulk({ base, token, companyId, pool, rounds, cpu, say }: Bulk): Promise<number> {
  const ask = askWith(base, token);
  const ids = async (sql: string) => (await pool.query<{ id: string }>(sql, [companyId])).rows.map(({ id }) => id);
  const jobs = await ids(
    `select id from job where company_id = $1 and job_start_at >= '${DAY.starts}' and job_start_at < '${DAY.ends}' order by id`,
  );
  const drivers = await ids(`select id from app_user where company_id = $1 and 'driver' = any(roles) order by id`);
  const took: number[] = [];
  let before = await cpu();
  for (let round = -WARM; round < rounds; round++) {
    if (round === 0) before = await cpu();
    // Every job gets another driver than before, so that each has to be changed.
    const driver_assignments = jobs.map((job_id, at) => ({ job_id, driver_id: drivers[(at + round + WARM) % drivers.length] }));
    const started = performance.now();
    const { headers } = await ask('PUT', '/v1/jobs/bulk_assign_drivers', { driver_assignments });
    const { failed_count } = await finished(ask, headers.get('location')!);
    if (round >= 0) took.push(performance.now() - started);
    if (failed_count) throw new Error(`${failed_count} of ${jobs.length} jobs got no driver`);
  }
  say(
    `w12 drivers of ${jobs.length} jobs assigned in bulk in ${took.map((ms) => ms.toFixed(0)).join(', ')} ms, ${((((await cpu()) - before) * 1000) / rounds / jobs.length).toFixed(1)} ms of its CPU per job`,
  );
  return median(took);
}

/** Days of one request of w23, and jobs of each day. */
const DAYS = { days: 200, jobs: 2 };

// Days of 50 drivers, whose jobs are finished ones with five completed loads each; each round has days of its own.
const MAKE_DAYS = `with made as (
    insert into driver_day (id, company_id, driver_id, driver_day_date, driver_day_id, starts_at, ends_at, started_shift_at, ended_shift_at)
    select md5('bench day ' || $2 || '-' || n)::uuid, $1, u.id, d.day, 'B-' || $2 || '-' || n, d.day, d.day + interval '1 day', d.day + interval '11 hours', d.day + interval '20 hours'
    from generate_series(1, $3::int) n
      join lateral (select id from app_user where company_id = $1 and 'driver' = any(roles) order by id offset n % 50 limit 1) u on true
      cross join lateral (select timestamptz '2025-01-01 05:00Z' + ($2::int * $3::int / 50 + n / 50) * interval '1 day' as day) d
    returning id, driver_id, started_shift_at, ended_shift_at),
  days as (select *, row_number() over (order by id) as n from made),
  jobs as (select j.id, row_number() over (order by j.id) as n from job j
    where j.company_id = $1 and j.state = 'completed' and j.driver_day_id is null and j.approved_at is null limit $3::int * $4::int),
  spans as (insert into driver_state_event (id, company_id, user_id, driver_day_id, state, started_at, ended_at)
    select gen_random_uuid(), $1, d.driver_id, d.id, 'on_duty', d.started_shift_at, d.ended_shift_at from days d returning 1)
  update job set driver_day_id = days.id, driver_id = days.driver_id from jobs join days on days.n = 1 + (jobs.n - 1) / $4::int where job.id = jobs.id
  returning days.id`;

/**
 * w23: how long it takes to approve 200 days of drivers in one request, with 400 jobs and their 2,000 loads, from sending it to the last day being
 * settled.
 * @returns milliseconds, the median
 */
export async function measureApproval({ base, token, companyId, pool, rounds, cpu, say }: Bulk): Promise<number> {
  const ask = askWith(base, token);
  const took: number[] = [];
  let before = await cpu();
  for (let round = -WARM; round < rounds; round++) {
    const { rows } = await pool.query<{ id: string }>(MAKE_DAYS, [companyId, round + WARM, DAYS.days, DAYS.jobs]);
    const driver_day_ids = [...new Set(rows.map(({ id }) => id))];
    if (driver_day_ids.length !== DAYS.days) throw new Error(`${driver_day_ids.length} days were made`);
    if (round === 0) before = await cpu();
    const started = performance.now();
    const { headers } = await ask('PUT', `/v1/companies/${companyId}/driver_days/bulk_approve`, { driver_day_ids });
    const { failed_count } = await finished(ask, headers.get('location')!);
    if (round >= 0) took.push(performance.now() - started);
    if (failed_count) throw new Error(`${failed_count} of ${DAYS.days} days were not approved`);
    const loads = await pool.query(
      'select from load l join job j on j.id = l.job_id where j.driver_day_id = any($1) and l.billing_approved_at is null',
      [driver_day_ids],
    );
    if (loads.rowCount) throw new Error(`${loads.rowCount} loads of approved days were not approved`);
  }
  say(
    `w23 ${DAYS.days} days approved in bulk in ${took.map((ms) => ms.toFixed(0)).join(', ')} ms, ${((((await cpu()) - before) * 1000) / rounds / DAYS.days).toFixed(1)} ms of its CPU per day`,
  );
  return median(took);
}

async function finished(ask: Ask, location: string): Promise<{ failed_count: number }> {
  for (;;) {
    const { data } = (await (await ask('GET', location)).json()) as { data: { state: string; failed_count: number } };
    if (data.state === 'finished') return data;
    await new Promise((wake) => setTimeout(wake, 25));
  }
}
