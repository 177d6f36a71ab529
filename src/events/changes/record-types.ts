import { stringEnum } from '../../platform/model/columns.ts';

/**
 * The types of records whose changes are in the feed: those that are found by their id. Deliveries of webhooks are not among them, because they
 * report what the feed reports. `migrations/202611271955-note-changes.ts` notes the changes of their tables.
 */
export const RecordType = stringEnum('RecordType', [
  ...([
    'Account',
    'AccountExternalTruckIdentifier',
    'AccountingTemplate',
    'AddOn',
    'AddOnCharge',
    'AutoAddOnAssignment',
    'BillingPeriod',
    'BulkAction',
  ] as const),
  ...([
    'BulkDownload',
    'Company',
    'CompanyShare',
    'ComplianceDocumentType',
    'Department',
    'DispatchNumber',
    'DriverDay',
    'Equipment',
  ] as const),
  ...(['EquipmentType', 'ExportSchedule', 'FileAttachment', 'FuelPriceIndex', 'FuelSurchargeSchedule', 'IamRole', 'ImportBatch'] as const),
  ...(['ImportedRecord', 'Invoice', 'Job', 'JobAssignment', 'Label', 'Load', 'LoadMatch', 'M2MClient', 'Material'] as const),
  ...(['MaterialRate', 'Order', 'Project', 'Rate', 'RecordMerge', 'Report', 'ReportCategory', 'ReportingLogin', 'Service'] as const),
  ...(['ServiceClass', 'Settlement', 'Site', 'SmsIntegration', 'TelematicsFleet', 'TelematicsRemoteVehicle', 'Ticket'] as const),
  ...(['TrafficControlPlan', 'User', 'VendorBill', 'WebhookSubscription'] as const),
]);
export type RecordType = keyof typeof RecordType;

export const RECORD_TYPES = Object.keys(RecordType) as RecordType[];
