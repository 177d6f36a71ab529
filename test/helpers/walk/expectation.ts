import type { Permission } from '../../../src/identity/access/permissions.ts';
import type { Tenant } from '../tenant.ts';

/**
 * The callers who may use a root field, over both interfaces: `everybody` even without a token, `public` everybody with credentials to show, `person`
 * every signed-in user about themselves, `company` everybody of the company, otherwise this permission. `session` ends the session of the
 * caller: here it is called only without a token.
 */
export interface Expectation {
  who: 'everybody' | 'public' | 'session' | 'person' | 'company' | 'platform' | Permission;
  /** A further required permission, or several. */
  also?: Permission | readonly Permission[];
  /** Permissions that fields of the input take in addition; the calls of the walk leave these fields out. */
  fields?: Readonly<Record<string, Permission>>;
  /** Changes identity providers: no machine client may, and nobody without the permissions of the people concerned. */
  vouches?: true;
  /** The status that anybody but a driver gets. */
  driversOnly?: 403 | 404;
  /** Shows companies without a relation to the caller, by design. */
  acrossFamilies?: boolean;
  /**
   * The conditions that permit it for own records: `<who>:own`, being the driver of the job, `edit_order_pre_accept` until the order is
   * accepted, or being the person.
   */
  own?: readonly ('grant' | 'driver' | 'early' | 'self')[];
  /** Permissions, each of which permits it for records that the caller sent. */
  sent?: readonly Permission[];
  /** The kind of record that `id` names. */
  of?:
    | 'ssoConnection'
    | 'department'
    | 'serviceClass'
    | 'dispatchNumber'
    | 'service'
    | 'label'
    | 'material'
    | 'inactiveMaterial'
    | 'inactiveSite'
    | 'siteGeofence'
    | 'kmlFile'
    | 'equipmentType'
    | 'account'
    | 'externalTruck'
    | 'managedAccount'
    | 'driver'
    | 'foreman'
    | 'order'
    | 'job'
    | 'finishedJob'
    | 'load'
    | 'project'
    | 'inactiveProject'
    | 'rate'
    | 'customerRate'
    | 'materialRate'
    | 'addOn'
    | 'addOnCharge'
    | 'autoAddOn'
    | 'autoAddOnAssignment'
    | 'fuelAddOn'
    | 'invoice'
    | 'invoicedJob'
    | 'paidDay'
    | 'settlement'
    | 'billingPeriod'
    | 'loadMatch'
    | 'vendorBill'
    | 'fuelPriceIndex'
    | 'fuelPrice'
    | 'fuelSurchargeSchedule'
    | 'fuelSurchargeSchedulePrice'
    | 'linkedAccount'
    | 'linkedCustomer'
    | 'linkedVendor'
    | 'linkedItem'
    | 'linkedLedgerAccount'
    | 'accountingTemplate'
    | 'driverDay'
    | 'resourceUsageLog'
    | 'geofenceTrigger'
    | 'jobEvent'
    | 'trafficControlPlan'
    | 'siteRateSchedule'
    | 'vendorRate'
    | 'company'
    | 'childCompany'
    | 'companyShare'
    | 'managedCompany'
    | 'managedShare'
    | 'managedUser'
    | 'managedScope'
    | 'jobAssignment'
    | 'equipment'
    | 'inactiveEquipment'
    | 'managedTruck'
    | 'site'
    | 'importedRecord'
    | 'importBatch'
    | 'fileAttachment'
    | 'ticket'
    | 'iamRole'
    | 'm2mClient'
    | 'user'
    | 'userSession'
    | 'timeOff'
    | 'accountTimeOff'
    | 'formerUser'
    | 'resourceScope'
    | 'bulkAction'
    | 'bulkDownload'
    | 'complianceDocument'
    | 'complianceDocumentType'
    | 'fleet'
    | 'telematicsRemoteVehicle'
    | 'smsIntegration'
    | 'report'
    | 'reportCategory'
    | 'reportingLogin'
    | 'sandbox'
    | 'recordMerge'
    | 'exportSchedule'
    | 'webhookSubscription'
    | 'webhookDelivery';
}

/** Returns a token of a company to which no operation is denied. */
export const permitted = (tenant: Tenant, { vouches }: Expectation): Promise<string> =>
  vouches ? tenant.administrator() : Promise.resolve(tenant.token);

/** A root field and its permissions. */
export type Row = [string, Expectation];

/** The same for own records. */
export const own = (ways: NonNullable<Expectation['own']>, lines: Row[]): Row[] =>
  lines.map(([name, expected]) => [name, { ...expected, own: ways }]);

/** The same for operations that change identity providers. */
export const vouching = (lines: Row[]): Row[] => lines.map(([name, expected]) => [name, { ...expected, vouches: true }]);

/** Root fields with the same permissions for the same kind of record. */
export const of = (kind: Expectation['of'], who: Expectation['who'], ...names: string[]): Row[] =>
  names.map((name) => [name, { who, of: kind }]);
