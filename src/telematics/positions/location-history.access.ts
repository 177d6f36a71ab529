import { ofOrderAtSites } from '../../dispatch/access/at-sites.ts';
import { ofJobOfPerson } from '../../dispatch/access/own-work.sql.ts';
import { neverSubcontracted } from '../../dispatch/access/subcontracted.ts';
import { OVER } from '../../dispatch/model/states.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { LocationHistory } from './location-history.entity.ts';

/** SQL: a position `t` is one of a job of the companies `p`, from its first departure to its end (PROOF A7). */
export const duringJob = (
  t: string,
  p: string,
): string => `exists (select 1 from job sj where sj.id = ${t}.job_id and sj.company_id = any(${p})
    and ${t}.occurred_at >= (select min(se.occurred_at) from job_event se where se.job_id = sj.id and se.event_name = 'ToPickup' and se.undone_at is null)
    and (sj.state not in ${OVER} or ${t}.occurred_at <= (select max(se.occurred_at) from job_event se
      where se.job_id = sj.id and se.undone_at is null and se.event_name in ('JobCompleted', 'JobEnded', 'JobCanceled'))))`;

export const locationHistoryAccess = defineAccess(LocationHistory, {
  // No position is passed on. This says that it names people and trucks as work does, so that they are read with it.
  subcontracted: neverSubcontracted,
  shared: duringJob,
  // The job's company may follow it, even if a vendor's driver drives.
  rowPolicy: {
    shared: { column: 'job_id', ids: (companies) => `select sj.id from job sj where sj.company_id = any(${companies})` },
  },
  sites: (t, p) => `exists (select 1 from job aj where aj.id = ${t}.job_id and ${ofOrderAtSites('aj.order_id', p)})`,
  // Drivers read their own positions, and foremen those of their jobs.
  ownRecords: (t, p) => `(${t}.user_id = ${p} or (${t}.job_id is not null and ${ofJobOfPerson(`${t}.job_id`, p)}))`,
  // The job's company follows the truck that hauls the job; which telephone measured it is the affair of its person.
  partnerFields: {
    passed: [
      'id',
      'createdAt',
      'companyId',
      'userId',
      'occurredAt',
      'lat',
      'lon',
      'speed',
      'speedMetersPerSecond',
      'bearingDegrees',
      'jobId',
    ]
      .concat(['equipmentId', 'offlineMode', 'loadId', 'loadState', 'orderNumber', 'radii', 'bearing'])
      .concat(['dispatchNumber', 'driver', 'equipment', 'vendorJobAssignment']),
    kept: ['deviceId', 'accuracy', 'accuracyMeters', 'source', 'providerKey'],
    sorts: ['createdAt', 'occurredAt'],
  },
});
