import { ofOrderAtSites } from '../../dispatch/access/at-sites.ts';
import { scheduleAtSites } from '../../dispatch/pricing/prices.access.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { AutoAddOnAssignment } from './auto-add-on-assignment.entity.ts';

/** A record of which an assignment has none, or one that is at some sites. */
const noneOr = (id: string, at: string): string => `(${id} is null or ${at})`;

export const autoAddOnAccess = defineAccess(AutoAddOnAssignment, {
  // That of work, a link or a schedule is read with it.
  sites: (t, p) =>
    `(${[
      noneOr(`${t}.order_id`, ofOrderAtSites(`${t}.order_id`, p)),
      noneOr(`${t}.job_id`, ofOrderAtSites(`(select sj.order_id from job sj where sj.id = ${t}.job_id)`, p)),
      noneOr(
        `${t}.job_assignment_id`,
        ofOrderAtSites(
          `(select sj.order_id from job_assignment sa join job sj on sj.id = sa.job_id where sa.id = ${t}.job_assignment_id)`,
          p,
        ),
      ),
      noneOr(
        `${t}.site_rate_schedule_id`,
        `exists (select 1 from site_rate_schedule ss where ss.id = ${t}.site_rate_schedule_id and ${scheduleAtSites('ss', p)})`,
      ),
    ].join(' and ')})`,
  // Deductions from a driver's pay are the driver's own; all others are for the office.
  ownRecords: (t, p) => `${t}.driver_id = ${p}`,
});
