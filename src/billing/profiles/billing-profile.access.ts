import { defineAccess } from '../../platform/read/access.ts';
import { BillingProfile } from './billing-profile.entity.ts';

/** Only the office sees the billing profiles of accounts. */
export const billingProfileAccess = defineAccess(BillingProfile, { ownRecords: (_t, p) => `${p} is null` });
