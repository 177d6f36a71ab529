import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../../../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../../src/directory/equipment/equipment-type.entity.ts';
import { CompanyShare } from '../../../src/directory/shares/company-share.entity.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
});
afterAll(() => app.close());

const typeIn = (tenant: Tenant, more: object): Promise<Json> =>
  tenant.must('POST', tenant.path('/compliance_document_types'), { name: `Paper ${Math.random()}`, ...more });
const DAY = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString();

test('types of documents are stored, and two of one name are refused', async () => {
  const tenant = await makeTenant(app);
  const made = await typeIn(tenant, {
    name: 'Insurance',
    has_expiration: true,
    dispatch_gating: true,
    required_vendors: true,
    external_id: 'INS',
  });
  expect(made).toMatchObject({
    name: 'Insurance',
    field_type: 'none',
    has_expiration: true,
    required_equipment: false,
    external_id: 'INS',
  });
  const path = tenant.path(`/compliance_document_types/${made.id}`);
  expect((await tenant.http('POST', tenant.path('/compliance_document_types'), { name: 'insurance' })).body.error.errors).toMatchObject([
    { field: 'name' },
  ]);
  expect(await tenant.must('PATCH', path, { dispatch_gating: false })).toMatchObject({ dispatch_gating: false, required_vendors: true });
  expect((await tenant.must('GET', tenant.path('/compliance_document_types'))).map(({ id }: Json) => id)).toEqual([made.id]);
  expect((await tenant.http('DELETE', path)).status).toBe(204);
  expect((await tenant.http('GET', path)).status).toBe(404);
});

test('documents of a vendor: checked, listed, renewed, and on the checklist', async () => {
  const tenant = await makeTenant(app);
  const insurance = await typeIn(tenant, { name: 'Insurance', has_expiration: true, field_type: 'number', required_vendors: true });
  await typeIn(tenant, { name: 'Only drivers', required_internal_drivers: true });
  const base = tenant.path(`/accounts/${tenant.vendor.id}/compliance_documents`);
  const refused = await tenant.http('POST', base, { compliance_document_type_id: insurance.id, value: 'a lot' });
  expect(refused.body.error.errors.map(({ field }: Json) => field).sort()).toEqual(['expires_at', 'value']);
  const made = await tenant.must('POST', base, { compliance_document_type_id: insurance.id, value: '1000000', expires_at: inDays(-1) });
  expect(made).toMatchObject({
    compliant_type: 'Account',
    compliant_id: tenant.vendor.id,
    value: '1000000',
    compliance_document_type: { name: 'Insurance' },
  });
  const check = () => tenant.must('GET', tenant.path(`/compliance_check?account_id=${tenant.vendor.id}`));
  expect(await check()).toMatchObject({
    has_issues: true,
    blocking: [],
    warnings: [{ type: 'expired', document_type: 'Insurance', entity: 'Vendor' }],
  });
  const renewed = await tenant.must('POST', base, { compliance_document_type_id: insurance.id, value: '2', expires_at: inDays(400) });
  expect(await check()).toEqual({ has_issues: false, warnings: [], blocking: [] });
  expect(await tenant.must('GET', `${base}/checklist`)).toMatchObject([
    {
      compliance_document_type: { name: 'Insurance' },
      compliance_document: { id: renewed.id, compliance_document_type: { id: insurance.id } },
    },
  ]);
  expect((await tenant.must('GET', base)).length).toBe(2);
  expect(await tenant.must('PATCH', `${base}/${renewed.id}`, { expires_at: inDays(10) })).toMatchObject({ value: '2' });
  expect((await check()).warnings).toMatchObject([{ type: 'expiring' }]);
  expect((await tenant.http('DELETE', `${base}/${renewed.id}`)).status).toBe(204);
  expect((await tenant.http('GET', `${base}/${renewed.id}`)).status).toBe(404);
  // Of another record it is not.
  expect((await tenant.http('GET', tenant.path(`/users/${tenant.driver.id}/compliance_documents/${made.id}`))).status).toBe(404);
});

