// The ways to act across companies, whose roles are made with the migrations.
import './files/sweep-files.ts';
import './files/previews/preview-queue.ts';
import './dispatch/logo/logo-endpoints.ts';
import './directory/find-company.ts';
import './identity/sign-in-purpose.ts';
import './identity/sso/holders-purpose.ts';
import './identity/sso/recheck-domains.ts';
import './dispatch/bulk/bulk-purpose.ts';
import './ingest/ledger/ledger-purpose.ts';
import './directory/shares-purpose.ts';
import './identity/sessions.ts';
import './platform/http/rest/idempotency.ts';
import './platform/outgoing/outgoing.ts';
import { Account } from './directory/account.entity.ts';
import { AccountTimeOffResolver } from './directory/account-time-off.resolver.ts';
import { Address } from './directory/address.entity.ts';
import { Company } from './directory/company.entity.ts';
import { CompanyResolver } from './directory/company.resolver.ts';
import { CompanyShare } from './directory/company-share.entity.ts';
import { ComplianceDocument, ComplianceDocumentType } from './directory/compliance/compliance.entity.ts';
import { ComplianceResolver } from './directory/compliance/compliance.resolver.ts';
import { ComplianceDocumentTypeMutations, ComplianceDocumentTypeQueries } from './directory/compliance/document-types.ts';
import { Contact } from './directory/contact.entity.ts';
import { UserDevicePermission } from './directory/device-permission.entity.ts';
import { Equipment } from './directory/equipment.entity.ts';
import { EquipmentActivity, EquipmentMutations, EquipmentResolver } from './directory/equipment.resolver.ts';
import { EquipmentType } from './directory/equipment-type.entity.ts';
import { EquipmentTypeMutations, EquipmentTypeQueries } from './directory/equipment-types.ts';
import { AccountExternalTruckIdentifier } from './directory/external-truck.entity.ts';
import { ExternalTruckResolver } from './directory/external-truck.resolver.ts';
import { Geofence, RoutingGeofence } from './directory/geofence.entity.ts';
import { IamRole } from './directory/iam-role.entity.ts';
import { KmlFile } from './directory/kml/kml-file.entity.ts';
import { KmlFileResolver } from './directory/kml/kml-file.resolver.ts';
import { Label } from './directory/label.entity.ts';
import { MaterialActivity, MaterialMutations, MaterialQueries, MaterialResolver } from './directory/materials.ts';
import { MovingSite } from './directory/moving-site.entity.ts';
import { Department, Material, MaterialType, Service, ServiceClass, ServiceType } from './directory/named.entities.ts';
import {
  DepartmentMutations,
  DepartmentQueries,
  LabelMutations,
  LabelQueries,
  ServiceClassMutations,
  ServiceClassQueries,
  ServiceQueries,
} from './directory/named-kinds.ts';
import { Rate } from './directory/rate.entity.ts';
import { Site } from './directory/site.entity.ts';
import { SiteActivity, SiteMutations, SiteResolver } from './directory/site.resolver.ts';
import { SitePartsResolver } from './directory/site-parts.resolver.ts';
import { ScheduledTimeOff } from './directory/time-off.entity.ts';
import { TimeOffResolver } from './directory/time-off.resolver.ts';
import { User } from './directory/user.entity.ts';
import { AccountCapacityResolver } from './dispatch/account-capacity.ts';
import { AttachmentResolver } from './dispatch/attachment.resolver.ts';
import { BulkResolver } from './dispatch/bulk/bulk.resolver.ts';
import { BulkAction, BulkActionItem } from './dispatch/bulk/bulk-action.entity.ts';
import { ConflictsResolver } from './dispatch/conflicts/conflicts.resolver.ts';
import { DayBoardResolver } from './dispatch/day-board.resolver.ts';
import { DefaultSite } from './dispatch/default-site.entity.ts';
import { DefaultSiteResolver } from './dispatch/default-site.resolver.ts';
import { DispatchNumber } from './dispatch/dispatch-number.entity.ts';
import { DriverStateEvent } from './dispatch/driver-state.entity.ts';
import { DriverStateResolver } from './dispatch/driver-state.resolver.ts';
import { InvoicingResolver } from './dispatch/invoicing.resolver.ts';
import { Job } from './dispatch/job.entity.ts';
import { JobMutations, JobResolver } from './dispatch/job.resolver.ts';
import { JobAssignment } from './dispatch/job-assignment.entity.ts';
import { JobAssignmentResolver } from './dispatch/job-assignment.resolver.ts';
import { JobEquipmentResolver } from './dispatch/job-equipment.resolver.ts';
import { JobEvent } from './dispatch/job-event.entity.ts';
import { JobRecordsResolver } from './dispatch/job-records.resolver.ts';
import { Load } from './dispatch/load.entity.ts';
import { LoadMutations, LoadResolver } from './dispatch/load.resolver.ts';
import { LoadSummary } from './dispatch/load-summary.ts';
import { LogoResolver } from './dispatch/logo/logo.resolver.ts';
import { ManagedDriverResolver } from './dispatch/managed-driver.resolver.ts';
import { Order } from './dispatch/order.entity.ts';
import { OrderMutations, OrderResolver } from './dispatch/order.resolver.ts';
import { PeopleResolver } from './dispatch/people.resolver.ts';
import { Phase } from './dispatch/phase.entity.ts';
import { MaterialRate } from './dispatch/pricing/material-rate.entity.ts';
import { MaterialRateMutations, MaterialRateResolver } from './dispatch/pricing/material-rate.resolver.ts';
import { RateResolver } from './dispatch/pricing/rate.resolver.ts';
import { SiteRateSchedule } from './dispatch/pricing/site-rate-schedule.entity.ts';
import { SiteRateScheduleResolver } from './dispatch/pricing/site-rate-schedule.resolver.ts';
import { Project, ProjectMaterial } from './dispatch/project.entity.ts';
import { ProjectResolver } from './dispatch/project.resolver.ts';
import { Waypoint } from './dispatch/route.entity.ts';
import { SiteFacetResolver } from './dispatch/site-facet.resolver.ts';
import { SiteStatsResolver } from './dispatch/site-stats.ts';
import { TimelineResolver } from './dispatch/timeline.resolver.ts';
import { TypeaheadResolver } from './dispatch/typeahead.resolver.ts';
import { DirectUpload } from './files/direct-upload.entity.ts';
import { DirectUploadResolver } from './files/direct-upload.resolver.ts';
import { FileAttachment } from './files/file-attachment.entity.ts';
import { AccessResolver } from './identity/access.resolver.ts';
import { AccountMutations, AccountResolver } from './identity/account.resolver.ts';
import { AccountConnectionsResolver } from './identity/account-connections.resolver.ts';
import { AuditLogResolver } from './identity/audit/audit-log.resolver.ts';
import { auditExport } from './identity/audit/export-audit.ts';
import { CompanyFamilyResolver } from './identity/company-family.resolver.ts';
import { CompanyShareResolver } from './identity/company-share.resolver.ts';
import { Credential } from './identity/credential.entity.ts';
import { IamRoleResolver } from './identity/iam-role.resolver.ts';
import { IdpResolver } from './identity/idp.resolver.ts';
import { Impersonation } from './identity/impersonation.entity.ts';
import { ImpersonationResolver } from './identity/impersonation.resolver.ts';
import { Invitation } from './identity/invitation.entity.ts';
import { M2MClient } from './identity/machine-client.entity.ts';
import { MachineClientResolver } from './identity/machine-client.resolver.ts';
import { ManagedCompanyResolver } from './identity/managed-company.resolver.ts';
import { ManagedEquipmentResolver } from './identity/managed-equipment.resolver.ts';
import { ManagedPeopleResolver } from './identity/managed-people.resolver.ts';
import { ManagedScopeResolver } from './identity/managed-scope.resolver.ts';
import { MobileResolver } from './identity/mobile.resolver.ts';
import { ResourceScope } from './identity/resource-scope.entity.ts';
import { ResourceScopeResolver } from './identity/resource-scope.resolver.ts';
import { SessionResolver } from './identity/session.resolver.ts';
import { SignInResolver } from './identity/sign-in/sign-in.resolver.ts';
import { SigningKey } from './identity/signing-key.entity.ts';
import { SsoConnection } from './identity/sso/sso-connection.entity.ts';
import { SsoConnectionResolver } from './identity/sso/sso-connection.resolver.ts';
import { SsoLoginResolver } from './identity/sso/sso-login.resolver.ts';
import { TogglesResolver } from './identity/toggles.resolver.ts';
import { UserMutations, UserResolver } from './identity/user.resolver.ts';
import { UserSession } from './identity/user-session.entity.ts';
import { UserSessionResolver } from './identity/user-session.resolver.ts';
import { CsvResolver } from './ingest/csv/csv.resolver.ts';
import { importFollowUp } from './ingest/follow-up.ts';
import { ImportBatch } from './ingest/import-batch.entity.ts';
import { ImportedRecord } from './ingest/imported-record.entity.ts';
import { ImportedRecordResolver } from './ingest/imported-record.resolver.ts';
import { IngestResolver } from './ingest/ingest.resolver.ts';
import { ReplayResolver } from './ingest/replay.resolver.ts';
import { AuditEntry } from './platform/commands/audit.entity.ts';
import { OutboxEvent } from './platform/commands/outbox.entity.ts';
import { Transition } from './platform/commands/transition.entity.ts';
import { AiReview } from './proof/ai-review.entity.ts';
import { ApprovalAssignment } from './proof/approvals/approval-assignment.entity.ts';
import { ApprovalsResolver, JobApprovalMutations, LoadApprovalMutations } from './proof/approvals/approvals.resolver.ts';
import { LoadProofResolver } from './proof/load-proof.resolver.ts';
import { Signature } from './proof/signatures/signature.entity.ts';
import { SignatureResolver } from './proof/signatures/signature.resolver.ts';
import { Ticket } from './proof/ticket.entity.ts';
import { TicketMutations, TicketResolver } from './proof/ticket.resolver.ts';
import { TicketRollupResolver } from './proof/ticket-rollup.ts';
import { JobWayResolver } from './telematics/job-way.resolver.ts';
import { LocationHistory } from './telematics/location-history.entity.ts';
import { PositionResolver } from './telematics/position.resolver.ts';

