import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
let child: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
  child = await makeTenant(app, { company: { parentCompany: ref(tenant.company) } });
});
afterAll(() => app.close());

const FIELDS = 'id updatedAt breaksPaid breakDueAfterMinutes overtimeAfterMinutes startToleranceMinutes';
const read = async (companyId?: string, token?: string) =>
  tenant.gql(`query($companyId: ID) { companySettings(companyId: $companyId) { ${FIELDS} } }`, { companyId }, token);
const change = (input: object, token?: string) =>
  tenant.gql(`mutation($input: UpdateCompanySettingsInput!) { updateCompanySettings(input: $input) { ${FIELDS} } }`, { input }, token);

test('a company that changed nothing has the defaults; null sets one back, absent ones are kept', async () => {
  const usual = { breaksPaid: false, breakDueAfterMinutes: 300, overtimeAfterMinutes: 480, startToleranceMinutes: 15 };
  const { id } = tenant.company;
  expect((await read()).data.companySettings).toEqual({ id, updatedAt: null, ...usual });

  const changed = (await change({ breaksPaid: true, overtimeAfterMinutes: 600 })).data.updateCompanySettings;
  expect(changed).toEqual({ id, updatedAt: expect.any(String), ...usual, breaksPaid: true, overtimeAfterMinutes: 600 });
  expect((await read(id)).data.companySettings).toEqual(changed);

  const back = (await change({ overtimeAfterMinutes: null })).data.updateCompanySettings;
  expect(back).toMatchObject({ ...usual, breaksPaid: true });
});

test('the changes are in the audit log of the company, defaults as what was before', async () => {
  const other = await makeTenant(app);
  await other.gql('mutation { updateCompanySettings(input: { longShiftMinutes: 700 }) { id } }');
  const rows = await app.orm.em
    .fork()
    .getConnection()
    .execute("select event, object_changes from audit_entry where subject_type = 'CompanySettings' and subject_id = ?", [other.company.id]);
  expect(rows).toEqual([{ event: 'update', object_changes: { long_shift_minutes: [840, 700] } }]);
});

test('what is out of range is refused by its name and changes nothing', async () => {
  const { data: before } = await read();
  const { errors } = await change({ overtimeAfterMinutes: 1_441, breakDueAfterMinutes: 0, breaksPaid: false });
  expect(JSON.stringify(errors)).toContain('overtimeAfterMinutes');
  expect(JSON.stringify(errors)).toContain('breakDueAfterMinutes');
  expect((await read()).data).toEqual(before);
});

test('a parent reads and changes those of its children; strangers and drivers do not', async () => {
  const stranger = await makeTenant(app);
  expect((await read(stranger.company.id)).errors[0].extensions.code).toBe('object_not_found');
  expect((await read(child.company.id)).data.companySettings.id).toBe(child.company.id);
  const foreign = 'mutation($id: ID) { updateCompanySettings(companyId: $id, input: { breaksPaid: true }) { id } }';
  expect((await tenant.gql(foreign, { id: stranger.company.id })).errors[0].extensions.code).toBe('object_not_found');
  expect((await tenant.gql(foreign, { id: child.company.id })).data.updateCompanySettings.id).toBe(child.company.id);
  const driver = await tenant.person({ roles: ['driver'] });
  expect((await change({ breaksPaid: true }, driver.token)).errors[0].extensions.code).toBe('forbidden');
});
