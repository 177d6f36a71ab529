import { defineAccess } from '../../platform/read/access.ts';
import type { SearchPredicate } from '../../platform/read/grammar.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { DriverDay, dayAtSites, dayOfPerson, daysOfHired, jobOfDay } from '../model/driver-day.entity.ts';
import { DriverStateEvent } from '../model/driver-state.entity.ts';
import { neverSubcontracted } from './subcontracted.ts';

/**
 * SQL: a word is found in a day: in its number, the name of its driver, what the reader calls the vendor, and the numbers that the reader gave the
 * trucks of its jobs (DOMAIN section 8).
 */
export const dayWords: SearchPredicate = (t, p, companies) => `${t}.driver_day_id ilike ${p}
  or exists (select 1 from app_user ku where ku.id = ${t}.driver_id and (fold(ku.first_name) like fold(${p}) or fold(ku.last_name) like fold(${p})))
  or exists (select 1 from account kv where kv.connected_company_id = ${t}.company_id and kv.company_id = any(${companies()}) and kv.company_id <> ${t}.company_id
    and fold(kv.name) like fold(${p}))
  or exists (select 1 from job kj join equipment ke on ke.id = kj.equipment_id where kj.driver_day_id = ${t}.id and ke.company_id = any(${companies()})
    and fold(ke.external_id) like fold(${p}))`;

export const driverDayAccess = defineAccess(DriverDay, {
  // No day is passed on. This says that a day names people as work does, so that its driver is read with it.
  subcontracted: neverSubcontracted,
  shared: (t, p) => `exists (select 1 from job sj join job_assignment sa on sa.job_id = sj.id
    where ${jobOfDay('sj', t)} and sa.customer_company_id = any(${p}) and sa.vendor_company_id = ${t}.company_id)`,
  rowPolicy: { shared: { column: 'id', ids: daysOfHired } },
  sites: dayAtSites,
  ownRecords: dayOfPerson,
  // The customer approves the hours, so it reads the times of the shift and their corrections. What the driver's company calls the day stays
  // there, and when its truck left home.
  partnerFields: {
    passed: [
      ...RECORD_FIELDS,
      'company',
      'driver',
      'driverDayDate',
      'driverDayId',
      'startsAt',
      'endsAt',
      'startedShiftAt',
      'endedShiftAt',
      'endReason',
    ]
      .concat(['adjustedStartedShiftAt', 'adjustedEndedShiftAt', 'shiftAdjustmentMinutes', 'shiftAdjustmentType', 'version'])
      .concat(['currentDriverStateEvent', 'vendorAccount'])
      // Counted are the jobs that the reader sees.
      .concat(['jobsCount', 'loadsCount', 'ticketsCount', 'firstGeofenceEntryAt', 'lastGeofenceExitAt', 'firstTicketAt', 'lastTicketAt'])
      .concat(['totalGpsMinutes', 'totalDeliveredQuantities', 'deliveredQuantities', 'equipmentExternalIds', 'travelledDistanceMeters'])
      .concat(['unmeasuredDistanceMeters'])
      .concat(['exceptions', 'liveMinutes', 'totalOnDutyMinutes', 'totalBreakMinutes', 'totalShiftMinutes', 'payableMinutes']),
    kept: [
      'externalId',
      'mergedDriverId',
      'timesEditable',
      'workedAfterApproval',
      'measuredAfterApproval',
      'firstHomebaseExitAt',
      'lastHomebaseEntryAt',
      'editable',
      'invoiceHold',
      'approvedTotals',
    ]
      .concat(['approvedAt', 'billingApprovedAt', 'fieldApprovedAt', 'billerApproved', 'companyAdminApproved', 'driverApproved'])
      .concat(['foremanApproved']),
    instead: { timesEditable: false, editable: false, invoiceHold: 0 },
    filters: ['driverIds', 'vendorAccountIds', 'customerAccountIds', 'startDate', 'endDate'],
    ownFilters: ['needsReview', 'needsReview.not'],
    sorts: ['createdAt', 'driverDayDate', 'driver.firstName', 'driver.lastName', 'vendorAccount.name'],
    search: dayWords,
  },
});

/** The customer of a link reads the spans of a day that it sees. */
export const driverStateEventAccess = defineAccess(DriverStateEvent, {
  rowPolicy: { readable: { column: 'driver_day_id', ids: daysOfHired } },
  partnerFields: {
    passed: [...RECORD_FIELDS, 'company', 'userId', 'state', 'startedAt', 'endedAt', 'source'],
    kept: ['clientId', 'repeatedClientIds', 'driverDayId'],
  },
});
