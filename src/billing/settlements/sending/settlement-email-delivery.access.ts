import { defineAccess } from '../../../platform/read/access.ts';
import { partOfSettlement } from '../settlement.access.ts';
import { SettlementEmailDelivery } from './settlement-email-delivery.entity.ts';

export const settlementEmailDeliveryAccess = defineAccess(SettlementEmailDelivery, partOfSettlement);
