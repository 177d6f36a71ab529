import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { Address } from './address.entity.ts';

export const addressAccess = defineAccess(Address, {
  // A reader of a company reads its address too; the company's policy decides which companies those are.
  rowPolicy: { readable: { column: 'id', exists: (id) => `select from company c where c.address_id = ${id}` } },
  // Both are read through the record that has them, where it was decided whether they are.
  partnerFields: {
    passed: [
      ...RECORD_FIELDS,
      'companyId',
      'thoroughfare',
      'premise',
      'locality',
      'administrativeArea',
      'postalCode',
      'country',
      'lat',
      'lon',
      'placeId',
    ],
  },
});
