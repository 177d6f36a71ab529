import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
} from 'graphql';
import { companyInput, inviteInput, orderInput, type Tenant } from '../tenant.ts';
import { periodDay } from './billing-makers.ts';
import type { Ids } from './ids.ts';
import { camel, wired } from './names.ts';

/** The place for which a sample is made. */
interface Asked {
  tenant: Tenant;
  ids: Ids;
  /** The argument, or the field of the body; empty for a whole body. */
  name: string;
  /** The root field; empty inside of an input. */
  root: string;
}
type Sample = (asked: Asked) => unknown;

/** Returns an input with its required fields only, in GraphQL names. @throws Error for a required field of which no value is known */
export function sampleInput(type: GraphQLInputType, tenant: Tenant, ids: Ids, name = '', root = ''): unknown {
  const named = getNamedType(type);
  const sample = BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? BY_ROOT.get(root) ?? BY_TYPE.get(named.name);
  if (sample) return sample({ tenant, ids, name, root });
  if (!isInputObjectType(named)) return undefined;
  const required = Object.values(named.getFields()).filter(isRequiredInputField);
  return Object.fromEntries(
    required.map((field) => [
      field.name,
      /^vendor(Account)?Id$/.test(field.name)
        ? tenant.vendor.id
        : (sampleInput(field.type, tenant, ids) ?? sampleValue(field.type, `${named.name}.${field.name}`)),
    ]),
  );
}

/** Values of required fields, for inputs that have no sample of their own below. */
const VALUES: Record<string, unknown> = {
  String: 'Walk',
  Int: 1,
  Float: 1,
  Decimal: '1',
  Boolean: true,
  Date: '2026-12-01',
  DateTime: '2026-12-01T07:00:00.000Z',
};

function sampleValue(type: GraphQLInputType, field: string): unknown {
  const named = getNamedType(type);
  const value = isEnumType(named) ? named.getValues()[0]!.name : VALUES[named.name];
  if (value === undefined) throw new Error(`${field} needs a value: add its input to test/helpers/walk/samples.ts`);
  return isListType(getNullableType(type)) ? [value] : value;
}

/** Returns a connection to an identity provider, with an unused domain. */
export const connectionInput = () => ({
  kind: 'oidc',
  displayName: 'Walk',
  domains: [`walk${++domains}.example`],
  issuer: 'https://idp.example.com',
  clientId: 'w',
});
let domains = 0;

/** The built-in driver role, the same in every installation. */
const DRIVER = '8f868405-03ba-5d72-b418-caae734b38d4';
const PLACE = '<kml><Placemark><name>Walk</name><Point><coordinates>-97.5,30.25</coordinates></Point></Placemark></kml>';
const SHEET =
  'external_id,load_at,customer.external_id,ticket_number,service_date,quantity,unit_of_measure,truck_id\nW,2026-12-01T07:00:00,C,T,2026-12-01,1,Ton,1';

const fresh: Sample = () => ({ name: `Walk ${Math.random()}` });

/** By the name of the argument; precedes all others. */
const BY_NAME: [RegExp, Sample][] = [
  [/^job_?ids$/i, ({ ids }) => [ids.job]],
  [/^date$/, () => '2026-11-24'],
  [/^payload$/, () => ({ external_id: 'W' })],
  [/^phase_id$/, () => null],
  [/^additional_?[gG]eofences$/, () => [{}]],
];