test('a driver without the documents of a blocking type cannot be sent, unless somebody overrides it', async () => {
  const tenant = await makeTenant(app);
  const licence = await typeIn(tenant, { name: 'Licence', has_expiration: true, dispatch_gating: true, required_internal_drivers: true });
  const inspection = await typeIn(tenant, { name: 'Inspection', dispatch_gating: true, required_equipment: true });
  const kind = await tenant.save(EquipmentType, { company: ref(tenant.company), name: 'Dump' });
  const truck = await tenant.save(Equipment, { company: ref(tenant.company), name: 'T-1', equipmentType: ref(kind) });
  const order = await makeOrder(tenant, { load_at: inDays(20) });
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  await tenant.must('PATCH', `/v1/jobs/${job.id}`, { equipment_id: truck.id });
  const assign = (more: object = {}) => tenant.http('PATCH', `/v1/jobs/${job.id}`, { driver_id: tenant.driver.id, ...more });
  const refused = await assign();
  expect(refused.status).toBe(422);
  expect(refused.body.error.errors).toMatchObject([
    { field: 'driver_id', message: 'Dora Wheel has no Licence' },
    { field: 'equipment_id', message: 'T-1 has no Inspection' },
  ]);
  const reported = await tenant.must('POST', `/v1/jobs/${job.id}/validate`, { driver_id: tenant.driver.id });
  expect(reported.conflicts.map(({ code, severity }: Json) => [code, severity])).toEqual([
    ['compliance_missing', 'blocking'],
    ['compliance_missing', 'blocking'],
  ]);
  await tenant.must('POST', tenant.path(`/equipment/${truck.id}/compliance_documents`), { compliance_document_type_id: inspection.id });
  // It holds today, and not on the day of the job.
  await tenant.must('POST', tenant.path(`/users/${tenant.driver.id}/compliance_documents`), {
    compliance_document_type_id: licence.id,
    expires_at: inDays(5),
  });
  expect((await assign()).body.error.errors).toMatchObject([
    { field: 'driver_id', message: "Dora Wheel's Licence will have expired by then" },
  ]);
  expect((await assign({ compliance_override: true })).status).toBe(200);
  // The conflicts of the job report it afterwards, too, and so they do for documents that only warn.
  const { data } = await tenant.gql('query ($id: ID!) { job(id: $id) { conflicts { code severity field message } } }', { id: job.id });
  const expired = {
    code: 'compliance_expired',
    severity: 'warning',
    field: 'driver_id',
    message: "Dora Wheel's Licence will have expired by then",
  };
  expect(data.job.conflicts).toEqual([expired]);
  await typeIn(tenant, { name: 'Medical', required_internal_drivers: true });
  const again = await tenant.must('POST', `/v1/jobs/${job.id}/validate`, { notes: 'Gate 3' });
  expect(again.conflicts.map(({ code, message }: Json) => [code, message])).toEqual([
    ['compliance_expired', expired.message],
    ['compliance_missing', 'Dora Wheel has no Medical'],
  ]);
  const events = (await tenant.must('GET', `/v1/jobs/${job.id}/job_events`)) as Json[];
  expect(events.find(({ event_name }) => event_name === 'ComplianceOverride').payload.issues).toMatchObject([
    { type: 'expired', document_type_id: licence.id },
  ]);
});

