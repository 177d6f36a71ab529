import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

export let app: TestApp;
export let tenant: Tenant;
export let admin: string;
/** A dispatcher limited to the quarry, to which only the first order goes. */
export let limited: Awaited<ReturnType<Tenant['person']>>;
export let plant: Site;
export let here: Json;
export let elsewhere: Json;

/** Registers what each file about limits to sites requires; each test has a company of its own. */
export function openScene(): void {
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    tenant = await makeTenant(app);
    admin = (await tenant.person({ roles: ['company_admin'] })).token;
    plant = await tenant.save(Site, { company: ref(tenant.company), name: 'Plant' });
    here = await makeOrder(tenant);
    elsewhere = await makeOrder(tenant, {
      waypoints: [
        { type: 'pickup', site_id: plant.id, ordinality: 0 },
        { type: 'drop_off', site_id: tenant.dropoff.id, ordinality: 1 },
      ],
    });
    limited = await tenant.person({ roles: ['dispatcher'] });
  });
}

export const limit = (site: string, user = limited.user.id, token = admin) =>
  tenant.http('POST', `/v1/users/${user}/resource_scopes`, { resource_id: site, resource_type: 'Site' }, token);
export const ids = async (path: string, token = limited.token) =>
  (await tenant.must('GET', path, undefined, token)).map((one: { id: string }) => one.id).sort();
export const status = async (path: string, token = limited.token) => (await tenant.http('GET', path, undefined, token)).status;
