import type { Permission } from '../../../src/identity/access/permissions.ts';
import type { Yard } from '../yard.ts';

/**
 * Who may use a root field, over either face:
 * `everybody` also without a token, `public` whoever has credentials to show, `person` every signed-in user about themselves, `company` everybody of the company, else this permission.
 * `session` ends the session that asks: only asked without a token here.
 */
export interface Expectation {
  who: 'everybody' | 'public' | 'session' | 'person' | 'company' | Permission;
  /** Needed besides. */
  also?: Permission;
  /** Decides who vouches for people: no machine client does, and nobody who may not do all that those people may. */
  vouches?: true;
  /** Who does not drive finds nothing. */
  driversOnly?: boolean;
  /** Tells of companies that have nothing to do with the caller, by design. */
  acrossFamilies?: boolean;
  /** What opens it on own records: `<who>:own`, being the driver of the job, `edit_order_pre_accept` until the order is accepted, or being the person. */
  own?: readonly ('grant' | 'driver' | 'early' | 'self')[];
  /** Permissions that open it, each alone, on what one sent oneself of their kind. */
  sent?: readonly Permission[];
  /** Record that `id` names. */
  of?:
    | 'ssoConnection'
    | 'department'
    | 'serviceClass'
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
    | 'driverDay'
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
    | 'complianceDocumentType';
}

/** A token of a company for which nothing of an operation is denied. */
export const permitted = (yard: Yard, { vouches }: Expectation): Promise<string> =>
  vouches ? yard.administrator() : Promise.resolve(yard.token);

/** A root field and who may use it. */
export type Row = [string, Expectation];

/** The same for those whose records they are. */
export const own = (ways: NonNullable<Expectation['own']>, lines: Row[]): Row[] =>
  lines.map(([name, expected]) => [name, { ...expected, own: ways }]);

/** The same where it decides who vouches for people. */
export const vouching = (lines: Row[]): Row[] => lines.map(([name, expected]) => [name, { ...expected, vouches: true }]);

/** Root fields that the same people may use on the same kind of record. */
export const of = (kind: Expectation['of'], who: Expectation['who'], ...names: string[]): Row[] =>
  names.map((name) => [name, { who, of: kind }]);
