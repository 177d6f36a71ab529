import type { Published } from '../../platform/database/published.ts';
import { LOGIN_FUNCTIONS, OF_KEEPERS, OF_READERS } from '../logins/login-functions.ts';
import { REPORTING_LOGINS } from '../logins/login-roles.ts';
import { BOUNDS } from './bounds.ts';
import { metricViews } from './metric-views.ts';
import { recordViews } from './record-views.ts';

export const publishedViews = [...recordViews, ...metricViews];

/** The schema that BI tools read. */
export const published: Published = {
  functions: LOGIN_FUNCTIONS,
  readable: OF_READERS,
  ofPurposes: { [REPORTING_LOGINS.name]: OF_KEEPERS },
  bounds: BOUNDS,
  views: publishedViews,
  logins: 'select l.username from reporting_login l',
};
