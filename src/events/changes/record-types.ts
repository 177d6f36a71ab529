import { stringEnum } from '../../platform/model/columns.ts';

/**
 * The types of records whose changes are in the feed: those that are found by their id. Deliveries of webhooks are not among them, because they
 * tell what the feed tells. `migrations/202611271955-note-changes.ts` notes the changes of their tables.
 */
export const RecordType = stringEnum('RecordType', [
  ...(['Account', 'AccountExternalTruckIdentifier', 'AddOn', 'AddOnCharge', 'AutoAddOnAssignment', 'BulkAction', 'BulkDownload'] as const),
  ...(['Company', 'CompanyShare', 'ComplianceDocumentType', 'Department', 'DriverDay', 'Equipment', 'EquipmentType', 'ExportSchedule'] as const),
  ...(['FileAttachment', 'FuelPriceIndex', 'FuelSurchargeSchedule', 'IamRole', 'ImportBatch', 'ImportedRecord', 'Invoice', 'Job'] as const),
  ...(['JobAssignment', 'Label', 'Load', 'M2MClient', 'Material', 'MaterialRate', 'Order', 'Project', 'Rate', 'Report'] as const),
  ...(['ReportCategory', 'ReportingLogin', 'Service', 'ServiceClass', 'Settlement', 'Site', 'SmsIntegration', 'TelematicsFleet'] as const),
  ...(['TelematicsRemoteVehicle', 'Ticket', 'TrafficControlPlan', 'User', 'WebhookSubscription'] as const),
]);
export type RecordType = keyof typeof RecordType;

export const RECORD_TYPES = Object.keys(RecordType) as RecordType[];
