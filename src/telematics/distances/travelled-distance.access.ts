import { ofOrderAtSites } from '../../dispatch/access/at-sites.ts';
import { ofJobOfPerson } from '../../dispatch/access/own-work.sql.ts';
import { neverSubcontracted } from '../../dispatch/access/subcontracted.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { TravelledDistance } from './travelled-distance.entity.ts';

export const travelledDistanceAccess = defineAccess(TravelledDistance, {
  // None is passed on. This says that a distance names its truck as work does, so that it is read with it.
  subcontracted: neverSubcontracted,
  // The owner of a job reads what a vendor's truck drove for it, and nothing of the rest of the day.
  shared: (t, p) => `exists (select 1 from job sj where sj.id = ${t}.job_id and sj.company_id = any(${p}))`,
  rowPolicy: {
    shared: { column: 'job_id', ids: (companies) => `select sj.id from job sj where sj.company_id = any(${companies})` },
  },
  sites: (t, p) =>
    `exists (select 1 from job aj where aj.driver_day_id = ${t}.driver_day_id and aj.id = coalesce(${t}.job_id, aj.id) and ${ofOrderAtSites('aj.order_id', p)})`,
  ownRecords: (t, p) => `((${t}.job_id is not null and ${ofJobOfPerson(`${t}.job_id`, p)})
    or exists (select 1 from driver_day od where od.id = ${t}.driver_day_id and od.driver_id = ${p}))`,
  partnerFields: {
    passed: [
      ...['id', 'createdAt', 'updatedAt', 'companyId', 'travellerType', 'travellerId', 'driverDayId', 'jobId', 'orderId'],
      ...['administrativeArea', 'travelledDistanceType', 'equipment', 'travelledDistanceMeters'],
    ],
    kept: [],
    sorts: ['createdAt'],
  },
});
