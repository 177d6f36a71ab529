import { internal } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { amongShared, sharedWith } from '../shares/shared-with.ts';
import { Site } from './site.entity.ts';

export const siteAccess = defineAccess(Site, {
  shared: sharedWith('Site'),
  rowPolicy: { shared: amongShared('Site') },
  sites: (t, p) => `${t}.id = any(${p})`,
  masks: [[internal(), 'notes', 'department']],
  partnerFields: {
    passed: [
      ...RECORD_FIELDS,
      'company',
      'name',
      'siteType',
      'lat',
      'lon',
      'fullAddress',
      'routable',
      'address',
      'routingGeofence',
      'state',
    ].concat(['discardedAt', 'contacts', 'movingSite', 'companyShare', 'editable']),
    shared: ['externalId'],
    filters: ['shared', 'expiring', 'dispatchable', 'senderCompanyIds', 'senderCompanyTypes', 'discarded', 'siteTypes', 'states', 'usable'],
    ownFilters: ['departmentIds'],
    sorts: ['createdAt', 'name', 'rank'],
    search: (t, p) => `${t}.search_text like fold(${p})`,
  },
});
