import { randomBytes } from 'node:crypto';
import { ref } from '@mikro-orm/core';
import { ExportSchedule } from '../../../src/reporting/exports/export-schedule.entity.ts';
import { ReportingLogin } from '../../../src/reporting/logins/reporting-login.entity.ts';
import { Report, ReportCategory } from '../../../src/reporting/reports/report.entity.ts';
import type { Tenant } from '../tenant.ts';
import { of, type Row } from './expectation.ts';

/** The permissions of the root fields of src/reporting. Measures take further ones, each its own. */
export const REPORTING: Row[] = [
  ...of(undefined, 'company', 'metrics', 'metricDefinitions', 'reportCategories'),
  ...of('reportCategory', 'company', 'reportCategory'),
  ...of(undefined, 'view_report', 'reports', 'dataHealthFindings', 'dataHealthCounts'),
  ...of('report', 'view_report', 'report', 'reportPage'),
  ...of('reportCategory', 'view_report', 'reportsOfCategory'),
  ...of(undefined, 'edit_report', 'createReport', 'createReportCategory'),
  ...of('report', 'edit_report', 'updateReport', 'deleteReport'),
  ...of('reportCategory', 'edit_report', 'updateReportCategory', 'deleteReportCategory'),
  ...of(undefined, 'edit_report', 'exportSchedules', 'createExportSchedule'),
  ...of('exportSchedule', 'edit_report', 'exportSchedule', 'exportRuns', 'updateExportSchedule', 'deleteExportSchedule'),
  ...of(undefined, 'manage_machine_clients', 'reportingLogins', 'createReportingLogin'),
  ...of('reportingLogin', 'manage_machine_clients', 'reportingLogin', 'renewReportingLogin', 'revokeReportingLogin'),
];

/** Saves a record and returns its id. */
type Save = <T extends { id: string }>(type: new () => T, fields: object) => Promise<string>;

/** Makes records of src/reporting, with ids that the walk uses. */
export function reportingMakers(tenant: Tenant, saved: Save) {
  let made = 0;
  const named = () => ({ company: ref(tenant.company), name: `Walk ${Math.random()} ${++made}` });
  const reportCategory = () => saved(ReportCategory, named());
  return {
    reportingLogin: () =>
      saved(ReportingLogin, { ...named(), username: `haulgate_bi_walk_${randomBytes(4).toString('hex')}`, passwordMadeAt: new Date() }),
    exportSchedule: () =>
      saved(ExportSchedule, {
        ...named(),
        ...{ list: 'orders', query: '', format: 'csv', frequency: 'daily', localTime: '06:00', recipients: ['walk@example.com'] },
        ...{ createdByType: 'M2MClient', createdById: tenant.company.id, createdByName: 'Walk' },
      }),
    reportCategory,
    report: async () => saved(Report, { ...named(), dashboardId: 'drivers', reportCategory: ref(ReportCategory, await reportCategory()) }),
  };
}
