import { PUBLISHED } from '../../platform/database/published.ts';
import { COMPANY } from './scope.ts';

const OWN = `company_id = ${COMPANY}`;
const passed = (column: string, what: string): string => `${OWN} or ${column} in (select ${PUBLISHED}.passed_${what}())`;

/**
 * The tables that views read, and which of their rows a login sees: those of its company, and of work those that were passed on to it, which
 * metrics count.
 */
export const BOUNDS: Readonly<Record<string, string>> = {
  company: `id = ${COMPANY}`,
  orders: passed('id', 'orders'),
  job: passed('id', 'jobs'),
  load: passed('job_id', 'jobs'),
  ticket: passed('job_id', 'jobs'),
  job_event: passed('job_id', 'jobs'),
  geofence_trigger: passed('job_id', 'jobs'),
  waypoint: passed('route_id', 'routes'),
  job_assignment: `${OWN} or customer_company_id = ${COMPANY} or vendor_company_id = ${COMPANY}`,
  ...Object.fromEntries(
    [
      ...['project', 'account', 'site', 'material', 'app_user', 'equipment', 'equipment_type', 'phase', 'dispatch_number', 'driver_day'],
      ...['approval_state', 'invoice', 'invoice_line_item', 'settlement', 'settlement_invoice', 'imported_record', 'merged_record'],
    ].map((table) => [table, OWN]),
  ),
};
