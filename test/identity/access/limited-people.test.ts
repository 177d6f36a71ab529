import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { GeofenceTrigger } from '../../../src/telematics/fences/geofence-trigger.entity.ts';
import type { Answer } from '../../helpers/app.ts';
import { makeTenant } from '../../helpers/tenant.ts';
import { admin, app, elsewhere, here, ids, limit, limited, openScene, plant, status, tenant } from './limited-scene.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

openScene();

test('nobody gets around their limits, neither by scopes nor by new people nor by the sign-in of others', async () => {
  const boss = await tenant.person({ roles: ['company_admin'] });
  const { body } = await limit(tenant.pickup.id, boss.user.id);
  const reported = (answer: Answer) => [
    answer.status,
    answer.body.error.errors.map((item: { field: string; message: string }) => [item.field, item.message]),
  ];
  // They have the permission: what keeps them is their limit, and is said.
  const beyond = (permission: string) => [403, [[permission, 'is a permission that reaches beyond the sites you are limited to']]];
  expect(reported(await tenant.http('DELETE', `/v1/resource_scopes/${body.data.id}`, undefined, boss.token))).toEqual(
    beyond('delete_resource_scope'),
  );
  expect(reported(await limit(plant.id, boss.user.id, boss.token))).toEqual(beyond('create_resource_scope'));
  const mine = await tenant.http('PATCH', `/v1/users/${limited.user.id}`, { email: 'mine@example.com' }, boss.token);
  expect(reported(mine)).toEqual(beyond('edit_user'));
  const roles = await tenant.must('GET', '/v1/iam_roles');
  const user = await tenant.must(
    'POST',
    '/v1/users',
    { first_name: 'Nia', last_name: 'New', email: `limit${Math.random()}@example.com`, iam_role_ids: [roles[3].id] },
    boss.token,
  );
  const around = await tenant.http('POST', '/v1/m2m_clients', { name: 'Around', scopes: ['view_imports'] }, boss.token);
  expect(reported(around)).toEqual(beyond('manage_machine_clients'));
  const scopes = await tenant.must('GET', `/v1/users/${user.id}/resource_scopes`);
  expect(scopes.map(({ resource }: { resource: { id: string } }) => resource.id)).toEqual([tenant.pickup.id]);
});

test('prices, schedules, trucks, projects, shares and limits of others reveal no other sites', async () => {
  const both = [tenant.pickup, plant];
  const price = (site: Site) =>
    tenant.must(
      'POST',
      '/v1/material_rates',
      { material_id: tenant.material.id, unit_of_measure: 'Ton', sell_price: '9', site_id: site.id },
      admin,
    );
  const prices = [await price(tenant.pickup), await price(plant)];
  const type = await tenant.save(EquipmentType, { company: ref(tenant.company), name: 'Tandem' });
  const trucks = both.map((site) => ({ company: ref(tenant.company), name: site.name, equipmentType: ref(type), homeBase: ref(site) }));
  for (const truck of trucks) await tenant.save(Equipment, truck);
  const stops = both.map(({ id }, ordinality) => ({ type: ordinality ? 'drop_off' : 'pickup', site_id: id, ordinality }));
  const project = await tenant.must(
    'POST',
    '/v1/projects',
    { name: 'Road', account_id: tenant.account.id, site_id: plant.id, waypoints: stops },
    admin,
  );
  const rates = `/v1/projects/${project.id}/site_rate_schedules`;
  for (const body of [{ site_id: tenant.pickup.id }, { site_id: plant.id }])
    await tenant.must('POST', rates, { ...body, customer_rate_value: '5', customer_rate_type: 'RatePerTon' }, admin);
  const partner = await makeTenant(app);
  await tenant.must(
    'POST',
    tenant.path('/accounts/connected'),
    { platform_id: partner.company.platformId, account_types: ['vendor'] },
    admin,
  );
  const share = (id: string) => ({ receiver_company_id: partner.company.id, company_shareable_type: 'Site', company_shareable_id: id });
  for (const { id } of both) await tenant.must('POST', tenant.path('/company_shares'), share(id), admin);
  const colleague = await tenant.person({ roles: ['dispatcher'] });
  for (const { id } of both) await limit(id, colleague.user.id);
  await limit(tenant.pickup.id);

  const board = '{ dayBoard(date: "2026-12-01") { trucks { truck { name homeBase { id name } } } } }';
  const reported = async (token: string) => ({
    prices: await tenant.must('GET', tenant.path('/material_rates'), undefined, token),
    offered: await tenant.must('GET', '/v1/material_rates/typeahead', undefined, token),
    trucks: await tenant.must('GET', tenant.path('/equipment'), undefined, token),
    project: await tenant.must('GET', `/v1/projects/${project.id}`, undefined, token),
    projects: await tenant.must('GET', tenant.path('/projects'), undefined, token),
    schedules: await tenant.must('GET', rates, undefined, token),
    shares: await tenant.must('GET', tenant.path('/company_shares'), undefined, token),
    scopes: await tenant.must('GET', `/v1/users/${colleague.user.id}/resource_scopes`, undefined, token),
    board: await tenant.gql(board, {}, token),
  });
  const [all, some] = [await reported(admin), await reported(limited.token)];
  for (const key of Object.keys(all) as (keyof typeof all)[]) {
    const names = (answer: unknown, site: Site) => JSON.stringify(answer).includes(site.id);
    expect([key, names(all[key], plant), names(some[key], plant)]).toEqual([key, true, false]);
    expect([key, names(some[key], tenant.pickup)]).toEqual([key, true]);
  }
  expect(await status(`/v1/material_rates/${prices[1].id}`)).toBe(404);
  expect(some.trucks.map(({ home_base }: Json) => home_base?.name ?? null).sort()).toEqual(['Quarry', null]);
  // Nor is the share of another site read by changing it, or ended.
  const { id: hidden } = all.shares.find((one: Json) => one.company_shareable.id === plant.id);
  const path = `/v1/company_shares/${hidden}`;
  expect((await tenant.http('PATCH', path, { ticket_match_id: 'X' }, limited.token)).status).toBe(404);
  expect((await tenant.http('DELETE', path, undefined, limited.token)).status).toBe(404);
  expect(await tenant.must('GET', path, undefined, admin)).toMatchObject({ id: hidden, ticket_match_id: null });
});

