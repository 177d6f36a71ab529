import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { getNamedType, isInputObjectType } from 'graphql';
import { schemaOfRooms } from '../../src/app/serve.ts';
import { LINE_ITEM_TYPES } from '../../src/billing/line-items/line-item-type.entity.ts';
import { IamRole } from '../../src/directory/people/iam-role.entity.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { shareOf } from '../helpers/properties.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { expectationOf, graphqlCall, type Ids, idsUsed, makeIds, permitted } from '../helpers/walk.ts';
import { png } from '../ingest/files/sample-files.ts';

const mutations = Object.values(schemaOfRooms().getMutationType()!.getFields());

/** Every mutation gets records of its own. */
const LONG = 300_000;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

/** The inputs that change something where one with its required fields only would not. */
const CHANGES: Record<string, object> = {
  updatePermissionToggles: { driverCreatesLoads: true },
  updateSettlement: { includeLoadsInPdf: true },
  updateCompanySettings: { breaksPaid: true },
  updateTelematicsRemoteVehicle: { remoteVehicleExternalName: 'Another' },
  updateSsoConnection: { displayName: 'Another' },
  updateJobAssignment: { rateValue: '7' },
  updateInvoice: { rateValue: '7', rateType: 'RatePerTon' },
  updateCompanyShare: { expiresAt: '2099-01-01T00:00:00Z' },
  updateManagedCompanyShare: { expiresAt: '2099-01-01T00:00:00Z' },
  updateUser: { firstName: 'Another' },
  updateTicket: { ticketNumber: 'another' },
  updateComplianceDocument: { value: 'another' },
  updateFileAttachment: { description: 'Another' },
  updateCompany: { dbaName: 'Another' },
  updateJob: { notes: 'Another' },
  updateJobSummary: { approvedWorkTimeMinutes: 5 },
  updateLoadSummary: { loadedAt: '2026-11-20T12:00:00Z' },
  updateLoad: { notes: 'Another' },
  updateOrder: { zone: 'B' },
  updateIamRole: { description: 'Another' },
  updateM2MClient: { name: 'Another' },
  updateWebhookSubscription: { name: 'Another' },
  updateDepartment: { name: 'Another' },
  updateServiceClass: { name: 'Another' },
  updateLabel: { color: '#123456' },
  updateSiteRateSchedule: { customerRateValue: '9', customerRateType: 'RatePerTon' },
  updateMaterialRate: { sellPrice: '9' },
  updateLinkedLedgerAccount: { type: 'AccountsPayable' },
  updateLinkedItem: { integrationItemizableId: LINE_ITEM_TYPES.InvoiceLineItem, integrationItemizableType: 'LineItemType' },
  updateLinkedCustomer: { customerAccountId: null },
  updateLinkedVendor: { vendorAccountId: null },
  updateFuelPrice: { price: '5' },
  updateFuelSurchargeSchedulePrice: { billSurcharge: '9' },
  updateRate: { primary: true },
  updateProject: { poJobNumber: 'Another' },
  updateMaterial: { externalId: 'Another' },
};
/** The same for arguments in addition to an input. */
const MORE: Record<string, (ids: Ids) => Record<string, unknown>> = {
  setCompanyLogo: () => ({ logo: png().toString('base64') }),
  setJobAdditionalEquipment: (ids) => ({ additionalEquipmentIds: [ids.equipment] }),
  bulkUpdateAccounts: (ids) => ({ data: [{ id: ids.account, available: false }] }),
};
/** Without a token: failed attempts leave a row, too, and an unknown address none. Each sign-in method has its own test. */
const SIGNS_IN = ['everybody', 'public'];
/** The operations for which there is nothing to do in this tenant, so that nothing is written. */
const NOTHING_TO_DO = [
  ...['validateJob', 'validateVendorOfJob', 'validateNewOrder', 'validateOrder'],
  'bulkSendDay',
  // Nobody is off, and no share is named.
  ...['makeUserAvailable', 'makeAccountAvailable', 'updateAccountExternalTruckIdentifier'],
  'verifySsoDomains',
  // It is not paused.
  'resumeWebhookSubscription',
  'endM2MClientRotation',
  'moveCompany',
  'manageCompany',
  'setJobPhase',
  // It was not paused.
  'resumeTelematicsFleet',
  // The records of the tenant are needed by others, so that it only asks what would be moved. test/merging looks at the audit of merges.
  ...['mergeAccounts', 'mergeSites', 'mergeMaterials', 'mergeDrivers', 'mergeEquipment'],
];

