import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { Material, MaterialType, Service, ServiceClass, ServiceType } from './named.entities.ts';

export const materialAccess = defineAccess(Material, {
  partnerFields: {
    passed: [...RECORD_FIELDS, 'company', 'name', 'materialType', 'system', 'state', 'discardedAt'],
    kept: ['externalId', 'density'],
  },
});

export const materialTypeAccess = defineAccess(MaterialType, {
  partnerFields: { passed: [...RECORD_FIELDS, 'name', 'ordinality', 'system', 'source', 'externalId'] },
});

export const serviceAccess = defineAccess(Service, {
  partnerFields: { passed: [...RECORD_FIELDS, 'company', 'name', 'system', 'visible', 'serviceType', 'ordinality', 'discardedAt'] },
});

export const serviceTypeAccess = defineAccess(ServiceType, {
  partnerFields: { passed: [...RECORD_FIELDS, 'name', 'key'] },
});

export const serviceClassAccess = defineAccess(ServiceClass, {
  partnerFields: { passed: [...RECORD_FIELDS, 'company', 'name', 'discardedAt'] },
});
