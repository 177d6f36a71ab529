import { dispatchAccountAccess } from './access/account.access.ts';
import { auditEntryAccess } from './access/audit-entry.access.ts';
import { dispatchNumberAccess } from './access/dispatch-number.access.ts';
import { driverDayAccess, driverStateEventAccess } from './access/driver-day.access.ts';
import { fileAttachmentAccess } from './access/file-attachment.access.ts';
import { jobAccess } from './access/job.access.ts';
import { jobAssignmentAccess } from './access/job-assignment.access.ts';
import { jobEventAccess } from './access/job-event.access.ts';
import { loadAccess } from './access/load.access.ts';
import { orderAccess } from './access/order.access.ts';
import { phaseAccess } from './access/phase.access.ts';
import { projectAccess } from './access/project.access.ts';
import { waypointAccess } from './access/waypoint.access.ts';
import { workBelow, workBelowAccess } from './access/work-below.ts';
import { AccountCapacityResolver, accountCapacityFilters } from './assignment/account-capacity.ts';
import { JobAssignmentResolver } from './assignment/job-assignment.resolver.ts';
import { workWithFiles } from './attachments/attachables.ts';
import { AttachmentResolver, AttachmentsOfWork, fileAttachmentExtension } from './attachments/attachment.resolver.ts';
import { DayBoardResolver } from './board/day-board.resolver.ts';
import { DayCountsResolver } from './board/day-counts.resolver.ts';
import { DayJobStatsResolver } from './board/day-job-stats.resolver.ts';
import { LiveDayBoardResolver } from './board/live-day-board.resolver.ts';
import { SiteFacetResolver } from './board/site-facet.resolver.ts';
import { SiteStatsResolver } from './board/site-stats.ts';
import {
  DispatchNumberQueries,
  dispatchNumberFilters,
  dispatchNumberSearch,
  dispatchNumberSorts,
  phaseSearch,
  TypeaheadResolver,
} from './board/typeahead.resolver.ts';
import { bulkMessages } from './bulk/bulk.messages.ts';
import { BulkActionQueries, BulkResolver } from './bulk/bulk.resolver.ts';
import { bulkActionAccess, bulkActionItemAccess } from './bulk/bulk-action.access.ts';
import { BulkAction, BulkActionItem, bulkActionFilters, bulkActionItemFilters, bulkActionItemSorts } from './bulk/bulk-action.entity.ts';
import { BULK } from './bulk/bulk-purpose.ts';
import { COPY } from './bulk/copy-assignments.ts';
import { driverTexts, SMS } from './bulk/driver-sms.ts';
import { ACCEPT, ASSIGN_DRIVERS, ASSIGN_VENDORS, CANCEL, DELETE, SEND, SEND_DAY, UNASSIGN, UPDATE } from './bulk/job-bulk.ts';
import { LiveBulkResolver } from './bulk/live-bulk.resolver.ts';
import { conflictsMessages } from './checks/conflicts.messages.ts';
import { ConflictsResolver } from './conflicts/conflicts.resolver.ts';
import { driverDayFilters, driverDaySearch, driverDaySorts } from './drivers/driver-day.lists.ts';
import { DriverDayMutations, DriverDayQueries, DriverDayResolver } from './drivers/driver-day.resolver.ts';
import { DriverDayFiguresResolver } from './drivers/driver-day-figures.resolver.ts';
import { DriverStateResolver } from './drivers/driver-state.resolver.ts';
import { FORGOTTEN } from './drivers/forgotten-shifts.ts';
import { LiveDriversResolver } from './drivers/live-drivers.resolver.ts';
import { ManagedDriverResolver } from './drivers/managed-driver.resolver.ts';
import { userFilters, userSorts } from './drivers/people.lists.ts';
import { PeopleQueries, PeopleResolver } from './drivers/people.resolver.ts';
import { jobEventPkey } from './jobs/drive.ts';
import { jobEventSorts, jobFilters, jobSearch, jobSorts, loadFilters, loadSearch, loadSorts } from './jobs/job.filters.ts';
import { jobMessages } from './jobs/job.messages.ts';
import { JobMutations, JobQueries, JobResolver } from './jobs/job.resolver.ts';
import { JobEquipmentResolver } from './jobs/job-equipment.resolver.ts';
import { JobRecordsResolver } from './jobs/job-records.resolver.ts';
import { summariesMessages } from './jobs/summaries.messages.ts';
import { LoadMutations, LoadQueries, LoadResolver } from './loads/load.resolver.ts';
import { DefaultSite } from './model/default-site.entity.ts';
import { dispatchMessages } from './model/dispatch.messages.ts';
import { DispatchNumber } from './model/dispatch-number.entity.ts';
import { DriverDay, driverDayExternalIdKey, driverDayKey } from './model/driver-day.entity.ts';
import { DriverStateEvent, driverStateEventClientKey, driverStateEventOpenKey } from './model/driver-state.entity.ts';
import { Job } from './model/job.entity.ts';
import { JobAssignment } from './model/job-assignment.entity.ts';
import { JobEvent } from './model/job-event.entity.ts';
import { Load } from './model/load.entity.ts';
import { LoadSummary } from './model/load-summary.ts';
import { Order } from './model/order.entity.ts';
import { Phase } from './model/phase.entity.ts';
import { Project, ProjectMaterial } from './model/project.entity.ts';
import { Waypoint } from './model/route.entity.ts';
import { NOTIFYING, notificationsReserved } from './notifications/notification-kinds.ts';
import { notificationTexts } from './notifications/notification-texts.ts';
import { notificationsMessages } from './notifications/notifications.messages.ts';
import { ordersExternalIdKey } from './orders/create-order.ts';
import { DefaultSiteResolver } from './orders/default-site.resolver.ts';
import { InvoicingResolver } from './orders/invoicing.resolver.ts';
import {
  orderFilters,
  orderSearch,
  orderSorts,
  projectFilters,
  projectSearch,
  projectSearchText,
  projectSorts,
} from './orders/order.filters.ts';
import { OrderMutations, OrderQueries, OrderResolver } from './orders/order.resolver.ts';
import { figuresAlong } from './orders/order-summary.ts';
import { TimelineResolver } from './orders/timeline.resolver.ts';
import { unloggedWork } from './orders/unlogged-work.ts';
import { MaterialRate } from './pricing/material-rate.entity.ts';
import { materialRateFilters, materialRateSorts, supplierFilters } from './pricing/material-rate.lists.ts';
import { MaterialRateMutations, MaterialRateQueries, MaterialRateResolver } from './pricing/material-rate.resolver.ts';
import { materialRateCombinationKey } from './pricing/material-rates.ts';
import { materialRateAccess, siteRateScheduleAccess } from './pricing/prices.access.ts';
import { rateFilters, rateSearch, rateSorts } from './pricing/rate.lists.ts';
import { rateMessages } from './pricing/rate.messages.ts';
import { plannedRate, RateQueries, RateResolver } from './pricing/rate.resolver.ts';
import { ratePrimaryKey } from './pricing/rates.ts';
import { SiteRateSchedule } from './pricing/site-rate-schedule.entity.ts';
import { siteRateScheduleFilters } from './pricing/site-rate-schedule.inputs.ts';
import { SiteRateScheduleResolver } from './pricing/site-rate-schedule.resolver.ts';
import { siteRateScheduleSiteKey } from './pricing/site-rate-schedules.ts';
import { missingWages } from './pricing/wages.ts';
import { projectMessages } from './projects/project.messages.ts';
import { ProjectQueries, ProjectResolver } from './projects/project.resolver.ts';
import { projectExternalIdKey } from './projects/project-fields.ts';
import { shiftsMessages } from './shifts/shifts.messages.ts';

