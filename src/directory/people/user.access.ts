import { internal, masked } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { defineUnlogged } from '../../platform/read/past/as-of.ts';
import { amongShared, sharedWith } from '../shares/shared-with.ts';
import { User } from './user.entity.ts';

/** People who are met on the road and on site. Only these can be shared with another company. */
const onTheRoad = (t: string): string => `(${t}.roles && array['driver', 'foreman'])`;

/** Where somebody was, and when they signed in, has no entries: it changes all the time, and no such change is one of the person. */
export const unloggedOfUsers = defineUnlogged(User, { fleeting: ['last_login_at', 'last_ping_at', 'last_lat', 'last_lon', 'still_since'] });

export const userAccess = defineAccess(User, {
  shared: sharedWith('User'),
  rowPolicy: { shared: amongShared('User') },
  masks: [
    [internal({ instead: true }), 'emailProven', 'phoneProven'],
    [internal({ instead: [] }), 'roles'],
    [internal({ instead: false }), 'textToAcceptEnabled'],
    // The names and permissions of roles are the affair of the person's company.
    [internal(), 'lastLoginAt', 'labels', 'iamRoles', 'payBy', 'wageClassification'],
    [internal({ instead: {} }), 'preferences'],
    // They may have driven for other companies: companies with which they are shared, and readers of a part of the work, do not read how busy
    // they are, or with what.
    [internal({ whole: true }), 'companyDayDriverStat'],
    [masked('assign_job'), 'lastPosition'],
  ],
  partnerFields: {
    passed: [
      ...RECORD_FIELDS,
      'company',
      'firstName',
      'lastName',
      'timeZone',
      'effectiveTimeZone',
      'managed',
      'discardedAt',
      'companyShare',
    ]
      // Except when they were heard from last, which is decided below.
      .concat(['gpsStatus'])
      .concat(['equipment', 'defaultEquipment', 'additionalEquipmentIds', 'additionalEquipment'])
      .concat(['defaultAdditionalEquipmentIds', 'defaultAdditionalEquipment']),
    where: {
      email: onTheRoad,
      phone: onTheRoad,
      lastPingAt: onTheRoad,
      stillSince: onTheRoad,
    },
    shared: ['externalId', 'scheduleOn', 'userDevicePermissions'],
    kept: ['customRoleIds', 'labelIds', 'lastLat', 'lastLon', 'unclaimed', 'companyDayDriverStat'],
    instead: { scheduleOn: false },
    filters: [
      'role',
      'discarded',
      'free',
      'booked',
      'shared',
      'expiring',
      'dispatchable',
      'senderCompanyIds',
      'senderCompanyTypes',
      'autoAddOns',
    ],
    ownFilters: ['access', 'iamRoles', 'labelIds'],
    sorts: ['createdAt', 'firstName', 'lastName', 'name', 'rank'],
    search: (t, p) => `${t}.search_text like fold(${p})
    or exists (select 1 from company kc where kc.id = ${t}.company_id and fold(kc.legal_name) like fold(${p}))`,
  },
});
