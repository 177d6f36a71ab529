import type { Pool } from 'pg';
import { DAY } from './data.ts';
import { median } from './drive.ts';

interface Bulk {
  base: URL;
  token: string;
  companyId: string;
  pool: Pool;
  rounds: number;
  /** Returns the seconds of processor time that the product has used so far. */
  cpu(): number;
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
  const ask = async (method: string, path: string, body?: object): Promise<Response> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(new URL(path, base), { method, headers, body: body && JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${(await response.text()).slice(0, 500)}`);
    return response;
  };
  const ids = async (sql: string) => (await pool.query<{ id: string }>(sql, [companyId])).rows.map(({ id }) => id);
  const jobs = await ids(
    `select id from job where company_id = $1 and job_start_at >= '${DAY.starts}' and job_start_at < '${DAY.ends}' order by id`,
  );
  const drivers = await ids(`select id from app_user where company_id = $1 and 'driver' = any(roles) order by id`);
  const took: number[] = [];
  let before = cpu();
  for (let round = -WARM; round < rounds; round++) {
    if (round === 0) before = cpu();
    // Every job gets another driver than before, so that each has to be changed.
    const driver_assignments = jobs.map((job_id, at) => ({ job_id, driver_id: drivers[(at + round + WARM) % drivers.length] }));
    const started = performance.now();
    const { headers } = await ask('PUT', '/v1/jobs/bulk_assign_drivers', { driver_assignments });
    const { failed_count } = await finished(ask, headers.get('location')!);
    if (round >= 0) took.push(performance.now() - started);
    if (failed_count) throw new Error(`${failed_count} of ${jobs.length} jobs got no driver`);
  }
  say(
    `w12 drivers of ${jobs.length} jobs assigned in bulk in ${took.map((ms) => ms.toFixed(0)).join(', ')} ms, ${(((cpu() - before) * 1000) / rounds / jobs.length).toFixed(1)} ms of its CPU per job`,
  );
  return median(took);
}

async function finished(ask: (method: string, path: string) => Promise<Response>, location: string): Promise<{ failed_count: number }> {
  for (;;) {
    const { data } = (await (await ask('GET', location)).json()) as { data: { state: string; failed_count: number } };
    if (data.state === 'finished') return data;
    await new Promise((wake) => setTimeout(wake, 25));
  }
}
