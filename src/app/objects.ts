import { AutoAddOnAssignment } from '../billing/auto-add-ons/auto-add-on-assignment.entity.ts';
import { AddOnCharge } from '../billing/charges/add-on-charge.entity.ts';
import { ComplianceDocument } from '../directory/compliance/compliance.entity.ts';
import { IamRole } from '../directory/people/iam-role.entity.ts';
import { CompanyShare } from '../directory/shares/company-share.entity.ts';
import { MovingSite } from '../directory/sites/moving-site.entity.ts';
import { BulkActionItem } from '../dispatch/bulk/bulk-action.entity.ts';
import { DriverStateEvent } from '../dispatch/model/driver-state.entity.ts';
import { JobEvent } from '../dispatch/model/job-event.entity.ts';
import { FileAttachment } from '../files/file-attachment.entity.ts';
import { DeviceToken } from '../identity/sessions/device-token.entity.ts';
import { ImportedRecord } from '../ingest/ledger/imported-record.entity.ts';
import { RecordMerge } from '../merging/record-merge.entity.ts';
import { AuditEntry } from '../platform/commands/audit.entity.ts';
import type { ObjectField } from '../platform/graphql/objects.ts';
import { extendEntity } from '../platform/model/decorators.ts';
import type { Registration } from '../platform/registration.ts';
import { ApprovalAssignment } from '../proof/approvals/approval-assignment.entity.ts';
import { Signature } from '../proof/signatures/signature.entity.ts';
import { ResourceUsageLog } from '../proof/usage-logs/resource-usage-log.entity.ts';
import { GeofenceTrigger } from '../telematics/fences/geofence-trigger.entity.ts';
import { TelematicsRemoteVehicle } from '../telematics/fleets/remote-vehicle.entity.ts';
import { TelematicsFleet } from '../telematics/fleets/telematics-fleet.entity.ts';
import { LocationHistory } from '../telematics/positions/location-history.entity.ts';

/** The rows of planned reads in which an id is, by its type: the id is read when its object is asked for. Other objects have all their fields. */
const ENTITIES: Readonly<Record<string, Function>> = {
  AddOnCharge,
  ApprovalAssignment,
  AuditLogEntry: AuditEntry,
  AutoAddOnAssignment,
  BulkActionItem,
  CompanyShare,
  ComplianceDocument,
  DeviceToken,
  DriverStateEvent,
  FileAttachment,
  GeofenceTrigger,
  IamRole,
  ImportedRecord,
  JobEvent,
  LocationHistory,
  MovingSite,
  RecordMerge,
  ResourceUsageLog,
  Signature,
  TelematicsFleet,
  TelematicsRemoteVehicle,
};

/**
 * The ids among the fields of types, and the objects next to them; of those of several types, the field next to the id that names the type, if there
 * is one. `test/platform/graphql/conventions.test.ts` names each id without one.
 */