/** By the root field, if it requires other values than the type. */
const BY_ROOT: ReadonlyMap<string, Sample> = new Map<string, Sample>([
  // A merge refuses the same as its dry run.
  ['mergeAccounts', ({ tenant }) => ({ otherIds: [tenant.account.id], dryRun: true })],
  ['mergeSites', ({ tenant }) => ({ otherIds: [tenant.dropoff.id], dryRun: true })],
  ['mergeMaterials', ({ tenant }) => ({ otherIds: [tenant.material.id], dryRun: true })],
  ['mergeDrivers', ({ ids }) => ({ otherIds: [ids.driver], dryRun: true })],
  ['mergeEquipment', ({ ids }) => ({ otherIds: [ids.inactiveEquipment], dryRun: true })],
  ['createSettlement', ({ ids }) => ({ invoiceIds: [ids.invoice] })],
  ['accountingFile', ({ ids }) => ({ format: 'xero', settlementIds: [ids.approvedSettlement] })],
  ['setRebillRates', () => []],
  [
    'createVendorBill',
    ({ ids }) => ({ vendorAccountId: ids.account, number: `W-${Math.random()}`, lines: [{ ticketNumber: 'W', amount: '1' }] }),
  ],
  ['closeBillingPeriod', () => ({ endsOn: periodDay() })],
  ['correctSettlement', () => ({ reason: 'price', changes: [] })],
  ['emailSettlement', () => ({ email: 'walk@example.com' })],
  [
    'createManagedCompanyShare',
    ({ tenant, ids }) => ({ receiverCompanyId: tenant.company.id, companyShareableId: ids.managedSite, companyShareableType: 'Site' }),
  ],
  ['createManagedResourceScope', ({ ids }) => ({ resourceId: ids.managedSite, resourceType: 'Site' })],
  ['createManagedUser', () => ({ firstName: 'Wim', lastName: 'Walk', email: `managed${Math.random()}@example.com`, iamRoleIds: [DRIVER] })],
]);

const DIRECTORY: Record<string, Sample> = {
  CreateDepartmentInput: fresh,
  CreateServiceClassInput: fresh,
  CreateTrafficControlPlanInput: fresh,
  CreateLabelInput: fresh,
  CreateMaterialInput: fresh,
  CreateSiteInput: fresh,
  CreateEquipmentTypeInput: fresh,
  CreateComplianceDocumentTypeInput: fresh,
  CreateKmlFileInput: () => ({ file: PLACE }),
  UpdateKmlFileInput: () => ({ name: 'Walk' }),
  ContactBulkAssignInput: () => ({ contacts: [{ name: 'Walk' }] }),
  CreateCompanyInput: () => wired(companyInput(), camel),
  CreateCompanyShareInput: ({ tenant, ids }) => ({
    receiverCompanyId: ids.childCompany,
    companyShareableId: tenant.pickup.id,
    companyShareableType: 'Site',
  }),
  ConnectAccountInput: ({ ids }) => ({ platformId: ids.partner, accountTypes: ['vendor'] }),
  ConnectCompaniesInput: ({ tenant, ids }) => ({
    senderCompanyId: tenant.company.id,
    receiverCompanyId: ids.childCompany,
    senderAccountTypes: ['customer'],
  }),
  InviteAccountInput: () => wired(inviteInput(), camel),
  BulkUpdateAccountInput: ({ ids }) => [{ id: ids.account }],
  CreateAccountInput: () => ({ name: `Walk ${Math.random()}`, accountTypes: ['customer'] }),
  CreateEquipmentInput: ({ ids, root }) => ({
    name: 'Walk truck',
    equipmentTypeId: root === 'createManagedEquipment' ? ids.managedType : ids.equipmentType,
  }),
  InviteInternalEquipmentInput: ({ ids }) => ({ name: 'Walk truck', equipmentTypeId: ids.equipmentType }),
  CreateTimeOffInput: () => ({ startDate: '2026-12-01T00:00:00.000Z', endDate: '2026-12-02T00:00:00.000Z' }),
  CreateComplianceDocumentInput: ({ ids }) => ({ complianceDocumentTypeId: ids.complianceDocumentType }),
};

const IDENTITY: Record<string, Sample> = {
  CreateIamRoleInput: () => ({ name: `Role ${Math.random()}`, permissions: [] }),
  CreateExportScheduleInput: () => ({
    ...{ name: 'Orders', list: 'orders', format: 'csv', frequency: 'daily', localTime: '06:00', recipients: ['walk@example.com'] },
  }),
  CreateM2MClientInput: () => ({ name: 'Sender', scopes: ['manage_machine_clients'] }),
  CreateResourceScopeInput: ({ tenant }) => ({ resourceId: tenant.dropoff.id, resourceType: 'Site' }),
  UpdateUserInput: () => ({ externalId: `W${Math.random()}` }),
  CreateUserInput: ({ ids }) => ({
    firstName: 'Wil',
    lastName: 'Walk',
    email: `walk${Math.random()}@example.com`,
    // A role without permissions, which anybody may assign.
    iamRoleIds: [ids.iamRole],
  }),
  SsoLoginInput: () => ({ ssoToken: 'nothing' }),
  CreateSsoProviderInput: connectionInput,
  EmailInput: () => ({ email: 'nobody@example.com' }),
  EmailAddressInput: () => ({ email: 'nobody@example.com' }),
  MagicLinkLoginInput: () => ({ magicLinksToken: 'wrong' }),
  PhoneInput: () => ({ phone: '+12015550123' }),
  OtpSmsLoginInput: () => ({ phoneId: 'wrong', code: '000000' }),
  ResetPasswordInput: () => ({ passwordResetToken: 'wrong', password: 'limestone and rain' }),
  SignUpInput: () => ({ magicLinksToken: 'wrong', password: 'limestone and rain' }),
  RefreshSessionInput: () => ({ refreshToken: 'wrong' }),
  LoginInput: () => ({ email: 'nobody@example.com', password: 'wrong password' }),
};

