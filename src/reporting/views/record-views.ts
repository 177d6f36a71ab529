import type { PublishedView } from '../../platform/database/published.ts';
import { billingViews } from './billing-views.ts';
import { masterDataViews } from './master-data-views.ts';
import { workViews } from './work-views.ts';

/** The records of a company. */
export const recordViews: readonly PublishedView[] = [...workViews, ...billingViews, ...masterDataViews];