const TABLE: readonly (readonly [id: string, name: string, of: string, typedBy?: string, nullIf?: ObjectField['nullIf']])[] = [
  ['AddOnCharge.addOnApplicableId', 'addOnApplicable', 'Node'],
  ['AddOnCharge.addOnRequestableId', 'addOnRequestable', 'Node'],
  ['ApprovalAssignment.approvableId', 'approvable', 'Node'],
  ['ApprovalAssignment.approverId', 'approver', 'Node'],
  ['AuditLogEntry.companyId', 'company', 'Company'],
  ['AuditLogEntry.subjectId', 'subject', 'Node'],
  ['AutoAddOnAssignment.originalAutoAddOnAssignmentId', 'originalAutoAddOnAssignment', 'AutoAddOnAssignment'],
  ['AutoAddOnAssignment.sourceId', 'source', 'Node'],
  ['BulkActionItem.bulkActionId', 'bulkAction', 'BulkAction'],
  ['BulkActionItem.jobId', 'job', 'Job'],
  ['BulkSendDayResult.bulkActionId', 'bulkAction', 'BulkAction'],
  ['CompanyShare.parentCompanyShareId', 'parentCompanyShare', 'CompanyShare'],
  // The feed is that of one company of a family: who sees the record in another one does not see it there.
  ['Change.id', 'record', 'Node', 'type', { field: 'event', is: ['delete', 'removed'] }],
  ['Change.mergedInto', 'mergedIntoRecord', 'Node'],
  ['ComplianceDocument.compliantId', 'compliant', 'Node'],
  ['ComplianceIssue.documentTypeId', 'complianceDocumentType', 'ComplianceDocumentType'],
  ['CsvPreviewRecord.resultId', 'result', 'Node'],
  ['CsvReceipt.batchId', 'batch', 'ImportBatch'],
  ['DataHealthFinding.id', 'record', 'Node', 'recordType'],
  ['DataHealthFinding.relatedId', 'related', 'Node'],
  ['DayBoard.companyId', 'company', 'Company'],
  ['DeviceToken.userId', 'user', 'User'],
  ['DriverDayWarning.jobId', 'job', 'Job'],
  ['DriverDayWarning.loadId', 'load', 'Load'],
  ['DriverStateEvent.userId', 'user', 'User'],
  ['FileAttachment.fileAttachableId', 'fileAttachable', 'Node'],
  ['GeofenceTrigger.assetId', 'asset', 'Node'],
  ['GeofenceTrigger.loadId', 'load', 'Load'],
  ['GeofenceTrigger.siteId', 'site', 'Site'],
  ['IamRole.companyId', 'company', 'Company'],
  ['ImportPreviewRecord.resultId', 'result', 'Node'],
  ['ImportReceipt.batchId', 'batch', 'ImportBatch'],
  ['ImportedRecord.batchId', 'batch', 'ImportBatch'],
  ['ImportedRecord.resubmittedFrom', 'resubmittedFromRecord', 'ImportedRecord'],
  ['ImportedRecord.resultId', 'result', 'Node'],
  ['ImportedRecord.supersededBy', 'supersededByRecord', 'ImportedRecord'],
  ['JobEvent.loadId', 'load', 'Load'],
  ['LikelyDuplicate.id', 'record', 'Node', 'recordType'],
  ['LikelyDuplicate.otherId', 'other', 'Node', 'recordType'],
  ['LoadCycle.fromLoadId', 'fromLoad', 'Load'],
  ['LoadCycle.toLoadId', 'toLoad', 'Load'],
  ['LocationHistory.jobId', 'job', 'Job'],
  ['LocationHistory.loadId', 'load', 'Load'],
  ['MaterialDeliveredQuantity.materialId', 'material', 'Material'],
  ['MovingSite.equipmentId', 'equipment', 'Equipment'],
  ['MovingSite.siteId', 'site', 'Site'],
  ['PlanConflict.relatedId', 'related', 'Node'],
  ['ProjectQuote.projectId', 'project', 'Project'],
  ['RecordMerge.keptId', 'kept', 'Node'],
  ['ResourceUsageLog.resourceUsageLoggableId', 'resourceUsageLoggable', 'Node'],
  ['Signature.signableId', 'signable', 'Node'],
  ['SiteRadius.siteId', 'site', 'Site'],
  ['TelematicsFleet.companyId', 'company', 'Company'],
  ['TelematicsRemoteVehicle.telematicsFleetId', 'telematicsFleet', 'TelematicsFleet'],
  ['TicketVerification.ticketId', 'ticket', 'Ticket'],
];

/** The objects next to ids, for the schema of clients. */
export const OBJECTS: readonly ObjectField[] = TABLE.map(([id, name, of, typedBy, nullIf]) => ({ id, name, of, typedBy, nullIf }));

/** Has planned reads answer the id with its object. */
export const objectColumns: readonly Registration[] = TABLE.flatMap(([id, name]) => {
  const [type, key] = id.split('.') as [string, string];
  const entity = ENTITIES[type];
  return entity ? [extendEntity(entity, { [name]: { columns: [key] } })] : [];
});
