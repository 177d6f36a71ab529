import { masked } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { MaterialRate } from './material-rate.entity.ts';
import { SiteRateSchedule } from './site-rate-schedule.entity.ts';

export const materialRateAccess = defineAccess(MaterialRate, {
  sites: (t, p) => `(${t}.site_id is null or ${t}.site_id = any(${p}))`,
  masks: [
    [masked('view_vendor_rates'), 'buyPrice'],
    [masked('view_customer_rates'), 'sellPrice'],
  ],
});

/** SQL of whether a schedule names no other sites than these. */
export const scheduleAtSites = (t: string, p: string): string =>
  `((${t}.site_id is null or ${t}.site_id = any(${p})) and (${t}.dropoff_site_id is null or ${t}.dropoff_site_id = any(${p})))`;

export const siteRateScheduleAccess = defineAccess(SiteRateSchedule, {
  sites: scheduleAtSites,
  masks: [
    [masked('view_customer_rates'), 'customerRate', 'customerRateValue', 'customerRateType'],
    [masked('view_vendor_rates'), 'vendorRate', 'vendorRateValue', 'vendorRateType'],
    [masked('view_driver_rates'), 'driverRate', 'driverRateValue', 'driverRateType'],
  ],
});