const BILLING: Record<string, Sample> = {
  CreateAddOnInput: () => ({ name: `Walk ${Math.random()}`, addOnTypes: ['job'] }),
  CreateAccountingTemplateInput: () => ({
    name: `Walk ${Math.random()}`,
    columns: ['number', 'amount'].map((field) => ({ heading: field, field })),
  }),
  CreateFuelPriceIndexInput: fresh,
  SplitInvoiceInput: () => ({ loadIds: [] }),
  CorrectedInvoiceInput: ({ ids }) => ({ invoiceId: ids.invoice }),
  CreateFuelPriceInput: () => ({ date: '2026-11-09', price: '4.132' }),
  CreateFuelSurchargeScheduleInput: ({ ids }) => ({
    name: `Walk ${Math.random()}`,
    fuelPriceIndexId: ids.fuelPriceIndex,
    surchargeType: 'percentage',
  }),
  CreateLinkedAccountInput: ({ ids }) => ({ publicToken: ids.publicToken }),
  GenerateFuelSurchargeRowsInput: () => ({ base: '3', step: '0.25', perStep: '1', to: '4', replace: true }),
  CreateFuelSurchargeSchedulePriceInput: () => ({ price: '3.5', billSurcharge: '1' }),
};

const REPORTING: Record<string, Sample> = {
  CreateReportCategoryInput: fresh,
  CreateReportInput: ({ ids }) => ({ name: `Walk ${Math.random()}`, dashboardId: 'drivers', reportCategoryId: ids.reportCategory }),
  UpdateReportInput: () => ({ name: `Walk ${Math.random()}` }),
  MoveSandboxClockInput: () => ({ seconds: 60 }),
  ReportDefinitionInput: () => ({ measures: ['loads'] }),
};

const EVENTS: Record<string, Sample> = {
  CreateWebhookSubscriptionInput: () => ({ url: 'https://hooks.example/new', triggers: ['ImportedProject::skip'] }),
  UpdateWebhookSubscriptionInput: () => ({ name: `Walk ${Math.random()}` }),
  ReplayWebhooksInput: () => ({ from: '2026-11-01T00:00:00.000Z', to: '2026-11-02T00:00:00.000Z' }),
};

const DISPATCH: Record<string, Sample> = {
  DriverAssignmentInput: ({ tenant, ids }) => [{ jobId: ids.job, driverId: tenant.driver.id }],
  BulkAssignVendorInput: ({ tenant, ids, name }) =>
    name ? [{ jobIds: [ids.job], vendorAccountId: tenant.vendor.id }] : { jobIds: [ids.job], vendorAccountId: tenant.vendor.id },
  // Jobs of the caller's company: those of others are a 422, like everything that a body names.
  CreateBulkDownloadInput: () => ({ type: 'zip', filter: { job: { states: ['canceled'] } } }),
  BulkDriverSmsInput: ({ ids }) => ({ jobIds: [ids.job] }),
  BulkCopyAssignmentsInput: ({ ids }) => ({ orderId: ids.order, jobIds: [ids.job] }),
  CreateOrderInput: ({ tenant }) => wired(orderInput(tenant), camel),
  CreateWaypointInput: ({ tenant }) => ({ type: 'pickup', siteId: tenant.pickup.id, ordinality: 1 }),
  CreateProjectMaterialInput: ({ ids }) => ({ materialId: ids.material }),
  CreateProjectInput: ({ tenant }) => ({ name: `Walk ${Math.random()}`, accountId: tenant.account.id }),
  CreateMaterialRateInput: ({ ids }) => ({ materialId: ids.material, unitOfMeasure: 'Ton' }),
  CreateRateInput: () => ({ name: 'Walk', type: 'RatePerHour', timeRate: '30', timeMinimumMinutes: 0, timeIncrementMinutes: 0 }),
  CalculateCostInput: ({ ids }) => ({
    estimatedHours: 8,
    orderQuantity: 9,
    orderUnitOfMeasure: 'Ton',
    customerRateId: ids.customerRate,
    vendorRateId: ids.vendorRate,
  }),
  EstimateOrderInput: () => ({ totalLoads: 8, equipmentCapacity: 14, jobDurationMinutes: 480, cycleTimeMinutes: 60 }),
  EstimateRouteInput: () => ({ pickupSiteLat: 30, pickupSiteLon: -97, dropOffSiteLat: 31, dropOffSiteLon: -98 }),
};

