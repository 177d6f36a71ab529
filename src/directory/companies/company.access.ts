import { internal } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS } from '../../platform/read/partner-fields.ts';
import { isConnected } from '../accounts/connections.ts';
import { Company } from './company.entity.ts';

/** Their company has an account for this one now: the two know each other and correspond. */
const connected = (t: string, companies: () => string): string =>
  `exists (select 1 from account ka
    where ka.company_id = any(${companies()}) and ka.connected_company_id = ${t}.id and ${isConnected('ka')})`;

export const companyAccess = defineAccess(Company, {
  // A company is seen by itself and by the companies above it.
  tenant: (companies) => ({ id: companies }),
  // A company reads the names of the companies of its accounts, of the other side of a share and of its parent; the application decides
  // where.
  rowPolicy: {
    writable: (t, companies) => `${t}.id = any(${companies})`,
    readable: {
      column: 'id',
      ids: (
        companies,
      ) => `select a.connected_company_id from account a where a.company_id = any(${companies}) and a.connected_company_id is not null
      union select unnest(parent_companies())
      union select s.receiver_company_id from company_share s where s.company_id = any(${companies})
      union select s.sender_company_id from company_share s where s.receiver_company_id = any(${companies})`,
    },
  },
  // Among them the company's contract with the operator, which is not for the companies it is connected with.
  masks: [
    [
      internal(),
      'billingContact',
      'idpOrganizationId',
      'billingStatus',
      'saasBillingPlan',
      'usageStatus',
      'fuelSurchargePercentage',
      'firstSignInAt',
    ],
  ],
  partnerFields: {
    owners: ['id'],
    passed: [
      ...RECORD_FIELDS,
      'platformId',
      'legalName',
      'dbaName',
      'companyType',
      'timeZone',
      'currency',
      'platformCustomer',
      'discardedAt',
    ]
      .concat(['logoKey', 'logoType', 'logoUrl', 'sandbox'])
      // In these, readers of other companies get the defaults of a new company.
      .concat(['effectiveFuelSurchargePercentage', 'effectiveBillingStatus', 'effectiveSaasBillingPlan', 'effectiveUsageStatus']),
    where: { address: connected, primaryContact: connected, effectiveBillingContact: connected },
    kept: [
      'parentCompany',
      'language',
      'timeFormat',
      'dateFormat',
      'unitOfDistance',
      'systemOfMeasure',
      'authMethods',
      'autoCompleteOrder',
    ].concat(['aiReviewLoads', 'defaultLat', 'defaultLon', 'siteRadius', 'defaultGeofenceDelaySeconds', 'permissionToggles']),
    instead: {
      language: 'en',
      timeFormat: '12-hour',
      dateFormat: 'YYYY/MM/DD',
      unitOfDistance: 'kilometer',
      systemOfMeasure: 'metric',
      authMethods: [],
      autoCompleteOrder: false,
      aiReviewLoads: false,
      defaultGeofenceDelaySeconds: 0,
    },
    sorts: ['createdAt', 'rank', 'legalName'],
    search: (t, p) => `${t}.search_text like fold(${p})`,
  },
});