test('a truck that a job gets after its driver needs the same documents', async () => {
  const tenant = await makeTenant(app);
  const own = {
    company: ref(tenant.company),
    equipmentType: ref(await tenant.save(EquipmentType, { company: ref(tenant.company), name: 'Dump' })),
  };
  const [good, bad] = [await tenant.save(Equipment, { ...own, name: 'T-1' }), await tenant.save(Equipment, { ...own, name: 'T-2' })];
  const inspection = await typeIn(tenant, { name: 'Inspection', dispatch_gating: true, required_equipment: true });
  await tenant.must('POST', tenant.path(`/equipment/${good.id}/compliance_documents`), { compliance_document_type_id: inspection.id });
  const order = await makeOrder(tenant, { load_at: inDays(20), driver_id: tenant.driver.id });
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const one = `/v1/jobs/${job.id}`;
  await tenant.must('PATCH', one, { equipment_id: good.id });
  const lacks = [{ field: 'equipment_id', message: 'T-2 has no Inspection' }];
  for (const [method, path] of [
    ['PATCH', one],
    ['POST', `${one}/equipment`],
  ] as const) {
    const refused = await tenant.http(method, path, { equipment_id: bad.id });
    expect([refused.status, refused.body.error?.errors]).toMatchObject([422, lacks]);
  }
  const reported = await tenant.must('POST', `${one}/validate`, { equipment_id: bad.id });
  expect(reported).toMatchObject({ valid: false, conflicts: lacks.map((lack) => ({ ...lack, severity: 'blocking' })) });
  expect((await tenant.must('GET', one)).equipment.id).toBe(good.id);
  await tenant.must('PATCH', one, { equipment_id: bad.id, compliance_override: true });
  // It is there now: sent back as it was read it stops nobody.
  await tenant.must('PATCH', one, { equipment_id: bad.id, notes: 'Gate 3' });
  const events = (await tenant.must('GET', `${one}/job_events`)) as Json[];
  const overrides = events.filter(({ event_name }) => event_name === 'ComplianceOverride');
  expect(overrides.map(({ payload }) => payload.issues)).toMatchObject([[{ type: 'missing', document_type_id: inspection.id }]]);
});

test('vendors and shared drivers have separate rules', async () => {
  const [tenant, lender] = [await makeTenant(app), await makeTenant(app)];
  const bond = await typeIn(tenant, { name: 'Bond', dispatch_gating: true, required_vendors: true });
  await typeIn(tenant, { name: 'Badge', dispatch_gating: true, required_shared_drivers: true });
  const order = await makeOrder(tenant);
  const [job] = await tenant.must('GET', `/v1/orders/${order.id}/jobs`);
  const hire = () => tenant.http('PUT', `/v1/jobs/${job.id}/assign_vendor`, { vendor_id: tenant.vendor.id });
  expect((await hire()).body.error.errors).toMatchObject([{ field: 'vendor_id', message: 'Vendor has no Bond' }]);
  await tenant.must('POST', tenant.path(`/accounts/${tenant.vendor.id}/compliance_documents`), { compliance_document_type_id: bond.id });
  expect((await hire()).status).toBe(200);
  await tenant.save(CompanyShare, {
    ...{ companyId: lender.company.id, senderCompany: ref(lender.company), receiverCompany: ref(tenant.company), dispatchable: true },
    ...{ companyShareableType: 'User', companyShareableId: lender.driver.id },
  });
  const check = await tenant.must('GET', tenant.path(`/compliance_check?user_id=${lender.driver.id}`));
  expect(check.blocking).toMatchObject([{ type: 'missing', document_type: 'Badge', entity: 'Dora Wheel' }]);
});

test('drivers read and enter their own documents, and nobody else’s', async () => {
  const tenant = await makeTenant(app);
  const medical = await typeIn(tenant, { name: 'Medical', required_internal_drivers: true });
  const mine = tenant.path(`/users/${tenant.driver.id}/compliance_documents`);
  const colleague = (await tenant.person({ roles: ['driver'] })).user;
  const as = tenant.driver.token;
  expect((await tenant.http('POST', mine, { compliance_document_type_id: medical.id }, as)).status).toBe(201);
  expect((await tenant.http('GET', `${mine}/checklist`, undefined, as)).status).toBe(200);
  expect((await tenant.http('GET', tenant.path(`/compliance_check?user_id=${tenant.driver.id}`), undefined, as)).status).toBe(200);
  expect((await tenant.http('GET', tenant.path(`/users/${colleague.id}/compliance_documents`), undefined, as)).status).toBe(403);
  expect((await tenant.http('GET', tenant.path(`/accounts/${tenant.vendor.id}/compliance_documents`), undefined, as)).status).toBe(403);
  expect((await tenant.http('GET', tenant.path('/compliance_document_types'), undefined, as)).status).toBe(403);
  const stranger = await makeTenant(app);
  expect((await stranger.http('GET', mine)).status).toBe(404);
});
