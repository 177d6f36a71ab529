import { defineAccess } from '../../platform/read/access.ts';
import { BillingProfile } from './billing-profile.entity.ts';

/** How accounts are billed is the affair of the office. */
export const billingProfileAccess = defineAccess(BillingProfile, { ownRecords: (_t, p) => `${p} is null` });