test('logs, bulk actions and counts reveal no other work to a limited person', async () => {
  const day = '2026-12-01';
  const [job] = await tenant.must('GET', `/v1/orders/${elsewhere.id}/jobs`);
  await tenant.must('PUT', tenant.path(`/orders/${elsewhere.id}/accept`), undefined, admin);
  await tenant.must('PATCH', `/v1/jobs/${job.id}`, { driver_id: tenant.driver.id, job_start_at: `${day}T18:00:00Z` }, admin);
  const boss = await tenant.person({ roles: ['company_admin'] });
  const count = async (token: string) => (await tenant.must('PUT', tenant.path('/jobs/bulk_send_day'), { date: day }, token)).count;
  const booked = (token: string) => ids(`${tenant.path('/drivers')}?filter[availability]=false&filter[date]=${day}`, token);
  const board = async (token: string) =>
    (await tenant.gql(`{ dayBoard(date: "${day}") { drivers { driver { id } jobsCount } } }`, {}, token)).data.dayBoard.drivers
      .filter(({ driver }: Json) => driver.id === tenant.driver.id)
      .map(({ jobsCount }: Json) => jobsCount);
  const log = (token: string) => tenant.http('GET', `/v1/audit_entries?filter[subject_id]=${elsewhere.id}`, undefined, token);
  const sheet = async (token: string) =>
    (await app.http('GET', `/v1/audit_entries?filter[subject_type]=Order`, { token, headers: { Accept: 'application/x-ndjson' } }))
      .body as string;
  const { token } = boss;
  expect([await booked(token), await board(token), (await log(token)).body.data.length > 0]).toEqual([[tenant.driver.id], [1], true]);
  await limit(tenant.pickup.id, boss.user.id);
  await app.settled();
  expect([await booked(token), await board(token), await count(token), (await log(token)).body.data]).toEqual([[], [0], 0, []]);
  const lines = await sheet(token);
  expect([lines.includes(here.id), lines.includes(elsewhere.id)]).toEqual([true, false]);
  // Orders elsewhere have as little to send as those that are not there, and nobody learns of their jobs.
  const send = async (order: string) => {
    const { status, body } = await tenant.http('PUT', '/v1/jobs/bulk_send', { order_ids: [order] }, token);
    return [status, body.error?.errors];
  };
  expect(await send(elsewhere.id)).toEqual(await send(randomUUID()));
  const sent = await tenant.http('PUT', tenant.path('/jobs/bulk_send_day'), { date: day }, admin);
  expect(sent.body.data.count).toBe(1);
  const [action] = await tenant.must('GET', '/v1/bulk_actions', undefined, admin);
  expect(await tenant.must('GET', '/v1/bulk_actions', undefined, token)).toEqual([]);
  for (const path of [`/v1/bulk_actions/${action.id}`, `/v1/bulk_actions/${action.id}/items`]) expect(await status(path, token)).toBe(404);
  const drivers = await tenant.must('GET', tenant.path('/drivers'), undefined, token);
  expect(drivers.map(({ company_day_driver_stat }: Json) => company_day_driver_stat)).toEqual(drivers.map(() => null));
});

test('crossings of geofences reveal neither other work nor where its trucks were', async () => {
  const crossing = async (order: Json, minutes: number) => {
    const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`, undefined, admin);
    const at = new Date(Date.now() - minutes * 60_000);
    return tenant.save(GeofenceTrigger, {
      ...{ companyId: tenant.company.id, job: ref(Job, job.id), state: 'proposed', skipReason: 'uncertain', confidence: '0.4' },
      ...{ assetType: 'driver', assetId: tenant.driver.id, fenceId: tenant.pickup.id, locationId: crypto.randomUUID() },
      ...{ geofenceTriggerType: 'enter', waypointType: 'pickup', occurredAt: at, confirmedAt: at, lat: '30.25', lon: '-97.75' },
    });
  };
  const [seen, hidden] = [await crossing(here, 10), await crossing(elsewhere, 20)];
  await limit(tenant.pickup.id);
  expect(await ids('/v1/geofence_triggers', admin)).toEqual([seen.id, hidden.id].sort());
  expect(await ids('/v1/geofence_triggers')).toEqual([seen.id]);
  expect(await ids('/v1/geofence_triggers?needs_review=true')).toEqual([seen.id]);
  for (const act of ['confirm', 'dismiss'])
    expect((await tenant.http('PUT', `/v1/geofence_triggers/${hidden.id}/${act}`, {}, limited.token)).status).toBe(404);
});

test('a limited page of orders takes one statement', async () => {
  await limit(tenant.pickup.id);
  await tenant.must('GET', '/v1/orders', undefined, limited.token);
  const plain = await app.countStatements(() => tenant.must('GET', '/v1/orders', undefined, admin));
  const { statements } = await app.countStatements(() => tenant.must('GET', '/v1/orders', undefined, limited.token));
  expect(statements.length).toBe(plain.statements.length);
});
