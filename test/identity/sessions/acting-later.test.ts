import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

type Person = Awaited<ReturnType<Tenant['person']>>;
const admin = () => tenant.person({ roles: ['platform_admin'] });

/** The token of somebody who acts as a dispatcher. */
async function acting(): Promise<{ actor: Person; dispatcher: Person; token: string }> {
  const [actor, dispatcher] = [await admin(), await tenant.person({ roles: ['dispatcher'] })];
  const { session_jwt } = await tenant.must('POST', `/v1/users/${dispatcher.user.id}/impersonations`, undefined, actor.token);
  return { actor, dispatcher, token: session_jwt };
}
const fire = async ({ user }: Person) =>
  expect((await tenant.http('DELETE', `/v1/users/${user.id}`, undefined, (await admin()).token)).status).toBe(204);

test('a bulk action that somebody asked for as another person stops when they may not act as that person any more', async () => {
  const { actor, dispatcher, token } = await acting();
  const order = await makeOrder(tenant, {});
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const body = { driver_assignments: [{ job_id: job.id, driver_id: tenant.driver.id }] };
  const location = (await tenant.http('PUT', '/v1/jobs/bulk_assign_drivers', body, token)).headers.get('location')!;
  await app.settled();
  const items = () => tenant.must('GET', `${location}/items`, undefined, dispatcher.token);
  const anew = async () => {
    // As if the worker had died between the request and the work.
    const id = location.split('/').at(-1)!;
    await app.orm.em.fork().execute(`update bulk_action_item set state = 'pending' where bulk_action_id = ?`, [id]);
    await app.orm.em.fork().execute('update bulk_action set finished_at = null, next_at = now() where id = ?', [id]);
    await app.settled();
  };
  // That the impersonation is over stops nothing, as the end of a session does not.
  await tenant.must('DELETE', '/v1/users/me/impersonation', undefined, token);
  expect(await items()).toMatchObject([{ state: 'done' }]);
  await anew();
  expect((await items())[0].errors.map(({ code }: { code: string }) => code)).not.toContain('actor_gone');
  await fire(actor);
  await anew();
  expect(await items()).toMatchObject([{ state: 'failed', errors: [{ code: 'actor_gone' }] }]);
});

test('a link that somebody got as another person opens nothing when they may not act as that person any more', async () => {
  const { actor, token } = await acting();
  const { file_url } = await tenant.must('GET', tenant.path('/data_export/tickets/day/2026-11-03'), undefined, token);
  expect((await fetch(file_url)).status).toBe(200);
  await fire(actor);
  expect((await fetch(file_url)).status).toBe(404);
});