const WASH = { name: 'Wash', quantity: 2 };

const PROOF: Record<string, Sample> = {
  BulkApprovalInput: ({ ids }) => ({ driverDayIds: [ids.driverDay] }),
  AddOnChargeInput: () => WASH,
  CreateAutoAddOnAssignmentInput: () => ({ ...WASH, addOnTypes: ['invoicing'], accountType: 'customer' }),
  UpdateAutoAddOnAssignmentInput: () => ({ quantity: 3 }),
  AddOnChargeChange: ({ name }) => (name ? [WASH] : WASH),
  // One without an id is taken and ignored.
  InvoiceLineItemChange: ({ name }) => (name ? [{ quantity: '1' }] : { quantity: '1' }),
  CalculateTriggersInput: () => ({ startAt: '2026-11-23T06:00:00Z', endAt: '2026-11-23T07:00:00Z', geofences: [] }),
  UpdateDriverDayInput: () => ({ externalId: `W${Math.random()}` }),
  UpdateResourceUsageLogInput: () => ({ usageMinutes: 2 }),
  CreateResourceUsageLogInput: ({ ids }) => ({
    ...{ resourceUsageLoggableType: 'DriverDay', resourceUsageLoggableId: ids.driverDay },
    ...{ driverId: ids.user, usageMinutes: 1, dateOfUse: '2026-12-01' },
  }),
  ResourceUsageLogChange: ({ ids, name }) => (name ? [{ id: ids.resourceUsageLog, usageMinutes: 2 }] : { id: ids.resourceUsageLog }),
  CreateDirectUploadInput: () => ({
    filename: 'walk.png',
    byteSize: 1,
    checksum: `${'A'.repeat(22)}==`,
    contentType: 'image/png',
  }),
  CreateFileAttachmentInput: ({ ids }) => ({ file: ids.upload }),
  SetTicketImageInput: ({ ids }) => ({ image: ids.upload }),
  CreateDriverSignatureInput: ({ ids }) => ({ image: ids.upload }),
  CreateDropoffSignatureInput: ({ ids }) => ({ image: ids.upload, name: 'Walk' }),
  CreateTicketInput: () => ({ unitOfMeasure: 'Ton' }),
  CreateDeviceTokenInput: () => ({ token: 'push-service:walk' }),
  UpdateDevicePermissionsInput: () => ({ deviceId: 'phone', devicePermissions: [] }),
  MobileDeviceLocationsInput: () => ({ deviceId: 'phone', locations: [] }),
  MobileDeviceLocationInput: () => ({ deviceId: 'phone', location: { occurredAt: new Date().toISOString(), lat: 30, lon: -97 } }),
  Csv: () => SHEET,
  JSON: ({ name }) => (name === 'metadata' ? { sender: 'W' } : [{ external_id: 'W' }]),
};

const TELEMATICS: Record<string, Sample> = {
  // Its provider only sends, so that nothing is called.
  ConnectTelematicsFleetInput: () => ({ name: 'Walk', provider: 'verizon_reveal' }),
};

const INGEST: Record<string, Sample> = {
  // An empty filter is refused without `all`.
  ImportReplayFilter: () => ({ states: ['failed', 'exhausted'] }),
};
const BY_TYPE: ReadonlyMap<string, Sample> = new Map(
  Object.entries({ ...DIRECTORY, ...IDENTITY, ...BILLING, ...EVENTS, ...REPORTING, ...DISPATCH, ...PROOF, ...TELEMATICS, ...INGEST }),
);
