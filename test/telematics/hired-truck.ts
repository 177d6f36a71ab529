import { afterAll, beforeAll, expect } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { jobOfChain, makeChain, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { zoneAt } from '../helpers/zones.ts';

export let app: TestApp;
let chain: Awaited<ReturnType<typeof makeChain>>;
export let owner: StaffedTenant;
export let middle: StaffedTenant;
export let last: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  chain = await makeChain(app, { timeZone: zoneAt(12) });
  ({ owner, middle, last } = chain);
});
afterAll(() => app.close());

const base = Date.now();
export const at = (minutes: number) => new Date(base - minutes * 60_000).toISOString();
export const ago = (minutes: number) => ({ occurred_at: at(minutes) });

/** Waits until everything that follows from positions, which is due at once, is done. */
export async function followed() {
  await app.orm.em.execute('update position_task set due_at = now()');
  await app.settled();
}

/** A job of the owner that a driver of the last company accepted. */
export async function hiredJob() {
  const { id, token, go } = await jobOfChain(chain);
  const send = async (locations: object[]) =>
    expect((await last.http('POST', '/v1/users/me/locations', { device_id: 'phone', locations }, token)).status).toBe(204);
  /** Completes the job, as if it had been reported some minutes ago. */
  const complete = async (minutes: number) => {
    await go('complete');
    await app.orm.em.execute(`update job_event set occurred_at = ? where job_id = ? and event_name = 'JobCompleted'`, [at(minutes), id]);
  };
  return { id, token, go, send, complete };
}
export const duty = (token: string, state: string, body: object) => last.must('PUT', `/v1/users/me/driver_day/${state}`, body, token);