/** The entities of the room. */
export const entities = [
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
  JobEvent,
  DriverStateEvent,
  DriverDay,
  Load,
  LoadSummary,
  DefaultSite,
];

/** The accesses to the room's records: one for each entity. */
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
  driverStateEventAccess,
  materialRateAccess,
  siteRateScheduleAccess,
  ...workBelowAccess,
];

/** The filters, sorts and searches of the room's lists. */
export const lists = [
  accountCapacityFilters,
  dispatchNumberSearch,
  dispatchNumberFilters,
  dispatchNumberSorts,
  phaseSearch,
  bulkActionItemSorts,
  bulkActionItemFilters,
  bulkActionFilters,
  driverDayFilters,
  driverDaySearch,
  driverDaySorts,
  userFilters,
  userSorts,
  jobFilters,
  jobSorts,
  jobSearch,
  loadFilters,
  loadSorts,
  loadSearch,
  jobEventSorts,
  orderFilters,
  orderSorts,
  orderSearch,
  projectFilters,
  projectSearch,
  projectSearchText,
  projectSorts,
  supplierFilters,
  materialRateFilters,
  materialRateSorts,
  ...rateFilters,
  rateSearch,
  rateSorts,
  siteRateScheduleFilters,
];

/** The fields that unique rules and checks of the database are about. */
export const constraints = [
  driverDayKey,
  driverDayExternalIdKey,
  driverStateEventOpenKey,
  driverStateEventClientKey,
  jobEventPkey,
  ordersExternalIdKey,
  materialRateCombinationKey,
  ratePrimaryKey,
  siteRateScheduleSiteKey,
  projectExternalIdKey,
];

