import type { PublishedColumn, PublishedView } from '../../platform/database/published.ts';
import { ifMay, mayAll } from './scope.ts';

type Columns = Readonly<Record<string, PublishedColumn>>;

/** A column. */
export const as = (sql: string, about: string): PublishedColumn => ({ sql, about });
/** A column that only a login with the permission reads. */
export const money = (permission: string, sql: string, about: string): PublishedColumn =>
  as(ifMay([permission], sql), `${about} Null without ${permission}.`);

/** The columns that every record has. @param what what it is called */
export const record = (t: string, what: string): Columns => ({
  id: as(`${t}.id`, `Id of the ${what}.`),
  created_at: as(`${t}.created_at`, 'When it was created.'),
  updated_at: as(`${t}.updated_at`, 'When it was last changed.'),
});
/** The description of an external id. */
export const EXTERNAL = 'Your own id of it.';

/** The rates of a piece of work, each seen with the permission of its side. */
export const rates = (t: string): Columns => ({
  customer_rate_value: money('view_customer_rates', `${t}.customer_rate_value`, 'The price that the customer pays for a unit.'),
  customer_rate_type: money('view_customer_rates', `${t}.customer_rate_type`, 'The unit that the rate of the customer is paid for.'),
  vendor_rate_value: money('view_vendor_rates', `${t}.vendor_rate_value`, 'The price that a vendor is paid for a unit.'),
  vendor_rate_type: money('view_vendor_rates', `${t}.vendor_rate_type`, 'The unit that the rate of a vendor is paid for.'),
  driver_rate_value: money('view_driver_rates', `${t}.driver_rate_value`, 'The price that a driver is paid for a unit.'),
  driver_rate_type: money('view_driver_rates', `${t}.driver_rate_type`, 'The unit that the rate of a driver is paid for.'),
});

/** Money of an invoice or a settlement: the side says who may see it (src/billing/invoices/invoice.access.ts). */
export const ofSide = (t: string, driver: string, sql: string, about: string): PublishedColumn =>
  as(
    `case when (case when ${t}.side = 'receivable' then ${mayAll('view_customer_rates')} when ${driver} is null then ${mayAll('view_vendor_rates')}
      else ${mayAll('view_driver_rates')} end) then ${sql} end`,
    `${about} Null without view_customer_rates of a receivable, view_vendor_rates of what a vendor gets, view_driver_rates of what a driver gets.`,
  );

const stop = (t: string, type: string, direction: string): string =>
  `(select w.site_id from waypoint w where w.route_id = ${t}.route_id and w.type = '${type}' order by w.ordinality ${direction}, w.id ${direction} limit 1)`;
/** The first and the last stop of a route. */
export const stops = (t: string): Columns => ({
  pickup_site_id: as(stop(t, 'pickup', 'asc'), 'Id of the site of the first pickup.'),
  dropoff_site_id: as(stop(t, 'drop_off', 'desc'), 'Id of the site of the last drop-off.'),
});
/** When it was approved. */
export const approvals = (t: string): Columns => ({
  approved_at: as(`${t}.approved_at`, 'When somebody approved it.'),
  billing_approved_at: as(`${t}.billing_approved_at`, 'When it was approved for billing.'),
});

/** A view of the schema `reporting`. */
export const view = (name: string, about: string, from: string, columns: Columns): PublishedView => ({ name, about, from, columns });
