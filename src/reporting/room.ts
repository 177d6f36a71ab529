import { dataHealthMessages } from './data-health/data-health.messages.ts';
import { DataHealthResolver } from './data-health/data-health.resolver.ts';
import { LIST_EXPORT_MAILS, listExportMails } from './exports/export-mails.ts';
import { LIST_EXPORTS } from './exports/export-queue.ts';
import { ExportRun, ExportSchedule } from './exports/export-schedule.entity.ts';
import { exportScheduleMessages } from './exports/export-schedule.messages.ts';
import { ExportScheduleResolver } from './exports/export-schedule.resolver.ts';
import { exportSecretReserved, LIST_EXPORT_SECRETS } from './exports/export-storage.ts';
import { dueTimesOfZones } from './exports/move-schedules.ts';
import { invariantMessages } from './invariants/invariants.messages.ts';
import { INVARIANTS_CHECK } from './invariants/invariants.ts';
import { REPORTING_LOGINS, verifiersReserved } from './logins/login-roles.ts';
import { ReportingLogin } from './logins/reporting-login.entity.ts';
import { reportingLoginMessages } from './logins/reporting-login.messages.ts';
import { ReportingLoginResolver, reportingLoginExtension } from './logins/reporting-login.resolver.ts';
import { reportingLoginUsernameKey } from './logins/reporting-logins.ts';
import { metricMessages } from './metrics/metric.messages.ts';
import { MetricResolver } from './metrics/metric.resolver.ts';
import { reportAccess, reportCategoryAccess } from './reports/report.access.ts';
import { Report, ReportCategory } from './reports/report.entity.ts';
import { reportSorts } from './reports/report.inputs.ts';
import { reportMessages } from './reports/report.messages.ts';
import { ReportCategoryResolver, ReportResolver } from './reports/report.resolver.ts';
import { reportCategoryNameKey, reportNameKey } from './reports/reports.ts';

/** The entities of the room. */
export const entities = [ReportCategory, Report, ReportingLogin, ExportSchedule, ExportRun];

/** The accesses to the room's records: one for each entity. */
export const access = [reportCategoryAccess, reportAccess];

/** The sorts of the room's lists. */
export const lists = [...reportSorts];

/** The fields that unique rules of the database are about. */
export const constraints = [reportNameKey, reportCategoryNameKey, reportingLoginUsernameKey];

/** Fields that the room adds to its records. */
export const extensions = [reportingLoginExtension];

/** The ways in which the room acts across companies. */
export const purposes = [
  ...[INVARIANTS_CHECK, REPORTING_LOGINS, verifiersReserved],
  ...[LIST_EXPORTS, LIST_EXPORT_MAILS, LIST_EXPORT_SECRETS, exportSecretReserved],
];

/** The consequences of changes of companies, in the same transaction. */
export const consequences = [dueTimesOfZones];

/** The room's messages. */
export const messages = [
  metricMessages,
  reportMessages,
  reportingLoginMessages,
  exportScheduleMessages,
  dataHealthMessages,
  invariantMessages,
];

/** The fields of the room's interface. */
export const resolvers: Function[] = [
  MetricResolver,
  ReportResolver,
  ReportCategoryResolver,
  ReportingLoginResolver,
  ExportScheduleResolver,
  DataHealthResolver,
];

/** Mails that the room writes. */
export const composers = [...listExportMails];
