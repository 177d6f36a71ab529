import { stringEnum } from '../../platform/model/columns.ts';

/**
 * The types of records whose changes are in the feed: those that are found by their id. Deliveries of webhooks are not among them, because they
 * tell what the feed tells. `migrations/202611271955-note-changes.ts` notes the changes of their tables.
 */
export const RecordType = stringEnum('RecordType', [
  ...(['Account', 'AccountExternalTruckIdentifier', 'AddOn', 'AddOnCharge', 'AutoAddOnAssignment', 'BillingPeriod'] as const),
  ...(['BulkAction', 'BulkDownload'] as const),
  ...(['Company', 'CompanyShare', 'ComplianceDocumentType', 'Department', 'DriverDay', 'Equipment', 'EquipmentType'] as const),
  ...(['FileAttachment', 'FuelPriceIndex', 'FuelSurchargeSchedule', 'IamRole', 'ImportBatch', 'ImportedRecord', 'Invoice', 'Job'] as const),
  ...(['JobAssignment', 'Label', 'Load', 'LoadMatch', 'M2MClient', 'Material', 'MaterialRate', 'Order', 'Project', 'Rate'] as const),
  ...([
    'RecordMerge',
    'Report',
    'ReportCategory',
    'ReportingLogin',
    'Service',
    'ServiceClass',
    'Settlement',
    'Site',
    'SmsIntegration',
    'TelematicsFleet',
  ] as const),
  ...(['TelematicsRemoteVehicle', 'Ticket', 'TrafficControlPlan', 'User', 'VendorBill', 'WebhookSubscription'] as const),
]);
export type RecordType = keyof typeof RecordType;

export const RECORD_TYPES = Object.keys(RecordType) as RecordType[];
