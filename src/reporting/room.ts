import { INVARIANTS_CHECK } from './invariants/invariants.ts';
import { metricMessages } from './metrics/metric.messages.ts';
import { MetricResolver } from './metrics/metric.resolver.ts';
import { reportAccess, reportCategoryAccess } from './reports/report.access.ts';
import { Report, ReportCategory } from './reports/report.entity.ts';
import { reportSorts } from './reports/report.inputs.ts';
import { reportMessages } from './reports/report.messages.ts';
import { ReportCategoryResolver, ReportResolver } from './reports/report.resolver.ts';
import { reportCategoryNameKey, reportNameKey } from './reports/reports.ts';

/** The entities of the room. */
export const entities = [ReportCategory, Report];

/** Who sees the room's records: one access for each entity. */
export const access = [reportCategoryAccess, reportAccess];

/** The sorts of the room's lists. */
export const lists = [...reportSorts];

/** The fields that unique rules of the database are about. */
export const constraints = [reportNameKey, reportCategoryNameKey];

/** The ways in which the room acts across companies. */
export const purposes = [INVARIANTS_CHECK];

/** The room's messages. */
export const messages = [metricMessages, reportMessages];

/** The fields of the room's interface. */
export const resolvers: Function[] = [MetricResolver, ReportResolver, ReportCategoryResolver];
