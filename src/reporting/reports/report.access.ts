import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { Report, ReportCategory } from './report.entity.ts';

/** A built-in report has no company, and everybody reads it who acts for any. */
const BUILT_IN = { shared: (t: string, p: string) => `(${t}.company_id is null and ${p} is not null)` };

export const reportCategoryAccess = defineAccess(ReportCategory, {
  ...BUILT_IN,
  partnerFields: { passed: [...RECORD_FIELDS, 'company', 'name', 'system', 'discardedAt'], sorts: ['name'] },
});

export const reportAccess = defineAccess(Report, {
  ...BUILT_IN,
  partnerFields: {
    passed: [...RECORD_FIELDS, 'company', 'name', 'system', 'reportCategory', 'dashboardId', 'definition', 'discardedAt'],
    sorts: ['name'],
  },
});
