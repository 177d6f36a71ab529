import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { CompanyShare } from './company-share.entity.ts';

export const companyShareAccess = defineAccess(CompanyShare, {
  shared: (t, p) => `${t}.receiver_company_id = any(${p})`,
  // Also for commands, and for whoever manages a company: the share of a site says where it is called what.
  sites: (t, p) => `(${t}.company_shareable_type <> 'Site' or ${t}.company_shareable_id = any(${p}))`,
  // Both sides of a share read it whole: each side's words are named as such in the contract.
  partnerFields: {
    owners: ['companyId', 'receiverCompany'],
    passed: [
      ...RECORD_FIELDS,
      'companyId',
      'senderCompany',
      'receiverCompany',
      'companyShareableType',
      'companyShareableId',
      'companyShareable',
    ]
      .concat(['parentCompanyShareId', 'externalId', 'ticketMatchId', 'dispatchable', 'plannable', 'scheduleOn', 'rateOverride'])
      .concat(['expiresAt', 'validUntil', 'nameAtEnd', 'receiverAccount'])
      .concat(['defaultEquipment', 'defaultAdditionalEquipmentIds', 'defaultAdditionalEquipment']),
    filters: ['senderCompanyId', 'receiverCompanyId', 'betweenCompanyId', 'companyShareableType', 'companyShareableId'],
    sorts: ['createdAt'],
  },
});
