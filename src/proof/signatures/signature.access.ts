import { ofOrderAtSites } from '../../dispatch/access/at-sites.ts';
import { ofJobOfPerson } from '../../dispatch/access/own-work.sql.ts';
import { dayOfPerson, daysOfHired } from '../../dispatch/model/driver-day.entity.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { Signature } from './signature.entity.ts';

export const signatureAccess = defineAccess(Signature, {
  // The customer of a link reads whether a day that it sees is signed. It lists none of these signatures: no access of it says so.
  rowPolicy: { readable: { column: 'driver_day_id', ids: daysOfHired } },
  subcontracted: (t, p) => `exists (select 1 from job_assignment a where a.job_id = ${t}.job_id and a.vendor_company_id = any(${p}))`,
  // A day is at no site.
  sites: (t, p) => `(${t}.job_id is null or ${ofOrderAtSites(`(select sj.order_id from job sj where sj.id = ${t}.job_id)`, p)})`,
  ownRecords: (
    t,
    p,
  ) => `case when ${t}.job_id is null then exists (select 1 from driver_day ps where ps.id = ${t}.driver_day_id and ${dayOfPerson('ps', p)})
    else ${ofJobOfPerson(`${t}.job_id`, p)} end`,
  partnerFields: {
    passed: [
      ...RECORD_FIELDS,
      'companyId',
      'type',
      'signableType',
      'signableId',
      'jobId',
      'driverDayId',
      'lat',
      'lon',
      'name',
      'phone',
      'imageId',
    ].concat(['imageMimeType', 'imageName', 'imageUrl', 'signedByType', 'signedById', 'signedByName']),
    kept: ['imageSize'],
    sorts: ['createdAt'],
  },
});
