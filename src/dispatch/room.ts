import { dispatchAccountAccess } from './access/account.access.ts';
import { auditEntryAccess } from './access/audit-entry.access.ts';
import { dispatchNumberAccess } from './access/dispatch-number.access.ts';
import { driverDayAccess } from './access/driver-day.access.ts';
import { fileAttachmentAccess } from './access/file-attachment.access.ts';
import { jobAccess } from './access/job.access.ts';
import { jobAssignmentAccess } from './access/job-assignment.access.ts';
import { jobEventAccess } from './access/job-event.access.ts';
import { loadAccess } from './access/load.access.ts';
import { orderAccess } from './access/order.access.ts';
import { phaseAccess } from './access/phase.access.ts';
import { projectAccess } from './access/project.access.ts';
import { waypointAccess } from './access/waypoint.access.ts';
import { AccountCapacityResolver } from './assignment/account-capacity.ts';
import { JobAssignmentResolver } from './assignment/job-assignment.resolver.ts';
import { AttachmentResolver } from './attachments/attachment.resolver.ts';
import { DayBoardResolver } from './board/day-board.resolver.ts';
import { SiteFacetResolver } from './board/site-facet.resolver.ts';
import { SiteStatsResolver } from './board/site-stats.ts';
import { TypeaheadResolver } from './board/typeahead.resolver.ts';
import { BulkResolver } from './bulk/bulk.resolver.ts';
import { bulkActionAccess, bulkActionItemAccess } from './bulk/bulk-action.access.ts';
import { BulkAction, BulkActionItem } from './bulk/bulk-action.entity.ts';
import { ConflictsResolver } from './conflicts/conflicts.resolver.ts';
import { DriverDayResolver } from './drivers/driver-day.resolver.ts';
import { DriverStateResolver } from './drivers/driver-state.resolver.ts';
import { ManagedDriverResolver } from './drivers/managed-driver.resolver.ts';
import { PeopleResolver } from './drivers/people.resolver.ts';
import { JobMutations, JobResolver } from './jobs/job.resolver.ts';
import { JobEquipmentResolver } from './jobs/job-equipment.resolver.ts';
import { JobRecordsResolver } from './jobs/job-records.resolver.ts';
import { LoadMutations, LoadResolver } from './loads/load.resolver.ts';
import { DefaultSite } from './model/default-site.entity.ts';
import { DispatchNumber } from './model/dispatch-number.entity.ts';
import { DriverDay } from './model/driver-day.entity.ts';
import { DriverStateEvent } from './model/driver-state.entity.ts';
import { Job } from './model/job.entity.ts';
import { JobAssignment } from './model/job-assignment.entity.ts';
import { JobEvent } from './model/job-event.entity.ts';
import { Load } from './model/load.entity.ts';
import { LoadSummary } from './model/load-summary.ts';
import { Order } from './model/order.entity.ts';
import { Phase } from './model/phase.entity.ts';
import { Project, ProjectMaterial } from './model/project.entity.ts';
import { Waypoint } from './model/route.entity.ts';
import { DefaultSiteResolver } from './orders/default-site.resolver.ts';
import { InvoicingResolver } from './orders/invoicing.resolver.ts';
import { OrderMutations, OrderResolver } from './orders/order.resolver.ts';
import { TimelineResolver } from './orders/timeline.resolver.ts';
import { AddOn } from './pricing/add-on.entity.ts';
import { AddOnMutations, AddOnResolver } from './pricing/add-ons.ts';
import { MaterialRate } from './pricing/material-rate.entity.ts';
import { MaterialRateMutations, MaterialRateResolver } from './pricing/material-rate.resolver.ts';
import { addOnAccess, materialRateAccess, siteRateScheduleAccess } from './pricing/prices.access.ts';
import { RateResolver } from './pricing/rate.resolver.ts';
import { SiteRateSchedule } from './pricing/site-rate-schedule.entity.ts';
import { SiteRateScheduleResolver } from './pricing/site-rate-schedule.resolver.ts';
import { ProjectResolver } from './projects/project.resolver.ts';

/** The entities of the room. */
export const entities = [
  DispatchNumber,
  Project,
  ProjectMaterial,
  MaterialRate,
  AddOn,
  SiteRateSchedule,
  Order,
  Phase,
  Waypoint,
  Job,
  JobAssignment,
  BulkAction,
  BulkActionItem,
  JobEvent,
  DriverStateEvent,
  DriverDay,
  Load,
  LoadSummary,
  DefaultSite,
];

/** Who sees the room's records: one access for each entity. */
export const access = [
  orderAccess,
  jobAccess,
  loadAccess,
  jobEventAccess,
  jobAssignmentAccess,
  projectAccess,
  phaseAccess,
  waypointAccess,
  dispatchNumberAccess,
  dispatchAccountAccess,
  fileAttachmentAccess,
  auditEntryAccess,
  bulkActionAccess,
  bulkActionItemAccess,
  driverDayAccess,
  materialRateAccess,
  addOnAccess,
  siteRateScheduleAccess,
];

/** The resolvers of the room. */
export const resolvers: Function[] = [
  PeopleResolver,
  ManagedDriverResolver,
  AccountCapacityResolver,
  JobEquipmentResolver,
  DriverStateResolver,
  DriverDayResolver,
  ProjectResolver,
  RateResolver,
  MaterialRateMutations,
  MaterialRateResolver,
  AddOnMutations,
  AddOnResolver,
  SiteRateScheduleResolver,
  OrderResolver,
  ...OrderMutations,
  JobResolver,
  ...JobMutations,
  JobRecordsResolver,
  JobAssignmentResolver,
  BulkResolver,
  InvoicingResolver,
  ConflictsResolver,
  DayBoardResolver,
  LoadResolver,
  ...LoadMutations,
  TimelineResolver,
  DefaultSiteResolver,
  SiteFacetResolver,
  SiteStatsResolver,
  TypeaheadResolver,
  AttachmentResolver,
];
