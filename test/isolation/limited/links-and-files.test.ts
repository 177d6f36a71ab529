import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Replica } from '../../events/follower.ts';
import { sendForm } from '../../files/form.ts';
import { makeTenant } from '../../helpers/tenant.ts';
import { admin, app, elsewhere, here, limit, limited, openScene, status, tenant } from '../../identity/access/limited-scene.ts';
import { png } from '../../ingest/files/sample-files.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

openScene();

/** The first job of an order, accepted. */
async function firstJob({ id }: Json): Promise<Json> {
  await tenant.must('PUT', tenant.path(`/orders/${id}/accept`), {}, admin);
  return (await tenant.must('GET', `/v1/orders/${id}/jobs`))[0];
}

test('people at a site read the links of the jobs there, and no others', async () => {
  const partner = await makeTenant(app);
  const vendor = await tenant.save(Account, {
    ...{ company: ref(tenant.company), name: 'Hired', accountTypes: ['vendor'] },
    connectedCompany: ref(partner.company),
  });
  const links: string[] = [];
  for (const order of [here, elsewhere]) {
    const job = await firstJob(order);
    await tenant.must('PUT', tenant.path(`/jobs/${job.id}/assign_vendor`), { vendor_id: vendor.id }, admin);
    links.push((await tenant.must('GET', `/v1/jobs/${job.id}/job_assignments`))[0].id);
  }
  await limit(tenant.pickup.id);
  const [near, far] = links;
  expect([await status(`/v1/job_assignments/${near}`), await status(`/v1/job_assignments/${far}`)]).toEqual([200, 404]);
  const { data } = await tenant.gql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: links }, limited.token);
  expect(data.nodes).toEqual([{ id: near }, null]);
  const { records } = await new Replica(tenant, limited.token).begin();
  expect(links.filter((id) => records.has(`JobAssignment ${id}`))).toEqual([near]);
});

test('people at a site read the add-ons that are charged by themselves for the work there, and no others', async () => {
  const addOn = await tenant.must('POST', '/v1/add_ons', { name: 'Wash', add_on_types: ['invoicing'], revenue_rate_value: 25 });
  const made: string[] = [];
  for (const { id } of [here, elsewhere])
    made.push(
      (await tenant.must('POST', `/v1/orders/${id}/auto_add_on_assignments`, { add_on_id: addOn.id, account_type: 'customer' }, admin)).id,
    );
  const biller = await tenant.person({ roles: ['biller'] });
  await limit(tenant.pickup.id, biller.user.id);
  const { data } = await tenant.gql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: made }, biller.token);
  expect(data.nodes).toEqual([{ id: made[0] }, null]);
});

test('people at a site read the files of days with work there, and no others', async () => {
  const files: string[] = [];
  for (const order of [here, elsewhere]) {
    const driver = await tenant.person({ roles: ['driver'] });
    const { id } = await firstJob(order);
    await tenant.must('PATCH', tenant.path(`/jobs/${id}`), { driver_id: driver.id }, admin);
    await tenant.must('PUT', `/v1/jobs/${id}/request`, {}, admin);
    for (const event of ['accept', 'enroute']) await driver.must('PUT', `/v1/jobs/${id}/${event}`, {});
    const [day] = await driver.must('GET', '/v1/driver_days');
    const parts: Parameters<typeof sendForm>[3] = [
      ['category', 'Other'],
      ['file', png(), 'a.png'],
    ];
    files.push((await sendForm(app, 'POST', `/v1/driver_days/${day.id}/file_attachments`, parts, admin)).body.data.id);
  }
  await limit(tenant.pickup.id);
  const seen = [];
  for (const id of files) seen.push([await status(`/v1/file_attachments/${id}`), await status(`/v1/file_attachments/${id}/file`)]);
  expect(seen).toEqual([
    [200, 200],
    [404, 404],
  ]);
});

test('who goes on with the work of another driver does not read the load of that one', async () => {
  const drivers = [await tenant.person({ roles: ['driver'] }), await tenant.person({ roles: ['driver'] })];
  const [first, second] = drivers.map(({ id }) => id);
  const job = await firstJob(here);
  await tenant.must('PATCH', tenant.path(`/jobs/${job.id}`), { driver_id: first }, admin);
  await tenant.must('PUT', `/v1/jobs/${job.id}/request`, {}, admin);
  for (const event of ['accept', 'enroute', 'arrive', 'load_material']) await drivers[0]!.must('PUT', `/v1/jobs/${job.id}/${event}`, {});
  const handOver =
    'mutation ($id: ID!, $driver: ID!) { handOverJob(id: $id, driverId: $driver) { loads { nodes { id continuesLoad { id } } } } }';
  const { data } = await tenant.gql(handOver, { id: job.id, driver: second }, admin);
  const [load] = data.handOverJob.loads.nodes;
  expect(load.continuesLoad).not.toBeNull();
  const read = 'query ($id: ID!) { load(id: $id) { id continuesLoad { id } } }';
  expect((await drivers[1]!.gql(read, { id: load.id })).data).toEqual({ load: { id: load.id, continuesLoad: null } });
});