/** Every entity of every room; MikroORM discovers no folders, so that the build and the tests see the same list. */
export const entities = [
  // directory
  Company,
  CompanyShare,
  Address,
  Contact,
  Account,
  IamRole,
  User,
  Equipment,
  EquipmentType,
  AccountExternalTruckIdentifier,
  Geofence,
  RoutingGeofence,
  Site,
  MovingSite,
  KmlFile,
  Material,
  MaterialType,
  Service,
  ServiceClass,
  ServiceType,
  Department,
  Label,
  Rate,
  ScheduledTimeOff,
  UserDevicePermission,
  // dispatch
  DispatchNumber,
  Project,
  ProjectMaterial,
  MaterialRate,
  SiteRateSchedule,
  Order,
  Phase,
  Waypoint,
  Job,
  JobAssignment,
  BulkAction,
  BulkActionItem,
  ApprovalAssignment,
  ComplianceDocument,
  ComplianceDocumentType,
  JobEvent,
  DriverStateEvent,
  Load,
  LoadSummary,
  DefaultSite,
  // proof
  Ticket,
  Signature,
  AiReview,
  // telematics
  LocationHistory,
  // files
  FileAttachment,
  DirectUpload,
  // identity
  Credential,
  ResourceScope,
  Impersonation,
  M2MClient,
  Invitation,
  SigningKey,
  SsoConnection,
  UserSession,
  // ingest
  ImportBatch,
  ImportedRecord,
  // platform
  AuditEntry,
  OutboxEvent,
  Transition,
];

