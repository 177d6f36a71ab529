import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { fieldsOf, makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const types = new Map<Tenant, Promise<Json>>();
async function make(name: string, at = tenant): Promise<Json> {
  if (!types.has(at)) types.set(at, at.must('POST', '/v1/equipment_types', { name: 'Tandem' }));
  return at.must('POST', '/v1/equipment', { name, equipment_type_id: (await types.get(at)).id });
}
const oneJob = async (more: object = {}): Promise<Json> =>
  (await tenant.must('GET', `/v1/orders/${(await makeOrder(tenant, more)).id}/jobs`))[0];
const truckOf = (id: string) => `/v1/jobs/${id}/equipment`;
const trailersOf = (id: string) => `/v1/jobs/${id}/additional_equipment`;

test('a job gets a truck and trailers, and they are removed again', async () => {
  const [job, truck, first, second] = [await oneJob(), await make('Truck'), await make('Trailer 1'), await make('Trailer 2')];
  expect(await tenant.must('POST', truckOf(job.id), { equipment_id: truck.id })).toEqual(truck);
  expect(await tenant.must('POST', truckOf(job.id), {})).toEqual(truck);
  const ids = [second.id, first.id, second.id];
  const set = await tenant.must('POST', trailersOf(job.id), { additional_equipment_ids: ids });
  expect(set.map((one: Json) => one.name).sort()).toEqual(['Trailer 1', 'Trailer 2']);
  const { data } = await tenant.gql(`{ job(id: "${job.id}") { equipment { name } additionalEquipment { name } } }`);
  expect(data.job).toEqual({ equipment: { name: 'Truck' }, additionalEquipment: [{ name: 'Trailer 2' }, { name: 'Trailer 1' }] });
  expect(await tenant.must('POST', truckOf(job.id), { equipment_id: null })).toBeNull();
  expect(await tenant.must('POST', trailersOf(job.id), { additional_equipment_ids: [] })).toEqual([]);
  expect(await tenant.must('GET', `/v1/jobs/${job.id}`)).toMatchObject({ equipment: null });
  const rows = await app.orm.em
    .fork()
    .getConnection()
    .execute("select object_changes from audit_entry where subject_id = ? and event = 'update' order by created_at, id", [job.id]);
  expect(rows.map((row: Json) => Object.keys(row.object_changes).filter((field) => field.includes('equipment')))).toEqual([
    ['equipment_id'],
    ['additional_equipment_ids'],
    ['equipment_id'],
    ['additional_equipment_ids'],
  ]);
});

test('the same truck cannot be the main and an additional truck of a job', async () => {
  const [job, truck, trailer] = [await oneJob(), await make('Both'), await make('Behind')];
  await tenant.must('POST', truckOf(job.id), { equipment_id: truck.id });
  const twice = await tenant.http('POST', trailersOf(job.id), { additional_equipment_ids: [trailer.id, truck.id] });
  expect([twice.status, fieldsOf(twice)]).toEqual([422, ['additional_equipment_ids.1']]);
  await tenant.must('POST', trailersOf(job.id), { additional_equipment_ids: [trailer.id] });
  const swapped = await tenant.http('POST', truckOf(job.id), { equipment_id: trailer.id });
  expect([swapped.status, fieldsOf(swapped)]).toEqual([422, ['equipment_id']]);
  const both = { equipment_id: trailer.id, additional_equipment_ids: [truck.id] };
  expect(await tenant.must('PATCH', `/v1/jobs/${job.id}`, both)).toMatchObject({ equipment: { id: trailer.id } });
});

test('trucks of other companies, out of service, discarded or only shared for viewing are refused, and nothing changes', async () => {
  const [job, idle, gone, partner] = [await oneJob(), await make('Idle'), await make('Gone'), await makeTenant(app)];
  const [theirs, lent] = [await make('Theirs', partner), await make('Lent', partner)];
  await tenant.must('PUT', `/v1/equipment/${idle.id}/deactivate`, {});
  await tenant.must('DELETE', `/v1/equipment/${gone.id}`);
  await partner.must('POST', partner.path('/accounts/connected'), { platform_id: tenant.company.platformId, account_types: ['customer'] });
  const share = { receiver_company_id: tenant.company.id, company_shareable_id: lent.id, company_shareable_type: 'Equipment' };
  const { id: shareId } = await partner.must('POST', '/v1/company_shares', share);
  for (const { id } of [idle, gone, theirs, lent]) {
    const truck = await tenant.http('POST', truckOf(job.id), { equipment_id: id });
    expect([truck.status, fieldsOf(truck)]).toEqual([422, ['equipment_id']]);
    const trailer = await tenant.http('POST', trailersOf(job.id), { additional_equipment_ids: [(await make(`Good ${id}`)).id, id] });
    expect([trailer.status, fieldsOf(trailer)]).toEqual([422, ['additional_equipment_ids.1']]);
  }
  expect(await tenant.must('POST', trailersOf(job.id), {})).toEqual([]);
  await partner.must('PATCH', `/v1/company_shares/${shareId}`, { dispatchable: true });
  expect(await tenant.must('POST', truckOf(job.id), { equipment_id: lent.id })).toMatchObject({
    id: lent.id,
    company_share: { id: shareId },
  });
  // A job shows it of its truck, too (SPEC "Equipment"); a truck of the own company has no share.
  expect((await tenant.must('GET', `/v1/jobs/${job.id}`)).equipment.company_share).toMatchObject({
    id: shareId,
    sender_company: { id: partner.company.id },
  });
  await tenant.must('PUT', tenant.path(`/jobs/${job.id}/cancel`), {});
  const late = await tenant.http('POST', truckOf(job.id), { equipment_id: null });
  expect([late.status, fieldsOf(late)]).toEqual([422, ['state']]);
});

test('edit_job_equipment is enough; drivers lack it, and strangers find no job', async () => {
  const [job, truck] = [await oneJob(), await make('Guarded')];
  const [{ token: driver }, stranger] = [await tenant.person({ roles: ['driver'] }), await makeTenant(app)];
  for (const [path, body] of [
    [truckOf(job.id), { equipment_id: truck.id }],
    [trailersOf(job.id), { additional_equipment_ids: [truck.id] }],
  ] as const) {
    expect((await tenant.http('POST', path, body, driver)).status).toBe(403);
    expect((await stranger.http('POST', path, body)).status).toBe(404);
  }
});