/** A new name for what has one, when a change needs something to change. */
function anotherName(mutation: string, argument: string): object {
  const type = getNamedType(mutations.find(({ name }) => name === mutation)!.args.find(({ name }) => name === argument)!.type);
  return mutation.startsWith('update') && isInputObjectType(type) && type.getFields().name ? { name: 'Another' } : {};
}

interface Reported {
  name: string;
  code: string | undefined;
  rows: { company_id: string; created_by_type: string; created_by_id: string; object_changes: object; event: string }[];
}

/** The records a mutation is about; a user has a session to end, and a filter finds an imported record. */
const needs = (name: string) =>
  new Set([
    'userSession',
    'importedRecord',
    ...idsUsed((ids) =>
      graphqlCall('mutation', mutations.find((one) => one.name === name)!, expectationOf(name), ids, tenant, MORE[name]?.(ids)),
    ),
  ]);

/** Calls a mutation and returns the audit rows of its request. */
async function call(name: string, token: string, ids: Ids): Promise<Reported> {
  const expected = expectationOf(name);
  const field = mutations.find((one) => one.name === name)!;
  const pool = await poolOf(app.orm.em.fork());
  if (ids.importedRecord) await pool.query("update imported_record set state = 'exhausted' where id = $1", [ids.importedRecord]);
  if (ids.importedRecord) await pool.query('delete from import_task where id = $1', [ids.importedRecord]);
  const { query, variables } = graphqlCall('mutation', field, expected, ids, tenant, MORE[name]?.(ids));
  for (const argument of ['input', 'filter'])
    if (argument in variables) Object.assign(variables[argument] as object, CHANGES[name] ?? anotherName(name, argument));
  const answer = await app.graphql(query, variables, { token });
  const { rows } = await pool.query('select * from audit_entry where request_id = $1', [answer.headers.get('x-request-id')]);
  return { name, code: answer.body.errors?.[0].extensions.code, rows };
}

test(
  'every successful mutation leaves a row with actor, company and record, and a failed one leaves none',
  async () => {
    const wrong: string[] = [];
    for (const { name } of shareOf(mutations, 25)) {
      const { code, rows } = await call(name, await permitted(tenant, expectationOf(name)), await makeIds(tenant, undefined, needs(name)));
      const whole = rows.every(
        (row) => row.company_id && row.created_by_id && (row.event === 'destroy' || Object.keys(row.object_changes).length > 0),
      );
      if ((NOTHING_TO_DO.includes(name) || SIGNS_IN.includes(expectationOf(name).who)) && code === undefined && rows.length === 0) continue;
      if (code === undefined ? rows.length === 0 || !whole : rows.length > 0 && !SIGNS_IN.includes(expectationOf(name).who))
        wrong.push(`${name}: ${code ?? 'done'}, ${rows.length} rows`);
    }
    expect(wrong).toEqual([]);
  },
  LONG,
);

test('a refused mutation leaves no row', async () => {
  // A role of the company's own that permits nothing shows all the same everything.
  const auditor = await tenant.save(IamRole, { company: ref(tenant.company), name: 'Auditor' });
  const { token } = await tenant.person({ roles: [], customRoleIds: [auditor.id] });
  // One set for all: nothing of it changes.
  const ids = await makeIds(tenant);
  const reported = [];
  for (const { name } of shareOf(mutations, 8)) {
    if (['everybody', 'public', 'session', 'person', 'company'].includes(expectationOf(name).who)) continue;
    const { code, rows } = await call(name, token, ids);
    if (code !== 'forbidden' || rows.length > 0) reported.push(`${name}: ${code}, ${rows.length} rows`);
  }
  expect(reported).toEqual([]);
});