/** The fields that the room adds to entities of lower rooms. */
export const consequences = [missingWages];
export const extensions = [fileAttachmentExtension, plannedRate, ...workBelow, ...unloggedWork];

/** The reads that are sent along in the message of a single record. */
export const readAlongs = [figuresAlong];

/** The room's messages. */
export const messages = [
  bulkMessages,
  conflictsMessages,
  shiftsMessages,
  jobMessages,
  notificationsMessages,
  summariesMessages,
  dispatchMessages,
  rateMessages,
  projectMessages,
];

/** The composers of the mails and texts of the room. */
export const composers = [driverTexts, notificationTexts];

/** The room's tasks across companies, and the tables that only they use. */
export const purposes = [BULK, FORGOTTEN, NOTIFYING, notificationsReserved];

/** The resolvers of the room. */
export const resolvers: Function[] = [
  LiveDriversResolver,
  LiveBulkResolver,
  LiveDayBoardResolver,
  ...ProjectQueries,
  ...RateQueries,
  ...MaterialRateQueries,
  ...OrderQueries,
  ...LoadQueries,
  ...JobQueries,
  ...PeopleQueries,
  ...DriverDayQueries,
  ...BulkActionQueries,
  ...DispatchNumberQueries,
  PeopleResolver,
  ManagedDriverResolver,
  AccountCapacityResolver,
  JobEquipmentResolver,
  DriverStateResolver,
  DriverDayResolver,
  DriverDayFiguresResolver,
  ...DriverDayMutations,
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
  InvoicingResolver,
  ConflictsResolver,
  DayBoardResolver,
  DayCountsResolver,
  DayJobStatsResolver,
  LoadResolver,
  ...LoadMutations,
  TimelineResolver,
  DefaultSiteResolver,
  SiteFacetResolver,
  SiteStatsResolver,
  TypeaheadResolver,
  AttachmentResolver,
  ...AttachmentsOfWork,
];

/** The records that files are attached to. */
export const attachables = workWithFiles;

export const bulkKinds = [ACCEPT, ASSIGN_DRIVERS, ASSIGN_VENDORS, CANCEL, COPY, DELETE, SEND, SEND_DAY, SMS, UNASSIGN, UPDATE];
