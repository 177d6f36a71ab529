import { internal, openSite } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { defineUnlogged } from '../../platform/read/past/as-of.ts';
import { amongShared, sharedWith } from '../shares/shared-with.ts';
import { Equipment } from './equipment.entity.ts';

/** The number on the door is drawn by the database. */
export const unloggedOfEquipment = defineUnlogged(Equipment, { given: ['equipment_id'] });

export const equipmentAccess = defineAccess(Equipment, {
  shared: sharedWith('Equipment'),
  rowPolicy: { shared: amongShared('Equipment') },
  masks: [
    [internal(), 'accountingId', 'labels'],
    [openSite(), 'homeBase'],
  ],
  partnerFields: {
    passed: [
      ...RECORD_FIELDS,
      'company',
      'name',
      'equipmentType',
      'equipmentId',
      'licenseNumber',
      'zone',
      'state',
      'ownership',
      'discardedAt',
    ].concat(['companyShare']),
    shared: ['externalId'],
    kept: ['homeBase', 'labelIds'],
    filters: ['shared', 'expiring', 'dispatchable', 'senderCompanyIds', 'senderCompanyTypes', 'discarded', 'equipmentTypeIds', 'states'],
    ownFilters: ['labelIds'],
    sorts: ['createdAt', 'name', 'rank'],
    search: (t, p) => `${t}.search_text like fold(${p})`,
  },
});