/** Every type-graphql resolver class of every room. */
export const resolvers: Function[] = [
  MobileResolver,
  SessionResolver,
  AuditLogResolver,
  UserSessionResolver,
  SignInResolver,
  TogglesResolver,
  IdpResolver,
  SsoConnectionResolver,
  SsoLoginResolver,
  AccessResolver,
  IamRoleResolver,
  MachineClientResolver,
  UserResolver,
  ...UserMutations,
  ResourceScopeResolver,
  ImpersonationResolver,
  CompanyResolver,
  TimeOffResolver,
  EquipmentResolver,
  EquipmentMutations,
  EquipmentActivity,
  DepartmentQueries,
  DepartmentMutations,
  ServiceClassQueries,
  ServiceClassMutations,
  LabelQueries,
  LabelMutations,
  ServiceQueries,
  EquipmentTypeQueries,
  EquipmentTypeMutations,
  MaterialQueries,
  MaterialMutations,
  MaterialResolver,
  MaterialActivity,
  SiteMutations,
  SiteActivity,
  SiteResolver,
  SitePartsResolver,
  KmlFileResolver,
  CompanyFamilyResolver,
  PeopleResolver,
  ManagedDriverResolver,
  AccountResolver,
  AccountTimeOffResolver,
  AccountCapacityResolver,
  ExternalTruckResolver,
  JobEquipmentResolver,
  AccountMutations,
  DriverStateResolver,
  LogoResolver,
  AccountConnectionsResolver,
  CompanyShareResolver,
  ManagedCompanyResolver,
  ManagedEquipmentResolver,
  ManagedPeopleResolver,
  ManagedScopeResolver,
  ProjectResolver,
  RateResolver,
  MaterialRateMutations,
  MaterialRateResolver,
  SiteRateScheduleResolver,
  OrderResolver,
  ...OrderMutations,
  JobResolver,
  ...JobMutations,
  JobRecordsResolver,
  JobAssignmentResolver,
  BulkResolver,
  ApprovalsResolver,
  ...JobApprovalMutations,
  ...LoadApprovalMutations,
  InvoicingResolver,
  ConflictsResolver,
  ComplianceResolver,
  ComplianceDocumentTypeQueries,
  ComplianceDocumentTypeMutations,
  DayBoardResolver,
  LoadResolver,
  ...LoadMutations,
  TimelineResolver,
  DefaultSiteResolver,
  SiteFacetResolver,
  SiteStatsResolver,
  TypeaheadResolver,
  AttachmentResolver,
  DirectUploadResolver,
  LoadProofResolver,
  TicketResolver,
  ...TicketMutations,
  SignatureResolver,
  TicketRollupResolver,
  PositionResolver,
  JobWayResolver,
  IngestResolver,
  ImportedRecordResolver,
  ReplayResolver,
  CsvResolver,
];

export { importers } from './ingest/importers.ts';

/** What clients may ask for beyond the answers of these REST operations. */
export const followUps = {
  ListAuditEntries: auditExport,
  PostOrders: importFollowUp,
  PostProjects: importFollowUp,
  PostTickets: importFollowUp,
  PostOrdersCsv: importFollowUp,
  PostProjectsCsv: importFollowUp,
  PostTicketsCsv: importFollowUp,
};
