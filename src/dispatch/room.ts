import { AccountCapacityResolver } from './account-capacity.ts';
import { AttachmentResolver } from './attachment.resolver.ts';
import { BulkResolver } from './bulk/bulk.resolver.ts';
import { BulkAction, BulkActionItem } from './bulk/bulk-action.entity.ts';
import { ConflictsResolver } from './conflicts/conflicts.resolver.ts';
import { DayBoardResolver } from './day-board.resolver.ts';
import { DefaultSite } from './default-site.entity.ts';
import { DefaultSiteResolver } from './default-site.resolver.ts';
import { DispatchNumber } from './dispatch-number.entity.ts';
import { DriverDay } from './driver-day.entity.ts';
import { DriverDayResolver } from './driver-day.resolver.ts';
import { DriverStateEvent } from './driver-state.entity.ts';
import { DriverStateResolver } from './driver-state.resolver.ts';
import { InvoicingResolver } from './invoicing.resolver.ts';
import { Job } from './job.entity.ts';
import { JobMutations, JobResolver } from './job.resolver.ts';
import { JobAssignment } from './job-assignment.entity.ts';
import { JobAssignmentResolver } from './job-assignment.resolver.ts';
import { JobEquipmentResolver } from './job-equipment.resolver.ts';
import { JobEvent } from './job-event.entity.ts';
import { JobRecordsResolver } from './job-records.resolver.ts';
import { Load } from './load.entity.ts';
import { LoadMutations, LoadResolver } from './load.resolver.ts';
import { LoadSummary } from './load-summary.ts';
import { ManagedDriverResolver } from './managed-driver.resolver.ts';
import { Order } from './order.entity.ts';
import { OrderMutations, OrderResolver } from './order.resolver.ts';
import { PeopleResolver } from './people.resolver.ts';
import { Phase } from './phase.entity.ts';
import { AddOn } from './pricing/add-on.entity.ts';
import { AddOnMutations, AddOnResolver } from './pricing/add-ons.ts';
import { MaterialRate } from './pricing/material-rate.entity.ts';
import { MaterialRateMutations, MaterialRateResolver } from './pricing/material-rate.resolver.ts';
import { RateResolver } from './pricing/rate.resolver.ts';
import { SiteRateSchedule } from './pricing/site-rate-schedule.entity.ts';
import { SiteRateScheduleResolver } from './pricing/site-rate-schedule.resolver.ts';
import { Project, ProjectMaterial } from './project.entity.ts';
import { ProjectResolver } from './project.resolver.ts';
import { Waypoint } from './route.entity.ts';
import { SiteFacetResolver } from './site-facet.resolver.ts';
import { SiteStatsResolver } from './site-stats.ts';
import { TimelineResolver } from './timeline.resolver.ts';
import { TypeaheadResolver } from './typeahead.resolver.ts';
import './passed-fields.ts';

/** What the room keeps. */
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

/** The fields of the room's interface. */
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
